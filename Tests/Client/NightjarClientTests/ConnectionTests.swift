import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct ConnectionTests {
  fileprivate static let soon = 10_000_000 as Int64

  fileprivate static func ping(_ number: Int64) -> Call {
    Call(method: "org.example.Ping", parameters: ["n": .integer(number)])
  }

  @Test func `A call is answered with the reply's parameters`() throws {
    let daemon = try FakeDaemon { [.reply(["echo": $0.parameters])] }
    let connection = try Connection(path: daemon.path)
    #expect(try connection.ping(7) == ["echo": ["n": 7]])
    #expect(connection.peerProcessID == getpid())
    #expect(daemon.requests.map(\.method) == ["Ping"])
    #expect(daemon.requests[0].more == false)
  }

  @Test func `An error is a typed refusal, and the connection stays usable`() throws {
    let answers: [(String, JSONValue, TimersError)] = [
      ("TimerNotFound", ["name": "x"], .timerNotFound(name: "x")),
      ("TimerExists", ["name": "x"], .timerExists(name: "x")),
      (
        "InvalidTransition",
        [
          "name": "x", "kind": "alarm", "state": "running", "ringing": "snoozed",
          "operation": "skip", "possible": ["cancel", "restart"],
        ],
        .invalidTransition(
          name: "x", kind: "alarm", state: "running", ringing: "snoozed", operation: "skip",
          possible: ["cancel", "restart"])
      ),
      ("LimitExceeded", ["limit": "l", "value": 3], .limitExceeded(limit: "l", value: 3)),
      ("StorageFailed", ["reason": "full"], .storageFailed(reason: "full", inDoubt: false)),
      (
        "StorageFailed", ["reason": "lost", "in_doubt": true],
        .storageFailed(reason: "lost", inDoubt: true)
      ),
      ("EventsPruned", ["oldest": 9], .eventsPruned(oldest: 9)),
      ("LedgerChanged", ["ledger": "two"], .ledgerChanged(ledger: "two")),
      (
        "org.varlink.service.InvalidParameter", ["parameter": "p"],
        .varlink(.invalidParameter(parameter: "p"))
      ),
      (
        "org.varlink.service.MethodNotFound", ["method": "m"],
        .varlink(.methodNotFound(method: "m"))
      ),
      ("org.example.New", ["a": 1], .other(name: "org.example.New", parameters: ["a": 1])),
    ]
    let daemon = try FakeDaemon { request in
      let answer = answers[Int(request.parameters["n"]?.integerValue ?? 0)]
      return [.error(answer.0, answer.1)]
    }
    let connection = try Connection(path: daemon.path)
    for (index, answer) in answers.enumerated() {
      #expect(throws: ClientError.refused(answer.2)) { try connection.ping(Int64(index)) }
    }
  }

  @Test func `A reply is understood in whatever pieces it comes`() throws {
    let text = #"{"parameters":{"name":"tee mit Milch ☕"},"vendor.x":{}}"#
    let bytes = Array(text.utf8) + [0]
    for split in [1, 2, 30, bytes.count - 1] {
      let gate = FakeDaemon.Gate()
      let daemon = try FakeDaemon { _ in
        [.raw(Array(bytes[..<split])), .wait(gate), .raw(Array(bytes[split...]))]
      }
      let connection = try Connection(path: daemon.path)
      let stream = try connection.stream(Self.ping(0))
      // Nothing more arrives until the gate is opened.
      #expect(throws: ClientError.timedOut) { try stream.next(deadline: .after(usec: 20_000)) }
      gate.open()
      #expect(try stream.next(deadline: .after(usec: Self.soon)) == ["name": "tee mit Milch ☕"])
      #expect(try stream.next() == nil)
    }
  }

  @Test func `Replies that arrive in one piece are returned one by one`() throws {
    let daemon = try FakeDaemon { request in
      guard request.more else { return [.reply(["n": 0])] }
      let replies = (0..<50).map {
        #"{"parameters":{"n":\#($0)}\#($0 < 49 ? #","continues":true"# : "")}"#
      }
      return [.raw(Array(replies.joined(separator: "\0").utf8) + [0])]
    }
    let connection = try Connection(path: daemon.path)
    let stream = try connection.stream(Self.ping(0))
    var numbers: [Int64] = []
    while let reply = try stream.next(deadline: .after(usec: Self.soon)) {
      numbers.append(try #require(reply["n"]?.integerValue))
    }
    #expect(numbers == Array(0..<50))
    // The stream has ended, so the connection is free again.
    #expect(try connection.ping(1) == ["n": 0])
  }

  @Test
  func `A daemon that closes in the middle of a reply is a lost connection, for good`() throws {
    let daemon = try FakeDaemon { _ in [.raw(Array(#"{"parameters":{"#.utf8)), .close] }
    let connection = try Connection(path: daemon.path)
    for _ in 0..<2 {
      #expect(throws: ClientError.connectionLost) { try connection.ping() }
    }
    let stopped = try FakeDaemon { _ in [] }
    let stream = try Connection(path: stopped.path).stream(Self.ping(0))
    stopped.stop()
    #expect(throws: ClientError.connectionLost) {
      try stream.next(deadline: .after(usec: Self.soon))
    }
  }

  @Test func `A timeout ends a call, after which the connection cannot be used`() throws {
    let gate = FakeDaemon.Gate()
    let daemon = try FakeDaemon { _ in [.wait(gate), .reply(["late": true])] }
    let connection = try Connection(path: daemon.path)
    #expect(throws: ClientError.timedOut) {
      try connection.call(Self.ping(0), deadline: .after(usec: 20_000))
    }
    gate.open()
    // The late reply must never be taken for that of the next call.
    #expect(throws: ClientError.connectionLost) { try connection.ping(1) }
  }

  @Test func `Of two deadlines the earlier counts, and never is later than any`() {
    let (soon, late) = (Deadline.after(usec: Self.soon), Deadline.after(usec: 2 * Self.soon))
    #expect(Deadline.earlier(soon, late) == soon)
    #expect(Deadline.earlier(late, soon) == soon)
    #expect(Deadline.earlier(.never, soon) == soon)
    #expect(Deadline.earlier(soon, .never) == soon)
    #expect(Deadline.earlier(.never, .never) == .never)
  }

  @Test
  func
    `A missing listener, a path that is not a socket and one that is too long fail with their errno`()
    throws
  {
    let folder = try TestFolder()
    let missing = folder.path + "/missing"
    #expect(throws: ClientError.daemonUnreachable(path: missing, code: ENOENT)) {
      try Connection(path: missing)
    }
    let file = folder.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(throws: ClientError.daemonUnreachable(path: file, code: ECONNREFUSED)) {
      try Connection(path: file)
    }
    let long = "/" + String(repeating: "x", count: 107)
    #expect(throws: ClientError.daemonUnreachable(path: long, code: ENAMETOOLONG)) {
      try Connection(path: long)
    }
    #expect(throws: ClientError.daemonUnreachable(path: "", code: ENOENT)) {
      try Connection(path: "")
    }
    let error = ClientError.daemonUnreachable(path: "/x", code: ENOENT)
    #expect(error.description == "no daemon can be reached at /x: No such file or directory")
  }

  @Test func `A thousand calls go out in a pipeline, and each gets its own answer`() throws {
    let daemon = try FakeDaemon { request in
      let number = request.parameters["n"]?.integerValue ?? 0
      return number % 10 == 3
        ? [.error("TimerNotFound", ["name": .string("\(number)")])] : [.reply(request.parameters)]
    }
    let connection = try Connection(path: daemon.path)
    let results = try connection.callAll(
      (0..<1_000).map(Self.ping), deadline: .after(usec: Self.soon))
    #expect(results.count == 1_000)
    for (number, result) in results.enumerated() {
      let number = Int64(number)
      let expected: Result<JSONValue, TimersError> =
        number % 10 == 3
        ? .failure(.timerNotFound(name: "\(number)")) : .success(["n": .integer(number)])
      #expect(result == expected)
    }
  }

  @Test func `Calls and replies larger than any socket's buffer get through, however many`() throws
  {
    let daemon = try FakeDaemon { [.reply($0.parameters)] }
    let connection = try Connection(path: daemon.path)
    let text = String(repeating: "x", count: 100_000)
    let calls = (0..<40).map {
      Call(method: "org.example.Ping", parameters: ["n": .integer($0), "t": .string(text)])
    }
    let results = try connection.callAll(calls, deadline: .after(usec: Self.soon))
    #expect(try results.map { try $0.get()["n"]?.integerValue } == (0..<40).map { $0 })
  }

  @Test(arguments: [
    "{", "[]", #"{"parameters":3}"#, #"{"parameters":{},"continues":true}"#, "\u{1}",
  ])
  func `A message that is not Varlink is reported as such`(text: String) throws {
    let daemon = try FakeDaemon { _ in [.raw(Array(text.utf8) + [0])] }
    let connection = try Connection(path: daemon.path)
    let error = try #require(throws: ClientError.self) { try connection.ping() }
    guard case .protocolViolation = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test func `A refusal ends a stream, and the connection is free again`() throws {
    let daemon = try FakeDaemon { request in
      request.more
        ? [.reply([:], continues: true), .error("EventsPruned", ["oldest": 3])] : [.reply(["a": 1])]
    }
    let connection = try Connection(path: daemon.path)
    let stream = try connection.stream(Self.ping(0))
    #expect(try stream.next(deadline: .after(usec: Self.soon)) == [:])
    #expect(throws: ClientError.refused(.eventsPruned(oldest: 3))) {
      try stream.next(deadline: .after(usec: Self.soon))
    }
    #expect(try connection.ping() == ["a": 1])
  }

  @Test func `Connections leave no descriptor behind, and the detector would notice one`() throws {
    let daemon = try FakeDaemon { _ in [.reply([:])] }
    func becomes(_ count: Int) -> Bool {
      let limit = Deadline.after(usec: Self.soon)
      while daemon.openConnections != count {
        if limit.hasPassed { return false }
        poll(nil, 0, 1)
      }
      return true
    }
    try withExtendedLifetime(Connection(path: daemon.path)) { connection in
      try connection.ping()
      #expect(daemon.openConnections == 1)
    }
    for _ in 0..<20 {
      try Connection(path: daemon.path).ping()
    }
    #expect(becomes(0))
  }
}

extension Connection {
  /// A call that is answered soon.
  @discardableResult fileprivate func ping(_ number: Int64 = 0) throws -> JSONValue {
    try call(ConnectionTests.ping(number), deadline: .after(usec: ConnectionTests.soon))
  }
}
