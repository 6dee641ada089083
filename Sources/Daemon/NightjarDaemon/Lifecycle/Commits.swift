internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarStore
internal import NightjarSystem

/// Handles the results of the commit thread: passes them to the core, tries again after a failure,
/// and calls the handlers that wait for a commit.
final class Commits {
  /// The time from a failed commit to the next attempt, in microseconds.
  static let retryUsec: Int64 = 1_000_000
  /// How long a stop, a sleep or the report of a ring waits for the disk, in microseconds. After
  /// that time the process stops, the machine sleeps, or clients get the ring although it is not on
  /// disk.
  static let timeoutUsec: Int64 = 3_000_000

  /// Whether the timers could not be read back after a failed commit. The daemon then exits at the
  /// end of this iteration.
  private(set) var isLost = false
  /// The last loss of stored data that the daemon found; nil: it found none.
  private(set) var loss: StorageLoss?

  private struct Waiter {
    var commit: Int64
    var untilUsec: Int64
    var body: (_ durable: Bool) -> Void
  }

  /// Why the daemon could not check at its start whether data is missing; nil if it did check.
  var warning: String? { thread.warning }

  private let loop: EventLoop
  private let core: TimerCore
  private let reader: LedgerReader
  private let warn: (StorageLoss) -> Void
  private let thread: CommitThread
  private let clock: LoopClock
  private var waiters: [Waiter] = []
  private var retryAtUsec: Int64?
  private var publishAtUsec: Int64?
  private var source: Source?
  private var timer: TimerSource?

  /// - Parameters:
  ///   - loss: the data that the daemon found missing at its start.
  ///   - warn: called with the loss when a new database has replaced a damaged one.
  init(
    loop: EventLoop, core: TimerCore, thread: CommitThread, reader: LedgerReader,
    clock: LoopClock, loss: StorageLoss?, warn: @escaping (StorageLoss) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.core = core
    self.reader = reader
    self.loss = loss
    self.warn = warn
    self.thread = thread
    self.clock = clock
    source = try loop.watchReadable(thread.descriptor) { [unowned self] in collect() }
    timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
  }

  /// Calls `body` with true when all changes that were made before this call are on disk. If they
  /// are not on disk after `timeoutUsec`, calls `body` with false.
  func whenDurable(_ body: @escaping (_ durable: Bool) -> Void) {
    guard core.journal.hasUnfinished else { return body(true) }
    waiters.append(
      Waiter(
        commit: core.journal.latestCommit, untilUsec: clock.now.monotonicUsec + Self.timeoutUsec,
        body: body))
    arm()
  }

  /// Makes the next commit write a new database from memory, because the present database is
  /// damaged.
  func replaceDatabase(_ error: StoreError) {
    guard !core.journal.needsFullCommit, !core.journal.isWritingFullCommit else { return }
    thread.markLost(error)
    core.journal.requireFullCommit()
  }

  private func collect() {
    guard let outcome = thread.takeOutcome() else { return }
    for notice in thread.takeNotices() { Log.write(.warning, notice) }
    do {
      switch outcome {
      case .durable: try succeeded()
      case .durableAnew(let loss):
        // Replies that wait for this commit may have to read from the new database.
        try reader.reopen()
        self.loss = loss
        Log.write(loss)
        warn(loss)
        try succeeded()
      case .failed(let error):
        if core.journal.failure == nil {
          Log.write(.error, "\(error); trying again every second", [("NIGHTJAR_STORE", "failed")])
          publishAtUsec = clock.now.monotonicUsec + Self.timeoutUsec
        }
        try core.commitFinished(error, at: clock.now)
        retryAtUsec = clock.now.monotonicUsec + Self.retryUsec
      }
    } catch {
      Log.write(.error, "the timers on disk could not be read: \(error)")
      isLost = true
      return loop.exit(1)
    }
    notifyWaiters()
    arm()
  }

  private func succeeded() throws(StoreError) {
    if core.journal.failure != nil { Log.write(.notice, "the database can be written again") }
    try core.commitFinished(nil, at: clock.now)
    (retryAtUsec, publishAtUsec) = (nil, nil)
  }

  private func timePassed() {
    let now = clock.now.monotonicUsec
    if let at = retryAtUsec, at <= now {
      retryAtUsec = nil
      core.journal.retry(at: clock.now)
    }
    if let at = publishAtUsec, at <= now {
      core.journal.publishUndurable(at: clock.now)
      // These events have waited `timeoutUsec` for the disk, and clients have them now. While
      // commits fail, clients get each later event within `retryUsec`.
      publishAtUsec = core.journal.failure == nil ? nil : now + Self.retryUsec
    }
    notifyWaiters()
    arm()
  }

  private func notifyWaiters() {
    let durable = core.journal.durableCommit
    let now = clock.now.monotonicUsec
    let done = waiters.filter { $0.commit <= durable || $0.untilUsec <= now }
    waiters.removeAll { $0.commit <= durable || $0.untilUsec <= now }
    for waiter in done { waiter.body(waiter.commit <= durable) }
  }

  private func arm() {
    let times = waiters.map(\.untilUsec) + [retryAtUsec, publishAtUsec].compactMap { $0 }
    timer?.arm(atUsec: times.min())
  }
}

extension Log {
  /// Logs a loss of data in the database.
  static func write(_ loss: StorageLoss) {
    write(.error, loss.description, [("NIGHTJAR_STORE", "lost")])
  }
}
