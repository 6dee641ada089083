import NightjarTestSupport
import Testing

@testable import nightjar

/// The work of a command for very many names and timers, counted.
@Suite(.blocking) struct ManyTests {
  /// Counts comparisons.
  private struct Counted: Comparable {
    nonisolated(unsafe) static var comparisons = 0
    let value: Int

    static func < (left: Counted, right: Counted) -> Bool {
      comparisons += 1
      return left.value < right.value
    }
  }

  @Test func `The first of 200,000 timers is found in order, without sorting them for each change`()
  {
    let count = 200_000
    var state: UInt64 = 1
    func draw() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    Counted.comparisons = 0
    var heap = Heap((0..<count).map { _ in Counted(value: draw()) })
    #expect(Counted.comparisons <= 2 * count)
    Counted.comparisons = 0
    for _ in 0..<1_000 {
      heap.insert(Counted(value: draw()))
      heap.removeLeast()
    }
    // A thousand changes need fewer comparisons than one pass over the timers; sorting needs 3
    // million each time.
    #expect(Counted.comparisons < count / 2)
    #expect(heap.count == count)
    var small = Heap([5, 3, 9, 1, 7])
    for value in [4, 8, 0] { small.insert(value) }
    for value in [0, 1, 3, 4, 5, 7, 8, 9] {
      #expect(small.least == value)
      small.removeLeast()
    }
    #expect(small.isEmpty)
  }
}
