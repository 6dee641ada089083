internal import CLinux
internal import Glibc
internal import Synchronization
internal import Varlink

/// The thread that serves clients. It waits for clients in poll(2), and uses the desk only when no
/// other thread does.
final class ServingThread: Sendable {
  private let shared: Shared
  private let thread: pthread_t

  /// Starts the thread.
  init(_ desk: sending Desk) throws(TestDaemonError) {
    let wakeUp = nj_eventfd()
    guard wakeUp >= 0 else { throw .system("eventfd", code: -wakeUp) }
    shared = Shared(desk, wakeUp: wakeUp)
    // The thread inherits the signal mask. All signals are blocked, because the thread must not
    // handle the signals of the process.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil, servingThreadMain, Unmanaged.passRetained(shared).toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      shared.desk.withLock { $0.end() }
      throw .system("pthread_create", code: code)
    }
    self.thread = thread
  }

  /// Runs `body` with exclusive access to the desk. After that, the thread computes again for which
  /// descriptors it waits.
  func withDesk<Outcome: Sendable, Failure>(
    _ body: @Sendable (Desk) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    defer { shared.wake() }
    return try shared.desk.withLock { (desk) throws(Failure) in try body(desk) }
  }

  /// Ends the thread, and waits until it has ended.
  func end() {
    shared.desk.withLock { $0.end() }
    shared.wake()
    pthread_join(thread, nil)
  }
}

/// The state that the threads share.
private final class Shared: Sendable {
  let desk: Mutex<Desk>
  private let wakeUp: Int32

  init(_ desk: sending Desk, wakeUp: Int32) {
    self.desk = Mutex(desk)
    self.wakeUp = wakeUp
  }

  deinit { close(wakeUp) }

  /// Ends the thread's wait, so that it computes again for which descriptors it waits.
  func wake() {
    // The signal fails only after 2^64 - 2 signals that were not read.
    _ = nj_eventfd_signal(wakeUp)
  }

  func run() {
    while let interests = desk.withLock({ $0.interests() }) {
      let found = wait(for: interests)
      desk.withLock { $0.serve(found) }
    }
  }

  /// Waits, and returns the events that poll(2) finds; none if only `wake` was called. Before an
  /// event is handled, its connection may be closed and its descriptor used for another. So the
  /// desk finds the connection by its number.
  private func wait(for interests: [Desk.Interest]) -> [Desk.Interest] {
    let found = Poll.wait(
      for: [(wakeUp, .readable)] + interests.map { ($0.descriptor, $0.readiness) })
    if !found[0].isEmpty { _ = nj_eventfd_drain(wakeUp) }
    return zip(interests, found.dropFirst()).map { interest, found in
      Desk.Interest(number: interest.number, descriptor: interest.descriptor, readiness: found)
    }
  }
}

/// A free function, because a C function pointer cannot be a closure or a static method here.
private func servingThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Shared>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
