import Glibc
import NightjarClient
import NightjarTime
import Varlink

/// The output of the command. It has no buffer: each line has been written to the descriptor when
/// the call returns.
package enum Output {
  static let linesAtOnce = 1_000

  /// Opens /dev/null for each standard descriptor that is closed. Otherwise a socket could get the
  /// number of that descriptor, and the output would be written to the socket. The output
  /// descriptors are opened for reading only, so that a write fails, and the program reports that
  /// the result is lost.
  static func openStandardDescriptors() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes a line for people to standard output. The text passes `VisibleText.visible`, because
  /// names and messages may contain control characters.
  package static func line(_ text: String) { lines([text]) }

  /// Writes lines for people to standard output, in one write. Tabs separate the fields of a line.
  static func lines(_ texts: [String]) {
    ready(texts.map { VisibleText.visible($0, keepsTabs: true) })
  }

  /// Writes a line to standard output without escaping it.
  package static func ready(_ text: String) { ready([text]) }

  /// Writes lines to standard output without escaping them. The lines are for programs, or they
  /// were escaped before they got styles.
  package static func ready(_ texts: [String]) {
    guard !texts.isEmpty else { return }
    write(texts.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
  }

  /// Writes text to standard output without escaping it.
  static func text(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// Prints a message on standard error, because the message is not the command's result.
  ///
  /// - Parameter reference: a second line, which refers to a manual page.
  package static func complain(_ sentence: String, reference: String? = nil) {
    // The message overwrites the line of `wait`, which `wait` draws again later.
    if WaitLine.isDrawn { text(WaitLine.eraseSequence) }
    WaitLine.isDrawn = false
    let sentence = sentence.isEmpty ? "" : "nightjar: \(VisibleText.visible(sentence))\n"
    write(sentence + (reference.map { "\($0)\n" } ?? ""), to: STDERR_FILENO)
  }

  /// Asks the user a question on the terminal. The result is true only if the answer is yes.
  static func confirm(_ question: String) -> Bool {
    write("nightjar: \(VisibleText.visible(question)) [y/N] ", to: STDERR_FILENO)
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Asks the user to choose one of several options. The result is the index of the option; nil if
  /// the user chooses none.
  static func choose(_ question: String, _ options: [String]) -> Int? {
    let lines = options.enumerated().map { "  \($0 + 1)  \(VisibleText.visible($1))\n" }
    write(
      "nightjar: \(VisibleText.visible(question))\n\(lines.joined())nightjar: number? ",
      to: STDERR_FILENO)
    guard let number = readLine().flatMap({ Int($0) }), options.indices.contains(number - 1) else {
      return nil
    }
    return number - 1
  }

  /// Writes text for a question to standard error, without escaping it.
  static func prompt(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes a result into a file, in place of what the file had.
  static func save(_ text: String, to path: String) throws(CommandError) {
    let file = fopen(path, "we")
    let isWritten = file.map { fputs(text, $0) >= 0 } ?? false
    guard let file, fclose(file) == 0, isWritten else {
      throw CommandError(.refused, "cannot write '\(path)': \(SystemError.words(errno))")
    }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    let failure = text.withUTF8 { bytes -> Int32 in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(
          descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
        if count >= 0 { written += count } else if errno != EINTR { return errno }
      }
      return 0
    }
    // If writing to standard error fails, the failure cannot be reported. If the result is lost, it
    // must be reported.
    guard failure != 0, descriptor == STDOUT_FILENO else { return }
    write("nightjar: cannot write the result: \(SystemError.words(failure))\n", to: STDERR_FILENO)
    exit(ExitStatus.refused.rawValue)
  }
}
