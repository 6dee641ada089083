/// The deadlines of one timeline: a four-ary heap that knows where each timer stands in it.
///
/// Equal deadlines come out in the order in which they were set. An entry takes 16 bytes and its
/// position 4. Four children lie in one cache line; with a million entries that is half the levels,
/// and so half the cache misses, of a binary heap.
public final class DeadlineQueue {
  /// Slots must be below this: 24 bits of the entry are the slot, 40 the order.
  public static let slotLimit = 1 << 24

  struct Entry: BitwiseCopyable {
    var deadline: Int64
    /// The low 40 bits of the order above the 24 of the slot: one comparison settles a tie.
    var orderAndSlot: UInt64

    init(_ slot: Int, deadline: Int64, order: Int64) {
      self.deadline = deadline
      orderAndSlot = UInt64(truncatingIfNeeded: order) << 24 | UInt64(slot)
    }

    private init(deadline: Int64, tie: Entry) {
      self.deadline = deadline
      orderAndSlot = tie.orderAndSlot
    }

    /// The same slot and order, by another deadline.
    func ranked(by deadline: Int64) -> Entry { Entry(deadline: deadline, tie: self) }

    @inline(__always) var slot: Int { Int(orderAndSlot & 0xFF_FFFF) }

    @inline(__always)
    static func < (a: Entry, b: Entry) -> Bool {
      a.deadline < b.deadline || (a.deadline == b.deadline && a.orderAndSlot < b.orderAndSlot)
    }
  }

  private static let absent = UInt32.max

  // A check of exclusive access is a call for each access, which took four times as long as what is
  // accessed. Nothing here calls back into the queue while it changes.

  /// How many deadlines there are.
  @exclusivity(unchecked) public private(set) var count = 0
  @exclusivity(unchecked) var entries = ChunkedArray<Entry>()
  @exclusivity(unchecked) private var positions = ChunkedArray<UInt32>(filler: DeadlineQueue.absent)

  /// Makes an empty queue.
  public init() {}

  /// Removes all deadlines. O(n).
  func removeAll() {
    count = 0
    positions = ChunkedArray(filler: Self.absent)
  }

  /// The earliest deadline.
  public var first: Int64? { count == 0 ? nil : entries[0].deadline }

  /// The slot with the earliest deadline.
  public var firstSlot: Int? { count == 0 ? nil : entries[0].slot }

  /// The slot with the earliest deadline, if that is not after `reading`.
  @inline(__always)
  func firstDue(at reading: Int64) -> Int? {
    guard count > 0 else { return nil }
    let first = entries[0]
    return first.deadline <= reading ? first.slot : nil
  }

  /// Whether `slot` has a deadline here.
  public func contains(_ slot: Int) -> Bool {
    positions.isReserved(slot) && positions[slot] != Self.absent
  }

  /// The order with which `slot` was set; nil if it is not here.
  func order(of slot: Int) -> Int64? {
    guard contains(slot) else { return nil }
    return Int64(entries[Int(positions[slot])].orderAndSlot >> 24)
  }

  /// Sets the deadline of `slot`, which has none here. `order` grows with each set: the number of
  /// the ledger's event (its low 40 bits; ties 2^40 events apart may come out in either order).
  /// O(log n).
  public func insert(_ slot: Int, deadline: Int64, order: Int64) {
    precondition(slot < Self.slotLimit && !contains(slot))
    positions.reserve(slot)
    entries.reserve(count)
    count += 1
    siftUp(Entry(slot, deadline: deadline, order: order), from: count - 1)
  }

  /// Sets another deadline for `slot`, which has one here: as removing and inserting it would, in one
  /// walk. O(log n).
  func move(_ slot: Int, deadline: Int64, order: Int64) {
    precondition(contains(slot))
    settle(
      Entry(slot, deadline: deadline, order: order), from: Int(positions[slot]))
  }

  /// Removes the deadline of `slot`, if there is one. O(log n).
  @discardableResult
  public func remove(_ slot: Int) -> Bool {
    guard contains(slot) else { return false }
    let position = Int(positions[slot])
    positions[slot] = Self.absent
    count -= 1
    if position != count { settle(entries[count], from: position) }
    return true
  }

  /// Puts an entry in the place of another, and from there to where it belongs.
  private func settle(_ entry: Entry, from position: Int) {
    if position > 0, entry < entries[(position - 1) >> 2] {
      siftUp(entry, from: position)
    } else {
      siftDown(entry, from: position)
    }
  }

  @inline(__always)
  private func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[entry.slot] = UInt32(truncatingIfNeeded: position)
  }

  private func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) >> 2
      let other = entries[parent]
      guard entry < other else { break }
      place(other, at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private func siftDown(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      let firstChild = position << 2 + 1
      guard firstChild < count else { break }
      var least = firstChild
      var leastEntry = entries[firstChild]
      var child = firstChild + 1
      let end = min(firstChild + 4, count)
      while child < end {
        let candidate = entries[child]
        if candidate < leastEntry { (least, leastEntry) = (child, candidate) }
        child += 1
      }
      guard leastEntry < entry else { break }
      place(leastEntry, at: position)
      position = least
    }
    place(entry, at: position)
  }
}

extension DeadlineQueue {
  /// All slots, in the order in which they would come out. O(n log n).
  func slotsInOrder() -> [Int] {
    (0..<count).map { entries[$0] }.sorted { $0 < $1 }.map(\.slot)
  }

  /// The slots whose turn has come and for which `key` has an answer: how many they are, and the
  /// first of them in the order of those answers, equal ones as they were set. O(due).
  func due(
    at reading: Int64, atMost limit: Int, key: (_ slot: Int) -> Int64?
  ) -> (first: [Int], count: Int) {
    var found = 0
    var first: [Entry] = []
    var positions = count > 0 ? [0] : []
    while let position = positions.popLast() {
      let entry = entries[position]
      guard entry.deadline <= reading else { continue }
      let children = position << 2 + 1
      positions.append(contentsOf: children..<max(children, min(children + 4, count)))
      guard let key = key(entry.slot) else { continue }
      found += 1
      let ranked = entry.ranked(by: key)
      guard limit > 0, first.count < limit || ranked < first[limit - 1] else { continue }
      if first.count == limit { first.removeLast() }
      let place = first.firstIndex { ranked < $0 } ?? first.count
      first.insert(ranked, at: place)
    }
    return (first.map(\.slot), found)
  }

  /// The slot with the least `key`, which is never less than its turn. O(turns before that key); it
  /// looks at no more than `limit` of them, and then answers with the least it has seen.
  func nearest(atMost limit: Int, key: (_ slot: Int) -> Int64) -> Int? {
    var best: Entry?
    var seen = 0
    var positions = count > 0 ? [0] : []
    while let position = positions.popLast(), seen < limit {
      let entry = entries[position]
      if let best, entry.deadline > best.deadline { continue }
      seen += 1
      let ranked = entry.ranked(by: key(entry.slot))
      if best.map({ ranked < $0 }) ?? true { best = ranked }
      let children = position << 2 + 1
      positions.append(contentsOf: children..<max(children, min(children + 4, count)))
    }
    return best?.slot
  }
}
