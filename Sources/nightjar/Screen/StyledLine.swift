import NightjarClient
import NightjarVarlink

/// A line of the screen: pieces of text, each in a style.
struct StyledLine: Equatable {
  /// How a piece looks.
  struct Style: Equatable {
    var color: Color?
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
    pieces.append((VisibleText.visible(text), style))
  }

  /// In columns.
  var width: Int { pieces.reduce(0) { $0 + DisplayWidth.of($1.text) } }

  /// Its first so many columns.
  func cut(to width: Int) -> StyledLine {
    var (line, left) = (StyledLine(), width)
    for piece in pieces where left > 0 {
      let columns = DisplayWidth.of(piece.text)
      line.add(
        columns > left ? DisplayWidth.fitted(piece.text, to: left) : piece.text, piece.style)
      left -= columns
    }
    return line
  }

  /// As a terminal takes it: SGR of ECMA-48 around each piece that has a style.
  func rendered(_ palette: Palette) -> String {
    pieces.reduce(into: "") { text, piece in
      let codes = palette.codes(piece.style)
      text += codes.isEmpty ? piece.text : "\u{1B}[\(codes)m\(piece.text)\u{1B}[0m"
    }
  }

  static func == (left: StyledLine, right: StyledLine) -> Bool {
    left.pieces.elementsEqual(right.pieces) { $0 == $1 }
  }
}

/// Which colours a terminal has.
enum Palette {
  /// None, or none are wanted.
  case none
  /// The 256 of xterm.
  case indexed
  /// All of them.
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
    if let color = style.color {
      switch self {
      case .none: break
      case .indexed: codes.append("38;5;\(Self.index(color))")
      case .full: codes.append("38;2;\(color.red);\(color.green);\(color.blue)")
      }
    }
    return codes.joined(separator: ";")
  }

  /// The nearest of xterm's cube of 6 × 6 × 6, whose steps are 0, 95, 135, 175, 215, 255.
  private static func index(_ color: Color) -> Int {
    func step(_ value: UInt8) -> Int { value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40 }
    return 16 + 36 * step(color.red) + 6 * step(color.green) + step(color.blue)
  }
}
