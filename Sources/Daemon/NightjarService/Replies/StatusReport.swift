internal import NightjarEngine
package import NightjarInterface
package import NightjarLedger
internal import NightjarModel
internal import Varlink

/// The part of the reply to `Status` that only the daemon knows. The core adds the rest.
package struct StatusReport {
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
  package var sleep: SleepState = SleepState(seen: false, inhibitor: false)
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

extension Wire.Status.Reply {
  init(_ report: StatusReport, _ core: TimerCore, at now: Moment) {
    let (background, states) = (core.background, core.engine.counts)
    func count(_ state: TimerState) -> Int64 { Int64(states[Int(state.rawValue)]) }
    self.init(
      version: NightjarVersion.current, pid: Int64(report.pid), startedUsec: report.startedUsec,
      counts: Wire.Counts(
        running: count(.running), paused: count(.paused), over: count(.over),
        cancelled: count(.cancelled), waiting: count(.waiting),
        ringing: Int64(core.engine.ringCounts.ringing),
        snoozed: Int64(core.engine.ringCounts.snoozed),
        unanswered: Int64(core.engine.ringCounts.unanswered), clients: Int64(report.clients),
        watchers: Int64(report.watchers)),
      clocks: Wire.ClockReading(
        realtimeUsec: now.realtimeUsec, boottimeUsec: now.boottimeUsec,
        monotonicUsec: now.monotonicUsec, bootId: now.bootID.description),
      clockSynchronized: report.synchronized, storage: Wire.Storage(report.storage, core),
      sleep: Wire.Sleep(
        seen: report.sleep.seen, inhibitor: report.sleep.inhibitor, denied: report.sleep.denied,
        keptAwake: report.keepsAwake),
      wake: Wire.Wake(core.engine.wakeObstacle),
      presence: Wire.Presence(
        seen: report.unseenPresence == nil, away: background.presence == .away),
      ring: Wire.RingReport(report.ring),
      commands: Wire.Commands(
        running: Int64(report.commands.running), waiting: Int64(report.commands.waiting)),
      longestPassUsec: report.longestPassUsec)
    sleep.reason = report.sleep.reason?.description
    presence.reason = report.unseenPresence
    if background.open == nil {
      let sinceUsec = now.boottimeUsec - background.foregroundSince.boottimeUsec
      foregroundSinceUsec = now.realtimeUsec - sinceUsec
    }
    openSpan = background.open.map { Wire.Span($0, at: now) }
    lastSpan = background.last.map { Wire.Span($0, at: now) }
    if let next = core.engine.next(at: now) {
      (nextName, nextUsec) = (core.engine.name(at: next.slot), next.realtimeUsec)
    }
    warning = report.warning
  }
}

extension Wire.Storage {
  fileprivate init(_ storage: StatusReport.Storage, _ core: TimerCore) {
    let reason = core.journal.failure?.description ?? storage.unreadable
    self.init(
      ok: reason == nil, stateDirectory: storage.folder,
      schemaVersion: Int64(storage.schemaVersion), ledger: core.ledgerName,
      oldestSeq: storage.oldestSeq, lastSeq: core.journal.durableSeq)
    self.reason = reason
    setAside = storage.setAside
    loss = storage.loss.map(Wire.Loss.init)
  }
}

extension Wire.Loss {
  fileprivate init(_ loss: StorageLoss) {
    self.init(reason: loss.reason)
    firstSeq = loss.missing?.lowerBound
    lastSeq = loss.missing?.upperBound
    keptAs = loss.setAside
  }
}

extension Wire.RingReport {
  init(_ check: RingCheck) {
    self.init(seen: check.unseen == nil, heard: check.unheard == nil)
    unseen = check.unseen?.word
    unheard = check.unheard?.word
    server = check.server
    player = check.player
    reason = check.reason?.description
    paused = check.paused
  }
}
