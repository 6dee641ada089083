import ArgumentParser

/// Passes many names through the argument parser as few words. For each word the parser copies all
/// that it has read before, so 16,000 names would take seconds.
enum ManyNames {
  /// Separates the names in a folded word. No argument can contain it (execve(2)).
  private static let separator = "\0"
  /// The longest run of names that is not folded.
  static let mostWords = 32

  /// The words, with the middle of each long run of names folded into one word. The first of a run
  /// may be the value of an option, and the last a time span, so both stay separate. O(n).
  static func folded(_ words: some Sequence<String>) -> [String] {
    var (result, run): ([String], [String]) = ([], [])
    func endRun() {
      guard run.count > mostWords else {
        result += run
        run = []
        return
      }
      result += [run[0], run[1..<(run.count - 1)].joined(separator: separator), run[run.count - 1]]
      run = []
    }
    for word in words {
      if word.hasPrefix("-") {
        endRun()
        result.append(word)
      } else {
        run.append(word)
      }
    }
    endRun()
    return result
  }

  /// The names again, one word each. O(n).
  static func unfolded(_ words: [String]) -> [String] {
    words.flatMap { word in
      // Splits by bytes: a name that begins with a combining character would merge with the
      // separator.
      word.utf8.split(separator: 0, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
  }

  /// Whether a command takes any number of names.
  static func areTaken(by command: String) -> Bool {
    Nightjar.configuration.subcommands.contains { type in
      type.configuration.commandName == command
        && (type is any ChangeCommand.Type || type == Show.self || type == Remaining.self)
    }
  }
}
