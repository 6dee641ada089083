import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct FollowingTests {
  private static func timer(
    _ state: String, nowUsec: Int64, name: String = "tea", left: Int64 = 60 * second
  ) -> JSONValue {
    FakeTimers(nowUsec: nowUsec).json(.init(name: name, state: state, remainingUsec: left))
  }

  private static func event(
    _ seq: Int64, _ type: String, at timeUsec: Int64, name: String? = "tea", _ more: JSONValue = [:]
  ) -> JSONValue {
    let id = name.map { [JSONValue.Member("name", .string($0)), .init("id", 1)] } ?? []
    let members: [JSONValue.Member] = [
      .init("seq", .integer(seq)), .init("time_usec", .integer(timeUsec)),
      .init("type", .string(type)),
    ]
    return .object(members + id + (more.objectValue ?? []))
  }

  /// A reply of a stream with an event, and with the timer if it still exists.
  private static func told(_ event: JSONValue, _ timer: JSONValue? = nil) -> FakeDaemon.Answer {
    .reply(.members([("timer", timer), ("event", event)]), continues: true)
  }

  private static let synced = FakeDaemon.Answer.reply(["synced": true], continues: true)

  /// The replies of `Watch` for an existing timer: its present state, and `synced`.
  private static func present(_ timer: JSONValue) -> [FakeDaemon.Answer] {
    [.reply(["timer": timer], continues: true), synced]
  }

  private static func running(_ nowUsec: Int64, name: String = "tea") -> [FakeDaemon.Answer] {
    present(timer("running", nowUsec: nowUsec, name: name))
  }

  /// A stand-in whose watches have these replies.
  private static func fixture(
    watch: @escaping @Sendable (FakeDaemon.Request, Int64) -> [FakeDaemon.Answer]
  ) throws -> Fixture {
    try Fixture { request, nowUsec in
      request.method == "Watch" ? watch(request, nowUsec) : nil
    }
  }

  /// An answer that ends a stream.
  private static let end = FakeDaemon.Answer.error("StorageFailed", ["reason": "enough"])

  // MARK: wait

  @Test(
    arguments: [
      (.init(name: "tea", state: "over"), .init(0)),
      (.init(name: "tea", state: "over", more: ["miss": miss]), .init(0)),
      (
        .init(name: "tea", kind: "stopwatch"),
        .sentence(1, "'tea' is a stopwatch, which never rings; nightjar watch tea shows it")
      ),
      (.init(name: "tea", state: "cancelled"), .sentence(2, "'tea' was cancelled")),
    ] as [(FakeTimers.Entry, CommandRunner.Result)])
  func `Wait ends at once for a timer that rang, expired without a ring, or never will ring`(
    entry: FakeTimers.Entry, result: CommandRunner.Result
  ) throws {
    let fixture = try Self.fixture { Self.present(FakeTimers(nowUsec: $1).json(entry)) }
    #expect(try fixture.run("wait", "tea") == result)
    guard result.status == 0 else { return }
    let json = try fixture.run("wait", "tea", "--json").output
    #expect(try JSONValue.parse(json)["timer"]?["state"] == "over")
    let help = try fixture.run("wait", "--help").output.split { $0 == " " || $0 == "\n" }
    #expect(help.joined(separator: " ").contains("if the timer is over without a ring"))
  }

  private static let miss: JSONValue = [
    "number": 1, "due_usec": 1, "late_usec": 0, "outcome": "did_not_ring",
  ]

  @Test func `Wait ends with 2 at a removal, 124 after its timeout, 3 without a timer`() throws {
    let removed = try Self.fixture { _, nowUsec in
      Self.running(nowUsec) + [Self.told(Self.event(10, "removed", at: nowUsec))]
    }
    try removed.check("$ wait tea\n2! 'tea' was removed")
    let running = try Self.fixture { Self.running($1) }
    try running.check("$ wait tea --timeout 50ms\n124! 'tea' has not rung in 50 ms")
    let absent = try Fixture(Fixture.four) { request, _ in
      request.method == "Watch" ? [Self.synced] : nil
    }
    try absent.check("$ wait te\n3! no timer called 'te'; there is 'tea'")
    #expect(try absent.run("wait", "tea", "--timeout", "x").status == 64)
  }

  @Test func `A daemon that does not answer does not extend a wait's timeout`() throws {
    for silent in ["Status", "Watch"] {
      let gate = FakeDaemon.Gate()
      let fixture = try Fixture { request, _ in request.method == silent ? [.wait(gate)] : nil }
      try fixture.check("$ wait tea --timeout 50ms\n124! 'tea' has not rung in 50 ms")
      gate.open()
    }
    // The shorter limit, of the call's timeout and that of the wait, ends the wait.
    let gate = FakeDaemon.Gate()
    var fixture = try Fixture { _, _ in [.wait(gate)] }
    fixture.runner.environment["NIGHTJAR_TIMEOUT"] = "50ms"
    #expect(try fixture.run("wait", "tea", "--timeout", "1h").status == 4)
    gate.open()
  }

  /// Counts the calls of a closure.
  private final class Count: Sendable {
    private let calls = Mutex(0)
    func next() -> Int {
      calls.withLock { count in
        count += 1
        return count
      }
    }
    var all: Int { calls.withLock { $0 } }
  }

  private static let away = "the daemon went away; waiting for it to come back"

  /// The timer is over when the daemon is back, or it is missing, and the ledger has an event.
  @Test(arguments: [
    ("over", 0 as Int32, ""), ("rang", 0, ""), ("cancelled", 2, "nightjar: 'tea' was removed\n"),
  ])
  func `Wait continues across a restart, and asks the ledger about a timer that is missing then`(
    type: String, status: Int32, sentence: String
  ) throws {
    let watches = Count()
    let fixture = try Fixture { request, nowUsec in
      switch request.method {
      case "Status":
        return [.reply(Samples.status(nowUsec: nowUsec, lastSeq: watches.all < 2 ? 9 : 11))]
      case "Watch":
        guard watches.next() > 1 else { return Self.running(nowUsec) + [.close] }
        return type == "over" ? Self.present(Self.timer(type, nowUsec: nowUsec)) : [Self.synced]
      case "Events":
        #expect(request.parameters["after"] == 9)
        return [
          Self.told(Self.event(10, type, at: nowUsec)),
          Self.told(Self.event(11, "removed", at: nowUsec)),
        ]
      default: return nil
      }
    }
    let result = try fixture.run("wait", "tea")
    #expect(result == .init(status, errors: "nightjar: \(Self.away)\n\(sentence)"))
  }

  /// A stand-in in which tea is renamed during the watch, and removed under its new name.
  private static func renaming() throws -> Fixture {
    let asked = Count()
    @Sendable func renamed(_ seq: Int64, from old: String, at usec: Int64) -> JSONValue {
      event(seq, "renamed_to", at: usec, name: old, ["new_name": .string("green \(old)")])
    }
    return try Fixture { request, nowUsec in
      switch (request.method, request.parameters["name"]?.stringValue ?? "") {
      case ("Status", _):
        // The events of that time are in the ledger when the command asks for its last number.
        return [.reply(Samples.status(nowUsec: nowUsec, lastSeq: asked.next() == 1 ? 9 : 12))]
      case ("Watch", "tea"):
        return running(nowUsec) + [.reply(["event": renamed(10, from: "tea", at: nowUsec)])]
      case ("Watch", let name):
        let removed = event(12, "removed", at: nowUsec, name: name)
        return running(nowUsec, name: name) + [.reply(["event": removed])]
      case ("Events", _):
        return [
          told(renamed(11, from: "x", at: nowUsec).setting("id", 9)),
          told(renamed(12, from: "tea", at: nowUsec)),
        ]
      default: return nil
      }
    }
  }

  // MARK: watch

  @Test func `Watch prints the timers, each change, and ends when its timer is removed`() throws {
    let fixture = try Self.fixture { _, nowUsec in
      Self.running(nowUsec) + [
        Self.told(
          Self.event(10, "paused", at: nowUsec, ["remaining_usec": 60_000_000]),
          Self.timer("paused", nowUsec: nowUsec)),
        Self.told(
          Self.event(11, "clock_stepped", at: nowUsec, name: nil, ["offset_usec": -7_200_000_000])),
        .reply(["event": Self.event(12, "removed", at: nowUsec)]),
      ]
    }
    try fixture.check(
      """
      $ watch tea
      tea: running, 01:00 left, rings at 12:01:00
      12:00:00  tea: paused, 01:00 left
      12:00:00  the clock was set back by 2 h
      12:00:00  tea: removed
      """)
    #expect(fixture.daemon.requests[0].parameters == ["name": "tea"])
    let json = try fixture.run("watch", "tea", "--json").output.split(separator: "\n")
    #expect(json.count == 5)
    #expect(try JSONValue.parse(String(json[1])) == ["synced": true])
  }

  @Test(arguments: [[], ["--json"], ["--tick", "1s"]])
  func `Wait and watch continue under the new name of their timer`(options: [String]) throws {
    try Self.renaming().check("$ wait tea\n2! 'green tea' was removed")
    let fixture = try Self.renaming()
    let result = try fixture.runner.run(["watch", "tea"] + options)
    let watched = fixture.daemon.requests.filter { $0.method == "Watch" }.map(\.parameters)
    #expect(watched.map { $0["name"] } == ["tea", "green tea"], "\(result)")
    #expect(watched.allSatisfy { $0["tick_usec"] == watched[0]["tick_usec"] })
    guard options != ["--json"] else {
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 6 && lines.last?.contains("removed") == true, "\(result)")
      return
    }
    #expect(
      result.output == """
        tea: running, 01:00 left, rings at 12:01:00
        12:00:00  tea: has another name now: green tea
        green tea: running, 01:00 left, rings at 12:01:00
        12:00:00  green tea: removed

        """)
  }

  @Test func `Watch continues after its last number, with its ticks and prefixes`() throws {
    let fixture = try Self.fixture { request, nowUsec in
      guard request.parameters["after"] == nil else {
        return [.reply(["event": Self.event(12, "removed", at: nowUsec)])]
      }
      let timer = Self.timer("running", nowUsec: nowUsec)
      return [
        .reply(["timer": timer], continues: true),
        .reply(["synced": true, "seq": 9], continues: true), .close,
      ]
    }
    try fixture.check(
      """
      $ watch run/… --tick 1s
      tea: running, 01:00 left, rings at 12:01:00
      12:00:00  tea: removed
      0! \(Self.away)
      """)
    let sent: JSONValue = ["prefix": "run", "tick_usec": 1_000_000, "after": 9]
    #expect(try fixture.sent("Watch") == sent)
  }

  // MARK: events

  private static func ledger(
    _ request: FakeDaemon.Request, nowUsec: Int64
  ) -> [FakeDaemon.Answer]? {
    let span = LedgerScript.span(
      ["sleep"], from: nowUsec, to: nowUsec, number: 3, elapsedUsec: 302 * second)
    let events = [
      event(5, "started", at: nowUsec, ["duration_usec": 240_000_000]),
      event(6, "will_enter_foreground", at: nowUsec, name: nil, ["span": span]),
      event(7, "extended", at: nowUsec, ["by_usec": -60_000_000]),
      event(8, "updated", at: nowUsec, ["labels": ["a": "b"], "data": [:]]),
      event(9, "rang", at: nowUsec, name: "egg", ["late_usec": 0]),
    ]
    switch request.method {
    case "Status": return [.reply(Samples.status(nowUsec: nowUsec, oldestSeq: 5, lastSeq: 9))]
    case "Events":
      let after = request.parameters["after"]?.integerValue ?? 0
      if after < 4 { return [.error("EventsPruned", ["oldest": 5])] }
      return events.filter { $0["seq"]?.integerValue ?? 0 > after }.map { told($0) }
    default: return nil
    }
  }

  /// The numbers of the events that a command prints as JSON.
  private func numbers(_ output: String) throws -> [Int64?] {
    try output.split(separator: "\n").map {
      try JSONValue.parse(String($0))["event"]?["seq"]?.integerValue
    }
  }

  @Test func `Events prints the ledger up to now, or from a number on, as sentences`() throws {
    let fixture = try Fixture { Self.ledger($0, nowUsec: $1) }
    let date = fixture.noon.date(daysLater: 0)
    let name = "5f0c2a9be41d7736"
    let other =
      "the ledger ends with number 9, so the number is from another ledger; begin with --after 0"
    try fixture.check(
      """
      $ events
      5\t\(date) 12:00:00\ttea: started: 4 min
      6\t\(date) 12:00:00\tback in the foreground after 5 min 2 s: the machine slept
      7\t\(date) 12:00:00\ttea: shortened by 1 min
      8\t\(date) 12:00:00\ttea: updated: labels a=b
      9\t\(date) 12:00:00\tegg: rang
      $ events --after 8
      9\t\(date) 12:00:00\tegg: rang
      $ events --after 9
      $ events --after 1
      1! those events are no longer kept; the oldest is number 5, so use --after 4
      $ events --after 8 --ledger \(name)
      9\t\(date) 12:00:00\tegg: rang
      $ events --after 8 --ledger 0
      1! those numbers are of another ledger; the one there is now is called \(name), so begin \
      anew with --after 0 --ledger \(name)
      $ events --after 10
      1! \(other)
      $ events --after 10 --follow
      1! \(other)
      """)
    #expect(try fixture.run("events", "tea").output.split(separator: "\n").count == 4)
    #expect(try numbers(fixture.run("events", "--json").output) == [5, 6, 7, 8, 9])
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
        ages.map { Self.told(Self.event($0.seq, "paused", at: nowUsec - $0.days * day)) } + [
          Self.end
        ]
      default: nil
      }
    }
    func shown(_ since: String...) throws -> [Int64?] {
      let result = try fixture.runner.run(["events", "--json"] + since + follow)
      #expect(result.status == (follow.isEmpty ? 0 : 1), "\(result)")
      return try numbers(result.output)
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
  func `Events --follow continues by number after a restart, also amid old events`(after: Int64)
    throws
  {
    let fixture = try Fixture { request, nowUsec in
      guard request.method == "Events", let from = request.parameters["after"]?.integerValue else {
        return Self.ledger(request, nowUsec: nowUsec)
      }
      let next = Self.ledger(request, nowUsec: nowUsec)?.first
      // The daemon ends after its first entry.
      guard from > after else { return [next, .close].compactMap(\.self) }
      let more = [10, 11].filter { $0 > from }.map {
        Self.told(Self.event($0, "paused", at: nowUsec))
      }
      return (Self.ledger(request, nowUsec: nowUsec) ?? []) + more + [Self.end]
    }
    let result = try fixture.run("events", "--follow", "--after", "\(after)", "--json")
    #expect(fixture.daemon.requests.last?.parameters["after"]?.integerValue == after + 1)
    #expect(try numbers(result.output) == Array(after + 1...11) && result.status == 1)
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
      return [Self.told(Self.event(1, "started", at: nowUsec)), Self.end]
    }
    let name = "5f0c2a9be41d7736"
    let running = try fixture.runner.start(
      ["events", "--follow", "--after", "8"] + (isNamed ? ["--ledger", name] : []))
    try running.waitForOutput { $0.contains("egg: rang") }
    gone.withLock { $0 = true }
    fixture.daemon.stop()
    try fixture.daemon.listen()
    let result = try running.finish()
    #expect(result.status == 1 && result.output.split(separator: "\n").count == (isNamed ? 1 : 2))
    let isReported = result.errors.contains("the ledger was begun anew; here it is from number 1")
    let isRefused = result.errors.contains("those numbers are of another ledger")
    #expect(isReported == !isNamed && isRefused == isNamed, "\(result)")
  }

  @Test func `Export prints every event, every span and every timer, each on a line`() throws {
    let nowUsec = Noon().nowUsec
    let timers = FakeTimers(Fixture.four, nowUsec: nowUsec)
    let fixture = try Fixture { request, nowUsec in
      Self.ledger(request, nowUsec: nowUsec) ?? [timers.answer(request)]
    }
    let result = try fixture.run("events", "--everything")
    let lines = try result.output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    #expect(lines.compactMap { $0["event"]?["seq"] } == [5, 6, 7, 8, 9])
    // One from the ledger, one from the status.
    #expect(lines.compactMap { $0["span"]?["span"] } == [1, 3])
    #expect(lines.compactMap { $0["timer"]?["name"] } == ["tea", "run/1/me", "egg", "old"])
    #expect(lines.count == 11)
  }
}
