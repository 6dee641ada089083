import NightjarClient
import Varlink

/// A line of text for the screen. It consists of pieces, each with a style.
struct StyledLine: Equatable {
  struct Style: Equatable {
    var ink: Ink?
    var isBold = false
    var isDim = false
    var isInverse = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)
  }

  private(set) var pieces: [(text: String, style: Style, columns: Int)] = []

  init() {}

  init(_ text: String, _ style: Style = .plain) { add(text, style) }

  mutating func add(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    let text = Self.visible(text)
    pieces.append((text, style, DisplayWidth.of(text)))
  }

  mutating func add(_ line: StyledLine) { pieces += line.pieces }

  mutating func addBlanks(_ count: Int) { add(String(repeating: " ", count: max(0, count))) }

  /// The text without characters that would move the cursor or change the direction of the line.
  static func visible(_ text: String) -> String { VisibleText.visible(text) }

  /// The width of the line, in columns.
  var width: Int { pieces.reduce(0) { $0 + $1.columns } }

  /// The line, cut to at most `width` columns. A line that is cut ends in an ellipsis.
  func cut(to width: Int) -> StyledLine {
    guard self.width > width else { return self }
    var (line, left) = (StyledLine(), width)
    for piece in pieces where left > 0 {
      // One column is left for the ellipsis.
      guard piece.columns >= left else {
        line.pieces.append(piece)
        left -= piece.columns
        continue
      }
      let text = piece.columns == left ? piece.text + "…" : piece.text
      line.add(DisplayWidth.fitted(text, to: left), piece.style)
      left = 0
    }
    return line
  }

  /// The line with exactly `width` columns. A longer line is cut, and a shorter one is padded with
  /// blanks.
  func fitted(to width: Int) -> StyledLine {
    var line = cut(to: width)
    line.addBlanks(width - line.width)
    return line
  }

  /// The line in one style, with the colours of text and background exchanged.
  func highlighted(_ ink: Ink?) -> StyledLine {
    StyledLine(text, Style(ink: ink, isInverse: true))
  }

  /// The line as output for a terminal. The sequences (SGR of ECMA-48) are around each piece that
  /// has a style.
  func rendered(_ palette: Palette) -> String {
    pieces.reduce(into: "") { text, piece in
      let codes = palette.codes(piece.style)
      text += codes.isEmpty ? piece.text : "\u{1B}[\(codes)m\(piece.text)\u{1B}[0m"
    }
  }

  /// The line for standard output, with styles if that is a terminal with colours.
  var output: String { Terminal.hasColor ? rendered(.ofTerminal) : text }

  /// The text without styles.
  var text: String { pieces.map(\.text).joined() }

  static func == (left: StyledLine, right: StyledLine) -> Bool {
    left.pieces.elementsEqual(right.pieces) { $0 == $1 }
  }
}

/// A colour of the screen.
enum Ink: Equatable {
  /// Colours that can be read on white and on black. The terminal's own yellow and cyan cannot.
  case red, green, yellow, blue, magenta, cyan
  /// The colour that the user chose for a band, as RGB values.
  case exact(Color)

  /// The colour of a band, from the user's text. A colour with one of our names is ours, because a
  /// pure yellow is unreadable on white.
  init?(_ text: String) {
    let own: [String: Ink] = [
      "red": .red, "green": .green, "yellow": .yellow, "blue": .blue, "magenta": .magenta,
      "fuchsia": .magenta, "cyan": .cyan, "aqua": .cyan,
    ]
    if let ink = own[text.lowercased()] {
      self = ink
    } else if let color = Color(text) {
      self = .exact(color)
    } else {
      return nil
    }
  }
}

/// The set of colours that the terminal can show.
enum Palette {
  /// No colours: the terminal shows none, or the user wants none.
  case none
  /// The 256 colours of xterm.
  case indexed
  /// All RGB colours.
  case full

  static var ofTerminal: Palette {
    guard Terminal.hasColor else { return .none }
    let words = ["truecolor", "24bit"]
    return words.contains(Environment.value("COLORTERM") ?? "") ? .full : .indexed
  }

  func codes(_ style: StyledLine.Style) -> String {
    var codes: [String] = []
    if style.isBold { codes.append("1") }
    if style.isDim { codes.append("2") }
    if style.isInverse { codes.append("7") }
    if let ink = style.ink, self != .none { codes.append(code(ink)) }
    return codes.joined(separator: ";")
  }

  private func code(_ ink: Ink) -> String {
    switch ink {
    case .red: Terminal.Style.red.rawValue
    case .green: Terminal.Style.green.rawValue
    case .yellow: Terminal.Style.amber.rawValue
    case .blue: Terminal.Style.blue.rawValue
    case .magenta: Terminal.Style.magenta.rawValue
    case .cyan: Terminal.Style.cyan.rawValue
    case .exact(let color):
      self == .full
        ? "38;2;\(color.red);\(color.green);\(color.blue)" : "38;5;\(Self.index(color))"
    }
  }

  /// The nearest colour of xterm's cube of 6 × 6 × 6, whose steps are 0, 95, 135, 175, 215, 255.
  private static func index(_ color: Color) -> Int {
    func step(_ value: UInt8) -> Int { value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40 }
    return 16 + 36 * step(color.red) + 6 * step(color.green) + step(color.blue)
  }
}
