import NightjarTestSupport

/// The cells of a terminal as a picture in SVG. It has no script and no font of its own, so
/// browsers and GitHub show it.
///
/// A run of cells in one style is a text of a given length, so that columns line up in any font.
/// Lines and blocks are drawn as paths, because fonts leave gaps between them.
struct TerminalPicture {
  private typealias Cell = TerminalScreen.Cell

  /// The colours of one piece of text.
  private struct Look: Equatable {
    var ink = "#d3d7e0"
    var isBold = false
    var isDim = false
    /// The colour behind the text; nil: that of the picture.
    var ground: String?

    /// - Parameter style: SGR parameters of ECMA-48.
    init(style: String) throws {
      var codes = style.split(separator: ";").compactMap { Int($0) }[...]
      while let code = codes.popFirst() {
        switch code {
        case 1: isBold = true
        case 2: isDim = true
        case 7: ground = ""
        case 31...36: ink = Self.palette[code - 31]
        case 38 where codes.first == 5 && codes.count >= 2:
          // A colour of xterm's cube of 6 × 6 × 6.
          let index = codes[codes.startIndex + 1] - 16
          let levels = [36, 6, 1].map { index / $0 % 6 }.map { $0 == 0 ? 0 : 55 + 40 * $0 }
          ink = "rgb(\(levels.map { "\($0)" }.joined(separator: ",")))"
          codes = codes.dropFirst(2)
        case 38 where codes.first == 2 && codes.count >= 4:
          ink = "rgb(\(codes.prefix(4).dropFirst().map { "\($0)" }.joined(separator: ",")))"
          codes = codes.dropFirst(4)
        default: throw Unmet(description: "the pictures have no style \(style) yet; add it")
        }
      }
      if ground != nil { (ink, ground) = (TerminalPicture.ground, ink) }
    }

    /// Red, green, yellow, blue, magenta and cyan on a dark ground.
    private static let palette = ["#ff6b68", "#7fcf6e", "#f0c64f", "#6cb2ff", "#cf8ef4", "#53cbd6"]

    var attributes: String {
      "fill=\"\(ink)\"" + (isBold ? " font-weight=\"700\"" : "")
        + (isDim ? " fill-opacity=\".62\"" : "")
    }
  }

  private static let (cellWidth, cellHeight, margin) = (9, 20, 16)
  private static let ground = "#171a21"

  /// What the picture shows, for people who cannot see it.
  let title: String
  private let rows: [[Cell]]

  /// Leaves out blank lines at the end.
  init(_ title: String, _ cells: [[TerminalScreen.Cell]]) {
    self.title = title
    let end = cells.lastIndex { $0.contains { $0.character != " " } } ?? 0
    rows = Array(cells[...end])
  }

  func svg() throws -> String {
    let width = (rows.first?.count ?? 0) * Self.cellWidth + 2 * Self.margin
    let height = rows.count * Self.cellHeight + 2 * Self.margin
    let lines = try rows.enumerated().flatMap { row, cells in try Self.line(cells, row) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img">
      <title>\(Self.escaped(title))</title>
      <rect width="\(width)" height="\(height)" rx="8" fill="\(Self.ground)"/>
      <g font-family="'DejaVu Sans Mono',ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" \
      font-size="15">
      \(lines.joined(separator: "\n"))
      </g>
      </svg>

      """
  }

  /// The elements of one line: a path or a text for each run of cells.
  private static func line(_ cells: [Cell], _ row: Int) throws -> [String] {
    var elements: [String] = []
    var start = 0
    while start < cells.count {
      let first = cells[start]
      let isDrawn = path(of: first.character, count: 1, x: 0, y: 0) != nil
      var end = start + 1
      while end < cells.count, cells[end].style == first.style,
        isDrawn
          ? cells[end].character == first.character
          : path(of: cells[end].character, count: 1, x: 0, y: 0) == nil
      { end += 1 }
      let look = try Look(style: first.style)
      let (x, y) = (margin + start * cellWidth, margin + row * cellHeight)
      if let ground = look.ground {
        elements.append(
          "<path d=\"M\(x) \(y)h\((end - start) * cellWidth)v\(cellHeight)H\(x)z\" fill=\"\(ground)\"/>"
        )
      }
      if let drawn = path(of: first.character, count: end - start, x: x, y: y) {
        let ink =
          drawn.isOutline ? look.attributes.replacing("fill", with: "stroke") : look.attributes
        elements.append(
          "<path d=\"\(drawn.path)\" \(drawn.isOutline ? "fill=\"none\" " : "")\(ink)/>")
      } else {
        elements += texts(cells[start..<end], look, y: y)
      }
      start = end
    }
    return elements
  }

  /// Words with one blank between them are one text. Where there are more blanks the next text
  /// begins, so that no blank has to be preserved.
  private static func texts(_ cells: ArraySlice<Cell>, _ look: Look, y: Int) -> [String] {
    var texts: [String] = []
    var index = cells.startIndex
    while let start = cells[index...].firstIndex(where: { $0.character != " " }) {
      var end = start
      while end < cells.endIndex,
        cells[end].character != " " || end + 1 < cells.endIndex && cells[end + 1].character != " "
      { end += 1 }
      let text = String(cells[start..<end].map(\.character).filter { $0 != "\u{0}" })
      let (x, length) = (margin + start * cellWidth, (end - start) * cellWidth)
      texts.append(
        """
        <text x="\(x)" y="\(y + 15)" textLength="\(length)" lengthAdjust="spacingAndGlyphs" \
        \(look.attributes)>\(escaped(text))</text>
        """)
      index = end
    }
    return texts
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// What a line or a block looks like, several times beside itself; nil: the character is a text.
  private static func path(
    of character: Character, count: Int, x: Int, y: Int
  ) -> (path: String, isOutline: Bool)? {
    let (width, height) = (count * cellWidth, cellHeight)
    let (middleX, middleY) = ("\(x + 4).5", "\(y + 9).5")
    func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (String, Bool) {
      ("M\(x) \(y)h\(width)v\(height)h-\(width)z", false)
    }
    switch character {
    case "─": return ("M\(x) \(middleY)h\(width)", true)
    case "━": return rectangle(x, y + 8, width, 3)
    case "╸": return rectangle(x, y + 8, 5, 3)
    case "█": return rectangle(x, y, width, height)
    case "▀": return rectangle(x, y, width, 10)
    case "▄": return rectangle(x, y + 10, width, 10)
    default: break
    }
    // Those below stand alone.
    guard count == 1 else { return nil }
    switch character {
    case "│": return ("M\(middleX) \(y)v\(height)", true)
    case "┃": return rectangle(x + 3, y, 3, height)
    case "┴": return ("M\(x) \(middleY)h\(width)M\(middleX) \(middleY)V\(y)", true)
    case "╭":
      return ("M\(middleX) \(y + height)v-5Q\(middleX) \(middleY) \(x + width) \(middleY)", true)
    case "╮": return ("M\(middleX) \(y + height)v-5Q\(middleX) \(middleY) \(x) \(middleY)", true)
    case "╰": return ("M\(middleX) \(y)v5Q\(middleX) \(middleY) \(x + width) \(middleY)", true)
    case "╯": return ("M\(middleX) \(y)v5Q\(middleX) \(middleY) \(x) \(middleY)", true)
    case "●": return ("M\(x + 1) \(middleY)a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", false)
    default: return nil
    }
  }
}
