internal import NightjarEngine
internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import Varlink

/// `Why`: the events that led to a timer's present state, in one reply. Reading them may take
/// several loop iterations: each event contains the number of the timer's event before it, which
/// may be in another row of the ledger.
final class WhyStream: ReplyStream {
  /// The most rows that are read from disk per loop iteration. A row takes about 100 µs.
  private static let rowsAtOnce = 16

  private let core: TimerCore
  private let reader: any LedgerReading
  private let startedUsec: Int64
  private let id: Int64
  /// The events that were read so far, the newest first.
  private var events: [Event] = []
  /// The number of the next event to read.
  private var seq: Int64
  private var row: [Event] = []

  init(core: TimerCore, reader: any LedgerReading, slot: Int) {
    self.core = core
    self.reader = reader
    let timer = core.engine.timer(at: slot)
    startedUsec = timer.startedUsec
    id = timer.id
    seq = timer.lastEvent
  }

  func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    do throws(StoreError) {
      guard try gather() else { return .hasMore }
      let reply = Wire.Why.Reply(
        spans: try spans().map { Wire.Span($0, at: now) },
        events: events.reversed().map { Wire.Event($0) })
      JSONWriter.append(to: &outlet.output) { $0.reply(reply) }
    } catch {
      JSONWriter.append(to: &outlet.output) {
        TimersError.storageFailed(reason: error.description, inDoubt: false).write(to: &$0)
      }
    }
    return .ended
  }

  func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { .hasMore }

  /// Reads the timer's events from the newest to the oldest. Returns true at the first event of the
  /// timer, or where retention has removed the earlier ones.
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

  /// The background spans since the oldest of the events, the oldest span first. This includes
  /// spans that are not on disk yet, because the events may include events that are not on disk
  /// yet.
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
