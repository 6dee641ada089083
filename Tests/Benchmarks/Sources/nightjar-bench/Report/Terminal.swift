internal import Glibc

/// What is said while something is being measured.
enum Terminal {
  /// One line on standard error, in the place of the one before where that is a terminal.
  static func say(_ sentence: String) {
    let isTerminal = isatty(2) == 1
    let line = Array((isTerminal ? "\r\u{1B}[K\(sentence) …" : "\(sentence)\n").utf8)
    _ = write(2, line, line.count)
  }

  /// One line on standard error that stays.
  static func report(_ sentence: String) {
    let line = Array("nightjar-bench: \(sentence)\n".utf8)
    _ = write(2, line, line.count)
  }

  /// The line is not needed any more.
  static func clear() {
    guard isatty(2) == 1 else { return }
    _ = write(2, "\r\u{1B}[K", 4)
  }

  /// Lines on standard output.
  static func print(_ lines: [String]) {
    clear()
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
