import NightjarClient
import NightjarVarlink

/// Reads what is in the ledger now, from an entry on to the last.
struct LedgerReader {
  /// What `Status` is asked of; the entries come over a connection of their own, which ends with
  /// them.
  let session: Session

  /// Beyond so many entries the ledger is not searched for what happened once.
  static let searchedEvents: Int64 = 200_000

  /// What there is to read.
  struct Range {
    /// The number of the entry to begin behind.
    var after: Int64
    /// The number of the last entry.
    var last: Int64
    /// The ledger's name; nil from a daemon that tells none.
    var ledger: String?
  }

  /// What there is behind an entry now.
  ///
  /// - Parameters:
  ///   - after: the number to begin behind, which the ledger has got to; nil begins with the oldest
  ///     entry there is.
  ///   - ledger: whose number that is; another's than the daemon's is refused.
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

  /// Hands out the replies to `Events`, in order, up to the entry that is the last now.
  ///
  /// The stream itself never ends, and does not say when it has caught up: `Status` does. For the
  /// same reason the daemon is not asked to leave anything out, or the last entry might never come.
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
