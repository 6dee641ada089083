internal import NightjarLedger
internal import NightjarModel

/// Goes through the ledger behind a number, some of it in each pass of the loop.
struct LedgerCursor {
  /// So many events are read from disk at a time: a row of the ledger.
  static let eventsAhead = 128
  /// So many of them are told in one turn. Rows are read whole, and are kept until all of them is told.
  static let eventsAtOnce = 16

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
  /// What was read of the events behind that.
  private var ahead: ArraySlice<Event> = []

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

  /// Calls `body` with the events on disk that are next in turn, until it returns false.
  mutating func advance(_ body: (Event) -> Bool) -> Outcome {
    let end = journal.durableSeq
    guard lastSeq < end else { return .caughtUp }
    do throws(StoreError) {
      if ahead.first?.seq != lastSeq + 1, let error = try readAhead(to: end) {
        return .refused(error)
      }
    } catch {
      complain("the ledger", error)
      return .refused(.storageFailed(reason: error.description, inDoubt: false))
    }
    for _ in 0..<Self.eventsAtOnce {
      guard let event = ahead.popFirst() else { break }
      lastSeq = event.seq
      guard body(event) else { break }
    }
    // An empty slice would keep the memory of all that it had, for as long as the stream is open.
    if ahead.isEmpty { ahead = [] }
    return lastSeq < end ? .hasMore : .caughtUp
  }

  /// Reads the next events.
  ///
  /// - Returns: why there are none that may be told.
  private mutating func readAhead(to end: Int64) throws(StoreError) -> CallError? {
    var (events, last) = ([Event](), lastSeq)
    let reached = try reader.forEachEvent(after: last) { event throws(StoreError) in
      if event.seq != last + 1, try isPruned(behind: last) { return false }
      last = event.seq
      events.append(event)
      return last < end && events.count < Self.eventsAhead
    }
    ahead = events[...]
    guard events.isEmpty else { return nil }
    // Retention was faster than this client, or only events that are known to be lost are left.
    if try isPruned(behind: last) {
      return .eventsPruned(oldest: try reader.oldestSeq() ?? end + 1)
    }
    guard reached >= end else { throw .missingEvents(reached + 1...end) }
    lastSeq = end
    return nil
  }

  /// Whether the event behind a number is older than what is kept.
  private func isPruned(behind seq: Int64) throws(StoreError) -> Bool {
    guard let oldest = try reader.oldestSeq() else { return true }
    return oldest > seq + 1
  }
}
