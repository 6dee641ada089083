import NightjarTime

/// The value of an option for a time or for days, if the user typed several words without quotes,
/// as in `--calendar weekdays 6:45`. The argument parser would use the first word as the value, and
/// the other words as names.
struct UnquotedValue {
  /// The largest number of words in a time with its days and its zone.
  private static let mostWords = 24
  /// The options that have such values, by command.
  private static let options: [String: Set<String>] = [
    "update": ["--calendar", "--at", "--except", "--until"], "alarm": ["--except", "--until"],
  ]

  private let option: String
  private let wall: WallClock

  /// The arguments of a command, in which each such value is joined into one word.
  static func joined(
    _ arguments: ArraySlice<String>, of command: String,
    at wall: @autoclosure () -> WallClock = .here
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

  /// The number of words that belong to the value. It is the longest beginning of the words that
  /// can be read as a value. If there is none, or if a word of time follows, all words up to the
  /// last word of time are used, so that the error shows them.
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

  /// Whether the next word is a wrong part of the time, and not a name. For example, `weekdays
  /// 6:75` would be read as weekdays at midnight, and a timer called 6:75. If the first words are
  /// in quotes, the quotes end the value, and the next word is a name.
  private func isLeftOut(_ word: String, behind first: String) -> Bool {
    ["--calendar", "--at"].contains(option) && !first.contains(" ") && Self.isOfTime(word)
  }

  private static func isOfTime(_ word: String) -> Bool {
    PhraseWords.isOfTime(word) || Invocation.isMeantAsSpan(word)
  }
}
