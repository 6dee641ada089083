import Glibc
import NightjarClient
import NightjarVarlink

/// What the terminal can do, if there is one.
package enum Terminal {
  /// Standard output is a terminal: tables, words for empty lists.
  package static let isOutput = isatty(STDOUT_FILENO) == 1

  /// A question can be asked and answered.
  static var canAsk: Bool { isForQuestions && !hasScreen }

  private static let isForQuestions = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

  /// A screen is on it. A question would be drawn over the screen, and its answer could not be typed: keys
  /// come as they are pressed, without the end of a line.
  nonisolated(unsafe) static var hasScreen = false

  /// A person looks at it and can press keys.
  static let isInteractive =
    isOutput && isatty(STDIN_FILENO) == 1 && Environment.value("TERM") != "dumb"

  /// Its characters are those of Unicode: what setlocale(3) would take for LC_CTYPE says UTF-8.
  package static let isUnicode: Bool = {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.value)
    let codeset = values.first { !$0.isEmpty }?.lowercased() ?? ""
    return codeset.hasSuffix("utf-8") || codeset.hasSuffix("utf8")
  }()

  /// From now on no question can be answered; to be called before the first.
  package static func askNobody() {
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
  package enum Style: String {
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
  package static func styled(_ text: String, _ style: Style?) -> String {
    let text = VisibleText.visible(text)
    guard hasColor, let style else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
