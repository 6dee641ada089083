/// The screen of a terminal, computed from the output of a program. It knows the sequences of xterm
/// that Nightjar's screens use.
package struct TerminalScreen: Sendable {
  package struct Cell: Equatable, Sendable {
    package var character: Character = " "
    /// The SGR parameters of the cell, as the program wrote them.
    package var style = ""
  }

  package private(set) var width: Int
  package private(set) var height: Int
  package private(set) var isAlternate = false
  package private(set) var isCursorShown = true
  /// Whether the program has turned on reports of mouse buttons and the wheel (mode 1000), and
  /// their form as SGR sequences (mode 1006).
  package private(set) var (sendsButtons, sendsSequences) = (false, false)
  package private(set) var wraps = true
  package private(set) var bells = 0
  package private(set) var title = "the terminal's own"
  private var titles: [String] = []
  package private(set) var notifications: [String] = []
  /// The sequences that this type does not know. A test can check that there were none.
  package private(set) var unknown: [String] = []

  package private(set) var cells: [[Cell]]
  /// The content of the alternate screen when the program left it.
  package private(set) var cellsOfOther: [[Cell]]?
  private var saved: (cells: [[Cell]], row: Int, column: Int)?
  private var (row, column) = (0, 0)
  private var style = ""
  /// The bytes of output. Those before `begin` have been processed.
  private var pending: [UInt8] = []
  private var begin = 0

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Self.blank(width, height)
  }

  private static func blank(_ width: Int, _ height: Int) -> [[Cell]] {
    Array(repeating: Array(repeating: Cell(), count: width), count: height)
  }

  package var lines: [String] {
    cells.map { line in
      let end = line.lastIndex { $0.character != " " }.map { $0 + 1 } ?? 0
      return String(line[..<end].map(\.character).filter { $0 != "\u{0}" })
    }
  }

  package var text: String { lines.joined(separator: "\n") }

  /// The style of the first cell of a text; nil: the text is not on the screen.
  package func style(of text: String) -> String? {
    for line in cells {
      let characters = line.map(\.character)
      let wanted = Array(text)
      guard characters.count >= wanted.count else { continue }
      for start in 0...(characters.count - wanted.count)
      where Array(characters[start..<start + wanted.count]) == wanted { return line[start].style }
    }
    return nil
  }

  package mutating func resize(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    func fitted(_ cells: [[Cell]]) -> [[Cell]] {
      (0..<height).map { row in
        (0..<width).map { column in
          row < cells.count && column < cells[row].count ? cells[row][column] : Cell()
        }
      }
    }
    cells = fitted(cells)
    saved = saved.map { (fitted($0.cells), $0.row, $0.column) }
    (row, column) = (min(row, height - 1), min(column, width - 1))
  }

  package mutating func write(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let length = step() { begin += length }
    pending.removeFirst(begin)
    begin = 0
  }

  /// - Returns: the number of processed bytes; nil if the next sequence is incomplete.
  private mutating func step() -> Int? {
    guard begin < pending.count else { return nil }
    let first = pending[begin]
    switch first {
    case 0x1B: return sequence()
    case 0x0D: column = 0
    case 0x0A: row = min(row + 1, height - 1)
    case 0x08: column = max(0, column - 1)
    case 0x07: bells += 1
    case 0..<0x20: unknown.append("control \(first)")
    default: return character(first)
    }
    return 1
  }

  private mutating func character(_ first: UInt8) -> Int? {
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard pending.count >= begin + length else { return nil }
    let character = Character(String(decoding: pending[begin..<begin + length], as: UTF8.self))
    let columns = (character.unicodeScalars.first?.value ?? 0) >= 0x2E80 ? 2 : 1
    if column + columns > width {
      guard wraps else { return length }
      (row, column) = (min(row + 1, height - 1), 0)
    }
    cells[row][column] = Cell(character: character, style: style)
    // The second cell of a wide character contains no character of its own.
    if columns == 2 { cells[row][column + 1] = Cell(character: "\u{0}", style: style) }
    column += columns
    return length
  }

  private mutating func sequence() -> Int? {
    let rest = pending[begin...]
    guard rest.count > 1 else { return nil }
    if rest[begin + 1] == UInt8(ascii: "]") { return command(rest.dropFirst(2)) }
    guard rest[begin + 1] == UInt8(ascii: "[") else {
      unknown.append("escape \(rest[begin + 1])")
      return 2
    }
    guard let end = rest.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return nil
    }
    let parameters = String(decoding: rest[(begin + 2)..<end], as: UTF8.self)
    control(parameters, Character(UnicodeScalar(rest[end])))
    return end + 1 - begin
  }

  /// Processes an operating system command, which ends in ESC \ or BEL.
  private mutating func command(_ rest: ArraySlice<UInt8>) -> Int? {
    guard let end = rest.firstIndex(where: { $0 == 0x1B || $0 == 0x07 }) else { return nil }
    let isString = rest[end] == 0x1B
    guard !isString || end + 1 < rest.endIndex else { return nil }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    switch text.split(separator: ";", maxSplits: 1).first {
    case "2": title = String(text.dropFirst(2))
    case "9", "777": notifications.append(text)
    default: unknown.append("command \(text)")
    }
    if isString, rest[end + 1] != UInt8(ascii: "\\") { unknown.append("a string in a string") }
    return end + (isString ? 2 : 1) - begin
  }

  private mutating func control(_ parameters: String, _ final: Character) {
    switch (parameters, final) {
    case ("?1049", "h") where !isAlternate:
      saved = (cells, row, column)
      isAlternate = true
      cells = Self.blank(width, height)
    case ("?1049", "l") where isAlternate:
      cellsOfOther = cells
      if let saved { (cells, row, column) = saved }
      isAlternate = false
    case ("?1049", _): break
    case ("?25", "h"), ("?25", "l"): isCursorShown = final == "h"
    case ("?7", "h"), ("?7", "l"): wraps = final == "h"
    case ("?1000", "h"), ("?1000", "l"): sendsButtons = final == "h"
    case ("?1006", "h"), ("?1006", "l"): sendsSequences = final == "h"
    case ("22;2", "t"): titles.append(title)
    case ("23;2", "t"): title = titles.popLast() ?? title
    case ("2", "J"): cells = Self.blank(width, height)
    case ("", "K"):
      // If the cursor is after the last column, the terminal keeps it on the last column.
      for index in min(column, width - 1)..<width { cells[row][index] = Cell() }
    case (_, "m"): style = parameters == "0" ? "" : parameters
    case (_, "H"):
      let numbers = parameters.split(separator: ";").map { Int($0) ?? 1 }
      row = min((numbers.first ?? 1) - 1, height - 1)
      column = min((numbers.count > 1 ? numbers[1] : 1) - 1, width - 1)
    default: unknown.append("\(parameters)\(final)")
    }
  }
}
