import NightjarClient
import NightjarTime

/// Reads runs from the daemon's ledger.
struct HistoryReader {
  let session: Session
  let filter: RunFilter
  let nowUsec: Int64
  let days: LocalDays

  init(session: Session, filter: RunFilter, zone: ZoneRules, nowUsec: Int64) {
    self.session = session
    self.filter = filter
    self.nowUsec = nowUsec
    days = LocalDays(zone: zone, range: filter.range)
  }

  /// Calls `body` with each run: first the ended runs, then the active ones. O(events).
  func read(_ body: (Run) -> Void) throws(CommandError) {
    var fold = RunFold(
      present: try session.timers(), oldestSeq: try session.status().storage.oldestSeq,
      isIncluded: filter.isIncluded(name:), isWanted: filter.isIncluded(_:))
    try LedgerReader(session: session).read(after: nil) { _, event in fold.take(event) }
    fold.finish(nowUsec: nowUsec, days: days, body)
  }
}
