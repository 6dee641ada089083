internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarVarlink

/// `Why`: one reply, which may take several loop iterations. Each event names the timer's event
/// before it, which may be in another row of the ledger.
final class WhyStream: ReplyStream {
  /// Rows read from disk per loop iteration, at about 100 µs each.
  private static let rowsAtOnce = 16

  private struct Reply: WhyReply {
    let spans: [SpanReply]
    let events: [LedgerEntry]
  }

  private let core: TimerCore
  private let reader: any LedgerReading
  private let startedUsec: Int64
  private let id: Int64
  /// The newest event first.
  private var events: [Event] = []
  /// The number of the next event to read.
  private var seq: Int64
  private var row: [Event] = []

  init(core: TimerCore, reader: any LedgerReading, slot: Int) {
    self.core = core
    self.reader = reader
    let record = core.engine.record(at: slot)
    startedUsec = record.startedUsec
    id = record.id
    seq = record.lastSeq
  }

  func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    do throws(StoreError) {
      guard try gather() else { return .hasMore }
      let reply = Reply(
        spans: try spans().map { SpanReply(value: $0, now: now) },
        events: events.reversed().map(LedgerEntry.init))
      JSONWriter.append(to: &outlet.output) { reply.write(to: &$0) }
    } catch {
      JSONWriter.append(to: &outlet.output) {
        CallError.storageFailed(reason: error.description, inDoubt: false).write(to: &$0)
      }
    }
    return .ended
  }

  func tell(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { .hasMore }

  /// Follows the chain of events. Returns true at its end, or where retention has cut it.
  private func gather() throws(StoreError) -> Bool {
    var rows = 0
    while seq >= id, events.count < Limits.whyEvents {
      if let event = core.journal.unfinished(seq) ?? inRow(seq) {
        guard let subject = event.subject else { return true }
        events.append(event)
        seq = subject.previous
        continue
      }
      guard rows < Self.rowsAtOnce else { return false }
      rows += 1
      row = try reader.row(of: seq)
      guard inRow(seq) != nil else { return true }
    }
    return true
  }

  /// The spans since the oldest of the events, oldest first. They include spans that are not on
  /// disk yet, because the events include such events too.
  private func spans() throws(StoreError) -> [Span] {
    let sinceUsec = events.last?.timeUsec ?? startedUsec
    var spans = try reader.spans(since: sinceUsec, limit: Limits.whySpans)
    for span in core.journal.unfinishedSpans {
      if let index = spans.firstIndex(where: { $0.id == span.id }) {
        spans[index] = span
      } else if span.id > spans.last?.id ?? 0, span.left?.realtimeUsec ?? .max >= sinceUsec {
        spans.append(span)
      }
    }
    return spans.suffix(Limits.whySpans)
  }

  private func inRow(_ seq: Int64) -> Event? {
    guard let first = row.first?.seq, seq >= first, seq < first + Int64(row.count) else {
      return nil
    }
    return row[Int(seq - first)]
  }
}
