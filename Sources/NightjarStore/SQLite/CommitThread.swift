internal import CLinux
internal import Glibc
public import NightjarLedger
internal import Synchronization

/// The one thread beside the loop's: it takes commits and makes them durable, one at a time.
///
/// The loop learns of the end by `descriptor`, an eventfd that becomes readable.
public final class CommitThread: Committer {
  /// Readable when a result is there.
  public let descriptor: Int32

  /// What was found to be missing when the database was opened; nil if nothing is.
  public let loss: StorageLoss?

  /// Why nobody can know whether something was missing, in a sentence; nil: that is known.
  public let warning: String?

  private let shared: Shared
  private var thread: pthread_t?

  /// Opens the database, makes the tables if it is new, and starts the thread.
  ///
  /// - Parameter stamp: CLOCK_REALTIME in seconds, for the names of files that are kept.
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

  /// Ends the thread, after the commit that it is writing, and closes the database: the end of a run
  /// that ends as it should.
  ///
  /// - Returns: what went wrong, in sentences.
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
    // The files stay as they are: something may be wrong with them.
    end(.abrupt)
    Glibc.close(shared.work)
    Glibc.close(shared.done)
  }

  /// Keeps the ledger for another time from the next commit on. What is too old by then goes little by
  /// little, between commits.
  public func keep(_ retention: Retention) {
    shared.state.withLock { $0.retention = retention }
  }

  /// Nothing more is written to this database, for `error`: a commit that has everything makes another.
  public func lose(_ error: StoreError) {
    shared.state.withLock { $0.lost = error }
  }

  /// Begins with `commit`; the one before has been finished.
  public func submit(_ commit: Commit) {
    shared.state.withLock { state in
      precondition(state.commit == nil)
      state.commit = commit
    }
    shared.signal(shared.work)
  }

  /// The result of the commit, once it is there.
  public enum Outcome: Sendable {
    case durable
    /// It is on disk in a new database, since the one before was lost: who reads has to reopen it.
    case durableAnew(StorageLoss)
    case failed(StoreError)
  }

  /// Takes what went wrong and was survived, in sentences.
  public func takeNotices() -> [String] {
    shared.state.withLock { state in
      defer { state.notices = [] }
      return state.notices
    }
  }

  /// Takes the result, if there is one.
  public func takeOutcome() -> Outcome? {
    // That nothing was signalled means that there is none; the outcome says so as well.
    _ = nj_eventfd_drain(shared.done)
    return shared.state.withLock { state in
      defer { state.outcome = nil }
      return state.outcome
    }
  }
}

/// What the two threads share. The writer is touched by the commit thread only, once it runs.
private final class Shared: @unchecked Sendable {
  struct State {
    var commit: Commit?
    var outcome: CommitThread.Outcome?
    /// One that the writer has not been told of yet.
    var retention: Retention?
    /// Why the writer is to write nothing more to the database that it has.
    var lost: StoreError?
    var closing: Closing?
    var notices: [String] = []
  }

  enum Closing {
    /// Everything is to be in the database, and the log empty.
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
    // It takes 2^64 - 2 of these before one could fail.
    _ = nj_eventfd_signal(descriptor)
  }

  func run() {
    while true {
      // With something left to prune it does not wait, but commits come first.
      let patience: Int32 = writer?.isBehind == true ? 0 : -1
      var readable = pollfd(fd: work, events: Int16(POLLIN), revents: 0)
      let count = poll(&readable, 1, patience)
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
    // Its locks end with the reading of the file.
    self.writer = nil
    do throws(StoreError) { try witness?.seal(path) } catch {
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
    if let lost { writer.lose(lost) }
    if let retention { writer.keep(retention) }
    do throws(StoreError) {
      do throws(StoreError) {
        try writer.write(commit)
        return .durable
      } catch {
        guard commit.isWhole, writer.loss != nil else { throw error }
      }
      let (renewed, loss) = try writer.renewed(with: commit)
      self.writer = renewed
      return .durableAnew(loss)
    } catch {
      return .failed(error)
    }
  }
}

/// A free function: a closure or a static method cannot be a C function pointer here.
private func commitThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Shared>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
