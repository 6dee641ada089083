import Glibc
import NightjarClient
import NightjarTime
import NightjarVarlink

/// What the command writes. Straight to the descriptors: a line is out when the call returns.
package enum Output {
  /// Of many lines so many are written at once.
  static let linesAtOnce = 1_000

  /// Has something stand at the standard descriptors that were closed, or a socket would be given their
  /// numbers, and be written to. What stands there refuses: a result that is lost is told.
  static func keepStandardDescriptors() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes a line for people to standard output. Names and texts are anybody's: `VisibleText.visible`.
  package static func line(_ text: String) { lines([text]) }

  /// Writes lines for people to standard output, all at once; tabs stand between their fields.
  static func lines(_ texts: [String]) {
    ready(texts.map { VisibleText.visible($0, keepsTabs: true) })
  }

  /// Writes a line to standard output that is ready as it is.
  package static func ready(_ text: String) { ready([text]) }

  /// Writes lines to standard output that are ready as they are: what programs read, and what was made
  /// visible before it got its styles.
  package static func ready(_ texts: [String]) {
    guard !texts.isEmpty else { return }
    write(texts.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
  }

  /// Writes text to standard output as it is.
  static func text(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// Says something that is not the command's result, on standard error.
  ///
  /// - Parameter reference: a line behind it, which says where there is more.
  package static func complain(_ sentence: String, reference: String? = nil) {
    // The line of a wait is drawn again behind this.
    if WaitLine.isDrawn { text(WaitLine.eraseSequence) }
    WaitLine.isDrawn = false
    let sentence = sentence.isEmpty ? "" : "nightjar: \(VisibleText.visible(sentence))\n"
    write(sentence + (reference.map { "\($0)\n" } ?? ""), to: STDERR_FILENO)
  }

  /// Asks on the terminal; anything but yes is no.
  static func asks(_ question: String) -> Bool {
    write("nightjar: \(VisibleText.visible(question)) [y/N] ", to: STDERR_FILENO)
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Asks on the terminal for one of several; nil if none was chosen.
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
    // Nobody can be told on a standard error that is closed; a result that is lost must be told.
    guard failure != 0, descriptor == STDOUT_FILENO else { return }
    write("nightjar: cannot write the result: \(SystemError.words(failure))\n", to: STDERR_FILENO)
    exit(ExitStatus.refused.rawValue)
  }
}
