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

  /// Whether a blocked signal waits to be handled, sent to the process or to this thread.
  public static func isPending(_ signal: Int32) -> Bool {
    var set = sigset_t()
    sigemptyset(&set)
    sigpending(&set)
    return sigismember(&set, signal) == 1
  }

  /// Stops the whole process as Ctrl-Z would have, and returns once it is continued.
  ///
  /// raise(3) sends SIGSTOP to this thread: sent to the process, another thread might take it, and
  /// this one would run on for a while. It discards a SIGCONT that is pending; ask `isPending`
  /// first.
  public static func stopSelf() {
    raise(SIGSTOP)
  }

  /// Lets a write to a client that has gone fail with EPIPE, in place of killing the process. A
  /// program that is started by this one inherits it.
  public static func ignorePipe() {
    signal(SIGPIPE, SIG_IGN)
  }
}
