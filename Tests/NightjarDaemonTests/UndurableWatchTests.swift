import NightjarCore
import NightjarLedger
import NightjarSimulation
import NightjarTestSupport
import NightjarWire
import Testing

@testable import NightjarMethods

/// A watch with `after` while the disk fails: what came due is told to those who watch before it is on
/// disk, and not again when it is.
@Suite struct UndurableWatchTests {
  private let clock = SimulatedNow()
  private let disk = SimulatedDisk()
  private let service: TimerService
  private let outlet = Outlet()

  /// The moment, which goes on by hand.
  private final class SimulatedNow {
    var now = Moment(
      realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 1000 * second, monotonicUsec: 900 * second,
      bootID: BootID(high: 1, low: 1))
  }

  /// Tells a stream what is told to clients, as the server does.
  private final class Teller: NotificationObserver {
    private let stream: WatchStream
    private let outlet: Outlet

    init(_ stream: WatchStream, to outlet: Outlet) { (self.stream, self.outlet) = (stream, outlet) }

    func observe(_ notification: Notification, at moment: Moment) {
      guard case .committed(let events, let durable) = notification else { return }
      _ = stream.tell(events, durable: durable, to: outlet, at: moment)
    }
  }

  init() throws {
    service = try TimerService(
      reader: disk, committer: disk, calendar: NoCalendar(), maximumTimers: 10, at: clock.now)
    service.start(at: clock.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    _ = service.endPass(at: clock.now)
    try settle(.durable)
  }

  private func settle(_ fate: SimulatedDisk.Fate) throws {
    while let error = disk.settle(fate) {
      try service.commitFinished(error, at: clock.now)
      if error == nil { service.journal.seal(at: clock.now) }
    }
  }

  private func pass(after usec: Int64 = 0, _ body: () throws -> Void = {}) throws {
    clock.now = clock.now.earlier(byUsec: -usec)
    service.beginPass(at: clock.now)
    try body()
    _ = service.endPass(at: clock.now)
  }

  /// The numbers of the events that the watch has been told of.
  private func told() throws -> [Int64] {
    try outlet.output.split(separator: 0).compactMap { frame in
      try frame.withUnsafeBytes { try VarlinkReply.parse($0) }
        .parameters["event"]?["seq"]?.integerValue
    }
  }

  @Test func `A watch that joins after an undurable telling is told when the commit succeeds`()
    throws
  {
    try pass {
      _ = try service.engine.start(
        "tea", durationUsec: second, clock: .elapsed, at: clock.now)
    }
    try settle(.durable)
    let after = service.journal.durableSeq
    // It rings, the disk does not take that, and those who watch are told all the same.
    try pass(after: 2 * second)
    try settle(.failed)
    service.journal.tellUndurable(at: clock.now)
    let ring = service.engine.lastSeq
    #expect(service.journal.durableSeq == after && ring == after + 1)

    let stream = WatchStream(
      engine: service.engine, filter: TimerFilter(), name: nil, tickUsec: nil,
      ledgerName: service.ledgerName, lastSeq: after,
      continued: LedgerCursor(journal: service.journal, reader: disk, after: after) { _, _ in })
    while stream.pump(outlet, at: clock.now) == .hasMore {}
    let teller = Teller(stream, to: outlet)
    service.bus.register(teller)
    #expect(try told() == [])

    service.journal.retry(at: clock.now)
    try settle(.durable)
    #expect(service.journal.durableSeq == ring)
    while stream.pump(outlet, at: clock.now) == .hasMore {}
    #expect(try told() == [ring])

    // What comes next is told once, too.
    try pass {
      _ = try service.engine.start("egg", durationUsec: hour, clock: .elapsed, at: clock.now)
    }
    try settle(.durable)
    while stream.pump(outlet, at: clock.now) == .hasMore {}
    #expect(try told() == [ring, ring + 1])
  }
}
