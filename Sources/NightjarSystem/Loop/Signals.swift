import CLinux
import Glibc

/// The signals of this process and thread.
public enum Signals {
  /// Blocks signals in the calling thread, and in the threads that it starts from now on. Call it
  /// in main before starting any thread. An earlier thread would not block the signals, so they
  /// could still kill the process.
  public static func block(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals {
      precondition(sigaddset(&set, signal) == 0, "not a signal's number")
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Stops the whole process as Ctrl-Z would have, and returns once it is continued. Returns at
  /// once if the request is no longer pending, because a SIGCONT has cancelled it.
  ///
  /// The request is a SIGTSTP that is blocked and has been left pending (`PendingSignal`). The
  /// kernel discards it at any SIGCONT (signal(7)), even at one that comes just before the stop.
  public static func stopSelf(requestedBy request: Int32) {
    nj_stop_unless_continued(request)
  }

  /// Makes a write to a closed connection fail with EPIPE instead of killing the process. Programs
  /// that `Program` starts do not inherit this.
  public static func ignorePipe() {
    signal(SIGPIPE, SIG_IGN)
  }
}

/// A blocked signal that the loop notices and leaves pending, so that the kernel can discard it
/// when another signal cancels it.
public final class PendingSignal {
  private let descriptor: Descriptor
  private var source: Source?

  /// Whether the handler is called while the signal is pending. The handler must switch this off;
  /// otherwise the loop calls it again and again without waiting.
  public var isWatched = true {
    didSet { source?.isEnabled = isWatched }
  }

  /// - Parameter priority: lower numbers run first. Among equal priorities, the source that has
  ///   waited longest runs first.
  public init(
    _ signal: Int32, on loop: EventLoop, priority: Int64, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    Signals.block([signal])
    descriptor = Descriptor(owning: try checked(nj_signalfd(signal), "signalfd"))
    source = try loop.watchReadable(descriptor.raw, priority: priority, handler)
  }

  deinit { source?.cancel() }
}
