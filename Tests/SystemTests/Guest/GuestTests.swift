import Foundation
import NightjarTestSupport
import Testing

/// Tests that need a machine of their own which sleeps, reboots and loses its power. Only one guest
/// at a time: two would compete for the processor, and statements about seconds would no longer
/// hold.
@Suite(.blocking, .serialized, .enabled(if: Guest.isWanted)) enum GuestTests {}

extension Guest {
  /// The guest of the suite that runs.
  @TaskLocal static var current: Guest?

  /// Whether the tests can run here. In CI they always run, and fail for their own reason;
  /// elsewhere a line says that they were skipped.
  static let isWanted: Bool = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["NIGHTJAR_GUEST"] == nil, environment["CI"] == nil else { return true }
    print("left out, because it takes a guest in QEMU: a real suspend; run `make test-suspend`")
    return false
  }()
}

/// Boots one guest for all tests of a suite, with the daemon as the user's service: a boot takes as
/// long as two sleeps.
struct GuestTrait: SuiteTrait, TestScoping {
  fileprivate let hasNetwork: Bool

  private func boot() async throws -> Guest {
    let guest = try Guest(hasNetwork: hasNetwork)
    try guest.boot()
    try guest.user("systemctl --user enable --now nightjar.socket nightjar.service")
    return guest
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let guest = try await withTaskExecutorPreference(BlockingThreads.shared) {
      try await boot()
    }
    try await Guest.$current.withValue(guest) { try await function() }
  }
}

extension Trait where Self == GuestTrait {
  static var inGuest: GuestTrait { GuestTrait(hasNetwork: false) }
  /// The same with a network.
  static var inGuestWithNetwork: GuestTrait { GuestTrait(hasNetwork: true) }
}
