import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Alarms, stopwatches, sequences, repeats and bands, over the socket.
@Suite(.blocking) struct KindTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func start(_ name: String, _ kind: NewTimer) throws -> Wire.Timer {
    try client.timer(.start(Wire.Start(name: name, kind)))
  }

  private func expectInvalid(
    _ parameter: String, _ reason: String, _ parameters: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let reply = try daemon.rawSocket().call("Start", parameters)
    #expect(
      reply.error == "org.nightjar.Timers.InvalidValue", "\(parameters): \(reply)",
      sourceLocation: location)
    #expect(reply.parameters["parameter"]?.stringValue == parameter, sourceLocation: location)
    let said = reply.parameters["reason"]?.stringValue ?? ""
    #expect(said.contains(reason), "\(said)", sourceLocation: location)
  }

  @Test func `Stop ends only the ring of a timer that repeats`() throws {
    let stream = try daemon.watch()
    _ = try start("tick", .repeating(.milliseconds(300), rounds: 0))
    _ = try stream.event { $0.type == "rang" }
    func nightjar(_ words: String...) throws -> String {
      try rig.run([try Binaries.nightjar()] + words, environment: daemon.clientEnvironment).output
    }
    #expect(try client.get("tick").ringing == .unanswered)
    _ = try nightjar("stop", "tick")
    let timer = try client.get("tick")
    #expect(timer.state == .running && timer.ringing == nil)
  }

  @Test func `A repeating countdown rings and continues; dismissing ends the ring, not the timer`()
    throws
  {
    let stream = try daemon.watch()
    _ = try start("endless", .repeating(.microseconds(200_000), rounds: 0))
    let first = try stream.event { $0.type == "rang" }
    // A busy daemon rings once for several rounds.
    #expect(first.rung == 1 + (first.missed ?? 0) && first.durationUsec == 200_000)
    let heard = try client.timer(.perform(.dismiss, name: "endless"))
    #expect(heard.state == .running && heard.openRing == nil)
    _ = try client.timer(.perform(.remove, name: "endless"))
    let timer = try start("tick", .repeating(.microseconds(200_000), rounds: 3))
    #expect(timer.kind == .countdown && timer.repeat?.rounds == 3)
    let last = try stream.event { $0.name == "tick" && $0.rung == 3 }
    #expect(last.durationUsec == nil, "nothing comes behind it")
    // Each ring is due at the start plus a multiple of the period, independently of the loop's
    // delays.
    #expect(last.timeUsec - (last.lateUsec ?? 0) - timer.startedUsec - 600_000 < 1_000)
    let over = try client.get("tick")
    #expect(over.state == .over && over.repeat?.rung == 3)
    #expect(
      try client.refusal(
        of: .start(Wire.Start(name: "fast", .repeating(.microseconds(99_999), rounds: 0))))
        == .invalidValue(
          parameter: "rounds",
          reason: "a repeating timer needs at least 100 ms from one ring to the next"))
  }

  @Test func `The ledger describes a start completely enough to start the timer again`() throws {
    let kinds: [NewTimer] = [
      .countdown(.seconds(3600)), .repeating(.seconds(3600), rounds: 0),
      .repeating(.seconds(60), rounds: 3), .alarm(at: WallTime(usec: Now.realtimeUsec + hour)),
      .calendar("*-*-* 09:30:00", zone: "UTC", rounds: 2),
      .calendar("*-*-* *:00:00", zone: nil, rounds: 0), .stopwatch,
      .sequence(
        Wire.Sequence(
          steps: [
            Wire.Step("work", for: .seconds(3600), waits: true),
            Wire.Step("rest", for: .seconds(1), isBreak: true, long: .seconds(2)),
          ], rounds: 0, longEvery: 4, afterSleep: .pause, afterAway: .continue)),
    ]
    for (index, kind) in kinds.enumerated() { _ = try start("timer-\(index)", kind) }
    _ = try client.timer(.perform(.restart, name: "timer-1"))
    let events = try daemon.settledLedger()
    #expect(events.filter { $0.type == "started" }.map(\.started) == kinds)
    #expect(events.filter { $0.type == "restarted" }.map(\.started) == [nil])
  }

  @Test
  func `An expiry that does not ring is reported as such, and a snooze keeps the rhythm`() throws {
    let at = Now.realtimeUsec + hour
    var egg = Wire.Start(name: "egg", .alarm(at: WallTime(usec: at)))
    egg.late = .skip
    _ = try client.timer(.start(egg))
    _ = try start("tick", .repeating(.microseconds(100_000), rounds: 0))
    try daemon.crash()
    let again = try rig.daemon {
      try $0.fakeWallClock(seconds: 0)
      try $0.pretendSleep(seconds: 2 * 3600)
    }
    let events = try again.settledLedger()
    let silent = try #require(events.first { $0.type == "did_not_ring" })
    #expect(silent.name == "egg" && silent.lateCause == "sleep")
    #expect(try #require(events.first { $0.type == "came_due" }).names == ["tick", "egg"])
    let client = try again.connect()
    let passed = try client.get("egg")
    #expect(passed.state == .over && passed.miss?.lateCause == "sleep" && passed.openRing == nil)
    let stream = try again.watch(name: "tick")
    _ = try stream.event { $0.type == "rang" }
    let snoozed = try client.timer(.snooze(name: "tick", byUsec: hour))
    #expect(snoozed.ringing == .snoozed && snoozed.state == .running)
    #expect(snoozed.repeat?.periodUsec == 100_000)
  }

  @Test func `Bands are crossed on the way, each an event with its colour and text`() throws {
    // The band is crossed soon, and the end is far away, however busy the machine is.
    let crossingUsec = hour - 200_000
    var timer = Wire.Start(name: "card", .countdown(.microseconds(hour)))
    timer.bands = [
      Wire.Band("start", remaining: .microseconds(hour), color: "green"),
      Wire.Band(
        "last", remaining: .microseconds(crossingUsec), color: "red", text: "Hurry, now",
        progress: .init(from: 1, to: 0.5)),
    ]
    let stream = try daemon.watch()
    let started = try client.timer(.start(timer))
    #expect(started.band == timer.bands[0] && started.bands == timer.bands)
    let crossed = try stream.event { $0.type == "band_crossed" }
    #expect(crossed.band == timer.bands[1])
    #expect((crossingUsec / 2...crossingUsec).contains(crossed.remainingUsec ?? 0))
    #expect(try client.get("card").progress > 0.9)
    let longer = try client.timer(.extend(name: "card", byUsec: hour))
    #expect(longer.band == nil)
    #expect(try stream.event { $0.type == "band_crossed" }.band == nil)
    let without = try client.timer(.update(name: "card", bands: []))
    #expect(without.bands == [])
  }

  @Test
  func `A repeating alarm can get another calendar, and keeps its excepted days and its zone`()
    throws
  {
    let kind = NewTimer.calendar("*-*-* 09:30:00", zone: "Asia/Tokyo", rounds: 0)
    let before = try start("up", kind)
    _ = try client.timer(.update(name: "up", except: ["2199-01-01"]))
    let after = try client.timer(.update(name: "up", calendar: "*-*-* 09:45:00"))
    #expect(after.id == before.id && after.calendar == "*-*-* 09:45:00")
    #expect(after.zone == "Asia/Tokyo" && after.except == ["2199-01-01"])
    // A quarter of an hour later, or a day less than that if the present time lies between the two.
    let movedUsec = try #require(after.deadlineUsec) - #require(before.deadlineUsec)
    #expect([hour / 4, hour / 4 - 24 * hour].contains(movedUsec))
    let refusal = try client.refusal(of: .update(name: "up", calendar: "every blue moon"))
    #expect("\(refusal)".contains("moon"), "\(refusal)")
    try client.start("tea", usec: hour)
    #expect(
      try client.refusal(of: .update(name: "tea", calendar: "hourly"))
        == .invalidValue(
          parameter: "calendar", reason: "'calendar' is for an alarm that repeats by a calendar"))
  }

  @Test func `An alarm rings at its time, a calendar alarm at each match in its zone`() throws {
    let stream = try daemon.watch()
    let at = Now.realtimeUsec + 300_000
    let soon = try start("soon", .alarm(at: WallTime(usec: at)))
    #expect(soon.kind == .alarm && soon.clock == .wall && soon.deadlineUsec == at)
    #expect(try stream.event { $0.type == "rang" }.timeUsec >= at)
    let daily = try start("daily", .calendar("9:30", zone: "Asia/Tokyo", rounds: 0))
    #expect(daily.calendar == "*-*-* 09:30:00" && daily.zone == "Asia/Tokyo")
    // Tokyo has no summer time: 00:30 UTC.
    #expect((daily.deadlineUsec ?? 0) % (24 * hour) == hour / 2)
    #expect(
      try client.refusal(of: .extend(name: "daily", byUsec: 1))
        == .notForKind(name: "daily", kind: "alarm", operation: "extend"))
    for kind in [
      NewTimer.alarm(at: WallTime(usec: Now.realtimeUsec - 1)),
      .calendar("2020-01-01", zone: nil, rounds: 0),
    ] {
      let refusal = try client.refusal(of: .start(Wire.Start(name: "never", kind)))
      #expect(refusal == .neverElapses(name: "never"))
    }
  }

  @Test func `A stopwatch counts up, keeps its laps across a crash, and stops while paused`() throws
  {
    _ = try start("run", .stopwatch)
    let lap = try client.timer(.perform(.lap, name: "run"))
    #expect(lap.kind == .stopwatch && lap.laps?.count == 1 && lap.deadlineUsec == nil)
    let paused = try client.timer(.perform(.pause, name: "run"))
    try daemon.crash()
    let again = try rig.daemon().connect()
    let after = try again.get("run")
    #expect(after.state == .paused && after.elapsedUsec == paused.elapsedUsec)
    #expect(after.laps == lap.laps)
    let running = try again.timer(.perform(.resume, name: "run"))
    #expect(running.elapsedUsec >= paused.elapsedUsec)
    #expect(
      try again.refusal(of: .perform(.advance, name: "run"))
        == .notForKind(name: "run", kind: "stopwatch", operation: "advance"))
  }

  @Test func `A sequence runs through its steps, and waits where it should`() throws {
    let stream = try daemon.watch()
    let steps = [
      Wire.Step("work", for: .seconds(1)),
      Wire.Step("rest", for: .seconds(1), waits: true, isBreak: true),
    ]
    let started = try start(
      "pomodoro", .sequence(.init(steps: steps, rounds: 2, afterSleep: "restart")))
    #expect(started.step?.name == "work" && started.step?.nextName == "rest")
    #expect(started.afterSleep == "restart" && started.afterAway == .continue)
    #expect(started.clock == .elapsed)
    let away = try start("focus", .sequence(.init(steps: steps, rounds: 1, afterAway: .break)))
    #expect(away.afterAway == .break && away.clock == .present)
    _ = try client.timer(.perform(.remove, name: "focus"))
    #expect(started.steps == steps && started.longEvery == nil)
    let stepped = try stream.event { $0.type == "rang" }
    #expect(stepped.stepName == "rest" && stepped.stepNumber == 2 && stepped.state == .running)
    let ended = try stream.event { $0.type == "rang" }
    #expect(ended.stepName == "rest" && ended.state == .waiting)
    let waiting = try client.get("pomodoro")
    #expect(waiting.state == .waiting && waiting.openRing?.expiry == 2)
    #expect(
      try client.refusal(of: .start(name: "pomodoro", durationUsec: 1))
        == .timerExists(name: "pomodoro"))
    let next = try client.timer(.perform(.advance, name: "pomodoro"))
    #expect(next.state == .running && next.step?.round == 2 && next.step?.name == "work")
    #expect(try client.status().counts.running == 1)
  }

  @Test func `A request that makes no sense is refused with a sentence, and changes nothing`()
    throws
  {
    let step = #"{"name":"work","duration_usec":1000000}"#
    try expectInvalid("steps", "at least one step", #"{"sequence":{"steps":[]}}"#)
    try expectInvalid(
      "steps", "100 ms", #"{"sequence":{"steps":[{"name":"a","duration_usec":1}]}}"#)
    try expectInvalid(
      "long_every", "needs its length and how often",
      #"{"sequence":{"steps":[\#(step)],"long_every":2}}"#)
    try expectInvalid("rounds", "from 1", #"{"sequence":{"steps":[\#(step)],"rounds":-1}}"#)
    try expectInvalid("kind", "one thing", #"{"sequence":{"steps":[\#(step)]},"stopwatch":true}"#)
    try expectInvalid("alarm", "a point in time or a calendar", #"{"alarm":{}}"#)
    try expectInvalid(
      "alarm", "need a calendar", #"{"alarm":{"at_usec":1900000000000000,"zone":"UTC"}}"#)
    try expectInvalid("calendar", "at 4", #"{"alarm":{"calendar":"09:xx"}}"#)
    try expectInvalid(
      "zone", "Europe/Berlin", #"{"alarm":{"calendar":"daily","zone":"Mars/Olympus"}}"#)
    for often in ["*:*:0/0.05", "*:*:0,59.95", "*:*:0/0.000001"] {
      try expectInvalid("calendar", "100 ms", #"{"alarm":{"calendar":"\#(often)"}}"#)
    }
    let long = (0..<120).map { "\($0 % 60).\(100000 + $0)" }.joined(separator: ",")
    try expectInvalid("calendar", "1024 bytes", #"{"alarm":{"calendar":"*:*:\#(long)"}}"#)
    try expectInvalid("clock", "stopwatch", #"{"stopwatch":true,"clock":"wall"}"#)
    let bands = [
      (#"[{"name":"a","remaining_usec":1},{"name":"b","remaining_usec":2}]"#, "less remaining"),
      (#"[{"name":"a","remaining_usec":0}]"#, "a remaining time of more than 0"),
      (#"[{"name":"","remaining_usec":5}]"#, "name of 1 to 63"),
      (#"[{"name":"a","remaining_usec":5,"text":"\u001b[2J"}]"#, "control character"),
      (#"[{"name":"a","remaining_usec":5,"color":"\n"}]"#, "control character"),
    ]
    for (band, reason) in bands {
      try expectInvalid("bands", reason, #"{"duration_usec":5,"bands":\#(band)}"#)
    }
    try expectInvalid(
      "to", "0 to 1",
      #"{"duration_usec":5,"bands":[{"name":"a","remaining_usec":5,"progress":{"from":0,"to":1.5}}]}"#
    )
    for text in [
      #"{"duration_usec":5,"stopwatch":true}"#, #"{"alarm":{"at_usec":1}, "duration_usec":5}"#,
      "{}",
    ] {
      let reply = try daemon.rawSocket().call("Start", text)
      #expect(reply.parameters["parameter"]?.stringValue == "duration_usec", "\(text): \(reply)")
    }
    for (word, more, error, parameter) in [
      (#""after_sleep":"x""#, "", "varlink.service.InvalidParameter", "after_sleep"),
      (#""after_away":"x""#, "", "varlink.service.InvalidParameter", "after_away"),
      (#""after_away":"break""#, #","clock":"awake""#, "nightjar.Timers.InvalidValue", "clock"),
    ] {
      let reply = try daemon.rawSocket().call(
        "Start", #"{"sequence":{"steps":[\#(step)],\#(word)}\#(more)}"#)
      #expect(reply.error == "org.\(error)", "\(reply)")
      #expect(reply.parameters["parameter"]?.stringValue == parameter, "\(reply)")
    }
    #expect(try client.names() == [])
  }

  @Test func `A running timer of each kind is the same after a crash`() throws {
    var steps = [Wire.Step("work", for: .microseconds(hour))]
    steps.append(
      .init("rest", for: .microseconds(hour), isBreak: true, long: .microseconds(2 * hour)))
    var tea = Wire.Start(name: "tea", .repeating(.microseconds(hour), rounds: 0))
    tea.bands = [
      Wire.Band("warn", remaining: .microseconds(60 * second), color: "#f00", text: "soon")
    ]
    tea.fireWithinUsec = second
    tea.missed = "each"
    _ = try client.timer(.start(tea))
    _ = try start("wake", .calendar("Mon..Fri 07:00 UTC", zone: nil, rounds: 3))
    _ = try start("once", .alarm(at: WallTime(usec: Now.realtimeUsec + hour)))
    _ = try start("run", .stopwatch)
    _ = try start("pomodoro", .sequence(.init(steps: steps, rounds: 0, longEvery: 4)))
    let names = ["tea", "wake", "once", "run", "pomodoro"]
    let before = try names.map { try Self.fixed(try client.call(.get(name: $0))) }
    try daemon.crash()
    let again = try rig.daemon().connect()
    #expect(try names.map { try Self.fixed(try again.call(.get(name: $0))) } == before)
  }

  /// The fields that do not change as time passes: the wall-clock deadline of an `elapsed` timer is
  /// only an estimate, and two readings of the clocks differ by microseconds.
  private static func fixed(_ reply: JSONValue) throws -> JSONValue {
    let members = try #require(reply["timer"]?.objectValue)
    var passing: Set = ["remaining_usec", "elapsed_usec", "progress"]
    if members.contains(where: { $0.key == "deadline_boottime_usec" }) {
      passing.insert("deadline_usec")
    }
    return .object(members.filter { !passing.contains($0.key) })
  }
}
