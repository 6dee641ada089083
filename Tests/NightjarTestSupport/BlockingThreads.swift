import Foundation

// The statically linked standard library has no TaskExecutor, and its programs have no tests.
#if canImport(Testing)
  import Testing
#endif

/// Threads for tests that block, because they wait for a process, a file or a lock, or compute for
/// seconds.
///
/// Swift's own pool has one thread for each processor. A test that blocks such a thread delays all
/// tasks that await, in other tests and in the tested code. So a suite whose tests block has the
/// trait `@Suite(.blocking)`, and its tests run on the threads of this type. A thread is added when
/// all threads are busy, so there may be many more threads than turns.
package final class BlockingThreads: TaskExecutor, @unchecked Sendable {
  package static let shared = BlockingThreads()

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var (idle, count) = (0, 0)

  /// The largest number of threads. A test that makes a thousand calls at once does not need a
  /// thousand threads, because it awaits the calls.
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

  /// Throws an error if the test runs on a thread of Swift's own pool, which it must not block.
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
