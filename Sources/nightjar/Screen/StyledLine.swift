import NightjarClient
import NightjarVarlink

/// A line of the screen: pieces of text, each with a style.
struct StyledLine: Equatable {
  /// The style of a piece.
  struct Style: Equatable {
    var ink: Ink?
    var isBold = false
    var isDim = false
    var isInverse = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)
  }

  private(set) var pieces: [(text: String, style: Style)] = []

  init() {}

  init(_ text: String, _ style: Style = .plain) { add(text, style) }

  mutating func add(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    pieces.append((Self.visible(text), style))
  }

  mutating func add(_ line: StyledLine) { pieces += line.pieces }

  mutating func addBlanks(_ count: Int) { add(String(repeating: " ", count: max(0, count))) }

  /// Text without characters that move the cursor or change the direction of the line.
  static func visible(_ text: String) -> String { VisibleText.visible(text) }

  /// In columns.
  var width: Int { pieces.reduce(0) { $0 + DisplayWidth.of($1.text) } }

  /// At most this many columns: a longer line is cut and ends in an ellipsis.
  func cut(to width: Int) -> StyledLine {
    guard self.width > width else { return self }
    var (line, left) = (StyledLine(), width)
    for piece in pieces where left > 0 {
      let columns = DisplayWidth.of(piece.text)
      // The ellipsis needs a column.
      guard columns >= left else {
        line.add(piece.text, piece.style)
        left -= columns
        continue
      }
      let text = columns == left ? piece.text + "…" : piece.text
      line.add(DisplayWidth.fitted(text, to: left), piece.style)
      left = 0
    }
    return line
  }

  /// Exactly this many columns: cut with an ellipsis, or padded.
  func fitted(to width: Int) -> StyledLine {
    var line = cut(to: width)
    line.addBlanks(width - line.width)
    return line
  }

  /// The output for a terminal: SGR of ECMA-48 around each piece that has a style.
  func rendered(_ palette: Palette) -> String {
    pieces.reduce(into: "") { text, piece in
      let codes = palette.codes(piece.style)
      text += codes.isEmpty ? piece.text : "\u{1B}[\(codes)m\(piece.text)\u{1B}[0m"
    }
  }

  /// The text without styles.
  var text: String { pieces.map(\.text).joined() }

  static func == (left: StyledLine, right: StyledLine) -> Bool {
    left.pieces.elementsEqual(right.pieces) { $0 == $1 }
  }
}

/// A colour of the screen.
enum Ink: Equatable {
  /// Colours of the terminal's palette. The terminal's theme makes them readable on its background.
  case red, green, yellow, blue, magenta, cyan
  /// The colour that the user chose for a band.
  case exact(Color)

  /// The colour of a band, as the user wrote it. A colour that the palette has by name is taken
  /// from the palette, because a pure yellow on white is unreadable.
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

/// The colours of a terminal.
enum Palette {
  /// No colours, or the user wants none.
  case none
  /// The 256 of xterm.
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
    case .red: "31"
    case .green: "32"
    case .yellow: "33"
    case .blue: "34"
    case .magenta: "35"
    case .cyan: "36"
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
