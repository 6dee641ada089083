import NightjarTime

/// Times and days as values of options, of several words without quotes: `--calendar weekdays
/// 6:45`. The argument parser would take only the first word as the value, and the others as names.
struct UnquotedValue {
  /// The most words that a time with its days and its zone can have.
  private static let mostWords = 24
  /// The options that take such values, by command.
  private static let options: [String: Set<String>] = [
    "update": ["--calendar", "--at", "--except", "--until"], "alarm": ["--except", "--until"],
  ]

  private let option: String
  private let wall: Wall

  /// The arguments of a command, with each such value joined into one word.
  static func joined(
    _ arguments: ArraySlice<String>, of command: String, at wall: @autoclosure () -> Wall = .here
  ) -> [String] {
    guard let options = options[command] else { return Array(arguments) }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var result: [String] = []
    var rest = arguments[..<end]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = parts.first.map(String.init), options.contains(option) else {
        result.append(argument)
        continue
      }
      let others = rest.prefix { !$0.hasPrefix("-") }
      let run = parts.dropFirst().map(String.init) + others
      guard run.count > 1 else {
        result.append(argument)
        continue
      }
      let count = UnquotedValue(option: option, wall: wall()).count(run)
      let value = run.prefix(count).joined(separator: " ")
      result += parts.count > 1 ? ["\(option)=\(value)"] : [option, value]
      rest = rest.dropFirst(count - (parts.count - 1))
    }
    return result + arguments[end...]
  }

  /// The number of words that belong to the value: as many as can be read as one. If none can, or
  /// if the next word is a word of time that would be read as a name, all of them, so that the
  /// error shows all.
  private func count(_ words: [String]) -> Int {
    let most = min(words.count, Self.mostWords)
    let count = (1...most).last { isValue(words.prefix($0).joined(separator: " ")) } ?? 0
    guard count == 0 || count < words.count && isLeftOut(words[count], behind: words[0]) else {
      return count
    }
    return words.prefix(most).lastIndex(where: Self.isOfTime).map { $0 + 1 } ?? max(count, 1)
  }

  private func isValue(_ text: String) -> Bool {
    switch option {
    case "--calendar", "--at": AlarmTime(zone: nil, wall: wall).isTime(text)
    case "--except": (try? ExceptDays.ranges(text, at: wall)) != nil
    default: (try? ExceptDays.day(text, at: wall, option: option)) != nil
    }
  }

  /// Whether the next word would be lost: `weekdays 6:75` would be weekdays at midnight, and a
  /// timer called 6:75. If the first word was quoted, the user has said where the value ends.
  private func isLeftOut(_ word: String, behind first: String) -> Bool {
    ["--calendar", "--at"].contains(option) && !first.contains(" ") && Self.isOfTime(word)
  }

  private static func isOfTime(_ word: String) -> Bool {
    PhraseWords.isOfTime(word) || Invocation.isMeantAsSpan(word)
  }
}
