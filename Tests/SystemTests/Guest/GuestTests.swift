import Foundation
import NightjarTestSupport
import Testing

/// What takes a machine of its own that sleeps, is booted again and loses its power. One guest at a
/// time: two would take the processor from each other, and what a test says about a second would no
/// longer be true.
@Suite(.blocking, .serialized, .enabled(if: Guest.isWanted))
enum GuestTests {}

extension Guest {
  /// The guest of the suite that runs.
  @TaskLocal static var current: Guest?

  /// Whether the tests can be had here. Where CI is set they are wanted in any case, and fail for
  /// the reason they have; elsewhere one line says that they were left out.
  static let isWanted: Bool = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["NIGHTJAR_GUEST"] == nil, environment["CI"] == nil else { return true }
    print("left out, because it takes a guest in QEMU: a real suspend; run `make test-suspend`")
    return false
  }()
}

/// Boots one guest for all tests of a suite, with the daemon running as a user's service: a boot
/// takes as long as two sleeps.
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
