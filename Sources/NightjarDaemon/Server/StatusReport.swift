internal import NightjarCore
internal import NightjarLedger
internal import NightjarMethods
internal import NightjarStore
internal import NightjarWire

/// What `Status` tells beside what the core knows.
struct StatusReport {
  struct Storage {
    var folder: String
    var setAside: String?
    var oldestSeq: Int64 = 0
  }

  var pid: Int32
  var startedUsec: Int64
  var clients: Int
  var watchers: Int
  var synchronized: Bool
  var storage: Storage
  var sleep: (seen: Bool, inhibitor: Bool, reason: String?)
  var keepsAwake: Bool
  var ring: RingReport
  var warning: String?

  func write(service: TimerService, to writer: inout JSONWriter, at now: Moment) {
    let background = service.background
    writer.beginReply()
    writer.member("version", NightjarVersion.current)
    writer.member("pid", Int64(pid))
    writer.member("started_usec", startedUsec)
    if let open = background.open {
      writer.key("open_span")
      writer.span(open, now: now)
    } else {
      let since = now.boottimeUsec - background.foregroundSince.boottimeUsec
      writer.member("foreground_since_usec", now.realtimeUsec - since)
    }
    if let last = background.last {
      writer.key("last_span")
      writer.span(last, now: now)
    }
    write(counts: service.engine.counts, to: &writer)
    if let next = service.engine.next(at: now) {
      writer.member("next_name", service.engine.name(at: next.slot))
      writer.member("next_usec", next.realtimeUsec)
    }
    write(clocks: now, to: &writer)
    writer.member("clock_synchronized", synchronized)
    write(journal: service.journal, to: &writer)
    write(sleepTo: &writer, wakeObstacle: service.engine.wakeObstacle)
    writer.key("ring")
    writer.ring(ring)
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

  private func write(journal: Journal, to writer: inout JSONWriter) {
    writer.key("storage")
    writer.beginObject()
    writer.member("ok", journal.failure == nil)
    if let failure = journal.failure { writer.member("reason", failure.description) }
    writer.member("state_directory", storage.folder)
    writer.member("schema_version", Int64(LedgerReader.schemaVersion))
    writer.member("oldest_seq", storage.oldestSeq)
    writer.member("last_seq", journal.durableSeq)
    if let name = storage.setAside { writer.member("set_aside", name) }
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
    writer.wake(obstacle: wakeObstacle)
  }
}
