import NightjarSystem
import Testing

@testable import NightjarDaemon

/// Who may connect.
@Suite struct PeerTests {
  private func isAllowed(_ uid: UInt32, own: UInt32 = 1000, isInitial: Bool = true) -> Bool {
    Server.isAllowed(
      PeerCredentials(pid: 1, uid: uid, gid: uid), own: own, isInitial: isInitial)
  }

  @Test func `The daemon's own user may connect, and no other`() {
    #expect(isAllowed(1000))
    #expect(isAllowed(1000, isInitial: false))
    #expect(!isAllowed(1001))
    #expect(!isAllowed(999))
  }

  @Test func `Root may connect where 0 is root, and not where a user namespace says so`() {
    #expect(isAllowed(0))
    #expect(!isAllowed(0, isInitial: false))
    #expect(isAllowed(0, own: 0, isInitial: false))
    #expect(!isAllowed(1000, own: 0))
  }

  @Test func `The overflow user stands for everybody without a number, and may not connect`() {
    #expect(!isAllowed(65_534))
    #expect(!isAllowed(65_534, own: 65_534))
    #expect(!isAllowed(65_534, own: 65_534, isInitial: false))
  }
}
