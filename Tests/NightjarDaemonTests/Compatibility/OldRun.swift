import Glibc
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarStore
import NightjarTestSupport
import NightjarTime
import NightjarVarlink
import Testing

/// Today's engine and methods on a state folder of 5ae14e9, at the moments at which a daemon of
/// that commit was started on the folder and called.
final class OldRun {
  /// The recorded calls and replies of the old daemon.
  let said: Recording
  /// The span that the old daemon's start ended.
  let lastSpan: Int64
  private let state: StateFolder
  private let thread: CommitThread
  private let core: TimerCore
  private let methods: Methods
  private let now: Moment

  /// - Parameter name: the name of the state folder.
  init(_ name: String, on rig: Rig) throws {
    said = try Recording("\(name).said")
    let answers = try said.answers().lazy.map(\.reply.parameters)
    let status = try #require(answers.first { $0["clocks"] != nil })
    let asked = try Self.moment(try #require(status["clocks"]))
    let span = try #require(status["last_span"])
    let leftUsec = try #require(span["left_usec"]?.integerValue)
    lastSpan = try #require(span["span"]?.integerValue)
    let start = asked.earlier(byUsec: asked.realtimeUsec - leftUsec)
    now = asked
    try Recording.unpack(name, to: "\(rig.path)/nightjar", by: rig)
    state = try StateFolder(path: "\(rig.path)/nightjar")
    thread = try CommitThread(folder: state, stamp: 1)
    let reader = try LedgerReader(folder: state)
    let zone = try #require(ZoneDatabase.zone(named: "Europe/Berlin"))
    let calendar = ZoneCalendar(local: zone)
    core = try TimerCore(
      reader: reader, committer: thread, calendar: calendar, maximumTimers: 1000, at: start)
    let report = StatusReport(
      pid: getpid(), startedUsec: start.realtimeUsec,
      storage: StatusReport.Storage(folder: state.path, schemaVersion: 0),
      ring: RingCheck(reason: "a test"))
    methods = Methods(
      core: core, calendar: calendar,
      dependencies: Methods.Dependencies(
        reader: reader, status: { report },
        testRing: { preconditionFailure("no client of this test calls TestRing") },
        holdRings: { preconditionFailure("no client of this test calls HoldRings") },
        releaseRings: { _ in false },
        reportReadFailure: { Issue.record("\($0): \($1)") })
    ) { SpecDefaults() }
    core.engine.wakeObstacle = status["wake"]?["reason"]?.stringValue
    // The rules of the zones are those of the recording machine.
    let rules = try reader.ledgerState()?.state.zone ?? 0
    core.start(
      at: start, downSince: nil, synchronized: true, zone: ("Europe/Berlin", rules))
    try endIteration(at: start)
    core.beginIteration(at: now)
    try endIteration(at: now)
  }

  deinit { _ = thread.close() }

  private static func moment(_ clocks: JSONValue) throws -> Moment {
    func clock(_ name: String) throws -> Int64 { try #require(clocks[name]?.integerValue) }
    return Moment(
      realtimeUsec: try clock("realtime_usec"), boottimeUsec: try clock("boottime_usec"),
      monotonicUsec: try clock("monotonic_usec"),
      bootID: try #require(BootID(text: clocks["boot_id"]?.stringValue ?? "")))
  }

  /// Ends a loop iteration and waits until its changes are on disk.
  private func endIteration(at moment: Moment) throws {
    _ = core.endIteration(at: moment)
    while core.journal.hasUnfinished {
      var readable = pollfd(fd: thread.descriptor, events: Int16(POLLIN), revents: 0)
      try #require(poll(&readable, 1, 60_000) == 1)
      guard case .durable = try #require(thread.takeOutcome()) else {
        throw Unmet(description: "the state cannot be written")
      }
      try core.commitFinished(nil, at: moment)
      core.journal.commitPending(at: moment)
    }
  }

  /// The replies to a call, without their NULs.
  func answer(_ call: String) throws -> [[UInt8]] {
    let outlet = Outlet()
    let stream = try Array(call.utf8).withUnsafeBytes {
      methods.answer(try VarlinkCall.parse($0), to: outlet, at: now)
    }
    while let stream, stream.pump(outlet, at: now) == .hasMore {
      try #require(outlet.hasRoom, "the replies are no more than an outlet takes")
    }
    return outlet.output.split(separator: 0).map(Array.init)
  }
}

extension Moment {
  fileprivate func earlier(byUsec usec: Int64) -> Moment {
    Moment(
      realtimeUsec: realtimeUsec - usec, boottimeUsec: boottimeUsec - usec,
      monotonicUsec: monotonicUsec - usec, bootID: bootID)
  }
}
