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
    /// Its name now.
    var name: String
    /// What it was called before, if the change gave it another name; nil: the change did something else.
    var oldName: String?
    /// It started a timer, and none of its name ran, was paused or waited before. It is never taken back, because
    /// that would remove the timer, and an undo cannot be undone.
    var isStart = false
    /// The timer as it was before; nil: there was none of that name, or the change has to stay.
    var before: Engine.StoredTimer?
    /// Why it has to stay; nil: it can be taken back as far as is known.
    var refusal: UndoRefusal?
  }

  /// In the order of their events.
  private(set) var entries: [Entry] = []
  /// How many of the entries that can be taken back are about each timer, by the id that it has after the change.
  private var counts: [Int64: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// A person changed a timer. O(1), amortised.
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

  /// Something happened to a timer that cannot be taken back: nor can what happened to it before. O(1) if nothing
  /// can; O(entries) else.
  mutating func refuse(id: Int64) {
    guard counts[id] != nil else { return }
    refuse { $0.id == id ? .changedSince($0.name) : nil }
  }

  /// Timers that would be others by now if they had not been changed: that cannot be told any more.
  mutating func refuse(
    as refusal: (_ name: String) -> UndoRefusal, where isOther: (Engine.StoredTimer) -> Bool
  ) {
    refuse { $0.before.map(isOther) ?? false ? refusal($0.name) : nil }
  }

  /// A timer has another name now. O(entries).
  mutating func rename(id: Int64, to name: String) {
    for index in entries.indices where entries[index].id == id { entries[index].name = name }
  }

  /// Those are taken back, or none of them can be. O(entries).
  mutating func take(group: String) {
    remove { $0.group == group }
  }

  /// Removes what is too old. O(what is removed), but for a scan of the rest.
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
  /// It can be taken back as far as is known.
  fileprivate var isRevocable: Bool { refusal == nil && !isStart }

  /// It stays in the history: what is older is not taken back in its place.
  fileprivate mutating func refuse(_ refusal: UndoRefusal) {
    (self.refusal, before) = (refusal, nil)
  }
}
