import NightjarModel

/// The changes that can be undone: those that persons made within the last minute.
///
/// The history is only in memory. After a restart of the daemon, no earlier change can be undone.
struct UndoHistory {
  /// A change of one timer.
  struct Entry {
    /// The group of the change. Changes with the same group are undone together.
    var group: String
    /// The number of the event that made the change.
    var seq: Int64
    /// The type of that event.
    var type: StaticString
    /// Whether the change replaced the timer's attachments.
    var replacesAttachments = false
    /// The reading of `elapsed` at the time of the change.
    var atElapsed: Int64
    var id: Int64
    /// The name of the timer now.
    var name: String
    /// The old name, if the change renamed the timer; nil: it did something else.
    var oldName: String?
    /// Whether the change started a timer and replaced no active one of the same name. Such a
    /// change is never undone, because an undo would remove the timer, and an undo cannot be
    /// undone.
    var isStart = false
    /// The timer before the change; nil: there was no timer of that name, or the change cannot be
    /// undone.
    var before: Engine.StoredTimer?
    /// Why the change cannot be undone; nil: no reason is known.
    var refusal: UndoRefusal?
  }

  /// The changes, in the order of their events.
  private(set) var entries: [Entry] = []
  /// How many changes of each timer can be undone, by the ID that the timer has after the change.
  private var counts: [Int64: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Adds the change of a timer by a person. O(1), amortised.
  mutating func add(_ entry: Entry) {
    expire(atElapsed: entry.atElapsed)
    if let last = entries.last, last.group == entry.group, last.refusal == .tooLarge { return }
    if entries.count >= Limits.undoTimers, let oldest = entries.first?.group {
      remove { $0.group == oldest }
      if oldest == entry.group {
        var all = entry
        all.isStart = false
        all.refuse(.tooLarge)
        return entries.append(all)
      }
    }
    entries.append(entry)
    if entry.isRevocable { counts[entry.id, default: 0] += 1 }
  }

  /// Refuses to undo the stored changes of a timer, because an event that cannot be undone has
  /// changed the timer since. O(1) if there are none; else O(entries).
  mutating func refuse(id: Int64) {
    guard counts[id] != nil else { return }
    refuse { $0.id == id ? .changedSince($0.name) : nil }
  }

  /// Refuses to undo each stored change of a timer for which `isOther` is true. Without the change,
  /// such a timer would not be in its old state any more, and the daemon does not know in which
  /// state it would be. `isOther` gets the timer before the change.
  mutating func refuse(
    as refusal: (_ name: String) -> UndoRefusal, where isOther: (Timer) -> Bool
  ) {
    refuse { ($0.before?.timer).map(isOther) ?? false ? refusal($0.name) : nil }
  }

  /// Notes that a timer was renamed. O(entries).
  mutating func rename(id: Int64, to name: String) {
    for index in entries.indices where entries[index].id == id { entries[index].name = name }
  }

  /// Removes a group that was undone, or in which nothing can be undone. O(entries).
  mutating func take(group: String) {
    remove { $0.group == group }
  }

  /// Removes changes that are too old. O(1) if there are none; else O(entries).
  mutating func expire(atElapsed: Int64) {
    guard let first = entries.first, first.atElapsed < atElapsed - Limits.undoUsec else { return }
    remove { $0.atElapsed < atElapsed - Limits.undoUsec }
  }

  private mutating func remove(where isRemoved: (Entry) -> Bool) {
    for entry in entries where entry.isRevocable && isRemoved(entry) { discount(entry.id) }
    entries.removeAll(where: isRemoved)
  }

  private mutating func refuse(_ why: (Entry) -> UndoRefusal?) {
    for index in entries.indices where entries[index].isRevocable {
      guard let refusal = why(entries[index]) else { continue }
      discount(entries[index].id)
      entries[index].refuse(refusal)
    }
  }

  private mutating func discount(_ id: Int64) {
    counts[id]? -= 1
    if counts[id] == 0 { counts[id] = nil }
  }
}

extension UndoHistory.Entry {
  /// Whether no reason is known why the change cannot be undone.
  fileprivate var isRevocable: Bool { refusal == nil && !isStart }

  /// Marks the entry, but keeps it in the history. If it were removed, an undo would take back an
  /// older change in its place.
  fileprivate mutating func refuse(_ refusal: UndoRefusal) {
    (self.refusal, before) = (refusal, nil)
  }
}
