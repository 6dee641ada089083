import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Continuing from the state of the last run.
@Suite struct BackgroundStartTests {
  static let rules = Rule.table(
    """
    A crash in the same boot is an estimated down span since the last anchor, and awake
      run 1s, anchor, pass 20s, boot, spans, clocks
      -> 1 down from 1 for 20 estimated; elapsed 21, awake 21
    The service manager reports exactly when the daemon ended
      anchor, pass 20s, seen, pass 5s, boot, spans, clocks
      -> 1 down from 20 for 5; elapsed 25, awake 25
    A time from the service manager before the anchor is ignored
      seen, run 1s, anchor, pass 1s, boot, spans
      -> 1 down from 1 for 1 estimated
    A time from the service manager of another boot is ignored
      run 1s, anchor, pass 1s, reboot 1h 1s, seen, boot, spans
      -> 1 reboot from 1 for 3602 estimated
    # The span began in the last run, so this run records only its end.
    A SIGTERM begins a down span exactly then
      enter down, anchor, pass 3s, boot, spans
      -> 1 down from 0 for 3; 0 begun
    A reboot is estimated, and advances elapsed by the wall clock and awake not at all
      run 1s, anchor, pass 10s, reboot 3h 30s, boot, spans, clocks
      -> 1 reboot from 1 for 10840 estimated; elapsed 10841, awake 1
    A machine that boots in the past was off at least as long as it has been up
      anchor, reboot 1h 30s -10h, boot, spans, clocks
      -> 1 reboot from 0 for 30 estimated; elapsed 30, awake 0
    A SIGTERM before a reboot becomes the start of the reboot's span
      enter down, anchor, reboot 1h 1s, boot, spans
      -> 1 reboot from 0 for 3601 estimated; 0 begun
    A discarded hibernation image makes a sleep a reboot as well
      enter sleep, anchor, reboot 1h 1s, boot, spans
      -> 1 sleep+reboot from 0 for 3601 estimated; 0 begun
    A span that is open at a start in the same boot keeps its start and gains the cause down
      run 1s, anchor, enter sleep, run 1s, doze 1h, boot, spans
      -> 1 sleep+down from 1 for 3601; 0 begun
    A daemon killed while stopped counts as stopped until the next start
      run 1s, enter stop, pass 2s, anchor, pass 10s, boot, spans, clocks, run 1s, clocks
      -> 1 stop+down from 1 for 12; 0 begun; elapsed 13, awake 1; elapsed 14, awake 2
    A daemon killed while stopped counts as stopped until the manager saw its end
      enter stop, anchor, pass 10s, seen, pass 4s, boot, clocks
      -> elapsed 14, awake 4
    Sleep and steps while the daemon was down are found at the start
      anchor, pass 1s, doze 1h, shift -2h, boot, spans, clocks, steps, run 1s, steps
      -> 1 down+sleep from 0 for 3601 estimated; elapsed 3601, awake 1; steps -7200; steps -7200
    The awake counter at the start of a span is known even after a stop within it
      run 1s, enter sleep, enter stop, pass 10s, leave stop, run 2s, boot, entered, clocks
      -> entered at awake 1; elapsed 13, awake 3
    A change of the wall clock by {|-}10 ms while the daemon was down is a step
      anchor, pass 1s, shift {}10ms, boot, steps
      -> steps {}0.01
    A change of the wall clock by {|-}9.999 ms while the daemon was down is none
      anchor, pass 1s, shift {}9999us, boot, steps
      -> no step
    """)

  // Killed, then asleep, and the manager saw the end before the sleep or after it. For the clocks,
  // the latter is the same as a sleep right before the kill.
  private static let sleeps = [
    "seen, doze 100s, pass 2s", "doze 100s, seen, pass 2s", "seen, pass 1s, doze 100s, pass 1s",
    "doze 40s, seen, pass 1s, doze 50s, doze 10s, pass 1s",
  ].map {
    Rule(
      "A sleep since the anchor lies in the span, and awake does not count it: \($0)",
      "run 1s, anchor, pass 20s, \($0), boot, spans, entered, clocks, steps",
      "1 down+sleep from 21 for 102", "entered at awake 21", "elapsed 123, awake 23", "no step")
  }

