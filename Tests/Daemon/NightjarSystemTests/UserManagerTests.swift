import CLinux
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

  @Test func `A bus that does not greet, and a manager that does not answer, are given up soon`()
    throws
  {
    let folder = try TestFolder()
    let path = "\(folder.path)/bus"
    let socket = Descriptor(owning: nj_unix_socket())
    try #require(nj_unix_bind(socket.raw, path) == 0 && listen(socket.raw, 4) == 0)
    #expect((500_000..<5_000_000).contains(usec(at: "unix:path=\(path)")))
    let bus = try PrivateBus()
    try bus.startBus()
    #expect(usec(at: bus.address) < 5_000_000)
    try bus.startManager("silent")
    #expect((500_000..<5_000_000).contains(usec(at: bus.address)))
  }

  @Test func `Without a bus there is no wait`() {
    #expect(usec(at: "unix:path=/no/such/bus") < 500_000)
  }
}
