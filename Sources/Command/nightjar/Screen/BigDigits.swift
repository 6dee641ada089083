/// The glyphs of a clock with large digits, which can be read from the other end of a room.
enum BigDigits {
  /// Each glyph as five rows of pixels. `#` is a pixel that is set.
  private static let glyphs: [Character: [String]] = [
    "0": ["###", "# #", "# #", "# #", "###"], "1": [" # ", "## ", " # ", " # ", "###"],
    "2": ["###", "  #", "###", "#  ", "###"], "3": ["###", "  #", " ##", "  #", "###"],
    "4": ["# #", "# #", "###", "  #", "  #"], "5": ["###", "#  ", "###", "  #", "###"],
    "6": ["###", "#  ", "###", "# #", "###"], "7": ["###", "  #", "  #", "  #", "  #"],
    "8": ["###", "# #", "###", "# #", "###"], "9": ["###", "# #", "###", "  #", "###"],
    ":": [" ", "#", " ", "#", " "], ".": [" ", " ", " ", " ", "#"],
    "d": ["  #", "  #", "###", "# #", "###"], "h": ["#  ", "#  ", "###", "# #", "# #"],
    " ": [" ", " ", " ", " ", " "],
  ]
  private static let rows = 5

  /// The possible scales up to `most`, the largest first. The scale is the width of a pixel in
  /// columns. The height of a pixel in lines is half of that.
  static func scales(isUnicode: Bool, most: Int = 4) -> [Int] {
    (1...most).reversed().filter { isUnicode || $0 % 2 == 0 }
  }

  /// The width of a text in columns; nil: there is no glyph for one of its characters.
  static func width(_ text: String, scale: Int) -> Int? {
    var points = 0
    for character in text {
      guard let glyph = glyphs[character] else { return nil }
      points += glyph[0].count + 1
    }
    return max(0, points - 1) * scale
  }

  /// The height of a text in lines. It is the same for all texts.
  static func height(scale: Int) -> Int { (rows * scale + 1) / 2 }

  /// The lines that show a text in large digits. O(size of the lines).
  static func lines(_ text: String, scale: Int, isUnicode: Bool) -> [String] {
    let rows = (0..<Self.rows).map { row in
      text.compactMap { glyphs[$0]?[row] }.joined(separator: " ").flatMap {
        Array(repeating: $0 == "#", count: scale)
      }
    }
    // The rows of pixels, each repeated `scale` times. Two rows of this array make a line.
    let halves = rows.flatMap { Array(repeating: $0, count: scale) }
    return stride(from: 0, to: halves.count, by: 2).map { index in
      let upper = halves[index]
      let lower =
        index + 1 < halves.count ? halves[index + 1] : Array(repeating: false, count: upper.count)
      return String(
        zip(upper, lower).map { (upper, lower) -> Character in
          switch (upper, lower) {
          case (true, true): isUnicode ? "█" : "#"
          case (true, false): isUnicode ? "▀" : "#"
          case (false, true): isUnicode ? "▄" : " "
          case (false, false): " "
          }
        })
    }
  }
}
