import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing
import Varlink

@testable import NightjarParameters
@testable import NightjarService

/// Streams and changes while the disk fails: watching clients get a ring before it is on disk, and
/// not again when it is.
@Suite(.blocking) struct UndurableStreamTests {
  private let clock = SimulatedNow()
  private let disk = SimulatedDisk()
  private let core: TimerCore
  private let outlet = Outlet()

  /// A moment that the test sets.
  private final class SimulatedNow {
    var now = Moment(
      realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 1000 * second, monotonicUsec: 900 * second,
      bootID: BootID(high: 1, low: 1))
  }

  /// Delivers the events of each commit to a stream, as the server does.
  private final class StreamFeeder: NotificationObserver {
    private let stream: any ReplyStream
    private let outlet: Outlet

    init(_ stream: any ReplyStream, to outlet: Outlet) {
      (self.stream, self.outlet) = (stream, outlet)
    }

    func observe(_ notification: Notification, at moment: Moment) {
      guard case .committed(let events, let durable) = notification else { return }
      _ = stream.deliver(events, durable: durable, to: outlet, at: moment)
    }
  }

  init() throws {
    core = try TimerCore(
      reader: disk, committer: disk, calendar: NoCalendar(), maximumTimers: 10, at: clock.now)
    core.start(at: clock.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    _ = core.endIteration(at: clock.now)
    try settle(.durable)
  }

  private func settle(_ fate: SimulatedDisk.Fate) throws {
    while let error = disk.settle(fate) {
      try core.commitFinished(error, at: clock.now)
      if error == nil { core.journal.commitPending(at: clock.now) }
    }
  }

  private func runIteration(after usec: Int64 = 0, _ body: () throws -> Void = {}) throws {
    clock.now = clock.now.earlier(byUsec: -usec)
    core.beginIteration(at: clock.now)
    try body()
    _ = core.endIteration(at: clock.now)
  }

  /// The numbers of the events that the watch has sent.
  private func sentSeqs() throws -> [Int64] {
    try outlet.output.split(separator: 0).compactMap { frame in
      try frame.withUnsafeBytes { try VarlinkReply.parse($0) }
        .parameters["event"]?["seq"]?.integerValue
    }
  }

  /// Delivers the events from now on to a stream.
  private func follow(_ stream: any ReplyStream) -> StreamFeeder {
    pump(stream)
    let feeder = StreamFeeder(stream, to: outlet)
    core.bus.register(feeder)
    return feeder
  }

  private func pump(_ stream: any ReplyStream) {
    while stream.pump(outlet, at: clock.now) == .hasMore {}
  }

  private func cursor(after: Int64) -> LedgerCursor {
    LedgerCursor(journal: core.journal, reader: disk, after: after) { _, _ in }
  }

  private func watch(continued: LedgerCursor? = nil, tickUsec: Int64? = nil) -> WatchStream {
    WatchStream(
      engine: core.engine, filter: TimerFilter(), name: nil, tickUsec: tickUsec,
      ledgerName: core.ledgerName, lastSeq: core.journal.durableSeq, continued: continued)
  }

  /// Starts a timer of a second and commits it.
  private func start() throws {
    try runIteration {
      _ = try core.engine.start("tea", durationUsec: second, clock: .elapsed, at: clock.now)
    }
    try settle(.durable)
  }

  /// Rings the timer while the disk fails; watching clients get the ring all the same. Returns its
  /// event number.
  private func ringUndurably() throws -> Int64 {
    let before = core.journal.durableSeq
    try runIteration(after: 2 * second)
    try settle(.failed)
    core.journal.publishUndurable(at: clock.now)
    let ring = core.engine.lastSeq
    try #require(core.journal.durableSeq == before && ring == before + 1)
    return ring
  }

  @Test
  func `A watch that joins after the publication of an uncommitted ring gets it with the commit`()
    throws
  {
    try start()
    let after = core.journal.durableSeq
    let ring = try ringUndurably()
    let stream = watch(continued: cursor(after: after))
    let feeder = follow(stream)
    defer { withExtendedLifetime(feeder) {} }
    #expect(try sentSeqs() == [])

    core.journal.retry(at: clock.now)
    try settle(.durable)
    #expect(core.journal.durableSeq == ring)
    pump(stream)
    #expect(try sentSeqs() == [ring])

    // The next event is sent once, too.
    try runIteration {
      _ = try core.engine.start("egg", durationUsec: hour, clock: .elapsed, at: clock.now)
    }
    try settle(.durable)
    pump(stream)
    #expect(try sentSeqs() == [ring, ring + 1])
  }

  @Test
  func `A watch that got a ring which is not on disk continues before it on another connection`()
    throws
  {
    try start()
    let after = core.journal.durableSeq
    let stream = watch()
    let feeder = follow(stream)
    defer { withExtendedLifetime(feeder) {} }
    let ring = try ringUndurably()
    #expect(try sentSeqs() == [ring])
    // After a crash another event may get the number of the ring.
    #expect(stream.position == after)
    core.journal.retry(at: clock.now)
    try settle(.durable)
    #expect(try sentSeqs() == [ring])
  }

  @Test func `Events are streamed when they are on disk, each once`() throws {
    try start()
    let stream = EventStream(
      core: core, filter: TimerFilter(), from: cursor(after: core.journal.durableSeq))
    let feeder = follow(stream)
    defer { withExtendedLifetime(feeder) {} }
    let ring = try ringUndurably()
    pump(stream)
    #expect(try sentSeqs() == [])
    core.journal.retry(at: clock.now)
    try settle(.durable)
    pump(stream)
    #expect(try sentSeqs() == [ring])
  }

  @Test func `A watch does not tick while time is hidden`() throws {
    try start()
    let stream = watch(tickUsec: 100_000)
    pump(stream)
    // The client has read everything.
    let before = outlet.output.count
    outlet.sent = before
    core.background.enter(.sleep, at: clock.now)
    stream.tick(outlet, at: clock.now)
    #expect(outlet.output.count == before)
    core.background.leave(.sleep, at: clock.now)
    stream.tick(outlet, at: clock.now)
    #expect(outlet.output.count > before)
  }

  @Test func `While the disk cannot be written, a change is refused and not carried out`() throws {
    try start()
    _ = try ringUndurably()
    let methods = Methods(core: core, calendar: ZoneCalendar(), dependencies: nil) {
      SpecDefaults()
    }
    let last = core.engine.lastSeq
    let changes: [(method: String, parameters: JSONValue)] = [
      ("Restart", ["name": "tea"]), ("Dismiss", ["name": "tea"]), ("Remove", ["name": "tea"]),
      ("Start", ["name": "egg", "duration_usec": 1_000_000]),
      ("Update", ["name": "tea", "message": "x"]), ("Rename", ["name": "tea", "new_name": "x"]),
      ("Undo", [:]), ("Pause", ["name": "no such timer"]),
    ]
    for (method, parameters) in changes {
      for id in [nil, "1"] as [String?] {
        var members = parameters.objectValue ?? []
        if let id { members.append(JSONValue.Member("request", .string(id))) }
        var call: [UInt8] = []
        VarlinkCall.write(
          method: "org.nightjar.Timers.\(method)", parameters: .object(members), into: &call)
        let reply = try call.dropLast().withUnsafeBytes { try methods.answer($0, at: clock.now) }
        let error = try reply.withUnsafeBytes { try VarlinkReply.parse($0).error }
        #expect(error == "org.nightjar.Timers.StorageFailed", "\(method)")
        #expect(core.engine.lastSeq == last, "\(method)")
      }
    }
  }
}
