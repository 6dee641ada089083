import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// The clock present: what it counts, and the events of an absence.
@Suite struct PresenceTests {
  private let stage = Stage()

  private static let pomodoro =
    "sequence pom present rounds=4 longEvery=2 afterAway=pause"
    + " steps=work:25min+rest:5min/15min:break"

  static let rules = Rule.table(
    """
    # No freeze is detected, however long it lasts.
    The loop is not armed for a timer that stands still, and one that was due already rings
      start focus 10min present, armed, away, armed, next, run 5h, spans, extend focus -10min
      -> armed for monotonic 600; armed for nothing; next nothing; 1 begun; 18000 extended
      -> 18000 rang
    A stopwatch on present makes an absence count
      stopwatch sw present, run 1s, away, run 1h, show sw, here, spans, run 1s, show sw
      -> sw running, 1 measured, away; 1 away from 1 for 3600; sw running, 2 measured
    While the user is away, present stops and the other clocks continue
      start elapsed 5h, start awake 5h awake, start wall 5h wall, start present 1h present, away,
      show present, show awake, run 10min, here, run 1min, show elapsed, show awake, show wall,
      show present, run 59min-1us, show present, run 1us
      -> present running, 3600 left, away; awake running, 18000 left; elapsed running, 17340 left
      -> awake running, 17340 left; wall running, 17340 left; present running, 3540 left
      -> present running, 0.000001 left; 4200 present rang
    # Locked during one sleep and unlocked during the next.
    A sleep, a stop and a freeze in an absence are left out once
      start focus 5h present, start awake 5h awake, run 1min, away, run 1min, sleep 1h,
      enter stop, pass 1h, leave stop, run 1min, enter sleep, here, doze 1h, leave sleep,
      run 1min, show focus, show awake, spans
      -> focus running, 17880 left; awake running, 17760 left
      -> 2 sleep from 120 for 3600; 3 stop from 3720 for 3600; 1 away from 60 for 7320
      -> 4 sleep from 7380 for 3600
    Bands on present are crossed by counted time, and a snooze runs on real time
      start focus 2min present bands=warn:1min, run 1min-1us, away, run 1h, here, show focus,
      run 1us, run 1min, snooze focus 1min, away, show focus, run 1min, spans
      -> focus running, 60.000001 left; 3660 band_crossed warn 60; 3720 rang; 3720 snoozed
      -> focus over, in warn; 3780 rang after snooze; 1 away from 59.999999 for 3600
    A stop that a kill ended in an absence counts on awake and not on present
      start focus 1h present, away, enter stop, anchor, pass 1min, seen, pass 1min, boot, clocks,
      here, run 1min, clocks
      -> elapsed 120, awake 60, present 0; elapsed 180, awake 120, present 60
    # Another timer makes the absence count.
    An absence means nothing to a sequence that is not running
      \(pomodoro), pause pom, start focus 1h present, away, run 61min, here, show pom
      -> 0 pom paused 1500; pom paused, 1500 left
    An absence means nothing to a sequence that began in it
      \(pomodoro), away, run 1min, restart pom, run 1h, here, show pom
      -> 60 restarted; pom running, 1500 left
    A sequence continues after an absence, whatever {continue|pause|restart|break} means for a sleep
      sequence focus present afterSleep={} steps=work:25min+rest:5min:break, run 20min, away,
      run 45min, here, show focus, run 5min, show focus
      -> focus running, 300 left; 4200 rang to rest; focus running, 300 left
    # A second timer does not start the absence again.
    An absence is recorded only when it hides time from a timer
      start tea 1h, start focus 1h present, pause focus, away, run 1min, here, away, run 1min,
      spans, resume focus, run 1min, start more 1h present, unknown, run 1min, show focus,
      spans, counters
      -> 0 focus paused 3600; no span; 120 focus resumed; focus running, 3540 left
      -> 1 away from 120 for 60; 1 at awake 120; 1 at awake 180
    # The user counts as away until logind answers the new daemon.
    The last presence stays valid over a restart of the daemon
      start focus 10min present, run 1min, away, anchor, seen, pass 1h, boot, clocks, run 1min,
      clocks, here, spans, run 1min, clocks
      -> elapsed 3660, awake 3660, present 60; elapsed 3720, awake 3720, present 60
      -> 1 down from 60 for 3600; 1 away from 60 for 3660; 1 begun
      -> elapsed 3780, awake 3780, present 120
    """)

