import Glibc

/// Converts signals to bytes on a pipe, so that a loop can poll for them.
struct ScreenSignals {
  /// The descriptor that becomes readable when a signal arrives.
  let descriptor: Int32

  private static let handled = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
  /// The descriptor to which the handlers write. A handler takes no argument, so this is global.
  private nonisolated(unsafe) static var writing: Int32 = -1
  /// Whether the process is writing to the terminal. The terminal may block forever, so a signal
  /// then ends the process at once, and the guard restores the terminal.
  nonisolated(unsafe) static var isDrawing = false

  /// - Throws: `CommandError` if the process or the system has reached its limit of descriptors.
  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw CommandError(
        .refused, "the screen cannot receive signals: \(SystemError.words(errno))")
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
      // errno must not change, because the code that the signal interrupts may be about to read it.
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

  /// The signals that arrived since the last call.
  func received() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map(Int32.init)
  }

  /// Applies the default action of a signal. This returns only if that action stopped the process,
  /// and the process was continued.
  func raiseAsUsual(_ number: Int32) {
    signal(number, SIG_DFL)
    raise(number)
    catchSignal(number)
  }
}
