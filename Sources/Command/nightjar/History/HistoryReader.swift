import NightjarClient
import NightjarTime
import Varlink

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
      present: try timers(), oldestSeq: try session.status().storage.oldestSeq,
      isIncluded: filter.isIncluded(name:), isWanted: filter.isIncluded(_:))
    try LedgerReader(session: session).read(after: nil) { _, event in fold.take(event) }
    fold.finish(nowUsec: nowUsec, days: days, body)
  }

  private func timers() throws(CommandError) -> [Wire.Timer] {
    var timers: [Wire.Timer] = []
    try session.forEachPage { (page) throws(CommandError) in
      for json in page["timers"]?.arrayValue ?? [] {
        timers.append(try Session.timer(in: .object([.init("timer", json)])))
      }
    }
    return timers
  }
}
