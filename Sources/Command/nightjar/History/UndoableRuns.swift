import NightjarClient
import NightjarModel

/// Copies of runs, each made before a change that can still be undone.
struct UndoableRuns {
  private struct Change {
    let seq: Int64
    /// When the change was made, on the wall clock as it is set now.
    var timeUsec: Int64
    let before: OpenRun?
  }

  /// The changes, in the order of their events.
  private var changes: [Change] = []

  /// Stores a run as it is before an event of the ledger. O(run) if the event then changes the run,
  /// because the stored value is then a copy.
  mutating func note(_ before: OpenRun?, before event: Wire.Event) {
    // Old entries are removed only when they are at least half of all entries, so that an event
    // costs O(1) on average.
    let oldUsec = event.timeUsec - Limits.undoUsec
    if !changes.isEmpty, changes[changes.count / 2].timeUsec < oldUsec {
      changes.removeAll { $0.timeUsec < oldUsec }
    }
    changes.append(Change(seq: event.seq, timeUsec: event.timeUsec, before: before))
  }

  /// The wall clock was set. Changes do not become older by that.
  mutating func step(byUsec: Int64) {
    for index in changes.indices { changes[index].timeUsec += byUsec }
  }

  /// Removes and returns the run as it was before the undone event. The outer optional is nil if no
  /// entry is stored for the event. The inner optional is nil if there was no run before the event.
  mutating func take(_ seq: Int64) -> OpenRun?? {
    guard let index = changes.lastIndex(where: { $0.seq == seq }) else { return nil }
    return .some(changes.remove(at: index).before)
  }
}
