import Glibc
import NightjarClient
import NightjarTime
import NightjarVarlink

/// The command's output. It is written directly to the descriptor, without a buffer: a line is out
/// when the call returns.
package enum Output {
  /// The number of lines in one write.
  static let linesAtOnce = 1_000

  /// Opens /dev/null for standard descriptors that are closed. Otherwise a socket could get their
  /// numbers, and receive the output. Output is opened for reading only, on purpose: then writes
  /// fail, and a lost result is reported.
  static func keepStandardDescriptors() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes a line for people to standard output. Names and texts may contain control characters,
  /// so they pass `VisibleText.visible`.
  package static func line(_ text: String) { lines([text]) }

  /// Writes lines for people to standard output, in one write; tabs separate their fields.
  static func lines(_ texts: [String]) {
    ready(texts.map { VisibleText.visible($0, keepsTabs: true) })
  }

  /// Writes a line to standard output without escaping it.
  package static func ready(_ text: String) { ready([text]) }

  /// Writes lines to standard output without escaping them: lines for programs, and lines that were
  /// escaped before they got styles.
  package static func ready(_ texts: [String]) {
    guard !texts.isEmpty else { return }
    write(texts.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
  }

  /// Writes text to standard output without escaping it.
  static func text(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// Prints a message on standard error: it is not the command's result.
  ///
  /// - Parameter reference: a line after the message, which refers to more information.
  package static func complain(_ sentence: String, reference: String? = nil) {
    // The message takes the place of the line of `wait`, which is drawn again later.
    if WaitLine.isDrawn { text(WaitLine.eraseSequence) }
    WaitLine.isDrawn = false
    let sentence = sentence.isEmpty ? "" : "nightjar: \(VisibleText.visible(sentence))\n"
    write(sentence + (reference.map { "\($0)\n" } ?? ""), to: STDERR_FILENO)
  }

  /// Asks on the terminal; any answer but yes means no.
  static func asks(_ question: String) -> Bool {
    write("nightjar: \(VisibleText.visible(question)) [y/N] ", to: STDERR_FILENO)
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Asks the user to choose one of several; nil: none was chosen.
  static func chooses(_ question: String, _ options: [String]) -> Int? {
    let lines = options.enumerated().map { "  \($0 + 1)  \(VisibleText.visible($1))\n" }
    write(
      "nightjar: \(VisibleText.visible(question))\n\(lines.joined())nightjar: number? ",
      to: STDERR_FILENO)
    guard let number = readLine().flatMap({ Int($0) }), options.indices.contains(number - 1) else {
      return nil
    }
    return number - 1
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
    // If standard error fails, there is no other place for a message. A lost result must be
    // reported.
    guard failure != 0, descriptor == STDOUT_FILENO else { return }
    write("nightjar: cannot write the result: \(SystemError.words(failure))\n", to: STDERR_FILENO)
    exit(ExitStatus.refused.rawValue)
  }
}
