/// Usage as `nightjar start [NAME] DURATION [--clock CLOCK]` has it.
enum ManualUsage {
  /// The command's own words, and its arguments; what stands in brackets is one, with all within.
  static func parts(_ usage: String) -> (command: String, arguments: [String]) {
    var words: [String] = []
    var depth = 0
    for word in usage.split(separator: " ") {
      // `...` belongs to what may be repeated.
      if depth > 0 || word == "..." || word == "|", !words.isEmpty {
        words[words.count - 1] += " \(word)"
      } else {
        words.append(String(word))
      }
      for character in word {
        if character == "[" { depth += 1 } else if character == "]" { depth -= 1 }
      }
    }
    let command = words.prefix { !isArgument($0) }
    return (command.joined(separator: " "), Array(words.dropFirst(command.count)))
  }

  /// What its arguments without a dash are called, together: `[NAME] DURATION`.
  static func positional(_ usage: String) -> String {
    parts(usage).arguments.prefix { !$0.hasPrefix("[-") && !$0.hasPrefix("-") }
      .joined(separator: " ")
  }

  /// Not a word that is typed as it stands.
  private static func isArgument(_ word: String) -> Bool {
    word.hasPrefix("[") || word.hasPrefix("-")
      || word.contains { $0.isUppercase } && !word.contains { $0.isLowercase }
  }
}