  @Test(arguments: rules)
  func `While the user is away, what is on present stands still`(_ rule: Rule) { rule.check() }

  private func report(_ presence: Presence, _ stage: Stage) {
    stage.runIteration { _ in stage.background.note(presence: presence, at: stage.now) }
  }

  /// The user works for `began` minutes, is away for `away` minutes, and comes back. Then: the
  /// position, what remains of the step, and what the run has counted, both in minutes.
  @Test(
    arguments: [
      // Shorter than the break: ordinary time.
      (AfterSpan.break, 20, 4, 0, 5, 20), (.pause, 20, 4, 0, 5, 20), (.restart, 20, 4, 0, 5, 20),
      (.continue, 20, 40, 0, 5, 20),
      // As long as the break: it is the break, and the next work begins.
      (.break, 20, 5, 2, 25, 20), (.break, 20, 14, 2, 25, 20),
      (.pause, 20, 5, 0, 5, 20), (.restart, 20, 5, 0, 25, 20),
      // In a break of which 3 min remain.
      (.break, 27, 5, 2, 25, 27), (.restart, 27, 5, 2, 25, 27), (.pause, 27, 5, 1, 3, 27),
      // The next break is a long one, and the absence is shorter.
      (.break, 50, 14, 2, 5, 50), (.restart, 50, 14, 2, 25, 50),
      // As long as a long break: the count of rounds up to the next one begins anew.
      (.break, 50, 15, 4, 25, 50), (.restart, 50, 15, 0, 25, 50), (.pause, 50, 15, 2, 5, 50),
      (.restart, 20, 15, 0, 25, 20), (.break, 20, 15, 0, 25, 20),
      // In the last round, whose break is the end: work goes on.
      (.break, 120, 15, 6, 5, 120), (.break, 135, 15, 7, 5, 135),
    ] as [(AfterSpan, Int64, Int64, Int64, Int64, Int64)])
  func `What an absence means for a sequence`(
    _ after: AfterSpan, began: Int64, away: Int64, position: Int64, left: Int64, counted: Int64
  ) throws {
    let steps = [
      Step(name: "work", durationUsec: 25 * minute),
      Step(name: "rest", durationUsec: 5 * minute, isBreak: true, longUsec: 15 * minute),
    ]
    let spec = try SharedSpec(
      kind: .sequence, rounds: 4, steps: steps, longEvery: 2, afterAway: after)
    let slot = try stage.start("pomodoro", spec, .present)
    stage.advance(began * minute)
    report(.away, stage)
    stage.run(away * minute)
    report(.here, stage)
    let timer = stage.engine.table[slot]
    #expect(timer.course.position == position)
    #expect(stage.remaining(slot) == left * minute)
    let ran = timer.runLengthUsec - left * minute
    #expect(timer.countedUsec(elapsedUsec: ran) == counted * minute)
    let isPaused = after == .pause && away >= 5
    #expect(stage.state(slot) == (isPaused ? .paused : .running))
  }

  @Test func `Only a sequence on present can have a policy for an absence`() throws {
    var spec = TimerSpec.plain
    (spec.kind, spec.steps) = (.sequence, [Step(name: "work", durationUsec: hour)])
    spec.afterAway = .break
    for clock in Timeline.allCases {
      spec.clock = clock
      #expect((spec.problem == nil) == (clock == .present))
    }
    (spec.kind, spec.steps, spec.clock) = (.countdown, [], .present)
    spec.durationUsec = hour
    #expect(spec.problem != nil)
  }

  @Test func `A reboot ends an absence at the time when the machine went down`() throws {
    let first = Stage()
    try first.start("focus", 10 * minute, .present)
    first.run(minute)
    report(.away, first)
    first.run(minute)
    let end = first.now
    first.clocks.reboot(off: hour, uptime: minute)
    let next = first.successor(from: end)
    #expect(next.background.presence == .unknown && next.background.absence == nil)
    var left: Span?
    if case .leftBackground(let span)? = next.events.first?.kind { left = span }
    #expect(left?.id == 1 && left?.causes == [.away] && left?.elapsedUsec == minute)
    #expect(next.events.first?.counters.elapsedUsec == 2 * minute)
    #expect(next.reading(.present) == minute)
    next.run(minute)
    #expect(next.reading(.present) == 2 * minute)
  }
}
