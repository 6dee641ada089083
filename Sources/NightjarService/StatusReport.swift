internal import NightjarEngine
internal import NightjarInterface
package import NightjarLedger
internal import NightjarModel
internal import NightjarVarlink

/// What `Status` tells beside what the core knows.
package struct StatusReport {
  /// Where things are kept.
  package struct Storage {
    var folder: String
    var schemaVersion: Int
    var setAside: String?
    var oldestSeq: Int64 = 0
    /// What was found to be missing in this run.
    var loss: StorageLoss?
    /// Why the database cannot be read; nil if it can.
    var unreadable: String?

    /// - Parameters:
    ///   - schemaVersion: of the tables and the packed forms.
    ///   - setAside: the name of a database that was damaged.
    ///   - loss: what was found to be missing in this run.
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
  /// The longest pass of the loop, in microseconds.
  package var longestPassUsec: Int64 = 0
  package var ring: RingReport
  /// Of timers and hooks.
  package var commands: (running: Int, waiting: Int) = (0, 0)
  package var warning: String?

  /// - Parameter startedUsec: CLOCK_REALTIME of the start.
  package init(pid: Int32, startedUsec: Int64, storage: Storage, ring: RingReport) {
    self.pid = pid
    self.startedUsec = startedUsec
    self.storage = storage
    self.ring = ring
  }

  func write(service: TimerService, to writer: inout JSONWriter, at now: Moment) {
    let background = service.background
    writer.beginReply()
    writer.member("version", NightjarVersion.current)
    writer.member("pid", Int64(pid))
    writer.member("started_usec", startedUsec)
    if let open = background.open {
      writer.key("open_span")
      SpanReply(value: open, now: now).write(to: &writer)
    } else {
      let since = now.boottimeUsec - background.foregroundSince.boottimeUsec
      writer.member("foreground_since_usec", now.realtimeUsec - since)
    }
    if let last = background.last {
      writer.key("last_span")
      SpanReply(value: last, now: now).write(to: &writer)
    }
    write(counts: service.engine.counts, to: &writer)
    if let next = service.engine.next(at: now) {
      writer.member("next_name", service.engine.name(at: next.slot))
      writer.member("next_usec", next.realtimeUsec)
    }
    write(clocks: now, to: &writer)
    writer.member("clock_synchronized", synchronized)
    write(storageOf: service, to: &writer)
    write(sleepTo: &writer, wakeObstacle: service.engine.wakeObstacle)
    writer.key("ring")
    writer.ring(ring)
    writer.key("commands")
    writer.beginObject()
    writer.member("running", Int64(commands.running))
    writer.member("waiting", Int64(commands.waiting))
    writer.endObject()
    writer.member("longest_pass_usec", longestPassUsec)
    if let warning { writer.member("warning", warning) }
    writer.endReply()
  }

  private func write(counts: [Int], to writer: inout JSONWriter) {
    writer.key("counts")
    writer.beginObject()
    for state in TimerState.allCases {
      writer.member(state.name, Int64(counts[Int(state.rawValue)]))
    }
    writer.member("clients", Int64(clients))
    writer.member("watchers", Int64(watchers))
    writer.endObject()
  }

  private func write(clocks now: Moment, to writer: inout JSONWriter) {
    writer.key("clocks")
    writer.beginObject()
    writer.member("realtime_usec", now.realtimeUsec)
    writer.member("boottime_usec", now.boottimeUsec)
    writer.member("monotonic_usec", now.monotonicUsec)
    writer.member("boot_id", now.bootID.description)
    writer.endObject()
  }

  private func write(storageOf service: TimerService, to writer: inout JSONWriter) {
    let journal = service.journal
    writer.key("storage")
    writer.beginObject()
    let reason = journal.failure?.description ?? storage.unreadable
    writer.member("ok", reason == nil)
    if let reason { writer.member("reason", reason) }
    writer.member("state_directory", storage.folder)
    writer.member("schema_version", Int64(storage.schemaVersion))
    writer.member("ledger", service.ledgerName)
    writer.member("oldest_seq", storage.oldestSeq)
    writer.member("last_seq", journal.durableSeq)
    if let name = storage.setAside { writer.member("set_aside", name) }
    if let loss = storage.loss { write(loss, to: &writer) }
    writer.endObject()
  }

  private func write(_ loss: StorageLoss, to writer: inout JSONWriter) {
    writer.key("loss")
    writer.beginObject()
    writer.member("reason", loss.reason)
    if let missing = loss.missing {
      writer.member("first_seq", missing.lowerBound)
      writer.member("last_seq", missing.upperBound)
    }
    if let name = loss.setAside { writer.member("kept_as", name) }
    writer.endObject()
  }

  private func write(sleepTo writer: inout JSONWriter, wakeObstacle: String?) {
    writer.key("sleep")
    writer.beginObject()
    writer.member("seen", sleep.seen)
    writer.member("inhibitor", sleep.inhibitor)
    if let reason = sleep.reason { writer.member("reason", reason) }
    writer.member("kept_awake", keepsAwake)
    writer.endObject()
    writer.key("wake")
    WakeReply(reason: wakeObstacle).write(to: &writer)
  }
}
