import NightjarClient
import NightjarTestSupport
import NightjarTesting
import Testing
import Varlink

/// Watches and events of a test daemon: they have been sent when time has passed.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
  private let daemon: TestDaemon
  private let client: TimerClient

  init() throws {
    daemon = try TestDaemon()
    client = TimerClient(socketPath: daemon.socketPath, timeout: .seconds(300))
  }

  @Test func `A watch gets each tick and the ring`() async throws {
    try await client.start("tea", for: .seconds(20))
    var changes = client.watch("tea", tick: .seconds(1)).makeAsyncIterator()
    #expect(try await changes.next()?.timer?.remaining == .seconds(20))
    #expect(try await changes.next()?.synced == true)
    try daemon.advance(by: .seconds(60))

    var remaining: [Duration] = []
    while let change = try await changes.next(), change.event == nil {
      remaining.append(try #require(change.timer).remaining)
    }
    #expect(remaining == (1...19).reversed().map { .seconds($0) })
    #expect(try await client.timer("tea").state == .over)
  }

  @Test func `Unread ticks are all there, more than a socket holds`() async throws {
    try await client.start("card", for: .seconds(100))
    var changes = client.watch("card", tick: .milliseconds(10)).makeAsyncIterator()
    while let change = try await changes.next(), !change.synced {}
    try daemon.advance(by: .seconds(100))
    var ticks = 0
    while let change = try await changes.next(), change.event?.type != .rang { ticks += 1 }
    #expect(ticks == 9_999)
  }

  @Test func `Events have been sent when time has passed: a client need not wait for them`() throws
  {
    let connection = try Connection(path: daemon.socketPath)
    _ = try connection.call(.start(name: "tea", durationUsec: 60_000_000))
    let watch = try Connection(path: daemon.socketPath).stream(.watch(name: "tea"))
    while let reply = try watch.next(), reply["synced"] == nil {}
    let events = try Connection(path: daemon.socketPath).stream(.events(after: 0))
    _ = try events.next()
    for round in 1...50 {
      try daemon.advance(by: .seconds(60))
      for stream in [watch, events] {
        let reply = try stream.next(deadline: .after(usec: 0))
        #expect(reply?["event"]?["type"] == "rang", "round \(round)")
      }
      _ = try connection.call(.perform(.restart, name: "tea"))
      for stream in [watch, events] { _ = try stream.next() }
    }
  }

  @Test func `A paused timer does not tick`() async throws {
    try await client.start("tea", for: .seconds(20))
    var changes = client.watch("tea", tick: .seconds(1)).makeAsyncIterator()
    while let change = try await changes.next(), !change.synced {}
    try await client.pause("tea")
    #expect(try await changes.next()?.event?.type == .paused)
    try daemon.advance(by: .seconds(3600))
    try await client.resume("tea")
    #expect(try await changes.next()?.event?.type == .resumed)
    try daemon.advance(by: .seconds(1))
    #expect(try await changes.next()?.timer?.remaining == .seconds(19))
  }

  @Test func `Events come through crashes, restarts and reboots, every number once`() async throws {
    var events = client.events(after: 0).makeAsyncIterator()
    var numbers: [Int64] = []
    for round in 0..<30 {
      try await client.start("tea/\(round)", for: .seconds(10))
      try daemon.advance(by: .seconds(round % 2 == 0 ? 10 : 5))
      // Some of the events have been read by then, and some have not.
      if round % 4 == 0, let event = try await events.next() { numbers.append(event.seq) }
      switch round % 3 {
      case 0: try daemon.crash(downFor: .seconds(7))
      case 1: try daemon.restart()
      default: try daemon.reboot()
      }
    }
    try await client.start("end", for: .seconds(60))
    while let event = try await events.next() {
      numbers.append(event.seq)
      if event.name == "end" { break }
    }
    #expect(numbers == Array(1...Int64(numbers.count)))
    // Each start, each ring, and the two ends of each span.
    #expect(numbers.count > 30 * 4)
    #expect(try await client.timers(under: "tea", in: [.over]).count == 30)
  }

  @Test func `A watch continues after a crash with the events since`() async throws {
    try await client.start("tea", for: .seconds(20))
    var changes = client.watch("tea").makeAsyncIterator()
    while let change = try await changes.next(), !change.synced {}
    try daemon.crash(downFor: .seconds(60))
    while let change = try await changes.next() {
      guard let event = change.event, event.type == .rang else { continue }
      #expect(event.lateCause == .down && event.lateness == .seconds(40))
      break
    }
    try await client.remove("tea")
    #expect(try await changes.next()?.event?.type == .removed)
    #expect(try await changes.next() == nil)
  }

  @Test func `A prefix is watched from the present timers to the removed ones`() async throws {
    try await client.start("run/1/a", for: .seconds(60))
    try await client.start("runner", for: .seconds(60))
    var changes = client.watch(under: "run").makeAsyncIterator()
    #expect(try await changes.next()?.timer?.name == "run/1/a")
    #expect(try await changes.next()?.synced == true)
    try await client.start("run/1/b", for: .seconds(5))
    try await client.remove("runner")
    try daemon.advance(by: .seconds(5))
    var words: [String] = []
    for _ in 0..<2 {
      let event = try #require(try await changes.next()?.event)
      words.append("\(event.name ?? "-") \(event.type)")
    }
    #expect(words == ["run/1/b started", "run/1/b rang"])
  }

  @Test func `All clients that watch the same timer get its events, at their own ticks`()
    async throws
  {
    try await client.start("tea", for: .seconds(10))
    var all: [LiveSequence<Wire.Watch.Reply>.AsyncIterator] = []
    for number in 1...20 {
      var changes = client.watch("tea", tick: .milliseconds(number * 100)).makeAsyncIterator()
      while let change = try await changes.next(), !change.synced {}
      all.append(changes)
    }
    try daemon.advance(by: .seconds(10))
    for index in all.indices {
      var ticks = 0
      while let change = try await all[index].next(), change.event == nil { ticks += 1 }
      // A tick that is due together with the ring follows it, and has nothing to report any more.
      #expect(ticks == 99 / (index + 1))
    }
  }
}
