/// The deadlines of one timeline: a heap with four children for each entry, which also knows the
/// position of each slot. Equal deadlines come out in the order in which they were set.
public final class DeadlineQueue {
  /// All slots must be below this.
  public static let slotLimit = 1 << 24

  struct Entry: BitwiseCopyable {
    var deadline: Int64
    /// The number of the event that set the deadline. It decides between equal deadlines.
    var order: Int64
    var slot: Int32

    static func < (a: Entry, b: Entry) -> Bool {
      a.deadline < b.deadline
        || a.deadline == b.deadline && (a.order < b.order || a.order == b.order && a.slot < b.slot)
    }

    func ranked(by key: Int64) -> Entry { Entry(deadline: key, order: order, slot: slot) }
  }

  // The runtime check of exclusive access is off, because it is a call at each access. No code here
  // calls back into the queue while the queue changes.
  @exclusivity(unchecked) var entries: [Entry] = []
  /// The position of the entry of each slot; -1: the slot has none.
  @exclusivity(unchecked) private var positions: [Int32] = []

  /// Makes an empty queue.
  public init() {}

  public var count: Int { entries.count }

  /// Removes all deadlines.
  func removeAll() { (entries, positions) = ([], []) }

  /// The earliest deadline; nil: the queue is empty.
  public var first: Int64? { entries.first?.deadline }

  /// The slot with the earliest deadline.
  public var firstSlot: Int? { entries.first.map { Int($0.slot) } }

  /// The slot with the earliest deadline, if that is not after `reading`.
  func firstDue(at reading: Int64) -> Int? {
    guard let first = entries.first, first.deadline <= reading else { return nil }
    return Int(first.slot)
  }

  /// Whether the first deadline here comes before the first one of another queue.
  func isBefore(_ other: DeadlineQueue) -> Bool {
    guard let first = entries.first else { return false }
    return other.entries.first.map { first < $0 } ?? true
  }

  /// Whether `slot` has a deadline here.
  public func contains(_ slot: Int) -> Bool { slot < positions.count && positions[slot] >= 0 }

  /// The order of the deadline of `slot`; nil: it has no deadline here.
  func order(of slot: Int) -> Int64? { position(of: slot).map { entries[$0].order } }

  /// The position of the entry of `slot`; nil: `slot` has no entry here.
  func position(of slot: Int) -> Int? { contains(slot) ? Int(positions[slot]) : nil }

  /// Inserts a deadline for `slot`, which must have none here. O(log n).
  public func insert(_ slot: Int, deadline: Int64, order: Int64) {
    precondition(slot < Self.slotLimit && !contains(slot))
    if slot >= positions.count {
      positions.append(contentsOf: repeatElement(-1, count: slot + 1 - positions.count))
    }
    let entry = Entry(deadline: deadline, order: order, slot: Int32(slot))
    entries.append(entry)
    siftUp(entry, from: count - 1)
  }

  /// Changes the deadline of `slot`, which must have one here. O(log n).
  func move(_ slot: Int, deadline: Int64, order: Int64) {
    precondition(contains(slot))
    settle(
      Entry(deadline: deadline, order: order, slot: Int32(slot)), from: Int(positions[slot]))
  }

  /// Removes the deadline of `slot`, if there is one. O(log n).
  @discardableResult
  public func remove(_ slot: Int) -> Bool {
    guard let position = position(of: slot) else { return false }
    positions[slot] = -1
    let last = entries.removeLast()
    if position < count { settle(last, from: position) }
    return true
  }

  /// Puts an entry at a position and moves it up or down to where it belongs.
  private func settle(_ entry: Entry, from position: Int) {
    if position > 0, entry < entries[(position - 1) / 4] {
      siftUp(entry, from: position)
    } else {
      siftDown(entry, from: position)
    }
  }

  private func children(of position: Int) -> Range<Int> {
    min(4 * position + 1, count)..<min(4 * position + 5, count)
  }

  private func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[Int(entry.slot)] = Int32(position)
  }

  private func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0, entry < entries[(position - 1) / 4] {
      place(entries[(position - 1) / 4], at: position)
      position = (position - 1) / 4
    }
    place(entry, at: position)
  }

  private func siftDown(_ entry: Entry, from start: Int) {
    var position = start
    while var least = children(of: position).first {
      for child in children(of: position) where entries[child] < entries[least] { least = child }
      guard entries[least] < entry else { break }
      place(entries[least], at: position)
      position = least
    }
    place(entry, at: position)
  }

  /// All slots, ordered by their deadlines. O(n log n).
  func slotsInOrder() -> [Int] { entries.sorted(by: <).map { Int($0.slot) } }

  /// Returns the number of slots that are due at `reading` and for which `key` is not nil, and the
  /// first `limit` of these slots in the order of their keys. Equal keys come in the order in which
  /// the deadlines were set. O(due log due).
  func due(
    at reading: Int64, atMost limit: Int, key: (_ slot: Int) -> Int64?
  ) -> (first: [Int], count: Int) {
    var found: [Entry] = []
    var positions = [0]
    while let position = positions.popLast() {
      guard position < count, entries[position].deadline <= reading else { continue }
      positions.append(contentsOf: children(of: position))
      if let key = key(Int(entries[position].slot)) {
        found.append(entries[position].ranked(by: key))
      }
    }
    return (found.sorted(by: <).prefix(limit).map { Int($0.slot) }, found.count)
  }

  /// The slot with the least `key`. The key of a slot must never be less than its deadline in this
  /// queue. O(deadlines before that key). It looks at no more than `limit` entries, and returns the
  /// slot with the least key among them.
  func nearest(atMost limit: Int, key: (_ slot: Int) -> Int64) -> Int? {
    var best: Entry?
    var seen = 0
    var positions = [0]
    while let position = positions.popLast(), seen < limit {
      guard position < count, entries[position].deadline <= best?.deadline ?? .max else { continue }
      seen += 1
      let ranked = entries[position].ranked(by: key(Int(entries[position].slot)))
      if best.map({ ranked < $0 }) ?? true { best = ranked }
      positions.append(contentsOf: children(of: position))
    }
    return best.map { Int($0.slot) }
  }

  /// The first inconsistency in the queue: an entry that is earlier than its parent, or a wrong
  /// position. Nil: there is none. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    for (position, entry) in entries.enumerated() {
      if entry < entries[max(0, position - 1) / 4] {
        return "the entry at \(position) is before its parent"
      }
      if self.position(of: Int(entry.slot)) != position {
        return "slot \(entry.slot) is queued and its position is another"
      }
    }
    return nil
  }
}
