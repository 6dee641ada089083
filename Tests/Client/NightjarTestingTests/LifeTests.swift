import Glibc
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import NightjarTesting
import Testing
import Varlink

/// The life of a test daemon, and that it answers as the daemon does.
@Suite(.timeLimit(.minutes(10))) struct LifeTests {
  private let daemon: TestDaemon
  private let client: TimerClient

  init() throws {
    daemon = try TestDaemon()
    client = TimerClient(socketPath: daemon.socketPath, timeout: .seconds(300))
  }

  @Test func `A paused timer keeps its remaining time, however long`() async throws {
    try await client.start("tea", for: .seconds(180))
    try daemon.advance(by: .seconds(60))
    #expect(try await client.pause("tea").remaining == .seconds(120))
    try daemon.sleep(for: .seconds(3600))
    try daemon.advance(by: .seconds(3600))
    #expect(try await client.resume("tea").remaining == .seconds(120))
    try daemon.advance(by: .seconds(120))
    #expect(try await client.timer("tea").openRing?.lateness == .zero)
  }

  @Test func `A watch that the daemon refuses is refused, with the same error`() async throws {
    var lost = client.watch("egg").makeAsyncIterator()
    await #expect(throws: ClientError.refused(.timerNotFound(name: "egg"))) {
      _ = try await lost.next()
    }
  }

  @Test func `Acknowledged changes are there after a crash, a restart and a reboot`() async throws {
    try await client.start("tea", for: .seconds(180))
    try await client.start(Wire.Start(name: "run", .stopwatch))
    try await client.pause("run")
    var changes = Wire.Update(name: "tea")
    changes.data = ["cups": 2]
    try await client.update(changes)
    try daemon.crash()
    #expect(try await client.timer("tea").data == ["cups": 2])
    try daemon.restart(downFor: .seconds(80))
    #expect(try await client.timer("tea").remaining == .seconds(100))
    try daemon.reboot(downFor: .seconds(200))
    let ring = try await client.timer("tea").openRing
    #expect(ring?.lateCause == .reboot)
    #expect(ring?.lateness == .seconds(100))
    #expect(try await client.timer("run").state == .paused)
  }

  @Test func `A timer's story names the spans during its life`() async throws {
    try await client.start("tea", for: .seconds(180))
    try daemon.sleep(for: .seconds(60))
    try await client.extend("tea", by: .seconds(60))
    try daemon.crash(downFor: .seconds(300))
    let story = try await client.why("tea")
    #expect(story.spans.map(\.causes) == [[.sleep], [.down]])
    #expect(story.spans.map(\.elapsedUsec) == [60_000_000, 300_000_000])
    #expect(story.events.map(\.type) == [.started, .extended, .rang])
  }

  @Test func `The status of the daemon has the clocks of its machine`() async throws {
    try await client.start("tea", for: .seconds(180))
    var changes = client.watch().makeAsyncIterator()
    _ = try await changes.next()
    let status = try await client.status()
    let nowUsec = daemon.now.sinceEpoch / .microseconds(1)
    #expect(Double(status.startedUsec) == nowUsec && Double(status.clocks.realtimeUsec) == nowUsec)
    #expect(status.counts.running == 1)
    #expect(status.nextName == "tea" && status.nextUsec == status.startedUsec + 180_000_000)
    #expect(try await client.testRing().heard == false)
    #expect(try await changes.next()?.synced == true)
  }

  @Test func `The test daemon describes itself as the daemon does`() throws {
    let connection = try Connection(path: daemon.socketPath)
    let info = try connection.call(Call(method: "org.varlink.service.GetInfo"))
    #expect(info["interfaces"]?.arrayValue?.count == 2)
    let described = try connection.call(
      Call(
        method: "org.varlink.service.GetInterfaceDescription",
        parameters: ["interface": "org.nightjar.Timers"]))
    #expect(described["description"]?.stringValue == TimersInterface.description)
    // A call of an unknown method ends nothing.
    #expect(throws: ClientError.self) {
      try connection.call(Call(method: "org.nightjar.Timers.Hatch"))
    }
    #expect(try connection.call(.list())["timers"]?.arrayValue == [])
  }

  @Test func `Two daemons have timers and times of their own`() async throws {
    let other = try TestDaemon(at: WallTime(sinceEpoch: .seconds(1_000_000_000)))
    let others = TimerClient(socketPath: other.socketPath, timeout: .seconds(300))
    try await client.start("tea", for: .seconds(60))
    try await others.start("tea", for: .seconds(60))
    try daemon.advance(by: .seconds(60))
    #expect(try await client.timer("tea").state == .over)
    #expect(try await others.timer("tea").state == .running)
    #expect(other.now == WallTime(sinceEpoch: .seconds(1_000_000_000)))
  }

  @Test func `With the last reference the socket, its folder and its connections are gone`()
    async throws
  {
    var daemon: TestDaemon? = try TestDaemon()
    let path = try #require(daemon?.socketPath)
    let client = TimerClient(socketPath: path, timeout: .seconds(300))
    let connection = try Connection(path: path)
    _ = try connection.call(.list())
    #expect(access(path, F_OK) == 0)
    daemon = nil
    #expect(access(path, F_OK) == -1)
    #expect(access(String(path.dropLast("/socket".count)), F_OK) == -1)
    #expect(throws: ClientError.connectionLost) { try connection.call(.list()) }
    await #expect(throws: ClientError.daemonUnreachable(path: path, code: ENOENT)) {
      try await client.timer("tea")
    }
  }

  @Test func `Several clients may call while others advance the time`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask { [client] in
          for round in 0..<25 { try await client.start("\(number)/\(round)", for: .seconds(60)) }
        }
        group.addTask { [daemon] in
          for _ in 0..<25 { try daemon.advance(by: .seconds(1)) }
        }
      }
      try await group.waitForAll()
    }
    try daemon.advance(by: .seconds(60))
    #expect(try await client.timers(in: [.over], ringing: [.ringing]).count == 200)
    #expect(daemon.now - WallTime(sinceEpoch: .seconds(1_700_000_000)) == .seconds(260))
  }
}
