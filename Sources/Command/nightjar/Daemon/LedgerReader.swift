import NightjarClient
import Varlink

/// Reads the entries of the ledger, from a given entry to the last one that exists now.
struct LedgerReader {
  /// The session for calls of `Status`. The entries arrive on a separate connection, which is
  /// closed after the last entry.
  let session: Session

  /// The most entries of the ledger that a search for one event reads.
  static let searchedEvents: Int64 = 200_000

  struct Range {
    /// Begin after the entry with this number.
    var after: Int64
    /// The number of the last entry.
    var last: Int64
    var ledger: String
  }

  /// The range from a given entry to the last entry that exists now.
  ///
  /// - Parameters:
  ///   - after: the number of the entry before the range, which must exist in the ledger; nil: the
  ///     range begins with the oldest entry, or is empty.
  ///   - isEmpty: whether the range is empty without `after`.
  ///   - ledger: the name of the ledger to which the number belongs. If the daemon has another
  ///     ledger, the call fails.
  func range(
    after: Int64?, orEmpty isEmpty: Bool = false, ledger: String? = nil
  ) throws(CommandError) -> Range {
    let storage = try session.status().storage
    if let ledger, ledger != storage.ledger {
      throw session.explained(.refused(.ledgerChanged(ledger: storage.ledger)))
    }
    if let after, after > storage.lastSeq { throw .beyondTheLedger(lastSeq: storage.lastSeq) }
    return Range(
      after: after ?? (isEmpty ? storage.lastSeq : max(0, storage.oldestSeq - 1)),
      last: storage.oldestSeq <= storage.lastSeq ? storage.lastSeq : 0, ledger: storage.ledger)
  }

  /// Calls `body` with each reply to `Events`, in order, up to the last entry that exists now.
  ///
  /// The stream never ends by itself, and does not show when all past entries have arrived. So this
  /// function reads the number of the last entry from `Status`. The call has no filter: a filter
  /// could leave out the last entry, and then this function would never return.
  func read(
    after: Int64?, ledger: String? = nil, _ body: (JSONValue, Wire.Event) -> Void
  ) throws(CommandError) {
    let range = try range(after: after, ledger: ledger)
    guard range.after < range.last else { return }
    let reader = try session.openAgain(limit: session.timeout.limit)
    do throws(ClientError) {
      var call = Wire.Events()
      (call.after, call.ledger) = (range.after, range.ledger)
      let stream = try reader.stream(Call(call))
      while let reply = try stream.next(deadline: reader.timeout.deadline) {
        let event = try Wire.Event(reply["event"] ?? .null)
        body(reply, event)
        if event.seq >= range.last { break }
      }
    } catch {
      throw reader.explained(error)
    }
  }
}
