internal import Glibc

/// Output for people: progress on standard error, results on standard output.
enum Terminal {
  /// Writes one line to standard error. On a terminal, it replaces the line before.
  static func say(_ sentence: String) {
    let isTerminal = isatty(2) == 1
    let line = Array((isTerminal ? "\r\u{1B}[K\(sentence) …" : "\(sentence)\n").utf8)
    _ = write(2, line, line.count)
  }

  /// Writes one line to standard error, which later lines do not replace.
  static func report(_ sentence: String) {
    clear()
    let line = Array("nightjar-bench: \(sentence)\n".utf8)
    _ = write(2, line, line.count)
  }

  /// Writes lines to standard output.
  static func print(_ lines: [String]) {
    clear()
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }

  /// Removes the line that `say` wrote, if standard error is a terminal.
  private static func clear() {
    if isatty(2) == 1 { _ = write(2, "\r\u{1B}[K", 4) }
  }
}

/// Writes a sentence to standard error, and ends the program with status 1.
func fail(_ sentence: String) -> Never {
  Terminal.report(sentence)
  exit(1)
}
