import Foundation

// The standard library that is linked statically comes without it, and what is built with that has no tests.
#if canImport(Testing)
  import Testing
#endif

/// The threads that run tests which block: those that wait for a process, a file or a lock, or compute for
/// seconds.
///
/// Swift's own pool has a thread for each processor. Tests that block it keep everything waiting that awaits,
/// in other tests and in the code that they test. So a suite whose tests block says `@Suite(.blocking)`, and
/// its tests run here. A thread is added whenever all have something to do, far more often than tests have turns.
package final class BlockingThreads: TaskExecutor, @unchecked Sendable {
  package static let shared = BlockingThreads()

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var (idle, count) = (0, 0)

  /// A test that calls a thousand times at once awaits, and needs no thousand threads.
  private static let most = 64

  private init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      if jobs.count <= idle || count == Self.most {
        condition.signal()
      } else {
        count += 1
        Thread.detachNewThread { self.run() }
      }
    }
  }

  private func run() {
    while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob {
    condition.withLock {
      while jobs.isEmpty {
        idle += 1
        condition.wait()
        idle -= 1
      }
      return jobs.removeFirst()
    }
  }

  /// For what blocks: fails in a test that would hold a thread of Swift's own pool.
  package static func expectBlockable() throws {
    #if canImport(Testing)
      guard Test.Case.current != nil else { return }
      let isPool = withUnsafeCurrentTask { $0.map { $0.unownedTaskExecutor == nil } ?? false }
      if isPool {
        throw Unmet(description: "this test blocks its thread, so its suite has to say .blocking")
      }
    #endif
  }
}
