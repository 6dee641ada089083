import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing

/// The events in the life of a simulated machine.
@Suite(.blocking) struct LifecycleTests {
  private static let minute: Int64 = 60_000_000
  private let machine = SimulatedMachine()

  private func start(_ name: String, _ usec: Int64, clock: Timeline = .elapsed, wakes: Bool = false)
    throws
  {
    try machine.runIteration { core in
      _ = try? core.engine.start(
        name, durationUsec: usec, clock: clock, wakes: wakes, at: machine.clocks.now)
    }
  }

  /// The types of the events that clients were shown, with the causes of spans and of lateness.
  private func published() -> [String] {
    machine.takePublished().map { event in
      switch event.kind {
      case .enteredBackground(let span), .leftBackground(let span):
        "\(event.typeName) \(span.causes.map { "\($0.name)" }.joined(separator: " "))"
      case .rang(let late, _, _): "rang \(event.subject?.name ?? "") \(late.usec)"
      default: "\(event.typeName)"
      }
    }
  }

  @Test func `A ring after a rename that the disk did not write rings once and on time`() throws {
    machine.commitsAtOnce = false
    try machine.boot()
    try start("tea", Self.minute)
    try machine.settle(.durable)
    _ = published()
    // The rename and the ring are in commits that are not finished.
    machine.clocks.advance(usec: Self.minute - 1)
    try machine.runIteration { core in
      try? core.engine.rename(core.engine.require("tea"), to: "soup", at: machine.clocks.now)
    }
    machine.clocks.advance(usec: 1)
    try machine.runIteration()
    // The disk works again while the timer still rings.
    machine.clocks.advance(usec: Self.minute / 2)
    try machine.settle(.failed)
    try machine.runIteration { $0.journal.retry(at: machine.clocks.now) }
    try machine.settle(.durable)
    #expect(published() == ["rang tea 0"])
  }

  @Test func `Each event hides time for its own cause, and their sum is what passed`() throws {
    try machine.boot()
    try start("tea", 60 * Self.minute)
    _ = published()
    #expect(try machine.sleep(usec: Self.minute) == Self.minute)
    #expect(published() == ["did_enter_background sleep", "will_enter_foreground sleep"])
    try machine.stop(usec: Self.minute)
    #expect(published() == ["did_enter_background stop", "will_enter_foreground stop"])
    try machine.restart(afterUsec: Self.minute)
    #expect(published() == ["did_enter_background down", "will_enter_foreground down"])
    try machine.kill(startedAfterUsec: Self.minute)
    #expect(published() == ["did_enter_background down", "will_enter_foreground down"])
    try machine.reboot(takingUsec: Self.minute)
    #expect(published() == ["did_enter_background down", "will_enter_foreground reboot"])
    try machine.freeze(usec: Self.minute)
    #expect(published() == [], "no deadline passed unseen: nothing proves it")
    try machine.setClock(byUsec: Self.minute)
    #expect(published() == ["clock_stepped"])
    #expect(machine.clocks.passedUsec == 6 * Self.minute)
    #expect(machine.clocks.wallErrorUsec == Self.minute)
    try machine.advance(usec: 54 * Self.minute)
    #expect(published() == ["rang tea 0"])
    #expect(machine.clocks.passedUsec == 60 * Self.minute)
  }

  /// What happens around the end of the daemon, in minutes.
  enum Turn {
    case runs(Int64)
    case sleeps(Int64)
    case killed
    /// The service manager sees the end.
    case seen
  }

