/// A line of input with a cursor.
struct LineEditor: Equatable {
  /// The longest input, in bytes.
  static let longest = 512
  private static let historyLimit = 50

  private var characters: [Character] = []
  /// The number of characters before the cursor.
  private(set) var cursor = 0
  /// Earlier lines, the latest last.
  private var history: [String]
  /// The index in the history of the line that is shown. If it is the number of lines in the
  /// history, the new line is shown.
  private var place: Int
  /// The text of the new line, while an earlier line is shown.
  private var unfinished = ""

  init(history: [String] = []) {
    self.history = history
    place = history.count
  }

  var text: String {
    get { String(characters) }
    set {
      characters = Array(newValue)
      cursor = characters.count
    }
  }

  /// Applies a key to the line. The result is false if the key has no function in a line.
  mutating func press(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(character)
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .backspace: remove(from: cursor - 1, to: cursor)
    case .delete, .control("d"): remove(from: cursor, to: cursor + 1)
    case .control("u"): remove(from: 0, to: cursor)
    case .control("k"): remove(from: cursor, to: characters.count)
    case .control("w"): remove(from: wordStart, to: cursor)
    case .up, .control("p"): show(place - 1)
    case .down, .control("n"): show(place + 1)
    case .pageUp, .pageDown, .enter, .escape, .control, .click, .wheel: return false
    }
    return true
  }

  /// The history with this line added, for the next input.
  var updatedHistory: [String] {
    let line = text
    guard !line.isEmpty else { return history }
    return Array((history.filter { $0 != line } + [line]).suffix(Self.historyLimit))
  }

  private mutating func insert(_ character: Character) {
    guard text.utf8.count + character.utf8.count <= Self.longest else { return }
    characters.insert(character, at: cursor)
    cursor += 1
  }

  private mutating func remove(from start: Int, to end: Int) {
    let range = max(0, start)..<min(end, characters.count)
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  /// The index at which the word before the cursor begins.
  private var wordStart: Int {
    let front = characters[..<cursor]
    guard let end = front.lastIndex(where: { $0 != " " }) else { return 0 }
    return front[..<end].lastIndex(of: " ").map { $0 + 1 } ?? 0
  }

  private mutating func show(_ index: Int) {
    guard history.indices.contains(index) || index == history.count, index != place else { return }
    if place == history.count { unfinished = text }
    place = index
    text = index == history.count ? unfinished : history[index]
  }

  /// The line with its cursor, cut to `width` columns. An ellipsis marks each end that is cut off.
  func styled(width: Int) -> StyledLine {
    // If the cursor is after the last character, a blank shows it.
    let blank = cursor == characters.count ? [VisibleCharacter(" ")] : []
    let shown = characters.map { VisibleCharacter($0) } + blank
    func columns(_ range: Range<Int>) -> Int { shown[range].reduce(0) { $0 + $1.width } }
    // Whether a range fits on the line, with an ellipsis for each end that the range leaves out.
    func fits(_ range: Range<Int>) -> Bool {
      let ellipses = (range.lowerBound > 0 ? 1 : 0) + (range.upperBound < shown.count ? 1 : 0)
      return columns(range) <= width - ellipses
    }
    var start = 0
    while start < cursor, !fits(start..<cursor + 1) { start += 1 }
    var end = cursor + 1
    while end < shown.count, fits(start..<end + 1) { end += 1 }
    var line = StyledLine()
    if start > 0 { line.add("…", .dim) }
    line.add(shown[start..<cursor].map(\.text).joined())
    line.add(shown[cursor].text, .init(isInverse: true))
    line.add(shown[(cursor + 1)..<end].map(\.text).joined())
    if end < shown.count { line.add("…", .dim) }
    return line
  }
}

private struct VisibleCharacter {
  let text: String
  let width: Int

  init(_ character: Character) {
    text = StyledLine.visible(String(character))
    width = DisplayWidth.of(text)
  }
}
