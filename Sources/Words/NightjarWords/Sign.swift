/// The minus before a number, as in `extend tea -1min`. The argument parser would read such a word
/// as options. So it gets the word with the mathematical sign, and `phrase` brings the typed minus
/// back.
package enum Sign {
  private static let sign: Character = "\u{2212}"

  /// The arguments of the program, up to `--`, with the sign in place of a minus before a number.
  package static func written(in arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].map { word in
      word.first == "-" && isMeantAsSpan(String(word.dropFirst()))
        ? "\(sign)\(word.dropFirst())" : word
    } + arguments[end...]
  }

  /// Whether the user meant `word` as a time span, whether it is a valid one or not. This is so if
  /// the word begins with a digit, or with a point, a colon or a sign before a digit.
  package static func isMeantAsSpan(_ word: String) -> Bool {
    guard let first = word.first else { return false }
    return first.isNumber
      || ".:+-\u{2212}".contains(first) && word.dropFirst().first?.isNumber == true
  }

  /// A word as the user typed it.
  package static func typed(_ word: String) -> String {
    word.first == sign ? "-\(word.dropFirst())" : word
  }
}

extension Collection<String> {
  /// The words as one text, as the user typed them.
  package var phrase: String { map(Sign.typed).joined(separator: " ") }
}
