import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10))) struct AsyncStreamTests {
  @Test func `A watch has the states, then the events, and ends when its timer is removed`()
    async throws
  {
    let daemon = try FakeDaemon { _ in
      [
        .reply(["timer": Sample.timer()], continues: true),
        // A newer daemon says more than this client knows.
        .reply(["synced": true, "seq": 4, "weather": 3], continues: true),
        .reply(Sample.change("rang", seq: 5, state: "over"), continues: true),
        .reply(["event": Sample.event("eclipsed", seq: 6)]),
      ]
    }
    var changes: [Wire.Watch.Reply] = []
    for try await change in TimerClient(socketPath: daemon.path).watch("tea", tick: .seconds(1)) {
      changes.append(change)
    }
    #expect(changes.map(\.event?.type) == [nil, nil, .rang, "eclipsed"])
    #expect(changes.map(\.synced) == [false, true, false, false])
    #expect(changes.map(\.timer?.state) == [.running, nil, .over, nil])
    #expect(daemon.requests.map(\.parameters) == [["name": "tea", "tick_usec": 1_000_000]])
  }

  @Test func `A stream that is cut continues after the number of the last event`() async throws {
    let daemon = try FakeDaemon(ledger: "one", lastSeq: 0) { request in
      switch request.connection {
      case 0: [.event("started", 1), .event("paused", 2), .close]
      // A daemon that accepts the connection and closes it again is not back.
      case 1: [.close]
      default: [.event("resumed", 3)]
      }
    }
    var seen: [Int64] = []
    for try await event in TimerClient(socketPath: daemon.path).events(after: 0, under: "tea") {
      seen.append(event.seq)
      if event.type == .resumed { break }
    }
    #expect(seen == [1, 2, 3])
    #expect(
      daemon.follows == [
        ["prefix": "tea", "after": 0, "ledger": "one"],
        ["prefix": "tea", "after": 2, "ledger": "one"],
        ["prefix": "tea", "after": 2, "ledger": "one"],
      ])
  }

  @Test func `A stream survives a thousand cuts: its reader gets every event`() async throws {
    let cuts = 1_000
    let daemon = try FakeDaemon(ledger: "one", lastSeq: 0) { request in
      let seq = request.connection + 1
      let event = FakeDaemon.Answer.event("paused", Int64(seq))
      return seq < cuts ? [event, .close] : [event]
    }
    var seen: [Int64] = []
    for try await event in TimerClient(socketPath: daemon.path).events(after: 0, under: "tea") {
      seen.append(event.seq)
      if seen.count == cuts { break }
    }
    #expect(seen == Array(1...Int64(cuts)))
  }

  @Test func `A stream that got no event yet continues from where it began`() async throws {
    let daemon = try FakeDaemon(ledger: "one", lastSeq: 7) { request in
      request.connection == 0 ? [.close] : [.event("rang", 8)]
    }
    var events = TimerClient(socketPath: daemon.path).events().makeAsyncIterator()
    #expect(try await events.next()?.seq == 8)
    #expect(daemon.follows == [["after": 7, "ledger": "one"], ["after": 7, "ledger": "one"]])
  }

  @Test(arguments: [true, false])
  func `A new ledger is read from its beginning, however many events it has`(isIdle: Bool)
    async throws
  {
    let daemon = try FakeDaemon { request in
      let isOld = request.connection == 0
      if request.method == "Status" {
        return [.reply(FakeDaemon.status(ledger: isOld ? "one" : "two", lastSeq: 9))]
      }
      if isOld { return isIdle ? [.close] : [.event("rang", 6), .close] }
      return request.parameters["ledger"] == "one"
        ? [.error("LedgerChanged", ["ledger": "two"])] : [.event("started", 1)]
    }
    var events = TimerClient(socketPath: daemon.path).events(after: 5).makeAsyncIterator()
    if !isIdle { #expect(try await events.next()?.seq == 6) }
    #expect(try await events.next()?.seq == 1)
    #expect(
      daemon.follows == [
        ["after": 5, "ledger": "one"], ["after": isIdle ? 5 : 6, "ledger": "one"],
        ["after": 0, "ledger": "two"],
      ])
  }

  @Test func `If the ledger has fewer events than the stream has read, the stream begins anew`()
    async throws
  {
    let daemon = try FakeDaemon { request in
      if request.method == "Status" {
        return [.reply(FakeDaemon.status(ledger: "one", lastSeq: 5))]
      }
      return switch request.parameters["after"]?.integerValue {
      case 5: [.event("rang", 6), .close]
      case 6: [.error("org.varlink.service.InvalidParameter", ["parameter": "after"])]
      default: [.event("started", 1)]
      }
    }
    var events = TimerClient(socketPath: daemon.path).events(after: 5).makeAsyncIterator()
    #expect(try await events.next()?.seq == 6)
    #expect(try await events.next()?.seq == 1)
  }

  @Test(arguments: [true, false])
  func `A stream of a particular ledger gets no events of another`(isIdle: Bool) async throws {
    let daemon = try FakeDaemon { request in
      let event: JSONValue = ["event": Sample.event("rang", seq: 6), "ledger": "one"]
      return request.connection == 0 && !isIdle
        ? [.reply(event, continues: true), .close] : [.error("LedgerChanged", ["ledger": "two"])]
    }
    var events = TimerClient(socketPath: daemon.path).events(after: 5, of: "one")
      .makeAsyncIterator()
    if !isIdle { #expect(try await events.next()?.seq == 6) }
    await #expect(throws: ClientError.refused(.ledgerChanged(ledger: "two"))) {
      _ = try await events.next()
    }
    #expect(daemon.follows.last == ["after": isIdle ? 5 : 6, "ledger": "one"])
  }

  @Test func `A watch that is cut before the end of the initial states begins anew`() async throws {
    let daemon = try FakeDaemon { request in
      guard request.connection == 0 else {
        return [.reply(["synced": true, "seq": 5, "ledger": "one"], continues: true)]
      }
      return [
        .reply(["timer": Sample.timer()], continues: true),
        .reply(Sample.change("rang", seq: 5, state: "over"), continues: true), .close,
      ]
    }
    var changes = TimerClient(socketPath: daemon.path).watch().makeAsyncIterator()
    while try await changes.next()?.synced == false {}
    #expect(daemon.requests.map(\.parameters) == [[:], [:]])
  }

  @Test func `A refusal ends a stream`() async throws {
    let daemon = try FakeDaemon(ledger: "one", lastSeq: 20) { _ in
      [.error("EventsPruned", ["oldest": 9])]
    }
    var events = TimerClient(socketPath: daemon.path).events(after: 3).makeAsyncIterator()
    await #expect(throws: ClientError.refused(.eventsPruned(oldest: 9))) {
      _ = try await events.next()
    }
    #expect(try await events.next() == nil)
  }

  @Test func `A watch without a daemon from the beginning fails at once`() async throws {
    var changes = TimerClient(socketPath: "/nowhere/socket").watch().makeAsyncIterator()
    await #expect(throws: ClientError.daemonUnreachable(path: "/nowhere/socket", code: 2)) {
      _ = try await changes.next()
    }
  }

  @Test func `A task that is cancelled while it waits ends its stream, and the connection with it`()
    async throws
  {
    let daemon = try FakeDaemon { _ in [.reply(["synced": true, "seq": 1], continues: true)] }
    let client = TimerClient(socketPath: daemon.path)
    let (firsts, first) = AsyncStream<Void>.makeStream()
    let task = Task {
      var count = 0
      for try await _ in client.watch() {
        count += 1
        first.yield()
      }
      return count
    }
    for await _ in firsts { break }
    task.cancel()
    #expect(try await task.value == 1)
    #expect(await daemon.closed())
  }

  @Test
  func `A reader that stops releases the connection, and an unread stream accumulates nothing`()
    async throws
  {
    let daemon = try FakeDaemon(ledger: "one", lastSeq: 50_000) { _ in
      (1...50_000).map { .event("rang", $0) }
    }
    for try await event in TimerClient(socketPath: daemon.path).events(after: 0) {
      if event.seq == 3 { break }
    }
    #expect(await daemon.closed())
  }
}

extension FakeDaemon {
  /// The parameters of the calls of `Events`.
  fileprivate var follows: [JSONValue] {
    requests.filter { $0.method == "Events" }.map(\.parameters)
  }
}
