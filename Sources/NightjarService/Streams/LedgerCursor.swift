internal import NightjarLedger
internal import NightjarModel

/// Goes through the ledger behind a number, some of it in each pass of the loop.
struct LedgerCursor {
  /// So many events are read from disk in one pass of the loop.
  static let eventsAtOnce = 128

  enum Outcome {
    /// Nothing on disk is behind this.
    case caughtUp
    /// There was no time or no room for more.
    case hasMore
    /// It cannot go on: the next events are gone, or the disk cannot be read.
    case refused(CallError)
  }

  private let journal: Journal
  private let reader: any LedgerReading
  /// Told that the ledger could not be read.
  private let complain: (_ what: String, _ error: StoreError) -> Void
  /// The number of the last event that was dealt with.
  var lastSeq: Int64

  init(
    journal: Journal, reader: any LedgerReading, after: Int64,
    complain: @escaping (_ what: String, _ error: StoreError) -> Void
  ) {
    self.journal = journal
    self.reader = reader
    self.complain = complain
    lastSeq = after
  }

  /// Whether more is on its way to the disk.
  var isCommitUnderWay: Bool { journal.hasUnfinished }

  /// Calls `body` with each event on disk that is next in turn, until it returns false.
  mutating func advance(_ body: (Event) -> Bool) -> Outcome {
    let (end, start) = (journal.durableSeq, lastSeq)
    guard lastSeq < end else { return .caughtUp }
    var last = lastSeq
    do throws(StoreError) {
      let reached = try reader.forEachEvent(after: last) { event throws(StoreError) in
        if event.seq != last + 1, try isPruned(behind: last) { return false }
        last = event.seq
        return body(event) && last < end && last - start < Self.eventsAtOnce
      }
      if last == start {
        // Retention was faster than this client, or only events that are known to be lost are left.
        if try isPruned(behind: last) {
          return .refused(.eventsPruned(oldest: try reader.oldestSeq() ?? end + 1))
        }
        guard reached >= end else { throw .missingEvents(reached + 1...end) }
        last = end
      }
      lastSeq = last
    } catch {
      complain("the ledger", error)
      return .refused(.storageFailed(reason: error.description, inDoubt: false))
    }
    return last < end ? .hasMore : .caughtUp
  }

  /// Whether the event behind a number is older than what is kept.
  private func isPruned(behind seq: Int64) throws(StoreError) -> Bool {
    guard let oldest = try reader.oldestSeq() else { return true }
    return oldest > seq + 1
  }
}