  // Killed right after the anchor.
  private static let unseenSleeps = [
    "doze 100s, pass 2s", "pass 1s, doze 60s, doze 40s, pass 1s",
  ].map {
    Rule(
      "Without a manager, a sleep since the anchor lies in the span: \($0)",
      "run 1s, anchor, \($0), boot, spans, entered, clocks, steps",
      "1 down+sleep from 1 for 102 estimated", "entered at awake 1", "elapsed 103, awake 3",
      "no step")
  }

  @Test(arguments: rules + sleeps + unseenSleeps)
  func `A start finds what happened since the last run`(_ rule: Rule) { rule.check() }

  @Test func `The span over a restart begins at the whole moment of the end or of the anchor`() {
    let stage = Stage()
    stage.run(second)
    let anchor = stage.now
    stage.clocks.run(20 * second)
    let ended = stage.now
    stage.clocks.run(5 * second)
    let crashed = stage.successor(from: anchor)
    #expect(crashed.left.map(\.entered) == [anchor])
    let reported = stage.successor(from: anchor, downSince: ended.monotonicUsec)
    #expect(reported.left.map(\.entered) == [ended])
  }

  @Test func `Clocks below those of the anchor belong to another boot, whatever the ID says`() {
    let stage = Stage()
    stage.run(hour)
    let anchor = stage.now
    stage.clocks.reboot(off: hour, uptime: 30 * second)
    stage.clocks.now.bootID = anchor.bootID
    let next = stage.successor(from: anchor)
    #expect(next.left.map(\.causes) == [[.reboot]])
    #expect(next.left[0].elapsedUsec == hour + 30 * second)
  }

  @Test func `A stop that a reboot ended hides no time from the next boot`() {
    let stage = Stage()
    stage.run(second)
    stage.enter(.stop)
    let anchor = stage.now
    stage.clocks.reboot(off: hour, uptime: second)
    let next = stage.successor(from: anchor)
    next.run(5 * second)
    #expect(next.reading(.awake) == 6 * second)
    #expect(next.background.state(at: next.now).stoppedMonotonicUsec == nil)
  }
}

/// Corrections when the wall clock is synchronised after a reboot.
@Suite struct BackgroundCorrectionTests {
  /// A boot whose wall clock is an hour ahead and that waits for the clock. It was right before the
  /// reboot.
  private static let ahead = "synchronized, anchor, reboot 3h 30s 1h, boot unsynchronized"

  /// A boot ten seconds ago, whose wall clock is an hour behind. It was right before the reboot.
  private static let behind =
    "synchronized, anchor, reboot 3h 30s -1h, boot unsynchronized, impatient, run 10s"

