import CLinux
import Glibc

/// The signals that this process and its threads block, and stopping the process.
public enum Signals {
  /// Blocks signals in the calling thread, and in all threads that it starts later. Call this in
  /// main before any thread is started. A thread that was started earlier does not block the
  /// signals, so a signal could still kill the process.
  public static func block(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals {
      precondition(sigaddset(&set, signal) == 0, "not a signal's number")
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Stops the whole process as Ctrl-Z would have, and returns once it is continued. Returns at
  /// once if `request` is not pending any more, because a SIGCONT has cancelled it.
  ///
  /// `request` is SIGTSTP, which is blocked and was left pending (`PendingSignal`). The kernel
  /// discards a pending SIGTSTP at any SIGCONT (signal(7)), even at one that arrives just before
  /// the stop.
  public static func stopSelf(requestedBy request: Int32) {
    nj_stop_unless_continued(request)
  }

  /// Makes a write to a closed connection fail with EPIPE instead of killing the process. A child
  /// that `Program` starts does not inherit this setting.
  public static func ignorePipe() {
    signal(SIGPIPE, SIG_IGN)
  }
}

/// Notices a blocked signal and leaves it pending, so that the kernel can discard it when another
/// signal cancels it.
public final class PendingSignal {
  private let descriptor: Descriptor
  private var source: Source?

  /// Whether the handler is called while the signal is pending. The handler must switch this off;
  /// otherwise the loop calls it again and again without waiting.
  public var isWatched = true {
    didSet { source?.isEnabled = isWatched }
  }

  /// - Parameter priority: a source with a lower number is dispatched first. Among equal
  ///   priorities, the source that has waited longest is dispatched first.
  public init(
    _ signal: Int32, on loop: EventLoop, priority: Int64, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    Signals.block([signal])
    descriptor = Descriptor(owning: try checked(nj_signalfd(signal), "signalfd"))
    source = try loop.watchReadable(descriptor.raw, priority: priority, handler)
  }

  deinit { source?.cancel() }
}
