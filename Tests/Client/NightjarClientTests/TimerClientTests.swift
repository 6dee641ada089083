import NightjarClient
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

/// Calls of the asynchronous client.
@Suite(.blocking) struct TimerClientTests {
  /// A client with more timeout than a machine needs that is busy with other tests.
  private func client(of daemon: FakeDaemon) -> TimerClient {
    TimerClient(socketPath: daemon.path, timeout: .seconds(300))
  }

  @Test
  func `A change returns the timer, with Swift's durations and moments`() async throws {
    let daemon = try FakeDaemon { _ in
      [.reply(["timer": Sample.timer(), "created": true])]
    }
    let client = client(of: daemon)
    let timer = try await client.start("tea", for: .seconds(240))
    #expect(timer.duration == .seconds(240) && timer.remaining == .seconds(60))
    #expect(timer.startedAt == WallTime(sinceEpoch: .seconds(1)) && timer.expiresAt == nil)
    #expect(daemon.requests.map(\.parameters) == [["name": "tea", "duration_usec": 240_000_000]])
  }

  @Test func `A refusal has the daemon's error, and the connection still works`() async throws {
    let daemon = try FakeDaemon { request in
      request.method == "Get"
        ? [.error("TimerNotFound", ["name": "tea"])] : [.reply(["timer": Sample.timer()])]
    }
    let client = client(of: daemon)
    await #expect(throws: ClientError.refused(.timerNotFound(name: "tea"))) {
      try await client.timer("tea")
    }
    _ = try await client.pause("tea")
    #expect(Set(daemon.requests.map(\.connection)) == [0])
  }

  @Test func `A trial returns the result of the ring`() async throws {
    let daemon = try FakeDaemon { _ in
      let ring: JSONValue = [
        "seen": true, "heard": false, "server": "mako 1.7", "reason": "no player",
      ]
      return [.reply(["ring": ring])]
    }
    let ring = try await TimerClient(socketPath: daemon.path).testRing()
    #expect(ring.seen && !ring.heard && ring.server == "mako 1.7" && ring.player == nil)
    #expect(ring.reason == "no player" && daemon.requests.map(\.method) == ["TestRing"])
  }

  @Test
  func `A thousand calls at once share a connection, and each has its own answer`() async throws {
    let daemon = try FakeDaemon { request in
      [.reply(["timer": Sample.timer(request.parameters["name"]?.stringValue ?? "")])]
    }
    let client = client(of: daemon)
    let names = (0..<1000).map { "t\($0)" }
    let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
      for name in names { group.addTask { (name, try await client.timer(name).name) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 1000 && answers.allSatisfy { $0.0 == $0.1 })
    #expect(Set(daemon.requests.map(\.connection)) == [0])
  }

  @Test
  func `A call without an answer ends with the client's timeout, and the next has a connection`()
    async throws
  {
    let isMute = Mutex(true)
    let daemon = try FakeDaemon { _ in
      isMute.withLock { $0 } ? [] : [.reply(["timer": Sample.timer()])]
    }
    let client = TimerClient(socketPath: daemon.path, timeout: .milliseconds(50))
    await #expect(throws: ClientError.timedOut) { try await client.timer("tea") }
    isMute.withLock { $0 = false }
    // A busy machine may take longer than that now and then.
    var answer: Wire.Timer?
    while answer == nil {
      do { answer = try await client.timer("tea") } catch { #expect(error == .timedOut) }
    }
    #expect(Set(daemon.requests.map(\.connection)).count > 1)
  }

  @Test func `A question is sent again if the daemon went away; a change is not made twice`()
    async throws
  {
    let daemon = try FakeDaemon { request in
      request.connection % 2 == 0 ? [.close] : [.reply(["timer": Sample.timer()])]
    }
    let client = client(of: daemon)
    #expect(try await client.timer("tea").name == "tea")
    #expect(daemon.requests.map(\.connection) == [0, 1])
    let other = self.client(of: daemon)
    await #expect(throws: ClientError.connectionLost) { try await other.pause("tea") }
    #expect(daemon.requests.count == 3)
  }

  @Test func `A change with an ID is sent again if the daemon went away, with that ID`()
    async throws
  {
    let daemon = try FakeDaemon { request in
      request.connection == 0 ? [.close] : [.reply(["timer": Sample.timer()])]
    }
    let client = client(of: daemon)
    #expect(try await client.pause("tea", options: .init(request: "1")).name == "tea")
    #expect(daemon.requests.map(\.connection) == [0, 1])
    #expect(daemon.requests.allSatisfy { $0.parameters == ["name": "tea", "request": "1"] })
  }

  @Test(arguments: ["x", #"{"x":1e999}"#, "[1]"])
  func `Data that is no JSON object is refused before it is sent`(data: String) async throws {
    let daemon = try FakeDaemon { _ in [] }
    var timer = Wire.Start(name: "tea", .countdown(.seconds(1)))
    timer.data = RawJSON(Array(data.utf8))
    let client = client(of: daemon)
    let error = await #expect(throws: ClientError.self) { try await client.start(timer) }
    let isAboutData = if case .refused(.invalidValue("data", _)) = error { true } else { false }
    #expect(isAboutData)
    #expect(daemon.requests.isEmpty)
  }

  @Test func `Every change takes the common options`() async throws {
    let daemon = try FakeDaemon { _ in [.reply(["timer": Sample.timer(), "created": true])] }
    let client = client(of: daemon)
    let options = ChangeOptions(undoID: "u", ifSeq: 7, request: "r")
    try await client.start("tea", for: .seconds(1), options: options)
    try await client.start(Wire.Start(name: "run", .stopwatch), options: options)
    try await client.pause("tea", options: options)
    try await client.resume("tea", options: options)
    try await client.cancel("tea", options: options)
    try await client.restart("tea", options: options)
    try await client.dismiss("tea", options: options)
    try await client.remove("tea", options: options)
    try await client.advance("tea", options: options)
    try await client.lap("tea", options: options)
    try await client.skip("tea", options: options)
    try await client.unskip("tea", options: options)
    try await client.extend("tea", by: .seconds(1), options: options)
    try await client.snooze("tea", for: .seconds(1), options: options)
    try await client.update(Wire.Update(name: "tea"), options: options)
    #expect(daemon.requests.count == 15)
    for request in daemon.requests {
      let parameters = request.parameters
      #expect(
        request.undoID == "u" && parameters["if_seq"] == 7 && parameters["request"] == "r",
        "\(request.method)")
    }
  }

  @Test func `A client waits for a daemon that was there, and sends a change that was not sent`()
    async throws
  {
    let daemon = try FakeDaemon { _ in [.reply(["timer": Sample.timer()])] }
    let client = client(of: daemon)
    _ = try await client.pause("tea")
    daemon.stop()
    async let again = client.resume("tea")
    try daemon.listen()
    #expect(try await again.name == "tea")
    #expect(daemon.requests.map(\.method) == ["Pause", "Resume"])
  }

  @Test func `A cancelled call ends at once, and its answer is not taken for that of another call`()
    async throws
  {
    let gate = FakeDaemon.Gate()
    let daemon = try FakeDaemon { request in
      let name = request.parameters["name"]?.stringValue ?? ""
      return (name == "first" ? [.wait(gate)] : []) + [.reply(["timer": Sample.timer(name)])]
    }
    let client = client(of: daemon)
    let first = Task { try await client.timer("first") }
    #expect(await daemon.requested { $0.parameters["name"] == "first" })
    first.cancel()
    await #expect(throws: ClientError.cancelled) { try await first.value }
    async let second = client.timer("second")
    gate.open()
    #expect(try await second.name == "second")
    #expect(Set(daemon.requests.map(\.connection)) == [0])
    // A task that is cancelled before it begins sends nothing.
    let third = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.timer("third")
    }
    await #expect(throws: ClientError.cancelled) { try await third.value }
    #expect(daemon.requests.count == 2)
  }

  @Test func `A malformed reply is reported, and its connection is not used again`() async throws {
    let daemon = try FakeDaemon { request in
      request.connection == 0 ? [.raw([123, 0])] : [.reply(["timer": Sample.timer()])]
    }
    let client = client(of: daemon)
    await #expect {
      try await client.timer("tea")
    } throws: { error in
      guard case .protocolViolation = error as? ClientError else { return false }
      return true
    }
    #expect(try await client.timer("tea").name == "tea")
  }

  @Test func `All pages of timers are read`() async throws {
    let daemon = try FakeDaemon { request in
      let after = request.parameters["after"]?.integerValue
      guard after != 7 else { return [.reply(["timers": [Sample.timer("b")]])] }
      return [.reply(["timers": [Sample.timer("a")], "next": 7])]
    }
    let client = client(of: daemon)
    #expect(try await client.timers(under: "run", in: [.running]).map(\.name) == ["a", "b"])
    #expect(
      daemon.requests.map(\.parameters) == [
        ["prefix": "run", "states": ["running"]],
        ["prefix": "run", "states": ["running"], "after": 7],
      ])
  }

  @Test func `Requests that the kernel does not accept at once are sent completely`() async throws {
    let gate = FakeDaemon.Gate()
    let daemon = try FakeDaemon { request in
      (request.parameters["name"] == "first" ? [.wait(gate)] : [])
        + [.reply(["timer": Sample.timer()])]
    }
    let client = client(of: daemon)
    async let first = client.timer("first")
    #expect(await daemon.requested { $0.parameters["name"] == "first" })
    let text = String(repeating: "x", count: 60_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          var changes = Wire.Update(name: "t\(number)")
          changes.data = ["text": .string(text)]
          try await client.update(changes)
        }
      }
      gate.open()
      try await group.waitForAll()
    }
    _ = try await first
    let sent = daemon.requests.dropFirst().compactMap {
      $0.parameters["data"]?["text"]?.stringValue
    }
    #expect(sent.count == 20 && sent.allSatisfy { $0 == text })
  }
}
