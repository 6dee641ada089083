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
  private let machine = SimulatedMachine(maximumTimers: 10)
  private let core: TimerCore
  private let outlet = Outlet()
  private let feeder = StreamFeeder()

  /// Delivers the events of each commit to a stream, as the server does.
  private final class StreamFeeder: NotificationObserver {
    var target: (stream: any ReplyStream, outlet: Outlet)?

    func observe(_ notification: Notification, at moment: Moment) {
      guard let target, case .committed(let events, let durable) = notification else { return }
      _ = target.stream.deliver(events, durable: durable, to: target.outlet, at: moment)
    }
  }

  init() throws {
    try machine.boot()
    machine.commitsAtOnce = false
    core = try #require(machine.core)
    core.bus.register(feeder)
  }

  private var now: Moment { machine.clocks.now }

  /// Commits what the disk could not take before.
  private func retry() throws {
    core.journal.retry(at: now)
    try machine.settle(.durable)
  }

  /// The numbers of the events that the watch has sent.
  private func sentSeqs() throws -> [Int64] {
    try outlet.output.split(separator: 0).compactMap { frame in
      try frame.withUnsafeBytes { try VarlinkReply.parse($0) }
        .parameters["event"]?["seq"]?.integerValue
    }
  }

  /// Delivers the events from now on to a stream.
  private func follow(_ stream: any ReplyStream) {
    pump(stream)
    feeder.target = (stream, outlet)
  }

  private func pump(_ stream: any ReplyStream) {
    while stream.pump(outlet, at: now) == .hasMore {}
  }

  private func cursor(after: Int64) -> LedgerCursor {
    LedgerCursor(journal: core.journal, reader: machine.disk, after: after) { _, _ in }
  }

  private func watch(continued: LedgerCursor? = nil, tickUsec: Int64? = nil) -> WatchStream {
    WatchStream(
      engine: core.engine, filter: TimerFilter(), name: nil, tickUsec: tickUsec,
      ledgerName: core.ledgerName, lastSeq: core.journal.durableSeq, continued: continued)
  }

  /// Starts a timer and commits it.
  private func start(_ name: String = "tea", usec: Int64 = second) throws {
    _ = try core.engine.start(name, durationUsec: usec, clock: .elapsed, at: now)
    try machine.runIteration()
    try machine.settle(.durable)
  }

  /// Rings the timer while the disk fails; watching clients get the ring all the same. Returns its
  /// event number.
  private func ringUndurably() throws -> Int64 {
    let before = core.journal.durableSeq
    try machine.advance(usec: 2 * second)
    try machine.settle(.failed)
    core.journal.publishUndurable(at: now)
    let ring = core.engine.lastSeq
    try #require(core.journal.durableSeq == before && ring == before + 1)
    return ring
  }

  @Test func `A watch that begins after an uncommitted ring gets it with the commit`() throws {
    try start()
    let after = core.journal.durableSeq
    let ring = try ringUndurably()
    let stream = watch(continued: cursor(after: after))
    follow(stream)
    #expect(try sentSeqs() == [])

    try retry()
    #expect(core.journal.durableSeq == ring)
    pump(stream)
    #expect(try sentSeqs() == [ring])

    // The next event is sent once, too.
    try start("egg", usec: hour)
    pump(stream)
    #expect(try sentSeqs() == [ring, ring + 1])
  }

  @Test func `After a ring that is not on disk, a watch continues before it elsewhere`() throws {
    try start()
    let after = core.journal.durableSeq
    let stream = watch()
    follow(stream)
    let ring = try ringUndurably()
    #expect(try sentSeqs() == [ring])
    // After a crash another event may get the number of the ring.
    #expect(stream.position == after)
    try retry()
    #expect(try sentSeqs() == [ring])
  }

  @Test func `Events are streamed when they are on disk, each once`() throws {
    try start()
    let stream = EventStream(
      core: core, filter: TimerFilter(), from: cursor(after: core.journal.durableSeq))
    follow(stream)
    let ring = try ringUndurably()
    pump(stream)
    #expect(try sentSeqs() == [])
    try retry()
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
    core.background.enter(.sleep, at: now)
    stream.tick(outlet, at: now)
    #expect(outlet.output.count == before)
    core.background.leave(.sleep, at: now)
    stream.tick(outlet, at: now)
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
        let reply = try call.dropLast().withUnsafeBytes { try methods.answer($0, at: now) }
        let error = try reply.withUnsafeBytes { try VarlinkReply.parse($0).error }
        #expect(error == "org.nightjar.Timers.StorageFailed", "\(method)")
        #expect(core.engine.lastSeq == last, "\(method)")
      }
    }
  }
}
