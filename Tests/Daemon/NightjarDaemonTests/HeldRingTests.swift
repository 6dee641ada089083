import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Rings that a client holds back after a background span, until it knows whether they were
/// answered on another machine. The daemon holds them for 5 s at most, so a machine that is busy
/// with other tests would be too slow.
@Suite(.blocking, .timed) struct HeldRingTests {
  private let rig: Rig
  private let mock: NotificationMock
  private let players: FakePlayers
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    players = try FakePlayers(of: rig)
    try players.install("pw-play")
    try players.runPipeWire()
    (mock, daemon) = try rig.desktop()
  }

  /// Begins a hold.
  private func begin() throws -> (stream: NightjarClient.ReplyStream, hold: Int64) {
    let stream = try daemon.connect().stream(.holdRings())
    let reply = try stream.expectNext()
    #expect(reply["span_id"] == nil)
    return (stream, try #require(reply["hold"]?.integerValue))
  }

  private func release(_ hold: Int64) throws {
    _ = try daemon.connect().call(.releaseRings(hold: hold), deadline: .after(usec: 90 * second))
  }

  /// Starts a timer that rings at once. When its popup is there, earlier popups would be there too.
  private func ringNow(_ name: String) throws {
    try daemon.connect().start(name, usec: 1000)
    _ = try mock.nextNotify { $0.summary == name }
  }

  private var shown: [String] { mock.notifications.map(\.summary) }

  @Test func `Rings of a span wait for the client, and others do not`() throws {
    let (stream, hold) = try begin()
    try daemon.ringTogether(["tea", "egg"])
    // The client knows of the span, and events are not held.
    let span = try #require(try stream.expectNext()["span_id"]?.integerValue)
    for name in ["tea", "egg"] { try daemon.awaitEvent("rang", name) }
    #expect(try daemon.ledger().compactMap(\.leftSpan).last?.span == span)
    // A ring that is due now is not held, and a timer that was dismissed meanwhile does not ring.
    try ringNow("now")
    #expect(shown == ["now"])
    _ = try daemon.connect().timer(.perform(.dismiss, name: "egg"))
    try release(hold)
    _ = try mock.nextNotify { $0.summary == "tea" }
    try ringNow("then")
    #expect(shown == ["now", "tea", "then"])
  }

  @Test func `A hold also applies to the next span`() throws {
    let (stream, hold) = try begin()
    for (number, name) in ["tea", "egg"].enumerated() {
      try daemon.connect().start(name, usec: 20 * second)
      try daemon.stop()
      // The total since the start of the daemon.
      try daemon.options.pretendSleep(seconds: Int64(30 + 30 * number))
      try daemon.proceed()
      _ = try stream.expectNext()
      try ringNow("now \(name)")
      #expect(!shown.contains(name))
      try release(hold)
      _ = try mock.nextNotify { $0.summary == name }
      // Several timers that ring together share one popup.
      for rung in [name, "now \(name)"] {
        _ = try daemon.connect().timer(.perform(.dismiss, name: rung))
      }
    }
  }

  @Test func `Rings wait for all holds, except those of clients that are gone`() throws {
    let (stream, hold) = try begin()
    var second = Optional(try begin())
    let gone = try #require(second?.hold)
    try daemon.ringTogether(["tea"])
    _ = try stream.expectNext()
    try release(hold)
    try ringNow("now")
    #expect(shown == ["now"])
    second = nil
    _ = try mock.nextNotify { $0.summary == "tea" }
    let refusal = try daemon.connect().refusal(of: .releaseRings(hold: gone))
    #expect(refusal == .holdNotFound(hold: gone))
  }

  @Test func `After 5 seconds a ring waits no longer`() throws {
    let (stream, _) = try begin()
    try daemon.ringTogether(["tea"])
    _ = try stream.expectNext()
    let beginUsec = Now.boottimeUsec
    _ = try mock.nextNotify { $0.summary == "tea" }
    // The daemon had begun to count a little earlier.
    #expect(Now.boottimeUsec - beginUsec > 4_500_000)
  }

  @Test(arguments: [true, false])
  func `A ring that is held when the daemon is killed is shown and heard in the next`(
    repeats: Bool
  ) throws {
    if repeats {
      try rig.configure("ring_for = \"5min\"\nrising = 0")
      try daemon.reload()
    }
    let held = try begin()
    try daemon.ringTogether(["tea"])
    try daemon.awaitEvent("rang", "tea")
    try daemon.crash()
    withExtendedLifetime(held) {}
    #expect(shown == [] && players.all == [])
    let next = try rig.daemon {
      $0.environment = mock.environment
      try $0.useFakeClocks()
    }
    _ = try mock.nextNotify { $0.summary == "tea" }
    for _ in 0..<(repeats ? 2 : 1) { #expect(try players.next() == FakePlayers.chime) }
    _ = try next.connect().timer(.perform(.dismiss, name: "tea"))
    try awaitTrue("it is still playing") { try next.children == 0 }
  }
}
