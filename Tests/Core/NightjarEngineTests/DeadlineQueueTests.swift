import Testing

@testable import NightjarEngine

@Suite struct DeadlineQueueTests {
  /// The reference: an array that is sorted after each change.
  private struct Reference {
    var entries: [(slot: Int, deadline: Int64, order: Int64)] = []

    mutating func insert(_ slot: Int, _ deadline: Int64, _ order: Int64) {
      entries.append((slot, deadline, order))
      entries.sort { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
    }
  }

  @Test(arguments: 0..<8)
  func `Random changes come out in the order of a sorted array`(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    let queue = DeadlineQueue()
    var reference = Reference()
    for order in Int64(1)...1500 {
      if random.next(5) < 3 {
        // Few different deadlines, so that many are equal; slots far apart, so that most have
        // none.
        let slot = random.next(300) * 37
        if !queue.contains(slot) {
          let deadline = Int64(random.next(20)) - 10
          queue.insert(slot, deadline: deadline, order: order)
          reference.insert(slot, deadline, order)
        }
      } else if random.next(2) == 0, !reference.entries.isEmpty {
        let moved = reference.entries[random.next(reference.entries.count)]
        let deadline = Int64(random.next(20)) - 10
        queue.move(moved.slot, deadline: deadline, order: order)
        reference.entries.removeAll { $0.slot == moved.slot }
        reference.insert(moved.slot, deadline, order)
      } else if random.next(2) == 0, !reference.entries.isEmpty {
        let index = random.next(reference.entries.count)
        let gone = reference.entries.remove(at: index)
        #expect(queue.order(of: gone.slot) == gone.order)
        #expect(queue.remove(gone.slot))
        #expect(!queue.remove(gone.slot))
      } else if let first = queue.firstSlot {
        #expect(first == reference.entries[0].slot)
        queue.remove(first)
        reference.entries.removeFirst()
      }
      #expect(queue.count == reference.entries.count)
      #expect(queue.first == reference.entries.first?.deadline)
      #expect(queue.firstSlot == reference.entries.first?.slot)
      if order % 100 == 0 { #expect(queue.violatedInvariant() == nil) }
    }
    while let slot = queue.firstSlot {
      #expect(slot == reference.entries.removeFirst().slot)
      queue.remove(slot)
    }
    #expect(reference.entries.isEmpty)
  }

  @Test func `A queue large enough for prefetching keeps its order through moves and removals`() {
    var random = SeededGenerator(9)
    let queue = DeadlineQueue()
    var expected: [(deadline: Int64, order: Int64, slot: Int)] = []
    // Deadlines that are equal, far apart, and extreme.
    func deadline() -> Int64 {
      let deadlines: [Int64] = [.min, .min + 1, .max, .max - 1, 0, -1]
      switch random.next(3) {
      case 0: return deadlines[random.next(deadlines.count)]
      case 1: return Int64(random.next(50)) - 25
      default: return Int64(random.next(1 << 50)) << 12
      }
    }
    for slot in 0..<20_000 {
      queue.insert(slot, deadline: deadline(), order: Int64(slot))
    }
    for slot in 0..<20_000 where slot % 7 == 0 { queue.remove(slot) }
    for slot in 0..<20_000 where slot % 7 != 0 {
      let (deadline, order) = (deadline(), Int64(random.next(2)) << 39 + Int64(slot))
      queue.move(slot, deadline: deadline, order: order)
      expected.append((deadline, order, slot))
    }
    #expect(queue.count == expected.count)
    #expect(queue.violatedInvariant() == nil)
    expected.sort { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
    #expect(queue.slotsInOrder() == expected.map(\.slot))
    var out: [Int] = []
    while let slot = queue.firstSlot {
      out.append(slot)
      queue.remove(slot)
      if out.count % 4096 == 0 { #expect(queue.violatedInvariant() == nil) }
    }
    #expect(out == expected.map(\.slot))
  }

  @Test func `An entry is before another by deadline, order and slot, for extreme values too`() {
    let deadlines: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    let entries = deadlines.flatMap { deadline in
      [0, 1, 1 << 40, .max].flatMap { order in
        [0, Int32(DeadlineQueue.slotLimit - 1)].map {
          DeadlineQueue.Entry(deadline: deadline, order: order, slot: $0)
        }
      }
    }
    for (index, entry) in entries.enumerated() {
      for (other, against) in entries.enumerated() {
        #expect((entry < against) == (index < other))
      }
    }
  }

  @Test func `A deadline is due if it is not after the reading`() {
    let queue = DeadlineQueue()
    #expect(queue.firstDue(at: .max) == nil)
    queue.insert(4, deadline: 10, order: 1)
    #expect(queue.firstDue(at: 9) == nil)
    #expect(queue.firstDue(at: 10) == 4)
    queue.insert(5, deadline: .min, order: 2)
    #expect(queue.firstDue(at: .min) == 5)
  }

  @Test func `The highest slot and the highest order fit`() {
    let queue = DeadlineQueue()
    let slot = DeadlineQueue.slotLimit - 1
    queue.insert(slot, deadline: .max, order: .max)
    queue.insert(0, deadline: .max, order: 1)
    #expect(queue.firstSlot == 0)
    #expect(queue.order(of: slot) == .max)
    #expect(!queue.contains(slot - 1))
    #expect(queue.remove(slot))
  }

  @Test func `A queue that was emptied is empty and can be used again`() {
    let queue = DeadlineQueue()
    for slot in 0..<100 { queue.insert(slot, deadline: Int64(slot), order: Int64(slot)) }
    queue.removeAll()
    #expect(queue.count == 0)
    #expect(queue.first == nil)
    #expect(!queue.contains(50))
    queue.insert(50, deadline: 1, order: 1)
    #expect(queue.firstSlot == 50)
  }

  @Test func `The check of the invariant finds a broken queue`() {
    let queue = DeadlineQueue()
    for slot in 0..<20 { queue.insert(slot, deadline: Int64(slot), order: Int64(slot)) }
    #expect(queue.violatedInvariant() == nil)
    queue.entries[3].deadline = -1
    #expect(queue.violatedInvariant() != nil)
  }
}

struct SeededGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// A number below `bound`. G. Marsaglia, "Xorshift RNGs", 2003.
  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: state >> 11) % bound
  }
}
