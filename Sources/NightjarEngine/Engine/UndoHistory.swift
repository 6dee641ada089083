import NightjarModel

/// The changes that can be taken back: those of people, of the last minute.
///
/// Only in memory: what a restart of the daemon forgets cannot be taken back.
struct UndoHistory {
  /// A change of one timer.
  struct Entry {
    /// Which changes are taken back together.
    var group: String
    /// The number of its event.
    var seq: Int64
    /// What its event is called.
    var type: StaticString
    /// It gave the timer other attachments.
    var replacesAttachments = false
    /// The counter of `elapsed` at that time.
    var atElapsed: Int64
    /// Of the timer that it was about.
    var id: Int64
    /// Its name.
    var name: String
    /// The timer as it was before; nil: there was none of that name.
    var before: Engine.StoredTimer?
  }

  /// In the order of their events.
  private(set) var entries: [Entry] = []
  /// How many of the entries are about each timer, by the id that it has after the change.
  private var counts: [Int64: Int] = [:]
  /// A change of more timers than can be taken back.
  private var tooLarge: String?

  var isEmpty: Bool { entries.isEmpty }

  /// A person changed a timer. O(1), amortised.
  mutating func add(_ entry: Entry) {
    guard entry.group != tooLarge else { return }
    expire(atElapsed: entry.atElapsed)
    if entries.count >= Limits.undoTimers, let oldest = entries.first?.group {
      remove { $0.group == oldest }
      if oldest == entry.group { return tooLarge = oldest }
    }
    entries.append(entry)
    counts[entry.id, default: 0] += 1
  }

  /// Something happened to a timer that cannot be taken back: nor can what happened to it before. O(1) if nothing
  /// can; O(entries) else.
  mutating func forget(id: Int64) {
    guard counts[id] != nil else { return }
    remove { $0.id == id }
  }

  /// Timers that would be others by now if they had not been changed: that cannot be told any more.
  mutating func forget(where isOther: (Engine.StoredTimer) -> Bool) {
    remove { $0.before.map(isOther) ?? false }
  }

  /// Those are taken back. O(entries).
  mutating func take(group: String) {
    remove { $0.group == group }
  }

  /// Nothing can be taken back any more.
  mutating func removeAll() { self = UndoHistory() }

  /// Removes what is too old. O(what is removed), but for a scan of the rest.
  mutating func expire(atElapsed: Int64) {
    guard let first = entries.first, first.atElapsed < atElapsed - Limits.undoUsec else { return }
    remove { $0.atElapsed < atElapsed - Limits.undoUsec }
  }

  private mutating func remove(where isRemoved: (Entry) -> Bool) {
    entries.removeAll { entry in
      guard isRemoved(entry) else { return false }
      counts[entry.id]? -= 1
      if counts[entry.id] == 0 { counts[entry.id] = nil }
      return true
    }
  }
}
