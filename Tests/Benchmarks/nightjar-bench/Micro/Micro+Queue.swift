internal import NightjarEngine

/// A queue of deadlines that is filled, changed and emptied.
struct QueueRun {
  /// Deadlines are below this.
  private static let horizon = 1_000_000

  private let count: Int
  private let queue = DeadlineQueue()
  private var random = Xorshift(seed: 1)
  private var order: Int64 = 0

  /// - Parameter count: how many deadlines there are.
  init(count: Int) { self.count = count }

  private mutating func set(_ slot: Int) {
    order += 1
    queue.insert(slot, deadline: Int64(random.draw(below: Self.horizon)), order: order)
  }

  /// Inserts all.
  mutating func insert() {
    for slot in 0..<count { set(slot) }
  }

  /// Removes a random slot and inserts it with another deadline, `count` times.
  mutating func move() {
    for _ in 0..<count {
      let slot = random.draw(below: count)
      queue.remove(slot)
      set(slot)
    }
  }

  /// Removes all slots, in the order of their deadlines.
  mutating func expire() {
    var expired = 0
    while let slot = queue.firstSlot, let first = queue.first, first < Self.horizon {
      queue.remove(slot)
      expired += 1
    }
    guard expired == count else { fail("\(expired) of \(count) expired") }
  }
}

extension Micro {
  private static let deadlines = 100_000

  static let queue = [
    Micro(name: "queue-insert", work: "queue of 100,000: insert", count: deadlines) { count in
      var run = QueueRun(count: count)
      return { run.insert() }
    },
    Micro(name: "queue-move", work: "queue of 100,000: cancel and insert", count: deadlines) {
      var run = QueueRun(count: $0)
      run.insert()
      return { run.move() }
    },
    Micro(name: "queue-expire", work: "queue of 100,000: expire", count: deadlines) { count in
      var run = QueueRun(count: count)
      run.insert()
      return { run.expire() }
    },
  ]
}
