// The statically linked standard library has no Testing module, and its programs have no tests.
#if canImport(Testing)
  import Foundation
  import Synchronization
  package import Testing

  /// Runs the tests of a suite on threads that the tests may block. Only a few tests run at a time.
  package struct Blocking: SuiteTrait, TestTrait, TestScoping {
    /// The limit for the number of tests that run at a time; nil: none.
    fileprivate let turns: Turns?
    package let isRecursive = true

    /// Whether the trait has already been applied to this test. A suite and a nested suite may both
    /// have the trait.
    @TaskLocal private static var isApplied = false

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
      testCase == nil ? nil : self
    }

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      if Self.isApplied { return try await function() }
      // Everything runs on these threads, because Swift's pool may take long to resume a task, and
      // the task would keep its turn during that time.
      try await withTaskExecutorPreference(BlockingThreads.shared) {
        await turns?.take()
        defer { turns?.giveBack() }
        let begunUsec = Now.boottimeUsec
        defer { Self.report(test, usec: Now.boottimeUsec - begunUsec) }
        try await Self.$isApplied.withValue(true) { try await function() }
      }
    }

    /// Prints how long a slow test took. The durations that Testing prints include the wait for a
    /// turn.
    private static func report(_ test: Test, usec: Int64) {
      guard usec > 5 * second else { return }
      print("\(usec / second) s: \(test.displayName ?? test.name)")
    }
  }

  extension Trait where Self == Blocking {
    /// The trait for suites whose tests block their thread, because they wait for processes, files
    /// or locks, or compute for seconds.
    package static var blocking: Self { Blocking(turns: .shared) }

    /// The trait for the suites that take longest. They begin at once, without waiting for a turn,
    /// so that they do not go on alone in the end.
    package static var long: Self { Blocking(turns: nil) }

    /// The trait for suites such as those of `long` whose tests start many processes. Only four of
    /// these tests run at a time.
    package static var longInFours: Self { Blocking(turns: .fours) }
  }

  extension Trait where Self == ConditionTrait {
    /// The trait for suites that measure time. `make test` runs their tests one at a time, and no
    /// others at the same time; the Makefile names them in TIMED. Plain `swift test` skips them.
    package static var timed: Self {
      .enabled(
        if: ProcessInfo.processInfo.environment["NIGHTJAR_TIMED"] != nil,
        "measures time, so it needs the machine for itself: run `make test-timed`")
    }
  }

  private final class Turns: Sendable {
    // There are more turns than processors, because most of these tests wait, and only some compute
    // for minutes.
    static let shared = Turns(4 * max(2, ProcessInfo.processInfo.activeProcessorCount))
    static let fours = Turns(4)

    private struct State {
      var free: Int
      var queue: ArraySlice<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    private init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.free == 0 {
            state.queue.append(continuation)
            return false
          }
          state.free -= 1
          return true
        }
        if isFree { continuation.resume() }
      }
    }

    /// Returns a turn. If tests wait for a turn, the next one gets it.
    func giveBack() {
      let next = state.withLock { state in
        let next = state.queue.popFirst()
        if next == nil { state.free += 1 }
        return next
      }
      next?.resume()
    }
  }
#endif
