import NightjarClient
import NightjarTestSupport
import NightjarTesting
import Testing
import Varlink

/// Methods that change nothing: pages, parts of the ledger, stories.
@Suite(.timeLimit(.minutes(10))) struct QuestionTests {
  private let daemon: TestDaemon
  private let connection: Connection
  private let names = (0..<7).map { "run/\($0)" }

  init() throws {
    daemon = try TestDaemon()
    connection = try Connection(path: daemon.socketPath, deadline: .after(usec: 30_000_000))
    for name in names { _ = try call(.start(name: name, durationUsec: 3_600_000_000)) }
  }

  @discardableResult private func call(_ call: Call) throws -> JSONValue {
    try connection.call(call, deadline: .after(usec: 30_000_000))
  }

  private func pages(
    prefix: String? = nil, states: [Wire.State] = [], ringing: Wire.Ringing? = nil, limit: Int64?
  ) throws -> [[String]] {
    var pages: [[String]] = []
    var after: Int64?
    repeat {
      var list = Wire.List()
      (list.prefix, list.after, list.limit) = (prefix, after, limit)
      (list.states, list.ringing) = (states.isEmpty ? nil : states, ringing.map { [$0] })
      let page = try call(Call(list))
      let timers = page["timers"]?.arrayValue ?? []
      pages.append(timers.compactMap { $0["name"]?.stringValue })
      after = page["next"]?.integerValue
    } while after != nil && pages.count < 20
    return pages
  }

  @Test func `Pages of any length have each timer once, and the last one names no next`() throws {
    for limit in 1...8 {
      let pages = try pages(limit: Int64(limit))
      #expect(pages.flatMap { $0 } == names)
      #expect(pages.dropLast().allSatisfy { $0.count == limit })
      #expect(pages.count == (names.count + limit - 1) / limit)
    }
    #expect(try pages(limit: nil) == [names])
  }

  @Test func `A list may be limited to some states, and to a path`() throws {
    for name in ["run/1", "run/4"] { try call(.perform(.pause, name: name)) }
    try call(.perform(.cancel, name: "run/2"))
    #expect(try pages(states: [.paused], limit: nil) == [["run/1", "run/4"]])
    #expect(try pages(states: [.paused, .cancelled], limit: nil) == [["run/1", "run/2", "run/4"]])
    #expect(try pages(states: [.over], limit: nil) == [[]])
    #expect(try pages(prefix: "run/3", limit: nil) == [["run/3"]])
    #expect(try pages(prefix: "ru", limit: nil) == [[]])
  }

  @Test func `A ring is listed and counted beside the state of its timer`() throws {
    func counts() throws -> [Int64?] {
      let counts = try call(.status())["counts"]
      return ["running", "paused", "over", "ringing", "snoozed", "unanswered"].map {
        counts?[$0]?.integerValue
      }
    }
    let running = Int64(names.count)
    var tick = Wire.Start(name: "tick", .repeating(.seconds(60), rounds: 0))
    tick.ring = Wire.Ring()
    tick.ring?.ringForUsec = 10_000_000
    try call(.start(tick))
    #expect(try counts() == [running + 1, 0, 0, 0, 0, 0])
    try daemon.advance(by: .seconds(61))
    #expect(try pages(ringing: .ringing, limit: nil) == [["tick"]])
    #expect(try pages(states: [.running], limit: nil).flatMap(\.self).contains("tick"))
    #expect(try counts() == [running + 1, 0, 0, 1, 0, 0])
    try daemon.advance(by: .seconds(10))
    #expect(try pages(ringing: .unanswered, limit: nil) == [["tick"]])
    #expect(try counts() == [running + 1, 0, 0, 0, 0, 1])
    try call(.snooze(name: "tick", byUsec: 3_600_000_000))
    try call(.perform(.pause, name: "tick"))
    #expect(try pages(states: [.paused], ringing: .snoozed, limit: nil) == [["tick"]])
    #expect(try counts() == [running, 1, 0, 0, 1, 0])
    try call(.perform(.dismiss, name: "tick"))
    #expect(try counts() == [running, 1, 0, 0, 0, 0])
    #expect(try pages(ringing: .snoozed, limit: nil) == [[]])
  }

  private func refusal(of call: Call) throws -> TimersError? {
    do throws(ClientError) {
      let connection = try Connection(path: daemon.socketPath, deadline: .after(usec: 30_000_000))
      _ = try connection.stream(call).next(deadline: .after(usec: 30_000_000))
      return nil
    } catch {
      guard case .refused(let refusal) = error else { throw error }
      return refusal
    }
  }

  @Test
  func
    `The ledger is read after a number that it has, and refused after one that is still to come`()
    throws
  {
    let storage = try Wire.Status.Reply(try call(.status())).storage
    let ledger = storage.ledger
    let stream = try Connection(path: daemon.socketPath).stream(
      .events(after: storage.lastSeq - 2, ledger: ledger))
    var seqs: [Int64] = []
    while seqs.count < 2, let reply = try stream.next(deadline: .after(usec: 30_000_000)) {
      if let seq = reply["event"]?["seq"]?.integerValue { seqs.append(seq) }
    }
    #expect(seqs == [storage.lastSeq - 1, storage.lastSeq])
    let ahead = try refusal(of: .events(after: storage.lastSeq + 1))
    #expect(ahead == .varlink(.invalidParameter(parameter: "after")))
    let other = try refusal(of: .events(after: 1, ledger: "another"))
    #expect(other == .ledgerChanged(ledger: ledger))
    #expect(try refusal(of: .watch(after: 1, ledger: "another")) == other)
  }

  @Test func `A timer's story has all its events from its start on, and none of other timers`()
    throws
  {
    try call(.perform(.pause, name: "run/3"))
    try call(.perform(.resume, name: "run/3"))
    let story = try call(.why(name: "run/3"))
    let events = story["events"]?.arrayValue ?? []
    #expect(events.map { $0["type"]?.stringValue } == ["started", "paused", "resumed"])
    #expect(events.allSatisfy { $0["name"] == "run/3" })
    #expect(events.first?["seq"] == events.first?["id"])
  }
}
