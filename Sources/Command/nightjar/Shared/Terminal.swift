import Glibc
import NightjarClient
import Varlink

/// The properties of the terminal on the standard descriptors.
package enum Terminal {
  /// Whether standard output is a terminal. If it is, the output is for people, and otherwise it is
  /// for scripts.
  package static let isOutput = isatty(STDOUT_FILENO) == 1

  static var canAsk: Bool { isForQuestions && !hasScreen }

  private static let isForQuestions = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

  /// Whether a full screen is shown. While it is, the command cannot ask a question: the question
  /// would be drawn over the screen, and the terminal sends single keys, not whole lines.
  nonisolated(unsafe) static var hasScreen = false

  /// Whether a person sees the output and can press keys.
  static let isInteractive =
    isOutput && isatty(STDIN_FILENO) == 1 && Environment.value("TERM") != "dumb"

  /// Whether the terminal shows Unicode. It does if the locale that setlocale(3) would use for
  /// LC_CTYPE is a UTF-8 locale.
  package static let isUnicode: Bool = {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.value)
    let codeset = values.first { !$0.isEmpty }?.lowercased() ?? ""
    return codeset.hasSuffix("utf-8") || codeset.hasSuffix("utf8")
  }()

  /// Makes `canAsk` false. The program must call this before the first question.
  package static func disableQuestions() {
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    dup2(nothing, STDIN_FILENO)
    close(nothing)
  }

  /// Whether to print colours. NO_COLOR turns them off, unless it is empty (https://no-color.org).
  static let hasColor =
    isOutput && (Environment.value("NO_COLOR") ?? "").isEmpty && Environment.value("TERM") != "dumb"

  /// The number of columns of the terminal. Without a terminal, the value of COLUMNS, or else 80.
  static var columns: Int {
    var size = winsize()
    if isOutput, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return Environment.value("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
  }

  /// The styles of text, each with its SGR parameters of ECMA-48. The colours are those of `Ink`.
  package enum Style: String {
    case bold = "1"
    case dim = "2"
    case yellow = "1;38;5;130"
    case green = "38;5;28"
    case blue = "38;5;27"
    case amber = "38;5;130"
    case magenta = "38;5;164"
    case cyan = "38;5;30"
    case red = "38;5;196"
  }

  /// The text, escaped, in a style if the terminal has colours. Nil means no style.
  package static func styled(_ text: String, _ style: Style?) -> String {
    let text = VisibleText.visible(text)
    guard hasColor, let style else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
