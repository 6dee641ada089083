import NightjarClient
import NightjarVarlink

/// Reads the entries of the ledger, from a given entry to the last one that exists now.
struct LedgerReader {
  /// The session for calls of `Status`. The entries arrive on a separate connection, which is
  /// closed after the last entry.
  let session: Session

  /// A search for one event reads at most this many entries of the ledger.
  static let searchedEvents: Int64 = 200_000

  /// The entries to read.
  struct Range {
    /// Begin after the entry with this number.
    var after: Int64
    /// The number of the last entry.
    var last: Int64
    /// The ledger's name; nil from a daemon that does not report one.
    var ledger: String?
  }

  /// The entries after a given one, up to the last that exists now.
  ///
  /// - Parameters:
  ///   - after: the number to begin after, which must exist in the ledger; nil: begin with the
  ///     oldest entry.
  ///   - ledger: the ledger that the number belongs to; refused if it is not the daemon's ledger.
  func range(after: Int64?, ledger: String? = nil) throws(CommandError) -> Range {
    let storage = try session.status().storage
    if let ledger, ledger != storage.ledger {
      guard let name = storage.ledger else {
        throw CommandError(
          .refused, "the daemon that runs is older, and names no ledger; restart it, then try again"
        )
      }
      throw session.explained(.refused(.ledgerChanged(ledger: name)))
    }
    if let after, after > storage.lastSeq { throw .beyondTheLedger(lastSeq: storage.lastSeq) }
    return Range(
      after: after ?? max(0, storage.oldestSeq - 1),
      last: storage.oldestSeq <= storage.lastSeq ? storage.lastSeq : 0, ledger: storage.ledger)
  }

  /// Passes on the replies to `Events`, in order, up to the present last entry.
  ///
  /// The stream itself never ends, and does not show when it has caught up. So this reads the last
  /// number from `Status`. For the same reason the call has no filter: a filter might leave out the
  /// last entry, and the loop would not end.
  func read(
    after: Int64?, ledger: String? = nil, _ body: (JSONValue, Event) -> Void
  ) throws(CommandError) {
    let range = try range(after: after, ledger: ledger)
    guard range.after < range.last else { return }
    let reader = try session.openAgain(limit: session.patience.limit)
    do throws(ClientError) {
      let stream = try reader.stream(.events(after: range.after, ledger: range.ledger))
      while let reply = try stream.next(deadline: reader.patience.deadline) {
        let event = try Event(reply["event"] ?? .null)
        body(reply, event)
        if event.seq >= range.last { break }
      }
    } catch {
      throw reader.explained(error)
    }
  }
}
