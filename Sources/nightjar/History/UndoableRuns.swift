import NightjarClient
import NightjarModel

/// Runs as they were before changes that can still be undone.
struct UndoableRuns {
  private struct Change {
    let seq: Int64
    /// The reading of `elapsed` at that time.
    let elapsedUsec: Int64
    let before: OpenRun?
  }

  /// In the order of their events.
  private var changes: [Change] = []

  /// Stores a run as it is before an event of the ledger. O(run) if the run is changed next,
  /// because that copies it.
  mutating func note(_ before: OpenRun?, before event: NightjarClient.Event) {
    guard let elapsedUsec = event.counters?.elapsedUsec else { return }
    // Old entries are removed only when they are half of all or more: then an event costs O(1) on
    // average.
    if !changes.isEmpty, changes[changes.count / 2].elapsedUsec < elapsedUsec - Limits.undoUsec {
      changes.removeAll { $0.elapsedUsec < elapsedUsec - Limits.undoUsec }
    }
    changes.append(Change(seq: event.seq, elapsedUsec: elapsedUsec, before: before))
  }

  /// Removes and returns the run before the undone event. The outer nil: it is not stored. The
  /// inner nil: there was no run.
  mutating func take(_ seq: Int64) -> OpenRun?? {
    guard let index = changes.lastIndex(where: { $0.seq == seq }) else { return nil }
    return .some(changes.remove(at: index).before)
  }
}
