import NightjarClient
import NightjarEngine
import NightjarInterface
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

/// A rehearsal uses the daemon's engine and reports the same events.
@Suite(.blocking) struct SameEngineTests {
  /// Records what happens.
  private final class Notes: RehearsalObserver {
    var events: [JSONValue] = []

    func happened(_ entry: RehearsalEvent) {
      if case .event(_, let json) = entry.content { events.append(json) }
    }
  }

  private static let begin: Int64 = 1_700_000_000_000_000
  private static let minute: Int64 = 60_000_000

  private func rehearsed(_ text: String) throws -> [JSONValue] {
    let script = try Script(
      text, name: "script", here: WallClock(nowUsec: Self.begin, zone: .utc, foreignZone: nil))
    let rehearsal = try Rehearsal(script, limit: 1_000)
    let notes = Notes()
    rehearsal.add(notes)
    try rehearsal.play()
    return notes.events
  }

  /// The same on a machine that is controlled directly, as in the simulation's own tests.
  private func simulated(
    _ spec: SharedSpec, clock: Timeline, _ body: (SimulatedMachine) throws -> Void
  ) throws -> [JSONValue] {
    let machine = SimulatedMachine()
    defer { machine.crash() }
    machine.clocks = SimulatedClocks(realtimeUsec: Self.begin)
    try machine.boot()
    try machine.runIteration { core in
      _ = try? core.engine.start("pomodoro", clock: clock, spec: spec, at: machine.clocks.now)
    }
    try body(machine)
    return machine.takePublished().map(JSONValue.event)
  }

  @Test(
    arguments: [
      ("--after-sleep continue --missed once", AfterSpan.continue, MissedPolicy.once),
      ("--after-sleep continue --missed each", .continue, .each),
      ("--after-sleep continue --missed skip", .continue, .skip),
      ("--after-sleep pause", .pause, .once), ("--after-sleep restart", .restart, .once),
    ] as [(String, NightjarModel.AfterSpan, NightjarModel.MissedPolicy)], ["elapsed", "awake"])
  func `A pomodoro with seven hours of sleep has the same events as the simulated machine`(
    _ policy: (String, NightjarModel.AfterSpan, NightjarModel.MissedPolicy), _ clock: String
  ) throws {
    let (options, afterSleep, missed) = policy
    let spec = try SharedSpec(
      kind: .sequence, missed: missed, rounds: 4,
      steps: [
        Step(name: "work", durationUsec: 25 * Self.minute),
        Step(name: "rest", durationUsec: 5 * Self.minute, isBreak: true),
      ], afterSleep: afterSleep)
    let expected = try simulated(spec, clock: clock == "awake" ? .awake : .elapsed) { machine in
      try machine.advance(usec: 42 * Self.minute + 30_000_000)
      try machine.runIteration { $0.background.enter(.sleep, at: machine.clocks.now) }
      machine.clocks.sleep(usec: 7 * 60 * Self.minute)
      try machine.runIteration { $0.background.leave(.sleep, at: machine.clocks.now) }
      try machine.advance(usec: 3 * 60 * Self.minute)
    }
    let said = try rehearsed(
      """
      sequence pomodoro work=25min rest=5min --loop 4 \(options) --clock \(clock)
      wait 42min 30s
      sleep 7h
      wait 3h
      """)
    #expect(said == expected)
    #expect(said.count > 4)
  }

