internal import CLinux
internal import Glibc
public import NightjarLedger
internal import Synchronization

/// The only thread beside the thread of the loop. It makes commits durable, one at a time.
///
/// It signals the end of a commit to the loop by `descriptor`, an eventfd.
public final class CommitThread: Committer {
  /// An eventfd that is readable when a commit has a result.
  public let descriptor: Int32

  /// The data that was missing when the database was opened; nil if no data was missing.
  public let loss: StorageLoss?

  /// A sentence that says why the daemon could not check for missing data; nil if it checked.
  public let warning: String?

  private let shared: Shared
  private var thread: pthread_t?

  /// Opens the database, creates the tables if it is new, and starts the thread.
  ///
  /// - Parameter stamp: CLOCK_REALTIME in seconds. A damaged database is kept under a name with
  ///   this time.
  public init(
    folder: StateFolder, retention: Retention = Retention(), stamp: Int64 = 0
  ) throws(StoreError) {
    let opened = try OpenedLedger(folder, retention: retention, stamp: stamp)
    let writer = opened.writer
    try writer.begin()
    (loss, warning) = (opened.loss, opened.warning)
    if let lost = opened.lost { try writer.note(lost: lost, atUsec: stamp * 1_000_000) }
    let wakeUps = (nj_eventfd(), nj_eventfd())
    guard wakeUps.0 >= 0, wakeUps.1 >= 0 else {
      throw .folder(folder.path, String(cString: strerror(-min(wakeUps.0, wakeUps.1))))
    }
    shared = Shared(writer: writer, work: wakeUps.0, done: wakeUps.1)
    descriptor = wakeUps.1
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil, commitThreadMain, Unmanaged.passRetained(shared).toOpaque())
    guard code == 0 else { throw .folder(folder.path, String(cString: strerror(code))) }
    self.thread = thread
  }

  /// Ends the thread after the commit that it is writing, and closes the database cleanly.
  ///
  /// - Returns: the problems since the last call of `takeNotices()`, in sentences.
  @discardableResult
  public func close() -> [String] {
    end(.clean)
    return takeNotices()
  }

  private func end(_ closing: Shared.Closing) {
    guard let thread else { return }
    self.thread = nil
    shared.state.withLock { $0.closing = closing }
    shared.signal(shared.work)
    pthread_join(thread, nil)
  }

  deinit {
    // The files stay as they are, because they may be damaged.
    end(.abrupt)
    Glibc.close(shared.work)
    Glibc.close(shared.done)
  }

  /// Sets how long the ledger is kept, from the next commit on. Rows that are too old by then are
  /// deleted in small steps between commits.
  public func setRetention(_ retention: Retention) {
    shared.state.withLock { $0.retention = retention }
  }

  /// Stops writing to this database because of `error`. The next commit that has all timers
  /// (`isFull`) creates a new database.
  public func markLost(_ error: StoreError) {
    shared.state.withLock { $0.lost = error }
  }

  /// Begins a commit. The commit before must have ended.
  public func submit(_ commit: Commit) {
    shared.state.withLock { state in
      precondition(state.commit == nil)
      state.commit = commit
    }
    shared.signal(shared.work)
  }

  /// The result of a commit.
  public enum Outcome: Sendable {
    case durable
    /// The commit is on disk in a new database, because the database before was lost. Readers have
    /// to reopen it.
    case durableAnew(StorageLoss)
    case failed(StoreError)
  }

  /// Returns the problems after which the thread could continue, in sentences, since the last call.
  public func takeNotices() -> [String] {
    shared.state.withLock { state in
      defer { state.notices = [] }
      return state.notices
    }
  }

  /// Returns the result, if there is one.
  public func takeOutcome() -> Outcome? {
    // The result is not checked: an error means that nothing was signalled, and then `outcome` is
    // nil anyway.
    _ = nj_eventfd_drain(shared.done)
    return shared.state.withLock { state in
      defer { state.outcome = nil }
      return state.outcome
    }
  }
}

/// The state that the two threads share. After the start of the commit thread, only that thread
/// uses the writer.
private final class Shared: @unchecked Sendable {
  struct State {
    var commit: Commit?
    var outcome: CommitThread.Outcome?
    /// A changed retention that the writer has not been given yet.
    var retention: Retention?
    /// Why the writer must not write to its database any more.
    var lost: StoreError?
    var closing: Closing?
    var notices: [String] = []
  }

  enum Closing {
    /// Copies the whole log into the database and empties the log.
    case clean
    case abrupt
  }

  let state = Mutex(State())
  let work: Int32
  let done: Int32
  private var writer: LedgerWriter?

  init(writer: LedgerWriter, work: Int32, done: Int32) {
    self.writer = writer
    self.work = work
    self.done = done
  }

  func signal(_ descriptor: Int32) {
    // This call fails only after 2^64 - 2 signals.
    _ = nj_eventfd_signal(descriptor)
  }

  func run() {
    while true {
      // While there are rows to prune, the thread does not wait for a commit. A commit comes before
      // the pruning.
      let timeout: Int32 = writer?.isBehind == true ? 0 : -1
      var readable = pollfd(fd: work, events: Int16(POLLIN), revents: 0)
      let count = poll(&readable, 1, timeout)
      guard count >= 0 || errno == EINTR else { return }
      if count > 0 { _ = nj_eventfd_drain(work) }
      let (commit, closing) = state.withLock { ($0.commit, $0.closing) }
      if let commit {
        let outcome = perform(commit)
        let notices = writer?.takeNotices() ?? []
        state.withLock { state in
          state.commit = nil
          state.outcome = outcome
          if !notices.isEmpty { state.notices += notices }
        }
        signal(done)
      } else if closing == nil {
        writer?.prune()
      }
      if let closing {
        end(closing)
        return
      }
    }
  }

  private func end(_ closing: Closing) {
    guard let writer else { return }
    let path = writer.folder.databasePath
    let witness = closing == .clean ? writer.finish() : nil
    var notices = writer.takeNotices()
    // `addChecksum` opens, reads and closes the file. Closing a descriptor of a file ends the
    // process's POSIX locks on it, including those of SQLite. So the writer is closed first.
    self.writer = nil
    do throws(StoreError) { try witness?.addChecksum(of: path) } catch {
      notices.append("the ledger's witness could not be written: \(error)")
    }
    state.withLock { $0.notices += notices }
  }

  private func perform(_ commit: Commit) -> CommitThread.Outcome {
    let (retention, lost) = state.withLock { state in
      defer { (state.retention, state.lost) = (nil, nil) }
      return (state.retention, state.lost)
    }
    guard let writer else { return .failed(.damaged("it was closed")) }
    if let lost { writer.markLost(lost) }
    if let retention { writer.setRetention(retention) }
    do throws(StoreError) {
      do throws(StoreError) {
        try writer.write(commit)
        return .durable
      } catch {
        guard commit.isFull, writer.loss != nil else { throw error }
      }
      let (renewed, loss) = try writer.renewed(with: commit)
      self.writer = renewed
      return .durableAnew(loss)
    } catch {
      return .failed(error)
    }
  }
}

/// A free function, because a C function pointer cannot be a closure or a static method here.
private func commitThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Shared>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
