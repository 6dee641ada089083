import NightjarTestSupport
import Testing

/// The tests that measure time can fail, and then name the cause.
@Suite(.blocking) struct BareTimerTests {
  @Test func `A wrong measurement is at once an issue of what was measured on a quiet machine`()
    async throws
  {
    var rounds = 0
    let issue = await BareTimer.issue(busyUsec: .max) { _ in
      rounds += 1
      return [excess("the ring", 20, over: 20)].compactMap(\.self)
    }
    #expect(rounds == 1)
    #expect(issue?.hasPrefix("the ring: 20 µs, and the bound is 20 µs; a bare timer") == true)
  }

  @Test func `On a busy machine it is repeated, and at the end an issue of the machine`()
    async throws
  {
    var rounds = 0
    let issue = await BareTimer.issue(rounds: 3, busyUsec: -1) { _ in
      rounds += 1
      return ["late"]
    }
    #expect(rounds == 3)
    #expect(issue?.hasPrefix("this machine is too busy to measure; repeat with") == true)
  }

  @Test func `The first right measurement is enough`() async throws {
    var rounds = 0
    let issue = try await BareTimer.issue(busyUsec: -1) { bare in
      rounds += 1
      try awaitTrue("no time passes") { bare.lateUsec() > 0 }
      return rounds < 3 ? ["late"] : [excess("the ring", 19, over: 20)].compactMap(\.self)
    }
    #expect(rounds == 3 && issue == nil)
  }
}
