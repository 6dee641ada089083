/// The minus before a number, as in `extend tea -1min`. The argument parser would read such a word
/// as options. So it gets the word with the mathematical sign, and `phrase` brings the typed minus
/// back.
enum Sign {
  private static let sign: Character = "\u{2212}"

  /// The arguments of the program, up to `--`, with the sign in place of a minus before a number.
  static func written(in arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].map { word in
      word.first == "-" && Invocation.isMeantAsSpan(String(word.dropFirst()))
        ? "\(sign)\(word.dropFirst())" : word
    } + arguments[end...]
  }

  /// A word as the user typed it.
  static func typed(_ word: String) -> String {
    word.first == sign ? "-\(word.dropFirst())" : word
  }
}

extension Collection<String> {
  /// The words as one text, as the user typed them.
  var phrase: String { map(Sign.typed).joined(separator: " ") }
}