  static let rules = Rule.table(
    """
    Vouching for the clock corrects the reboot, however long after the step
      \(behind), clocks, step 1h, run 3h, synchronized, corrections, clocks, last
      -> elapsed 7240, awake 10; corrections 3600; elapsed 21640, awake 10810
      -> 1 reboot from 0 for 10830 estimated
    A step without a reboot since the clock was right corrects nothing
      synchronized, run 1h, step 5h, synchronized, corrections, clocks
      -> no correction; elapsed 3600, awake 3600
    Without a vouched reading before it, a reboot is as long as the wall clock showed
      anchor, reboot 3h 30s -1h, boot unsynchronized, step 1h, synchronized, corrections, clocks
      -> no correction; elapsed 7230, awake 0
    Steps in between do not matter, and a clock that was ahead is corrected back
      \(behind), step 3h, step -4h, synchronized, corrections, clocks
      -> corrections -3600; elapsed 3640, awake 10
    No correction makes a reboot shorter than the machine has been up
      \(behind), step -10h, synchronized, corrections, clocks
      -> corrections -7200; elapsed 40, awake 10
    A wall clock that went back counts only the uptime
      synchronized, anchor, reboot 3h 30s -4h, boot unsynchronized, clocks, spans
      -> elapsed 30, awake 0; 1 reboot from 0 for 30 estimated
    A wall clock that went 400 days forward counts only the uptime
      synchronized, anchor, reboot 3h 30s 401d, boot unsynchronized, clocks, spans
      -> elapsed 30, awake 0; 1 reboot from 0 for 30 estimated
    A clock that was corrected while the daemon was down corrects the reboot at the start
      \(behind), anchor, pass 1s, shift 1h, boot, corrections, clocks, spans
      -> corrections 3600; elapsed 10841, awake 11; 2 down from 7240 for 1 estimated
    A correction moves deadlines set before the reboot and none set after it
      \(behind), start since 2h, start paused 2h, pause paused, start awake 2h awake, step 1h,
      synchronized, corrections, show since, show paused, show awake
      -> 7240 paused paused 7200; corrections 3600; since running, 7200 left
      -> paused paused, 7200 left; awake running, 7200 left
    Vouching for a clock without a step corrects nothing
      synchronized, anchor, reboot 3h 30s, boot unsynchronized, doubt, synchronized, doubt,
      corrections
      -> doubt, until boottime 90; no doubt, no wait; no correction
    Vouching before and after a reboot leaves no uncertain reboot
      synchronized, anchor, reboot 3h 30s, boot, doubt
      -> no doubt, no wait
    # It is not due by the new clock, so it waits for its time, and not for the clock.
    What a clock in doubt was set back from expires later with its own cause of lateness
      \(ahead), start tea 5s wall, run 5s, show tea, step -10s, show tea, sleep 1h
      -> tea running, 0 left, waits for the clock; tea running, 10 left
      -> 18025 rang late 3590 sleep
    The wait for a clock in doubt ends a minute after the daemon's start
      synchronized, anchor, reboot 3h 30s -1h, boot unsynchronized, doubt, pass 60s-1us, doubt,
      pass 1us, doubt
      -> doubt, until boottime 90; doubt, until boottime 90; doubt, no wait
    A timer that waits for the clock does not wake the machine, but the end of the wait does
      \(ahead), start tea 5s wall wakes, alarms, run 5s, alarms
      -> alarms realtime 5; alarms boottime 55
    # A timer that does not wait wakes the machine at its own time.
    A timer without wake that waits for the clock does not wake the machine
      \(ahead), start quiet 5s wall, run 5s, show quiet, alarms, start up 1h wakes, alarms
      -> quiet running, 0 left, waits for the clock; no alarm; alarms boottime 3600
    """)

  @Test(arguments: rules)
  func `A clock that is vouched for corrects the reboot before`(_ rule: Rule) { rule.check() }

  private func note(_ stage: Stage, _ synchronized: Bool) {
    stage.runIteration { _ in stage.background.note(synchronized: synchronized, at: stage.now) }
  }

  @Test func `A start with the state of an older version notes that the clock is right`() {
    let stage = Stage()
    note(stage, true)
    var state = stage.background.state(at: stage.now)
    state.clock = WallClockState()
    let next = Stage(clocks: stage.clocks)
    next.background.resume(state, nextSpanID: 1, downSince: nil, at: next.now)
    note(next, true)
    #expect(next.background.clock.hasBeenSynchronized)
  }

  @Test func `A boot that is vouched for twice is corrected twice, from the old reading`() {
    let first = Stage()
    note(first, true)
    let anchor = first.now
    first.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: -hour)
    let stage = first.successor(from: anchor)
    stage.run(10 * second)
    // The first time that the clock was synchronised, it was wrong by an hour.
    #expect(stage.corrections.isEmpty)
    stage.clocks.step(hour)
    stage.runIteration()
    #expect(!stage.background.timelines.anchor.synchronized)
    note(stage, true)
    #expect(stage.corrections == [hour])
    #expect(stage.reading(.elapsed) == 3 * hour + 40 * second)
  }

  @Test func `A corrected span has the start and end of the right clock`() {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: -20_000 * hour)
    let next = stage.successor(from: anchor, synchronized: false)
    next.run(second)
    next.clocks.step(20_000 * hour)
    next.runIteration()
    note(next, true)
    let span = next.background.last
    #expect(span?.entered.realtimeUsec == anchor.realtimeUsec)
    #expect(span?.left?.realtimeUsec == anchor.realtimeUsec + 3 * hour + 30 * second)
  }

  @Test func `Changes of synchronisation are posted, repetitions are not`() {
    let stage = Stage()
    for synchronized in [true, true, false, false, true] { note(stage, synchronized) }
    let changes = stage.posted.compactMap {
      if case .synchronizationChanged(let now) = $0 { now } else { nil }
    }
    #expect(changes == [true, false, true])
    #expect(stage.background.timelines.anchor.synchronized)
  }
}
