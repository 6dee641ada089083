/// The deadlines of one timeline: a four-ary heap that also maps each slot to its position.
///
/// Equal deadlines come out in the order in which they were set. An entry takes 16 bytes and its
/// position 4. Four siblings fill one cache line. With a million entries, this heap has half the
/// levels of a binary heap and so half the cache misses. The first entry is at index 3, so each
/// group of four siblings is aligned with a cache line. The children of the entry at `position` are
/// at `(position - 2) * 4` and the three places after that.
public final class DeadlineQueue {
  /// All slots must be below this: an entry has 24 bits for the slot and 40 bits for the order.
  public static let slotLimit = 1 << 24

  struct Entry: BitwiseCopyable {
    var deadline: Int64
    /// The order in the high 40 bits and the slot in the low 24. If two deadlines are equal, one
    /// comparison of these numbers decides.
    var orderAndSlot: UInt64

    init(_ slot: Int, deadline: Int64, order: Int64) {
      self.deadline = deadline
      orderAndSlot = UInt64(truncatingIfNeeded: order) << 24 | UInt64(slot)
    }

    private init(deadline: Int64, tie: Entry) {
      self.deadline = deadline
      orderAndSlot = tie.orderAndSlot
    }

    /// The same slot and order with another deadline.
    func ranked(by deadline: Int64) -> Entry { Entry(deadline: deadline, tie: self) }

    @inline(__always) var slot: Int { Int(orderAndSlot & 0xFF_FFFF) }

    @inline(__always)
    static func < (a: Entry, b: Entry) -> Bool {
      a.deadline < b.deadline || (a.deadline == b.deadline && a.orderAndSlot < b.orderAndSlot)
    }

    /// The entry as one number, which sorts in the same order. Comparing these numbers needs no
    /// branch. This is slower than `<` where the processor predicts the branch well.
    @inline(__always)
    var rank: Int128 { Int128(deadline) << 64 | Int128(orderAndSlot) }
  }

  private static let absent = UInt32.max
  /// The position of the earliest entry.
  static var root: Int { 3 }
  /// The first position for which a prefetch is worthwhile. Entries before it are in the
  /// processor's cache anyway.
  private static var firstPrefetched: Int { 4096 }

  // The runtime check of exclusive access is off, because it is a call at each access and took four
  // times as long as the access. No code here calls back into the queue while the queue changes.

  /// The position after the last entry.
  @exclusivity(unchecked) private(set) var end = DeadlineQueue.root
  @exclusivity(unchecked) var entries = ChunkedArray<Entry>()
  @exclusivity(unchecked) private var positions = ChunkedArray<UInt32>(filler: DeadlineQueue.absent)
  /// The last result of the prefetch. It is stored so that the compiler does not remove the reads.
  @exclusivity(unchecked) private var prefetched: Int64 = 0

  /// Makes an empty queue.
  public init() {}

  public var count: Int { end - Self.root }

  /// Removes all deadlines. O(n).
  func removeAll() {
    end = Self.root
    positions = ChunkedArray(filler: Self.absent)
  }

  /// The earliest deadline; nil: the queue is empty.
  public var first: Int64? { count == 0 ? nil : entries[Self.root].deadline }

  /// The slot with the earliest deadline.
  public var firstSlot: Int? { count == 0 ? nil : entries[Self.root].slot }

  /// The slot with the earliest deadline, if that is not after `reading`.
  @inline(__always)
  func firstDue(at reading: Int64) -> Int? {
    guard count > 0 else { return nil }
    let first = entries[Self.root]
    return first.deadline <= reading ? first.slot : nil
  }

  /// Whether `slot` has a deadline here.
  public func contains(_ slot: Int) -> Bool {
    positions.isReserved(slot) && positions[slot] != Self.absent
  }

  /// The order of the deadline of `slot`; nil: it has no deadline here.
  func order(of slot: Int) -> Int64? {
    position(of: slot).map { Int64(entries[$0].orderAndSlot >> 24) }
  }

  /// The position of the entry of `slot`; nil: `slot` has no entry here.
  func position(of slot: Int) -> Int? { contains(slot) ? Int(positions[slot]) : nil }

  /// Inserts a deadline for `slot`, which must have none here. `order` breaks ties and must grow
  /// with each call: it is the number of the event in the ledger. Only its low 40 bits are stored,
  /// so ties that are 2^40 events apart may come out in either order. O(log n).
  public func insert(_ slot: Int, deadline: Int64, order: Int64) {
    precondition(slot < Self.slotLimit && !contains(slot))
    positions.reserve(slot)
    entries.reserve(end)
    end += 1
    siftUp(Entry(slot, deadline: deadline, order: order), from: end - 1)
  }

