import NightjarModel

@testable import NightjarStore

extension LedgerReader {
  /// All commands that have not ended, in the order of their events.
  func pendingActions() throws -> [PendingAction] {
    try (begunActions() + waitingActions(after: nil, through: .max, limit: 1_000)).sorted {
      $0.key < $1.key
    }
  }
}
