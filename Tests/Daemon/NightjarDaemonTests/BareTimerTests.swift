import NightjarTestSupport
import Testing

/// The tests that measure time can fail, and then name the cause.
@Suite(.blocking) struct BareTimerTests {
  /// Measures what is wrong until round `last`.
  private func measure(
    busyUsec: Int64, rightIn last: Int = .max
  ) async throws -> (issue: String?, rounds: Int) {
    var rounds = 0
    let issue = try await BareTimer.issue(rounds: 3, busyUsec: busyUsec) { bare in
      rounds += 1
      try awaitTrue("no time passes") { bare.lateUsec() > 0 }
      return [excess("the ring", rounds < last ? 20 : 19, over: 20)].compactMap(\.self)
    }
    return (issue, rounds)
  }

  @Test func `A wrong measurement is an issue, repeated on a busy machine`() async throws {
    let onQuiet = try await measure(busyUsec: .max)
    let beginning = "the ring: 20 µs, and the bound is 20 µs; a bare timer"
    #expect(onQuiet.rounds == 1 && onQuiet.issue?.hasPrefix(beginning) == true)
    let onBusy = try await measure(busyUsec: -1)
    let busy = "this machine is too busy to measure; repeat with"
    #expect(onBusy.rounds == 3 && onBusy.issue?.hasPrefix(busy) == true)
    // The first right measurement is enough.
    let right = try await measure(busyUsec: -1, rightIn: 2)
    #expect(right.rounds == 2 && right.issue == nil)
  }
}
