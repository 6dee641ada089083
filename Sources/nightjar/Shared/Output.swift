import Glibc
import NightjarClient
import NightjarTime
import NightjarWire

/// What the command writes. Straight to the descriptors: a line is out when the call returns.
enum Output {
  /// Has something stand at the standard descriptors that were closed, or a socket would be given their
  /// numbers, and be written to. What stands there refuses: a result that is lost is told.
  static func keepStandardDescriptors() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes a line for people to standard output. Names and texts are anybody's: `VisibleText.visible`.
  static func line(_ text: String) { lines([text]) }

  /// Writes lines for people to standard output, all at once; tabs stand between their fields.
  static func lines(_ texts: [String]) {
    ready(texts.map { VisibleText.visible($0, keepsTabs: true) })
  }

  /// Writes a line to standard output that is ready as it is.
  static func ready(_ text: String) { ready([text]) }

  /// Writes lines to standard output that are ready as they are: what programs read, and what was made
  /// visible before it got its styles.
  static func ready(_ texts: [String]) {
    guard !texts.isEmpty else { return }
    write(texts.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
  }

  /// Writes text to standard output as it is.
  static func text(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// Says something that is not the command's result, on standard error.
  static func complain(_ sentence: String) {
    write("nightjar: \(VisibleText.visible(sentence))\n", to: STDERR_FILENO)
  }

  /// Asks on the terminal; anything but yes is no.
  static func asks(_ question: String) -> Bool {
    write("nightjar: \(VisibleText.visible(question)) [y/N] ", to: STDERR_FILENO)
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
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

/// What the terminal can do, if there is one.
enum Terminal {
  /// Standard output is a terminal: tables, words for empty lists.
  static let isOutput = isatty(STDOUT_FILENO) == 1

  /// A question can be asked and answered.
  static let canAsk = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

  /// A person looks at it and can press keys.
  static let isInteractive =
    isOutput && isatty(STDIN_FILENO) == 1 && Environment.value("TERM") != "dumb"

  /// Its characters are those of Unicode: what setlocale(3) would take for LC_CTYPE says UTF-8.
  static let isUnicode: Bool = {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.value)
    let codeset = values.first { !$0.isEmpty }?.lowercased() ?? ""
    return codeset.hasSuffix("utf-8") || codeset.hasSuffix("utf8")
  }()

  /// From now on no question can be answered; to be called before the first.
  static func askNobody() {
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    dup2(nothing, STDIN_FILENO)
    close(nothing)
  }

  /// Colours are wanted (https://no-color.org: NO_COLOR set to anything but nothing turns them
  /// off).
  static let hasColor =
    isOutput && (Environment.value("NO_COLOR") ?? "").isEmpty && Environment.value("TERM") != "dumb"

  /// How many columns it has; what COLUMNS says, or 80, where there is none.
  static var columns: Int {
    var size = winsize()
    if isOutput, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return Environment.value("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
  }

  /// The styles in use, as SGR parameters of ECMA-48.
  enum Style: String {
    case bold = "1"
    case dim = "2"
    case yellow = "1;33"
    case green = "32"
    case blue = "94"
    case amber = "33"
    case magenta = "95"
    case cyan = "36"
    case red = "31"
  }

  /// Text made visible, in a style where there are colours; nil: in none.
  static func styled(_ text: String, _ style: Style?) -> String {
    let text = VisibleText.visible(text)
    guard hasColor, let style else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