  @Test(
    arguments: [
      // Killed, then asleep; the manager sees the end after the sleep. Asleep, then killed.
      ([.killed, .sleeps(10), .seen, .runs(2)], "down", 59),
      ([.sleeps(10), .killed, .seen, .runs(2)], "down", 59),
      // The manager sees the end at once.
      ([.killed, .seen, .sleeps(10), .runs(2)], "down", 59),
      ([.killed, .seen, .runs(1), .sleeps(10), .runs(1)], "down", 59),
      ([.killed, .sleeps(4), .seen, .runs(1), .sleeps(6), .runs(1)], "down", 59),
      // Without a manager it is not known since when the daemon was down.
      ([.killed, .sleeps(10), .runs(2)], "sleep", 60),
      ([.sleeps(4), .killed, .sleeps(6), .runs(2)], "sleep", 60),
    ] as [([Turn], String, Int64)])
  func `A sleep around a kill is in the span, pauses sequences, and is named for what it made late`(
    turns: [Turn], causeOfLast: String, focusMinutes: Int64
  ) throws {
    try machine.boot()
    try start("in the sleep", 4 * Self.minute)
    try start("by wall", 4 * Self.minute, clock: .wall)
    try start("after it", 12 * Self.minute)
    try start("awake", 2 * Self.minute, clock: .awake)
    try start("later", 60 * Self.minute, clock: .awake)
    let work = try SharedSpec(
      kind: .sequence,
      steps: [
        Step(name: "work", durationUsec: 60 * Self.minute),
        Step(name: "rest", durationUsec: 5 * Self.minute, isBreak: true),
      ], afterSleep: .pause)
    try machine.runIteration { core in
      _ = try? core.engine.start("focus", clock: .elapsed, spec: work, at: machine.clocks.now)
    }
    machine.clocks.advance(usec: Self.minute)
    _ = machine.takePublished()
    var seen: Int64?
    for turn in turns {
      switch turn {
      case .runs(let minutes): machine.clocks.advance(usec: minutes * Self.minute)
      case .sleeps(let minutes): machine.clocks.sleep(usec: minutes * Self.minute)
      case .killed: machine.crash()
      case .seen: seen = machine.clocks.now.monotonicUsec
      }
    }
    try machine.boot(downSince: seen)
    var found: Set<String> = []
    for event in machine.takePublished() {
      let name = event.subject?.name ?? ""
      switch event.kind {
      case .leftBackground(let span):
        #expect(span.causes == [.down, .sleep] && span.estimated == (seen == nil))
        #expect(span.elapsedUsec == (seen == nil ? 13 : 12) * Self.minute)
      case .rang(let late, _, _):
        found.insert(
          "\(name) \(late.usec / Self.minute) \(late.cause.map { "\($0.name)" } ?? "")")
      case .pausedAfterSpan(let usec, _, _): found.insert("\(name) \(usec / Self.minute) left")
      default: break
      }
    }
    #expect(
      found == [
        "in the sleep 9 sleep", "by wall 9 sleep", "after it 1 \(causeOfLast)", "awake 1 down",
        "focus \(focusMinutes) left",
      ])
    let core = try #require(machine.core)
    let later = core.engine.view(try core.engine.require("later"), at: machine.clocks.now)
    #expect(later.remainingUsec == 57 * Self.minute)
  }

  @Test func `While the daemon waits for the clock, no timer that is over is forgotten`() throws {
    try machine.boot(synchronized: true)
    try start("tea", Self.minute)
    try machine.advance(usec: 2 * Self.minute)
    try machine.reboot(takingUsec: Self.minute, errorUsec: 2 * 24 * 60 * Self.minute)
    try machine.advance(usec: Self.minute - 1)
    #expect(!published().contains("forgotten"))
    try machine.advance(usec: 1)
    #expect(published() == ["forgotten"])
  }

  @Test func `Zone rules that changed while the daemon was down are noticed`() throws {
    try machine.boot()
    try machine.restart(afterUsec: Self.minute)
    #expect(!published().contains("zone_changed"))
    machine.zone += 1
    try machine.restart(afterUsec: Self.minute)
    #expect(published().contains("zone_changed"))
  }

  @Test func `A timer with wake ends a sleep exactly when due, if it can`() throws {
    try machine.boot()
    try start("up", 10 * Self.minute, wakes: true)
    var woken: [Int64] = []
    #expect(try machine.sleep(usec: 60 * Self.minute) { woken.append($0) } == 10 * Self.minute)
    #expect(woken == [10 * Self.minute])
    #expect(published().last == "rang up 0")
    machine.wakeObstacle = .noClock
    try machine.kill(startedAfterUsec: 1)
    #expect(machine.core?.engine.wakeObstacle == .noClock)
    try start("again", 10 * Self.minute, wakes: true)
    #expect(try machine.sleep(usec: 60 * Self.minute) { woken.append($0) } == 60 * Self.minute)
    #expect(woken.count == 1)
    #expect(published().last == "rang again \(50 * Self.minute)")
  }

  @Test func `What waits for the clock wakes the machine once, at the end of the wait`() throws {
    try machine.boot()
    try machine.synchronize()
    try start("tea", 60 * Self.minute, wakes: true)
    // By the clock, an hour too much has passed.
    try machine.reboot(takingUsec: 5 * Self.minute, errorUsec: 120 * Self.minute)
    var woken: [Int64] = []
    _ = try machine.sleep(usec: 30 * Self.minute) { woken.append($0) }
    #expect(woken == [Self.minute])
  }

  @Test func `Time stops passing when a caller says so`() throws {
    try machine.boot()
    try machine.runIteration { core in
      guard let spec = try? SharedSpec(kind: .countdown, repeats: true) else { return }
      _ = try? core.engine.start(
        "tick", durationUsec: Self.minute, clock: .elapsed, spec: spec, at: machine.clocks.now)
    }
    var left = 3
    try machine.advance(usec: 1_000 * Self.minute) {
      left -= 1
      return left >= 0
    }
    #expect(machine.clocks.passedUsec == 3 * Self.minute)
  }

  @Test func `A machine that moves to another zone follows the calendar there`() throws {
    let berlin = try #require(ZoneDatabase.zone(named: "Europe/Berlin"))
    let calendar = ZoneCalendar(local: berlin)
    let machine = SimulatedMachine(calendar: calendar)
    // 2023-11-14, 22:13:20 UTC.
    try machine.boot()
    for (name, zone) in [("here", ""), ("there", "Asia/Tokyo"), ("inside", "")] {
      let expression = name == "inside" ? "*-*-* 09:00:00 Asia/Tokyo" : "*-*-* 09:00:00"
      let spec = try SharedSpec(
        kind: .alarm, schedule: Schedule(expression: expression, zone: zone))
      try machine.runIteration { core in
        _ = try? core.engine.start(name, clock: .wall, spec: spec, at: machine.clocks.now)
      }
    }
    calendar.local = try #require(ZoneDatabase.zone(named: "America/New_York"))
    try machine.move(toZone: "America/New_York")
    try machine.advance(usec: 24 * 60 * Self.minute)
    let rings = machine.takePublished().compactMap { event -> String? in
      guard case .rang = event.kind, let name = event.subject?.name else { return nil }
      return "\(name) \(event.timeUsec / 3_600_000_000 % 24)"
    }
    #expect(rings == ["there 0", "inside 0", "here 14"])
    machine.crash()
  }
}
