/// A line that somebody types, with a place in it where the next character goes.
struct LineEditor: Equatable {
  /// The most that can be typed, in bytes.
  static let longest = 512
  /// The most earlier lines that are kept.
  private static let linesKept = 50

  private var characters: [Character] = []
  /// How many characters are in front of the cursor.
  private(set) var cursor = 0
  /// Earlier lines, the latest last.
  private var history: [String]
  /// Which of them is shown; their number for the line that is new.
  private var place: Int
  /// The new line, while an earlier one is shown.
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

  /// What a key does with the line; false: nothing.
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

  /// The earlier lines with this one behind them, for the next time.
  var kept: [String] {
    let line = text
    guard !line.isEmpty else { return history }
    return Array((history.filter { $0 != line } + [line]).suffix(Self.linesKept))
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

  /// Where the word begins that is in front of the cursor.
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

  /// The line with its cursor in so many columns. What does not fit is marked by an ellipsis at its end.
  func styled(width: Int) -> StyledLine {
    // A blank behind the last character is where the next one goes.
    let blank = cursor == characters.count ? [VisibleCharacter(" ")] : []
    let shown = characters.map { VisibleCharacter($0) } + blank
    func columns(_ range: Range<Int>) -> Int { shown[range].reduce(0) { $0 + $1.width } }
    // One column is for the ellipsis in front, and one for that behind.
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

/// A character as a line shows it.
private struct VisibleCharacter {
  let text: String
  let width: Int

  init(_ character: Character) {
    text = StyledLine.visible(String(character))
    width = DisplayWidth.of(text)
  }
}
