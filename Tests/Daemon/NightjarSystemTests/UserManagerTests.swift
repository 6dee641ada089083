import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarSystem

/// Questions at a start do not hold it up. SystemTests uses a real manager.
@Suite(.blocking) struct UserManagerTests {
  /// How long it took to get no answer, in microseconds.
  private func usec(at address: String) -> Int64 {
    let start = Clocks.monotonicUsec()
    #expect(UserManager.lastExitMonotonicUsec(address: address) == nil)
    return Clocks.monotonicUsec() - start
  }

  @Test func `A bus that does not greet and a manager that is silent are given up soon`() throws {
    let silent = try SilentBus()
    #expect((500_000..<5_000_000).contains(usec(at: silent.address)))
    let bus = try PrivateBus()
    try bus.startBus()
    #expect(usec(at: bus.address) < 5_000_000)
    try bus.startManager(["silent"])
    #expect((500_000..<5_000_000).contains(usec(at: bus.address)))
  }

  @Test func `Without a bus there is no wait`() {
    #expect(usec(at: "unix:path=/no/such/bus") < 500_000)
  }
}
