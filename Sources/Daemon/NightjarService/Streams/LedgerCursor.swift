internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters

/// Reads the events after a number from the ledger, a few in each loop iteration.
struct LedgerCursor {
  /// The most events that are read from disk at a time: one row of the ledger.
  static let eventsAhead = 128
  /// The most events that are sent at a time. A row is read as a whole and kept in memory until all
  /// its events are sent.
  static let eventsAtOnce = 16

  enum Outcome {
    /// All events on disk have been read.
    case caughtUp
    /// More events are on disk, but the loop iteration or the output has no room for them.
    case hasMore
    /// The stream must end: the next events were pruned, or the disk cannot be read.
    case refused(TimersError)
  }

  private let journal: Journal
  private let reader: any LedgerReading
  /// Reports that the ledger cannot be read.
  private let reportReadFailure: (_ what: String, _ error: StoreError) -> Void
  /// The number of the last event that was passed to `body`.
  var lastSeq: Int64
  /// Events after `lastSeq` that were already read from disk.
  private var ahead: ArraySlice<Event> = []

  init(
    journal: Journal, reader: any LedgerReading, after: Int64,
    reportReadFailure: @escaping (_ what: String, _ error: StoreError) -> Void
  ) {
    self.journal = journal
    self.reader = reader
    self.reportReadFailure = reportReadFailure
    lastSeq = after
  }

  /// Whether the journal is writing more events to disk.
  var isCommitUnderWay: Bool { journal.hasUnfinished }

  /// Calls `body` with the next events on disk until `body` returns false. Passes at most
  /// `eventsAtOnce` events.
  mutating func advance(_ body: (Event) -> Bool) -> Outcome {
    let end = journal.durableSeq
    guard lastSeq < end else { return .caughtUp }
    do throws(StoreError) {
      if ahead.first?.seq != lastSeq + 1, let error = try readAhead(to: end) {
        return .refused(error)
      }
    } catch {
      reportReadFailure("the ledger", error)
      return .refused(.storageFailed(reason: error.description, inDoubt: false))
    }
    for _ in 0..<Self.eventsAtOnce {
      guard let event = ahead.popFirst() else { break }
      lastSeq = event.seq
      guard body(event) else { break }
    }
    // An empty slice would keep the memory of the whole array allocated as long as the stream is
    // open.
    if ahead.isEmpty { ahead = [] }
    return lastSeq < end ? .hasMore : .caughtUp
  }

  /// Reads the next events into `ahead`.
  ///
  /// - Returns: why the client cannot get the next events; nil: it can get them.
  private mutating func readAhead(to end: Int64) throws(StoreError) -> TimersError? {
    var (events, last) = ([Event](), lastSeq)
    let reached = try reader.forEachEvent(after: last) { event throws(StoreError) in
      if event.seq != last + 1, try isPruned(behind: last) { return false }
      last = event.seq
      events.append(event)
      return last < end && events.count < Self.eventsAhead
    }
    ahead = events[...]
    guard events.isEmpty else { return nil }
    // No event was read, although `end` is greater. Either retention has removed the next events,
    // or all events up to `end` are known to be lost.
    if try isPruned(behind: last) {
      return .eventsPruned(oldest: try reader.oldestSeq() ?? end + 1)
    }
    guard reached >= end else { throw .missingEvents(reached + 1...end) }
    lastSeq = end
    return nil
  }

  /// Whether retention has removed the event after `seq`.
  private func isPruned(behind seq: Int64) throws(StoreError) -> Bool {
    guard let oldest = try reader.oldestSeq() else { return true }
    return oldest > seq + 1
  }
}