  @Test func `Every observer receives every event in order`() throws {
    let script = try Script(
      "start tea 1min\nrun\n", name: "script", here: WallClock(nowUsec: Self.begin, zone: .utc))
    let rehearsal = try Rehearsal(script, limit: 10)
    let (first, second) = (Notes(), Notes())
    rehearsal.add(first)
    rehearsal.add(second)
    try rehearsal.play()
    #expect(
      first.events.compactMap { $0["type"]?.stringValue } == ["started", "rang", "unanswered"])
    #expect(first.events == second.events)
  }

  /// Every event that a rehearsal's ledger can contain, but two: only an alarm whose start was on a
  /// clock that was behind runs out, and a rehearsal takes each ring as seen and heard.
  private static let types = Set(
    (Wire.EventType.timerEvent + Wire.EventType.machineEvent).map(\.rawValue)
  ).subtracting([Wire.EventType.ranOut.rawValue, Wire.EventType.unnoticed.rawValue])

  @Test func `Every event, and timers in all states, can be read back`() throws {
    let daemon = try RehearsedDaemon(
      at: WallClock(nowUsec: Self.begin, zone: .utc), defaults: RehearsalDefaults())
    daemon.machine.wakeObstacle = .noClock
    daemon.engine.wakeObstacle = .noClock
    defer { daemon.machine.crash() }
    var published: [NightjarModel.Event] = []
    var states: Set<Wire.State> = []
    daemon.machine.onPublished = { published += $0 }
    for act in Self.acts {
      try act(daemon)
      guard case .success(let page) = try daemon.callAll([.list()])[0] else {
        Issue.record("there is no list")
        continue
      }
      for timer in page["timers"]?.arrayValue ?? [] {
        states.insert(try Wire.Timer(timer).state)
      }
    }
    let read = try published.map { try Wire.Event(JSONValue.event($0)) }
    #expect(read.map(\.seq) == published.map(\.seq))
    #expect(Self.types.subtracting(read.map(\.type.rawValue)) == [])
    #expect(states == [.running, .paused, .over, .cancelled, .waiting])
  }

  /// Calls that make timers of all kinds, and everything that can happen to them.
  private static var acts: [(RehearsedDaemon) throws -> Void] {
    func ask(_ call: Call) -> (RehearsedDaemon) throws -> Void {
      { daemon in
        let answer = try daemon.callAll([call])[0]
        if case .failure(let refusal) = answer { Issue.record("\(call.method): \(refusal)") }
      }
    }
    func start(_ name: String, _ kind: NewTimer, _ body: (inout Wire.Start) -> Void = { _ in })
      -> (RehearsedDaemon) throws -> Void
    {
      var timer = Wire.Start(name: name, kind)
      body(&timer)
      return ask(.start(timer))
    }
    func pass(_ seconds: Int64) -> (RehearsedDaemon) throws -> Void {
      { try $0.machine.advance(usec: seconds * 1_000_000) }
    }
    func sleep(_ seconds: Int64) -> (RehearsedDaemon) throws -> Void {
      { _ = try $0.machine.sleep(usec: seconds * 1_000_000) }
    }
    let steps = [
      Wire.Step("work", for: .seconds(100), long: .seconds(120)),
      Wire.Step("rest", for: .seconds(30), isBreak: true),
    ]
    return [
      start("tea", .countdown(.seconds(60))) {
        $0.bands = [
          Wire.Band("soon", remaining: .seconds(40)),
          Wire.Band(
            "last", remaining: .seconds(20), color: "red", text: "Hurry",
            progress: .init(from: 0.9, to: 1)),
        ]
        $0.labels = ["kind": "drink"]
        $0.data = ["cups": 2, "deep": ["a": [1.5, nil]]]
        $0.wake = true
        $0.fireWithinUsec = 5_000_000
      },
      ask(.perform(.pause, name: "tea").undoable("1")), ask(.undo()),
      start("nap", .countdown(.seconds(500))) { $0.clock = .awake },
      start("silent", .countdown(.seconds(100))) { $0.late = .skip },
      start("tick", .repeating(.seconds(70), rounds: 5)) { $0.missed = .each },
      start("once", .alarm(at: WallTime(usec: begin + 150 * 1_000_000))),
      start("daily", .calendar("*-*-* 22:20:00", zone: nil, rounds: 0)) { $0.missed = .skip },
      start("there", .calendar("*-*-* 09:30:00", zone: "Europe/Berlin", rounds: 3)),
      start("watch", .stopwatch),
      start(
        "goes",
        .sequence(.init(steps: steps, rounds: 4, longEvery: 2, afterSleep: .pause))),
      start(
        "again", .sequence(.init(steps: steps, rounds: 0, longEvery: 2, afterSleep: .restart))),
      start(
        "waits",
        .sequence(
          .init(steps: [.init("a", for: .seconds(50), waits: true), .init("b", for: .seconds(9))]))
      ),
      ask(.rename(name: "again", newName: "anew")),
      ask(.perform(.skip, name: "daily")), ask(.perform(.skip, name: "daily")),
      ask(.perform(.unskip, name: "daily")), ask(.perform(.unskip, name: "daily")),
      pass(30), ask(.perform(.lap, name: "watch")), ask(.perform(.pause, name: "watch")),
      ask(.perform(.pause, name: "nap")), pass(25), ask(.perform(.resume, name: "nap")),
      ask(.extend(name: "nap", byUsec: -minute)), pass(30), ask(.perform(.dismiss, name: "tick")),
      ask(.perform(.advance, name: "waits")), ask(.perform(.restart, name: "waits")),
      ask(.update(name: "tea", labels: [:], data: ["a": 1], bands: [])),
      ask(.perform(.cancel, name: "watch")), sleep(40), pass(200), sleep(60),
      ask(.perform(.dismiss, name: "tea")), ask(.snooze(name: "once", byUsec: minute)),
      ask(.perform(.remove, name: "once")),
      start("loud", .repeating(.seconds(100), rounds: 0)) {
        $0.clock = .wall
        var ring = Wire.Ring()
        (ring.ringForUsec, ring.insistUsec) = (10_000_000, minute / 2)
        $0.ring = ring
      },
      pass(150), ask(.snooze(name: "loud", byUsec: 10 * minute)), pass(100),
      { try $0.machine.setClock(byUsec: -80_000_000) },
      { try $0.machine.setClock(byUsec: 80_000_000) }, ask(.perform(.stop, name: "loud")),
      start("late", .countdown(.seconds(10))) { $0.late = .skip }, pass(11),
      ask(.snooze(name: "late", byUsec: minute)), sleep(120),
      { try $0.machine.stop(usec: 1_000_000) },
      { try $0.machine.restart(afterUsec: 2_000_000) },
      { try $0.machine.kill(startedAfterUsec: 3_000_000) },
      { try $0.machine.freeze(usec: 400_000_000) },
      { try $0.machine.setClock(byUsec: 86_400_000_000) },
      { try $0.machine.setClock(byUsec: -90_000_000_000) },
      { try $0.machine.reboot(takingUsec: 60_000_000, errorUsec: -9_000_000) },
      { try $0.machine.synchronize() },
      {
        $0.calendar.local = try #require(ZoneDatabase.zone(named: "Asia/Tokyo"))
        try $0.machine.move(toZone: "Asia/Tokyo")
      },
      pass(90_000),
    ]
  }
}