  /// Changes the deadline of `slot`, which must have one here. The result is the same as after
  /// `remove` and `insert`, but the entry moves through the heap only once. O(log n).
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
    end -= 1
    if position != end { settle(entries[end], from: position) }
    return true
  }

  /// Puts an entry at a position and moves it up or down to where it belongs.
  private func settle(_ entry: Entry, from position: Int) {
    if position > Self.root, entry < entries[Self.parent(of: position)] {
      siftUp(entry, from: position)
    } else {
      siftDown(entry, from: position)
    }
  }

  @inline(__always)
  static func parent(of position: Int) -> Int { position >> 2 + 2 }

  @inline(__always)
  private func children(of position: Int) -> Range<Int> {
    let first = (position - 2) << 2
    return min(first, end)..<min(first + 4, end)
  }

  @inline(__always)
  private func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[entry.slot] = UInt32(truncatingIfNeeded: position)
  }

  private func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > Self.root {
      let parent = Self.parent(of: position)
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
      let children = self.children(of: position)
      guard !children.isEmpty else { break }
      prefetch(below: children)
      let siblings = entries.pointer(children.lowerBound)
      let least = Self.least(of: siblings, count: children.count)
      let leastEntry = siblings[least]
      guard leastEntry < entry else { break }
      place(leastEntry, at: position)
      position = children.lowerBound + least
    }
    place(entry, at: position)
  }

  /// The index of the least of four siblings. The comparison has no branch, because the processor
  /// would often predict it wrong.
  @inline(__always)
  private static func least(of siblings: UnsafeMutablePointer<Entry>, count: Int) -> Int {
    if count == 4 {
      let left = siblings[1].rank < siblings[0].rank ? 1 : 0
      let right = siblings[3].rank < siblings[2].rank ? 3 : 2
      return left &+ (right &- left) &* (siblings[right].rank < siblings[left].rank ? 1 : 0)
    }
    var least = 0
    for index in 1..<count where siblings[index] < siblings[least] { least = index }
    return least
  }

  /// Reads from the four cache lines of the children's children, although only one of them will be
  /// needed. The processor then loads them while it compares the children. For the first positions
  /// this is not needed, because their lines are in the cache anyway.
  @inline(__always)
  private func prefetch(below children: Range<Int>) {
    let third = children.lowerBound << 2
    guard third >= Self.firstPrefetched, third + 8 <= end else { return }
    let first = entries.pointer(third - 8)
    let last = entries.pointer(third)
    prefetched = first[0].deadline ^ first[4].deadline ^ last[0].deadline ^ last[4].deadline
  }
}

extension DeadlineQueue {
  /// All slots, ordered by their deadlines. O(n log n).
  func slotsInOrder() -> [Int] {
    (Self.root..<end).map { entries[$0] }.sorted { $0 < $1 }.map(\.slot)
  }

  /// Returns the number of slots that are due at `reading` and for which `key` is not nil, and the
  /// first `limit` of these slots in the order of their keys. Equal keys come in the order in which
  /// the deadlines were set. O(due).
  func due(
    at reading: Int64, atMost limit: Int, key: (_ slot: Int) -> Int64?
  ) -> (first: [Int], count: Int) {
    var found = 0
    var first: [Entry] = []
    var positions = count > 0 ? [Self.root] : []
    while let position = positions.popLast() {
      let entry = entries[position]
      guard entry.deadline <= reading else { continue }
      positions.append(contentsOf: children(of: position))
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

  /// The slot with the least `key`. The key of a slot must never be less than its deadline in this
  /// queue. O(deadlines before that key). It looks at no more than `limit` entries, and returns the
  /// slot with the least key among them.
  func nearest(atMost limit: Int, key: (_ slot: Int) -> Int64) -> Int? {
    var best: Entry?
    var seen = 0
    var positions = count > 0 ? [Self.root] : []
    while let position = positions.popLast(), seen < limit {
      let entry = entries[position]
      if let best, entry.deadline > best.deadline { continue }
      seen += 1
      let ranked = entry.ranked(by: key(entry.slot))
      if best.map({ ranked < $0 }) ?? true { best = ranked }
      positions.append(contentsOf: children(of: position))
    }
    return best?.slot
  }
}
