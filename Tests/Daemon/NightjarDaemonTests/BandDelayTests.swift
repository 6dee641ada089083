import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// How late bands are crossed, in the manner of example 4.
@Suite(.blocking, .timed) struct BandDelayTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  @Test func `Eight bands of a second are crossed in time, with pauses at will`() async throws {
    let issue = try await BareTimer.issue(cross)
    #expect(issue == nil)
  }

  /// Crosses the bands once.
  ///
  /// - Returns: what was late, beyond the lateness of a bare timer in the same seconds.
  private func cross(_ bare: BareTimer) throws -> [String] {
    let begunSeq = try client.status().storage.lastSeq
    var cards = Wire.Start(name: "cards", .countdown(.seconds(8)))
    cards.bands = (0..<8).map { index in
      Wire.Band(
        "card \(index + 1)", remaining: .seconds(8 - index), color: "red",
        text: "Card \(index + 1)", progress: .init(from: 0, to: 1))
    }
    _ = try client.timer(.start(cards))
    let hand = try daemon.connect()
    let watch = try daemon.watch(name: "cards", tickUsec: 10 * millisecond)
    var (ticks, progress) = (0, [String: [Double]]())
    var isOver = false
    while !isOver {
      let reply = try #require(try watch.next(deadline: .after(usec: 30 * second)))
      let change = try Wire.Watch.Reply(reply)
      guard let timer = change.timer else { continue }
      isOver = timer.state == .over
      ticks += 1
      if let band = timer.band?.name, timer.state == .running {
        progress[band, default: []].append(timer.progress)
      }
      // The timer is paused and resumed now and then, also close to a threshold.
      if ticks % 70 == 0, timer.state == .running {
        _ = try hand.timer(.perform(.pause, name: "cards"))
        _ = try hand.timer(.perform(.resume, name: "cards"))
      }
    }
    let events = try daemon.ledger { $0.type == .rang && $0.seq > begunSeq }
      .filter { $0.seq > begunSeq }
    let crossed = events.filter { $0.type == .bandCrossed }
    #expect(crossed.map { $0.band?.name } == (2...8).map { "card \($0)" })
    let late = zip(crossed, (1...7).reversed()).map { event, left in
      left * second - (event.remainingUsec ?? 0)
    }
    #expect(late.allSatisfy { $0 >= 0 }, "\(late)")
    #expect(events.filter { $0.type == .paused }.count >= 8)
    // The progress of each card runs through its own range, from its beginning nearly to its end,
    // in steps of 10 ms.
    #expect(progress.count == 8)
    for (card, values) in progress {
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 }, "\(card)")
      #expect(values.allSatisfy { (0...1).contains($0) }, "\(card)")
    }
    let boundUsec = 20 * millisecond + bare.lateUsec()
    return late.compactMap { excess("a band", $0, over: boundUsec) }
      + progress.filter { $0.value.count <= 40 }.map { "\($0.value.count) ticks of \($0.key)" }
  }
}
