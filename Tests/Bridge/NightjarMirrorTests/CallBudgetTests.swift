import NightjarMirror
import NightjarModel
import Testing

/// The limit of changes by other machines.
@Suite struct CallBudgetTests {
  /// How many of several simultaneous changes are carried out.
  private func made(_ budget: inout CallBudget, of calls: Int, atUsec nowUsec: Int64) -> Int {
    (0..<calls).count { _ in budget.take(nowUsec: nowUsec) }
  }

  @Test
  func `A burst of changes is allowed, then a number per second, and after a rest another burst`() {
    var budget = CallBudget()
    var nowUsec: Int64 = 5_000_000
    let first = made(&budget, of: 10_000, atUsec: nowUsec)
    #expect(first == MirrorLimits.changesAtOnce)
    for _ in 1...10 {
      nowUsec += 1_000_000
      let next = made(&budget, of: 10_000, atUsec: nowUsec)
      #expect(next == MirrorLimits.changesASecond)
    }
    // Asking several times within a second gives no more changes.
    var sum = 0
    for _ in 1...1_000 {
      nowUsec += 1_000
      sum += made(&budget, of: 10, atUsec: nowUsec)
    }
    #expect(sum == MirrorLimits.changesASecond)
    let rested = made(&budget, of: 10_000, atUsec: nowUsec + 3_600_000_000)
    #expect(rested == MirrorLimits.changesAtOnce)
  }

  @Test func `A steady stream below the limit is never refused`() {
    var budget = CallBudget()
    let pauseUsec = 1_000_000 / Int64(MirrorLimits.changesASecond)
    var refused = 0
    for number in 0..<Int64(100_000) where !budget.take(nowUsec: 7 + number * pauseUsec) {
      refused += 1
    }
    #expect(refused == 0)
  }
}
