enum TextWrap {
  /// Splits a text into lines. A line ends at a blank, or within a word that is longer than a line.
  /// The result has at least one line. O(length).
  static func lines(_ text: String, width: Int, indent: Int = 0) -> [String] {
    let width = max(8, width)
    var lines: [String] = []
    var (line, used) = ("", 0)
    func blanks() -> String {
      String(repeating: " ", count: lines.isEmpty ? 0 : min(indent, width / 2))
    }
    func flush() {
      lines.append(line)
      line = blanks()
      used = line.count
    }
    var isFresh = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let columns = DisplayWidth.of(word)
      if !isFresh {
        if used + 1 + columns <= width || word.isEmpty {
          line += " "
          used += 1
        } else {
          flush()
        }
      }
      isFresh = false
      for character in word {
        let columns = DisplayWidth.of(String(character))
        if used + columns > width { flush() }
        line.append(character)
        used += columns
      }
    }
    lines.append(line)
    return lines
  }
}
