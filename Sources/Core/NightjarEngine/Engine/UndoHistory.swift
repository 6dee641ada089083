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
    /// Whether it ended or moved the ring. An undo of another change leaves the ring as it is.
    var changesRing = false
    /// Whether it changed only attachments or the name, which the undo of an older change leaves.
    var isLabel = false
    /// The reading of `elapsed` at the time of the change.
    var atElapsed: Int64
    /// The ID of the timer after the change.
    var id: Int64
    /// The old name, if the change renamed the timer; nil: it did something else.
    var oldName: String?
    /// Whether the change started a timer and replaced no active one of the same name. Such a
    /// change is never undone, because an undo would remove the timer, and an undo cannot be
    /// undone.
    var isStart = false
    /// The timer before the change; nil: there was no timer of that name, or the change cannot be
    /// undone.
    var before: Engine.StoredTimer?
    /// Why the change cannot be undone; nil: no reason is known. Such an entry stays: without it,
    /// an undo would take back an older change in its place.
    var refusal: UndoRefusal?
  }

  /// A timer that has entries.
  private struct Changed {
    var entryCount = 0
    /// The name of the timer now.
    var name: String
    /// The number of its last event that no undo takes back; 0: there was none.
    var otherSeq: Int64 = 0
    /// The number of the last event about its ring that no undo takes back; 0: there was none.
    var ringSeq: Int64 = 0
  }

  /// The changes, in the order of their events.
  private(set) var entries: [Entry] = []
  private var timers: [Int64: Changed] = [:]
  private var lastUndoneSeq: Int64 = 0

  var isEmpty: Bool { entries.isEmpty }

  /// The name that the timer of an entry has now, or had last.
  func name(of entry: Entry) -> String { timers[entry.id]?.name ?? "" }

  /// Adds the change of a timer by a person. O(1), amortised: if the history is full, an eighth of
  /// it goes, and all of a change goes together.
  mutating func add(_ entry: Entry, named name: String) {
    if let last = entries.last, last.group == entry.group, last.refusal == .tooLarge { return }
    var entry = entry
    if entries.count >= Limits.undoTimers {
      let oldest = Set(entries.prefix(entries.count / 8).map(\.group))
      remove({ oldest.contains($0.group) }, inEffect: { _ in true })
      if oldest.contains(entry.group) {
        (entry.isStart, entry.before, entry.refusal) = (false, nil, .tooLarge)
      }
    }
    entries.append(entry)
    timers[entry.id, default: Changed(name: name)].entryCount += 1
    timers[entry.id]?.name = name
  }

  /// Notes that an event that cannot be undone has changed a timer. O(1).
  mutating func noteOther(_ seq: Int64, id: Int64) {
    guard let before = timers[id]?.otherSeq else { return }
    timers[id]?.otherSeq = max(before, seq)
  }

  /// Notes that the snooze of a timer's ring has ended. O(1).
  mutating func noteRing(_ seq: Int64, id: Int64) {
    if timers[id] != nil { timers[id]?.ringSeq = seq }
  }

  /// The entries of a group, and whether something else has changed the timer of each since, that
  /// is not undone. O(entries).
  func changes(of group: String) -> [(entry: Entry, isChangedSince: Bool)] {
    var found: [(entry: Entry, isChangedSince: Bool)] = []
    // The timers that another group changed after the present entry; true: not only a label.
    var changed: [Int64: Bool] = [:]
    for entry in entries.reversed() {
      if entry.group == group {
        let others = changed[entry.id]
        found.append(
          (entry, hasOther(since: entry) || others == true || others != nil && entry.isLabel))
      } else {
        changed[entry.id] = changed[entry.id] == true || !entry.isLabel
      }
    }
    return found.reversed()
  }

  private func hasOther(since entry: Entry) -> Bool {
    let timer = timers[entry.id]
    return timer?.otherSeq ?? 0 > entry.seq
      || entry.changesRing && timer?.ringSeq ?? 0 > entry.seq
  }

  /// Refuses to undo each change of a timer for which `isOther` is true. Without the change, such a
  /// timer would not be in its old state any more, and the daemon does not know in which state it
  /// would be. `isOther` gets the timer before the change.
  mutating func refuse(
    as refusal: (_ name: String) -> UndoRefusal, where isOther: (Timer) -> Bool
  ) {
    for index in entries.indices where entries[index].refusal == nil && !entries[index].isStart {
      guard let before = entries[index].before, isOther(before.timer) else { continue }
      let (name, isChanged) = (name(of: entries[index]), hasOther(since: entries[index]))
      entries[index].refusal = isChanged ? .changedSince(name) : refusal(name)
      entries[index].before = nil
    }
  }

  /// Notes that a timer was renamed. O(1).
  mutating func rename(id: Int64, to name: String) { timers[id]?.name = name }

  /// Removes a group of which something is undone, or in which nothing can be undone. What is kept
  /// of it counts as another change of its timer. O(entries).
  mutating func take(group: String, isKept: (Entry) -> Bool = { _ in true }) {
    remove({ $0.group == group }, inEffect: isKept)
  }

  /// Notes that an undo is recorded as event `seq`.
  mutating func noteUndone(_ seq: Int64) { lastUndoneSeq = seq }

  /// Removes the changes that are too old. O(entries).
  mutating func removeOld(atElapsed: Int64) {
    remove { $0.atElapsed < atElapsed - Limits.undoUsec }
  }

  /// Frees the memory of old changes, when they are an eighth of all. O(1), amortised.
  mutating func expire(atElapsed: Int64) {
    guard !entries.isEmpty, entries[entries.count / 8].atElapsed < atElapsed - Limits.undoUsec
    else { return }
    removeOld(atElapsed: atElapsed)
  }

  /// Forgets the changes after event `seq`, which were lost with a failed commit. If an undo was
  /// lost, or a part of a change that is too large, an older change would be the newest: then all
  /// are forgotten.
  mutating func forget(after seq: Int64) {
    if lastUndoneSeq > seq || entries.contains(where: { $0.seq > seq && $0.refusal == .tooLarge }) {
      self = UndoHistory()
      return
    }
    // The next events get the numbers of the lost ones again.
    for index in entries.indices where hasOther(since: entries[index]) {
      entries[index].refusal =
        entries[index].refusal ?? .changedSince(name(of: entries[index]))
    }
    timers = timers.mapValues { Changed(entryCount: $0.entryCount, name: $0.name) }
    remove { $0.seq > seq }
  }

  /// - Parameter isInEffect: whether a removed change stays in effect. Then it counts as another
  ///   change of its timer, so that the undo of an older one does not take it back.
  private mutating func remove(
    _ isRemoved: (Entry) -> Bool, inEffect isInEffect: (Entry) -> Bool = { _ in false }
  ) {
    for entry in entries where isRemoved(entry) {
      if isInEffect(entry) { noteOther(entry.seq, id: entry.id) }
      timers[entry.id]?.entryCount -= 1
      if timers[entry.id]?.entryCount == 0 { timers[entry.id] = nil }
    }
    entries.removeAll(where: isRemoved)
  }
}
