import NightjarClient
import NightjarTesting
import Testing

/// Time of a test daemon: it passes only when the test advances it.
@Suite(.timeLimit(.minutes(10))) struct TimeTests {
  private let daemon: TestDaemon
  private let client: TimerClient

  init() throws {
    daemon = try TestDaemon()
    client = TimerClient(socketPath: daemon.socketPath, timeout: .seconds(300))
  }

  @Test func `Timers expire in order, each at its own time`() async throws {
    let begin = daemon.now
    for (name, seconds) in [("c", 30), ("a", 10), ("b", 20)] {
      try await client.start(name, for: .seconds(seconds))
    }
    try daemon.advance(by: .seconds(60))

    var rang: [(name: String?, after: Duration)] = []
    for try await event in client.events(after: 0) where event.type == .rang {
      rang.append((event.name, event.time - begin))
      #expect(event.lateness == .zero && event.lateCause == nil)
      if rang.count == 3 { break }
    }
    #expect(rang.map(\.name) == ["a", "b", "c"])
    #expect(rang.map(\.after) == [.seconds(10), .seconds(20), .seconds(30)])
    #expect(daemon.now - begin == .seconds(60))
    #expect(try await client.timer("a").openRing?.agoUsec == 50_000_000)
  }

  @Test func `No time passes by itself`() async throws {
    try await client.start("tea", for: .microseconds(1))
    #expect(try await client.timer("tea").remaining == .microseconds(1))
    try daemon.advance(by: .zero)
    #expect(try await client.timer("tea").state == .running)
    try daemon.advance(by: .microseconds(1))
    #expect(try await client.timer("tea").ringing == .ringing)
  }

  @Test func `A timer that expired in a sleep rings at its end, late by that cause`() async throws {
    try await client.start("tea", for: .seconds(180))
    #expect(try daemon.sleep(for: .seconds(7 * 3600)) == .seconds(7 * 3600))
    let tea = try await client.timer("tea")
    #expect(tea.state == .over && tea.ringing == .ringing)
    #expect(tea.openRing?.lateness == .seconds(7 * 3600 - 180))
    #expect(tea.openRing?.lateCause == .sleep)
  }

  @Test func `A timer on the clock awake stops in a sleep`() async throws {
    var tea = Wire.Start(name: "tea", .countdown(.seconds(180)))
    tea.clock = .awake
    try await client.start(tea)
    try daemon.sleep(for: .seconds(3600))
    #expect(try await client.timer("tea").remaining == .seconds(180))
  }

  @Test func `A timer that wakes the machine ends its sleep, and the rest passes awake`()
    async throws
  {
    let begin = daemon.now
    var tea = Wire.Start(name: "tea", .countdown(.seconds(600)))
    tea.wake = true
    try await client.start(tea)
    try await client.start("egg", for: .seconds(900))
    #expect(try daemon.sleep(for: .seconds(3600)) == .seconds(600))
    #expect(daemon.now - begin == .seconds(3600))
    #expect(try await client.timer("tea").openRing?.lateness == .zero)
    #expect(try await client.timer("egg").openRing?.lateness == .zero)
  }

  @Test func `A wall clock that is set moves alarms and no countdown`() async throws {
    try await client.start(Wire.Start(name: "wake", .alarm(at: daemon.now + .seconds(3600))))
    try await client.start("tea", for: .seconds(3600))
    try daemon.step(by: .seconds(1800))
    try daemon.advance(by: .seconds(1800))
    #expect(try await client.timer("wake").ringing == .ringing)
    #expect(try await client.timer("tea").remaining == .seconds(1800))
    try daemon.step(by: .seconds(-7200))
    #expect(try await client.timer("tea").remaining == .seconds(1800))
  }

  @Test func `An alarm uses the zone that the daemon was given`() async throws {
    // 2026-03-28 12:00 UTC; in Berlin clocks are put forward in the following night.
    let noon = WallTime(sinceEpoch: .seconds(1_774_699_200))
    let daemon = try TestDaemon(at: noon, zone: "Europe/Berlin")
    let client = TimerClient(socketPath: daemon.socketPath, timeout: .seconds(300))
    let alarm = try await client.start(
      Wire.Start(name: "wake", .calendar("07:00", zone: nil, rounds: 1)))
    #expect(alarm.remaining == .seconds(17 * 3600))
    #expect(throws: TestDaemonError.noSuchZone("Europe/Atlantis")) {
      try TestDaemon(zone: "Europe/Atlantis")
    }
  }

  @Test func `A stopped daemon answers no call, and notices what it missed when it continues`()
    async throws
  {
    try await client.start("tea", for: .seconds(60))
    try daemon.stop()
    let hasty = TimerClient(socketPath: daemon.socketPath, timeout: .milliseconds(20))
    await #expect(throws: ClientError.timedOut) { try await hasty.timer("tea") }
    try daemon.advance(by: .seconds(100))
    try daemon.step(by: .seconds(5))
    try daemon.continue()
    let tea = try await client.timer("tea")
    #expect(tea.openRing?.lateness == .seconds(40))
    #expect(tea.openRing?.lateCause == .stop)
    #expect(try await client.why("tea").spans.map(\.causes) == [[.stop]])
  }

  @Test func `A timer that expired in a freeze says so`() async throws {
    try await client.start("tea", for: .seconds(60))
    try daemon.freeze(for: .seconds(90))
    let tea = try await client.timer("tea")
    #expect(tea.openRing?.lateness == .seconds(30))
    #expect(tea.openRing?.lateCause == .freeze)
  }

  @Test func `A time beyond the range of the clocks is refused, and nothing happens`() throws {
    let before = daemon.now
    for length in [Duration.seconds(-1), .seconds(Int64.max), .seconds(10_000 * 31_557_600)] {
      #expect(throws: TestDaemonError.impossibleTime) { try daemon.advance(by: length) }
      #expect(throws: TestDaemonError.impossibleTime) { try daemon.sleep(for: length) }
      #expect(throws: TestDaemonError.impossibleTime) { try daemon.crash(downFor: length) }
    }
    #expect(throws: TestDaemonError.impossibleTime) {
      try daemon.step(by: .seconds(-2_000_000_000))
    }
    #expect(throws: TestDaemonError.impossibleTime) {
      try TestDaemon(at: WallTime(sinceEpoch: .seconds(-1)))
    }
    #expect(daemon.now == before)
  }
}
