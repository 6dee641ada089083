import CLinux
import Glibc

/// The signals of this process and thread.
public enum Signals {
  /// Blocks signals in the calling thread, and in threads it starts from now on. In main, before
  /// anything else does: a thread that was started earlier would still be killed by them.
  public static func block(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals {
      precondition(sigaddset(&set, signal) == 0, "not a signal's number")
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Stops the whole process as Ctrl-Z would have, and returns once it is continued; or at once, if
  /// the request for it is not pending any more, because a SIGCONT has taken it back.
  ///
  /// The request is a SIGTSTP that is blocked and has been left pending (`PendingSignal`): the
  /// kernel discards it at any SIGCONT (signal(7)), so that none comes too late.
  public static func stopSelf(requestedBy request: Int32) {
    nj_stop_unless_continued(request)
  }

  /// Lets a write to a client that has gone fail with EPIPE, in place of killing the process. A
  /// program that is started by this one inherits it.
  public static func ignorePipe() {
    signal(SIGPIPE, SIG_IGN)
  }
}

/// A blocked signal that the loop sees and leaves pending, for the kernel to discard it where
/// another signal takes it back.
public final class PendingSignal {
  private let descriptor: Descriptor
  private var source: Source?

  /// Whether its handler is called, in each pass that finds the signal pending: a handler must
  /// switch this off, or the loop never waits again.
  public var isWatched = true {
    didSet { source?.isEnabled = isWatched }
  }

  /// - Parameter priority: lower numbers run first. Among equal priorities, the source that has waited
  ///   longest runs first.
  public init(
    _ signal: Int32, on loop: EventLoop, priority: Int64, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    Signals.block([signal])
    descriptor = Descriptor(owning: try checked(nj_signalfd(signal), "signalfd"))
    source = try loop.watchReadable(descriptor.raw, priority: priority, handler)
  }

  deinit { source?.cancel() }
}
