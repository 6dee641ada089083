import Glibc

/// Signals as bytes that can be polled for.
struct ScreenSignals {
  /// What to poll.
  let descriptor: Int32

  /// Those that a screen has to do with.
  private static let handled = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
  /// Where the handlers write; they can be given nothing of their own.
  private nonisolated(unsafe) static var writing: Int32 = -1
  /// The terminal is being written to, which may take for ever: then who is to end ends at once, and the
  /// guard leaves the terminal as it was.
  nonisolated(unsafe) static var isDrawing = false

  /// - Throws: `CommandError` if this process or the system has no descriptors left.
  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw CommandError(
        .refused, "the screen cannot be told of signals: \(SystemError.words(errno))")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    descriptor = ends[0]
    Self.writing = ends[1]
    for number in Self.handled { catchSignal(number) }
  }

  private func catchSignal(_ number: Int32) {
    signal(number) { number in
      // What is interrupted may be about to look at its errno.
      let code = errno
      if ScreenSignals.isDrawing, [SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains(number) {
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
      var byte = UInt8(number)
      write(ScreenSignals.writing, &byte, 1)
      errno = code
    }
  }

  /// Those that came since this was asked last.
  func received() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map(Int32.init)
  }

  /// Does to this process what a signal would do that nobody handles; returns if that was to stop it.
  func raiseAsUsual(_ number: Int32) {
    signal(number, SIG_DFL)
    raise(number)
    catchSignal(number)
  }
}
