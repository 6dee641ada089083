import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct FollowingTests {
  private static func timer(
    _ state: String, nowUsec: Int64, remainingUsec: Int64 = 60_000_000, id: Int64 = 1
  ) -> JSONValue {
    let entry = FakeTimers.Entry(name: "tea", state: state, remainingUsec: remainingUsec, id: id)
    return FakeTimers(nowUsec: nowUsec).json(entry)
  }

  private static func event(
    _ seq: Int64, _ type: String, at timeUsec: Int64, name: String? = "tea",
    _ more: [(String, JSONValue)] = []
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("seq", .integer(seq)), .init("time_usec", .integer(timeUsec)),
      .init("type", .string(type)),
    ]
    if let name { members += [.init("name", .string(name)), .init("id", 1)] }
    return .object(members + more.map { .init($0.0, $0.1) })
  }

  /// The replies of `Watch` for an existing timer: its present state, and `synced`.
  private static func present(_ timer: JSONValue) -> [FakeDaemon.Answer] {
    [.reply(["timer": timer], continues: true), .reply(["synced": true], continues: true)]
  }

  private static func fixture(
    lastSeq: Int64 = 9,
    watch: @escaping @Sendable (Int64) -> [FakeDaemon.Answer]
  ) throws -> Fixture {
    try fixture(lastSeq: lastSeq) { _, nowUsec in watch(nowUsec) }
  }

  private static func fixture(
    lastSeq: Int64 = 9,
    watch: @escaping @Sendable (FakeDaemon.Request, Int64) -> [FakeDaemon.Answer]
  ) throws -> Fixture {
    try Fixture { request, nowUsec in
      switch request.method {
      case "Status": [.reply(Samples.status(nowUsec: nowUsec, lastSeq: lastSeq))]
      case "Watch": watch(request, nowUsec)
      default: nil
      }
    }
  }

  // MARK: wait

  @Test func `Wait ends with 0 for a timer that expired without a ring, and its help says so`()
    throws
  {
    let fixture = try Self.fixture { nowUsec in
      let entry = FakeTimers.Entry(
        name: "tea", state: "over", remainingUsec: 0,
        more: [
          "miss": ["number": 1, "due_usec": 1, "late_usec": 0, "outcome": "did_not_ring"]
        ])
      return Self.present(FakeTimers(nowUsec: nowUsec).json(entry))
    }
    #expect(try fixture.run("wait", "tea") == .init(0))
    let help = try fixture.run("wait", "--help").output.split { $0 == " " || $0 == "\n" }
    #expect(help.joined(separator: " ").contains("if the timer is over without a ring"))
  }

  @Test func `Wait ends with 0 at the moment a timer rings, and prints nothing`() throws {
    let gate = FakeDaemon.Gate()
    let fixture = try Self.fixture { nowUsec in
      Self.present(Self.timer("running", nowUsec: nowUsec)) + [
        .wait(gate),
        .reply(
          [
            "timer": Self.timer("over", nowUsec: nowUsec, remainingUsec: 0),
            "event": Self.event(10, "rang", at: nowUsec),
          ], continues: true),
      ]
    }
    let running = try fixture.runner.start(["wait", "tea"])
    fixture.daemon.awaitRequest { $0.method == "Watch" }
    #expect(running.isRunning)
    gate.open()
    #expect(try running.finish() == .init(0))
  }

  @Test func `Wait ends at once if the timer has rung; --json prints the daemon's reply`() throws {
    let fixture = try Self.fixture { Self.present(Self.timer("over", nowUsec: $0)) }
    #expect(try fixture.run("wait", "tea") == .init(0))
    let json = try fixture.run("wait", "tea", "--json").output
    #expect(try JSONValue.parse(json)["timer"]?["state"] == "over")
  }

  @Test func `Wait is refused for a stopwatch, because it would never end`() throws {
    let fixture = try Self.fixture { nowUsec in
      let entry = FakeTimers.Entry(name: "tea", remainingUsec: 0, kind: "stopwatch")
      return Self.present(FakeTimers(nowUsec: nowUsec).json(entry))
    }
    let sentence = "'tea' is a stopwatch, which never rings; nightjar watch tea shows it"
    #expect(try fixture.run("wait", "tea") == .sentence(1, sentence))
  }

  @Test func `Wait ends with 2 when the timer is cancelled, or removed`() throws {
    let cancelled = try Self.fixture { Self.present(Self.timer("cancelled", nowUsec: $0)) }
    #expect(try cancelled.run("wait", "tea") == .sentence(2, "'tea' was cancelled"))
    let removed = try Self.fixture { nowUsec in
      Self.present(Self.timer("paused", nowUsec: nowUsec)) + [
        .reply(["event": Self.event(10, "removed", at: nowUsec)])
      ]
    }
    #expect(try removed.run("wait", "tea") == .sentence(2, "'tea' was removed"))
  }

  @Test func `Wait ends with 124 after its timeout, and with 3 if there is no such timer`() throws {
    let running = try Self.fixture { Self.present(Self.timer("running", nowUsec: $0)) }
    #expect(
      try running.run("wait", "tea", "--timeout", "50ms")
        == .sentence(124, "'tea' has not rung in 50 ms"))
    let absent = try Fixture(Fixture.four) { request, _ in
      request.method == "Watch" ? [.reply(["synced": true], continues: true)] : nil
    }
    #expect(try absent.run("wait", "te") == .sentence(3, "no timer called 'te'; there is 'tea'"))
    #expect(try absent.run("wait", "tea", "--timeout", "x").status == 64)
  }

  @Test func `A daemon that does not answer does not extend a wait's timeout`() throws {
    for silent in ["Status", "Watch"] {
      let gate = FakeDaemon.Gate()
      let fixture = try Fixture { request, nowUsec in
        request.method == silent
          ? [.wait(gate)] : [.reply(Samples.status(nowUsec: nowUsec, lastSeq: 9))]
      }
      #expect(
        try fixture.run("wait", "tea", "--timeout", "50ms")
          == .sentence(124, "'tea' has not rung in 50 ms"))
      gate.open()
    }
    // The shorter limit, of the call's timeout and that of the wait, ends the wait.
    let gate = FakeDaemon.Gate()
    var fixture = try Fixture { _, _ in [.wait(gate)] }
    fixture.runner.environment["NIGHTJAR_TIMEOUT"] = "50ms"
    #expect(try fixture.run("wait", "tea", "--timeout", "1h").status == 4)
    gate.open()
  }

  @Test func `Wait continues across a restart of the daemon`() throws {
    // Does not count the calls: the first may be answered when the second has arrived.
    let isBack = Mutex(false)
    let fixture = try Self.fixture { nowUsec in
      Self.present(Self.timer(isBack.withLock { $0 } ? "over" : "running", nowUsec: nowUsec))
    }
    let running = try fixture.runner.start(["wait", "tea"])
    fixture.daemon.awaitRequest { $0.method == "Watch" }
    fixture.daemon.stop()
    isBack.withLock { $0 = true }
    try fixture.daemon.listen()
    #expect(
      try running.finish() == .sentence(0, "the daemon went away; waiting for it to come back"))
  }

  @Test(arguments: [("rang", 0 as Int32, ""), ("cancelled", 2, "nightjar: 'tea' was removed\n")])
  func `A timer that is missing after a restart counts as rung if the ledger says so`(
    type: String, status: Int32, sentence: String
  ) throws {
    let watches = Mutex(0)
    let fixture = try Fixture { request, nowUsec in
      switch request.method {
      case "Status":
        return [
          .reply(Samples.status(nowUsec: nowUsec, lastSeq: watches.withLock { $0 } < 2 ? 9 : 11))
        ]
      case "Watch":
        let number = watches.withLock { count in
          count += 1
          return count
        }
        return number == 1
          ? Self.present(Self.timer("running", nowUsec: nowUsec)) + [.close]
          : [.reply(["synced": true], continues: true)]
      case "Events":
        #expect(request.parameters["after"] == 9)
        return [
          .reply(["event": Self.event(10, type, at: nowUsec)], continues: true),
          .reply(["event": Self.event(11, "removed", at: nowUsec)], continues: true),
        ]
      default: return nil
      }
    }
    let result = try fixture.run("wait", "tea")
    #expect(result.status == status)
    #expect(result.errors.hasSuffix("come back\n" + sentence))
  }

  /// A stand-in in which tea is renamed while the daemon is away, or during the watch.
  private static func renaming(
    _ watch: @escaping @Sendable (String, Int64) -> [FakeDaemon.Answer]
  ) throws -> Fixture {
    let asked = Mutex(0)
    return try Fixture { request, nowUsec in
      switch request.method {
      case "Status":
        // The events of that time are in the ledger when the command asks for its last number.
        let isFirst = asked.withLock { count in
          count += 1
          return count == 1
        }
        return [.reply(Samples.status(nowUsec: nowUsec, lastSeq: isFirst ? 9 : 12))]
      case "Watch": return watch(request.parameters["name"]?.stringValue ?? "", nowUsec)
      case "Events":
        return [
          .reply(["event": renamed(11, "x", "y", at: nowUsec).setting("id", 9)], continues: true),
          .reply(["event": renamed(12, "tea", "green tea", at: nowUsec)], continues: true),
        ]
      default: return nil
      }
    }
  }

  private static func renamed(
    _ seq: Int64, _ old: String, _ new: String, at nowUsec: Int64
  ) -> JSONValue {
    event(seq, "renamed_to", at: nowUsec, name: old, [("new_name", .string(new))])
  }

  private static func named(
    _ name: String, _ state: String, nowUsec: Int64, id: Int64 = 1
  ) -> JSONValue {
    FakeTimers(nowUsec: nowUsec).json(
      .init(name: name, state: state, remainingUsec: 60_000_000, id: id))
  }

  @Test func `Wait continues under the new name of its timer`() throws {
    let fixture = try Self.renaming { name, nowUsec in
      name == "tea"
        ? Self.present(Self.named("tea", "running", nowUsec: nowUsec)) + [
          .reply(["event": Self.renamed(10, "tea", "green tea", at: nowUsec)])
        ]
        : Self.present(Self.named(name, "running", nowUsec: nowUsec)) + [
          .reply(
            [
              "timer": Self.named(name, "cancelled", nowUsec: nowUsec),
              "event": Self.event(11, "cancelled", at: nowUsec, name: name),
            ], continues: true)
        ]
    }
    #expect(try fixture.run("wait", "tea") == .sentence(2, "'green tea' was cancelled"))
  }

  // MARK: watch

  @Test
  func `Watch prints the timers, a line for every change, and ends when its timer is removed`()
    throws
  {
    let fixture = try Self.fixture { nowUsec in
      Self.present(Self.timer("running", nowUsec: nowUsec)) + [
        .reply(
          [
            "timer": Self.timer("paused", nowUsec: nowUsec),
            "event": Self.event(10, "paused", at: nowUsec, [("remaining_usec", 60_000_000)]),
          ], continues: true),
        .reply(
          [
            "event": Self.event(
              11, "clock_stepped", at: nowUsec, name: nil, [("offset_usec", -7_200_000_000)])
          ], continues: true),
        .reply(["event": Self.event(12, "removed", at: nowUsec)]),
      ]
    }
    #expect(
      try fixture.run("watch", "tea")
        == .init(
          0,
          """
          tea: running, 01:00 left, rings at 12:01:00
          12:00:00  tea: paused, 01:00 left
          12:00:00  the clock was set back by 2 h
          12:00:00  tea: removed

          """))
    #expect(fixture.daemon.requests[0].parameters == ["name": "tea"])
    let json = try fixture.run("watch", "tea", "--json").output.split(separator: "\n")
    #expect(json.count == 5)
    #expect(try JSONValue.parse(String(json[1])) == ["synced": true])
  }

  @Test(arguments: [[], ["--json"], ["--tick", "1s"]])
  func `Watch continues under the new name of its timer`(options: [String]) throws {
    let fixture = try Self.renaming { name, nowUsec in
      name == "tea"
        ? Self.present(Self.named("tea", "running", nowUsec: nowUsec)) + [
          .reply(["event": Self.renamed(10, "tea", "green tea", at: nowUsec)])
        ]
        : Self.present(Self.named(name, "running", nowUsec: nowUsec)) + [
          .reply(["event": Self.event(12, "removed", at: nowUsec, name: name)])
        ]
    }
    let result = try fixture.runner.run(["watch", "tea"] + options)
    let lines = result.output.split(separator: "\n")
    let watched = fixture.daemon.requests.filter { $0.method == "Watch" }.map(\.parameters)
    #expect(watched.map { $0["name"] } == ["tea", "green tea"], "\(result)")
    #expect(watched.allSatisfy { $0["tick_usec"] == watched[0]["tick_usec"] })
    guard options != ["--json"] else {
      #expect(lines.count == 6 && lines.last?.contains("removed") == true, "\(result)")
      return
    }
    #expect(
      lines == [
        "tea: running, 01:00 left, rings at 12:01:00",
        "12:00:00  tea: has another name now: green tea",
        "green tea: running, 01:00 left, rings at 12:01:00", "12:00:00  green tea: removed",
      ], "\(result)")
  }

  @Test
  func
    `Watch continues after the last number when the connection is cut, with its ticks and prefixes`()
    throws
  {
    let fixture = try Self.fixture { request, nowUsec in
      guard request.parameters["after"] == nil else {
        return [.reply(["event": Self.event(12, "removed", at: nowUsec)])]
      }
      return [
        .reply(["timer": Self.timer("running", nowUsec: nowUsec)], continues: true),
        .reply(["synced": true, "seq": 9], continues: true), .close,
      ]
    }
    let result = try fixture.run("watch", "run/…", "--tick", "1s")
    #expect(
      result.output == "tea: running, 01:00 left, rings at 12:01:00\n12:00:00  tea: removed\n")
    #expect(result.errors.contains("the daemon went away"))
    #expect(
      fixture.daemon.requests.last?.parameters
        == ["prefix": "run", "tick_usec": 1_000_000, "after": 9])
  }

  // MARK: events

  private static func ledger(
    _ request: FakeDaemon.Request, nowUsec: Int64
  ) -> [FakeDaemon.Answer]? {
    let span: JSONValue = [
      "span": 3, "causes": ["sleep"], "entered_usec": .integer(nowUsec),
      "left_usec": .integer(nowUsec), "elapsed_usec": 302_000_000, "estimated": false,
    ]
    let events = [
      event(5, "started", at: nowUsec, [("duration_usec", 240_000_000)]),
      event(6, "will_enter_foreground", at: nowUsec, name: nil, [("span", span)]),
      event(7, "extended", at: nowUsec, [("by_usec", -60_000_000)]),
      event(8, "updated", at: nowUsec, [("labels", ["a": "b"]), ("data", [:])]),
      event(9, "rang", at: nowUsec, name: "egg", [("late_usec", 0)]),
    ]
    switch request.method {
    case "Status": return [.reply(Samples.status(nowUsec: nowUsec, oldestSeq: 5, lastSeq: 9))]
    case "Events":
      let after = request.parameters["after"]?.integerValue ?? 0
      if after < 4 { return [.error("EventsPruned", ["oldest": 5])] }
      return events.filter { $0["seq"]?.integerValue ?? 0 > after }
        .map { .reply(["event": $0], continues: true) }
    default: return nil
    }
  }

  @Test
  func `Events prints the ledger up to now, all of it or from a number on, as sentences`() throws {
    let fixture = try Fixture { Self.ledger($0, nowUsec: $1) }
    let date = fixture.noon.date(daysLater: 0)
    #expect(
      try fixture.run("events")
        == .init(
          0,
          """
          5\t\(date) 12:00:00\ttea: started: 4 min
          6\t\(date) 12:00:00\tback in the foreground after 5 min 2 s: the machine slept
          7\t\(date) 12:00:00\ttea: shortened by 1 min
          8\t\(date) 12:00:00\ttea: updated: labels a=b
          9\t\(date) 12:00:00\tegg: rang

          """))
    #expect(try fixture.run("events", "--after", "8").output.split(separator: "\n").count == 1)
    #expect(try fixture.run("events", "--after", "9") == .init(0))
    #expect(try fixture.run("events", "tea").output.split(separator: "\n").count == 4)
    #expect(
      try fixture.run("events", "--after", "1")
        == .sentence(1, "those events are no longer kept; the oldest is number 5, so use --after 4")
    )
    let name = "5f0c2a9be41d7736"
    #expect(try fixture.run("events", "--after", "8", "--ledger", name).status == 0)
    #expect(
      try fixture.run("events", "--after", "8", "--ledger", "0")
        == .sentence(
          1,
          "those numbers are of another ledger; the one there is now is called \(name), "
            + "so begin anew with --after 0 --ledger \(name)"))
    for follow in [[], ["--follow"]] {
      #expect(
        try fixture.runner.run(["events", "--after", "10"] + follow)
          == .sentence(
            1,
            "the ledger ends with number 9, so the number is from another ledger; "
              + "begin with --after 0"))
    }
    let json = try fixture.run("events", "--json").output.split(separator: "\n")
    #expect(
      try json.map { try JSONValue.parse(String($0))["event"]?["seq"]?.integerValue } == [
        5, 6, 7, 8, 9,
      ])
  }

  @Test(arguments: [[], ["--follow"]])
  func `Events --since leaves out earlier events, and reads the time like history`(
    follow: [String]
  ) throws {
    let day: Int64 = 86_400_000_000
    // The clock was set back in between.
    let ages: [(seq: Int64, days: Int64)] = [(1, 9), (2, 2), (3, 8), (4, 0)]
    let fixture = try Fixture { request, nowUsec in
      switch request.method {
      case "Status": [.reply(Samples.status(nowUsec: nowUsec, oldestSeq: 1, lastSeq: 4))]
      case "Events":
        ages.map { age -> FakeDaemon.Answer in
          let event = Self.event(age.seq, "paused", at: nowUsec - age.days * day)
          return .reply(["event": event], continues: true)
        } + [.error("StorageFailed", ["reason": "enough"])]
      default: nil
      }
    }
    func shown(_ since: String...) throws -> [Int64?] {
      let result = try fixture.runner.run(["events", "--json"] + since + follow)
      #expect(result.status == (follow.isEmpty ? 0 : 1), "\(result)")
      return try result.output.split(separator: "\n").map {
        try JSONValue.parse(String($0))["event"]?["seq"]?.integerValue
      }
    }
    if follow.isEmpty { #expect(try shown() == [1, 2, 3, 4]) }
    #expect(try shown("--since", "-3d") == [2, 4])
    #expect(try shown("--since", "today") == [4])
    #expect(try shown("--since=-30d") == [1, 2, 3, 4])
    for (since, sentence) in [
      ("foo", "cannot read --since: 'foo' is not understood"),
      ("2999-03-01", "; write a time in the past"),
    ] {
      let refused = try fixture.runner.run(["events", "--since", since] + follow)
      #expect(refused.status == 64 && refused.errors.contains(sentence), "\(refused)")
    }
  }

  @Test(arguments: [8, 5])
  func `Events --follow continues by number after a restart, also in the middle of the old events`(
    after: Int64
  ) throws {
    let fixture = try Fixture { request, nowUsec in
      guard request.method == "Events", let from = request.parameters["after"]?.integerValue else {
        return Self.ledger(request, nowUsec: nowUsec)
      }
      let next = Self.ledger(request, nowUsec: nowUsec)?.first
      // The daemon ends after its first entry.
      guard from > after else { return [next, .close].compactMap(\.self) }
      let more = [10, 11].filter { $0 > from }.map {
        FakeDaemon.Answer.reply(["event": Self.event($0, "paused", at: nowUsec)], continues: true)
      }
      return (Self.ledger(request, nowUsec: nowUsec) ?? []) + more
        + [.error("StorageFailed", ["reason": "enough"])]
    }
    let result = try fixture.run("events", "--follow", "--after", "\(after)", "--json")
    #expect(fixture.daemon.requests.last?.parameters["after"]?.integerValue == after + 1)
    let lines = result.output.split(separator: "\n")
    #expect(
      try lines.map { try JSONValue.parse(String($0))["event"]?["seq"]?.integerValue }
        == Array(after + 1...11))
    #expect(result.status == 1)
  }

  @Test(arguments: [true, false])
  func `Events --follow reports a new ledger, and continues in it only without --ledger`(
    isNamed: Bool
  ) throws {
    let newLedger = "feedfacefeedface"
    let other = JSONValue.string(newLedger)
    let gone = Mutex(false)
    let fixture = try Fixture { request, nowUsec in
      guard gone.withLock({ $0 }) else { return Self.ledger(request, nowUsec: nowUsec) }
      if request.method == "Status" {
        return [.reply(FakeDaemon.status(ledger: newLedger, lastSeq: 20))]
      }
      if request.parameters["ledger"] != other {
        return [.error("LedgerChanged", ["ledger": other])]
      }
      return [
        .reply(["event": Self.event(1, "started", at: nowUsec)], continues: true),
        .error("StorageFailed", ["reason": "enough"]),
      ]
    }
    let name = "5f0c2a9be41d7736"
    let running = try fixture.runner.start(
      ["events", "--follow", "--after", "8"] + (isNamed ? ["--ledger", name] : []))
    try running.waitForOutput { $0.contains("egg: rang") }
    gone.withLock { $0 = true }
    fixture.daemon.stop()
    try fixture.daemon.listen()
    let result = try running.finish()
    #expect(result.status == 1)
    let isReported = result.errors.contains("the ledger was begun anew; here it is from number 1")
    #expect(isReported == !isNamed)
    #expect(result.errors.contains("those numbers are of another ledger") == isNamed)
    #expect(result.output.split(separator: "\n").count == (isNamed ? 1 : 2))
  }

  @Test func `Export prints every event, every span and every timer, each on a line`() throws {
    let nowUsec = Noon().nowUsec
    let timers = FakeTimers(Fixture.four, nowUsec: nowUsec)
    let fixture = try Fixture { request, nowUsec in
      Self.ledger(request, nowUsec: nowUsec) ?? [timers.answer(request)]
    }
    let result = try fixture.run("events", "--everything")
    let lines = try result.output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    #expect(lines.compactMap { $0["event"]?["seq"]?.integerValue } == [5, 6, 7, 8, 9])
    // One from the ledger, one from the status.
    #expect(lines.compactMap { $0["span"]?["span"]?.integerValue } == [1, 3])
    #expect(
      lines.compactMap { $0["timer"]?["name"]?.stringValue } == ["tea", "run/1/me", "egg", "old"])
    #expect(lines.count == 11)
  }
}
