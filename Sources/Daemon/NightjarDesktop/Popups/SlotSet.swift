/// A set of slots of the timer table, as a bit set.
struct SlotSet {
  private var words: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  func contains(_ slot: Int) -> Bool {
    slot / 64 < words.count && words[slot / 64] & (1 << (slot % 64)) != 0
  }

  mutating func insert(_ slot: Int) {
    guard !contains(slot) else { return }
    while words.count <= slot / 64 { words.append(0) }
    words[slot / 64] |= 1 << (slot % 64)
    count += 1
  }

  /// - Returns: false if the slot was not in the set.
  @discardableResult
  mutating func remove(_ slot: Int) -> Bool {
    guard contains(slot) else { return false }
    words[slot / 64] &= ~(1 << (slot % 64))
    count -= 1
    return true
  }

  /// The lowest slot in the set that is not below `slot`; nil: there is none. O(slots / 64).
  func first(from slot: Int) -> Int? {
    guard slot / 64 < words.count else { return nil }
    var word = words[slot / 64] & (~0 << (slot % 64))
    for index in (slot / 64)..<words.count {
      if index > slot / 64 { word = words[index] }
      if word != 0 { return index * 64 + word.trailingZeroBitCount }
    }
    return nil
  }

  /// The lowest slots in the set for which `matches` returns true, at most `limit` of them.
  func prefix(_ limit: Int, where matches: (Int) -> Bool = { _ in true }) -> [Int] {
    var found: [Int] = []
    var next = first(from: 0)
    while let slot = next, found.count < limit {
      if matches(slot) { found.append(slot) }
      next = first(from: slot + 1)
    }
    return found
  }
}
