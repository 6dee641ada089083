internal import NightjarEngine
internal import NightjarInterface
package import NightjarLedger
package import NightjarModel
internal import Varlink

/// The part of the reply to `Status` that only the daemon knows. The core adds the rest.
package struct StatusReport {
  /// The state of the daemon's storage.
  package struct Storage {
    var folder: String
    var schemaVersion: Int
    var setAside: String?
    var oldestSeq: Int64 = 0
    /// The stored data that this run of the daemon found missing; nil: none was missing.
    var loss: StorageLoss?
    /// Why the database cannot be read; nil: it can be read.
    var unreadable: String?

    /// - Parameters:
    ///   - schemaVersion: the version of the tables and packed forms.
    ///   - setAside: the name of a damaged database that was moved away.
    ///   - loss: the stored data that this run of the daemon found missing.
    package init(
      folder: String, schemaVersion: Int, setAside: String? = nil, loss: StorageLoss? = nil
    ) {
      self.folder = folder
      self.schemaVersion = schemaVersion
      self.setAside = setAside
      self.loss = loss
    }
  }

  package var pid: Int32
  package var startedUsec: Int64
  package var clients = 0
  package var watchers = 0
  package var synchronized = true
  package var storage: Storage
  package var sleep: (seen: Bool, inhibitor: Bool, reason: String?) = (false, false, nil)
  package var keepsAwake = false
  /// Why the daemon does not know whether the user is at the machine; nil: it knows.
  package var unseenPresence: String? = "no logind was asked"
  /// The longest loop iteration, in microseconds.
  package var longestPassUsec: Int64 = 0
  package var ring: RingCheck
  /// The number of commands of timers and hooks that run, and of those that wait.
  package var commands: (running: Int, waiting: Int) = (0, 0)
  package var warning: String?

  /// - Parameter startedUsec: CLOCK_REALTIME when the daemon started.
  package init(pid: Int32, startedUsec: Int64, storage: Storage, ring: RingCheck) {
    self.pid = pid
    self.startedUsec = startedUsec
    self.storage = storage
    self.ring = ring
  }
}

// MARK: - The reply of Status

struct Status: StatusReply {
  let report: StatusReport
  let core: TimerCore
  let now: Moment

  private var background: Background { core.background }
  private var nextTimer: (slot: Int, realtimeUsec: Int64)? { core.engine.next(at: now) }

  var version: String { NightjarVersion.current }
  var pid: Int64 { Int64(report.pid) }
  var startedUsec: Int64 { report.startedUsec }
  var foregroundSinceUsec: Int64? {
    guard background.open == nil else { return nil }
    return now.realtimeUsec - (now.boottimeUsec - background.foregroundSince.boottimeUsec)
  }
  var openSpan: SpanReply? { background.open.map { SpanReply(value: $0, now: now) } }
  var lastSpan: SpanReply? { background.last.map { SpanReply(value: $0, now: now) } }
  var counts: CountsReply { CountsReply(report: report, states: core.engine.counts) }
  var nextName: String? { nextTimer.map { core.engine.name(at: $0.slot) } }
  var nextUsec: Int64? { nextTimer?.realtimeUsec }
  var clocks: ClocksReply { ClocksReply(now: now) }
  var clockSynchronized: Bool { report.synchronized }
  var storage: StorageReply { StorageReply(storage: report.storage, core: core) }
  var sleep: SleepReply { SleepReply(report: report) }
  var wake: WakeReply { WakeReply(reason: core.engine.wakeObstacle) }
  var presence: PresenceReply { PresenceReply(report: report, background: background) }
  var ring: RingCheck { report.ring }
  var commands: CommandsReply { CommandsReply(counts: report.commands) }
  var longestPassUsec: Int64 { report.longestPassUsec }
  var warning: String? { report.warning }
}

struct CountsReply: CountsFields {
  let report: StatusReport
  /// The number of timers in each state, indexed by `TimerState.rawValue`.
  let states: [Int]

  private func count(_ state: TimerState) -> Int64 { Int64(states[Int(state.rawValue)]) }

  var running: Int64 { count(.running) }
  var paused: Int64 { count(.paused) }
  var fired: Int64 { count(.fired) }
  var cancelled: Int64 { count(.cancelled) }
  var waiting: Int64 { count(.waiting) }
  var clients: Int64 { Int64(report.clients) }
  var watchers: Int64 { Int64(report.watchers) }
}

struct ClocksReply: ClockReadingFields {
  let now: Moment

  var realtimeUsec: Int64 { now.realtimeUsec }
  var boottimeUsec: Int64 { now.boottimeUsec }
  var monotonicUsec: Int64 { now.monotonicUsec }
  var bootId: String { now.bootID.description }
}

struct StorageReply: StorageFields {
  let storage: StatusReport.Storage
  let core: TimerCore

  var ok: Bool { reason == nil }
  var reason: String? { core.journal.failure?.description ?? storage.unreadable }
  var stateDirectory: String { storage.folder }
  var schemaVersion: Int64 { Int64(storage.schemaVersion) }
  var ledger: String { core.ledgerName }
  var oldestSeq: Int64 { storage.oldestSeq }
  var lastSeq: Int64 { core.journal.durableSeq }
  var setAside: String? { storage.setAside }
  var loss: LossReply? { storage.loss.map(LossReply.init) }
}

struct LossReply: LossFields {
  let loss: StorageLoss

  var reason: String { loss.reason }
  var firstSeq: Int64? { loss.missing?.lowerBound }
  var lastSeq: Int64? { loss.missing?.upperBound }
  var keptAs: String? { loss.setAside }
}

struct SleepReply: SleepFields {
  let report: StatusReport

  var seen: Bool { report.sleep.seen }
  var inhibitor: Bool { report.sleep.inhibitor }
  var reason: String? { report.sleep.reason }
  var keptAwake: Bool { report.keepsAwake }
}

struct PresenceReply: PresenceFields {
  let report: StatusReport
  let background: Background

  var seen: Bool { report.unseenPresence == nil }
  var away: Bool { background.presence == .away }
  var reason: String? { report.unseenPresence }
}

struct CommandsReply: CommandsFields {
  let counts: (running: Int, waiting: Int)

  var running: Int64 { Int64(counts.running) }
  var waiting: Int64 { Int64(counts.waiting) }
}

/// The type `RingReport` of the interface.
extension RingCheck: RingReportFields {}
