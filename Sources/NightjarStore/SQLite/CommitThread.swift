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

  private let shared: Shared
  private var thread: pthread_t?

  /// Opens the database, makes the tables if it is new, and starts the thread.
  public init(folder: StateFolder, retention: Retention = Retention()) throws(StoreError) {
    let writer = try LedgerWriter(folder: folder, retention: retention)
    try writer.growLog()
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

  /// Ends the thread, after the commit that it is writing, and closes the database.
  public func close() {
    guard let thread else { return }
    self.thread = nil
    shared.state.withLock { $0.isClosing = true }
    shared.signal(shared.work)
    pthread_join(thread, nil)
  }

  deinit {
    close()
    Glibc.close(shared.work)
    Glibc.close(shared.done)
  }

  /// Keeps the ledger for another time from the next commit on. What is too old by then goes little by
  /// little, between commits.
  public func keep(_ retention: Retention) {
    shared.state.withLock { $0.retention = retention }
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
    case failed(StoreError)
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
    var isClosing = false
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
      let (commit, isClosing) = state.withLock { ($0.commit, $0.isClosing) }
      if let commit {
        let outcome = perform(commit)
        state.withLock { state in
          state.commit = nil
          state.outcome = outcome
        }
        signal(done)
      } else if !isClosing {
        writer?.prune()
      }
      if isClosing {
        writer = nil
        return
      }
    }
  }

  private func perform(_ commit: Commit) -> CommitThread.Outcome {
    let retention = state.withLock { state in
      defer { state.retention = nil }
      return state.retention
    }
    if let retention { writer?.keep(retention) }
    do {
      try writer?.write(commit)
      return .durable
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
