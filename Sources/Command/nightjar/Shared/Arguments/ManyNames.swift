import ArgumentParser

/// Passes many names through the argument parser as a few words. For each word, the parser copies
/// all words that it has read, so 16,000 names would take seconds.
enum ManyNames {
  /// The character between the names in a folded word. No argument can contain this character
  /// (execve(2)).
  private static let separator = "\0"
  /// The largest number of names in a row that are not folded.
  static let mostWords = 32

  /// The words, in which the names in the middle of each long row are folded into one word. The
  /// first name of a row may be the value of an option, and the last may be a time span, so these
  /// two stay words of their own. O(n).
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

  /// The names of folded words, each as a word of its own. O(n).
  static func unfolded(_ words: [String]) -> [String] {
    words.flatMap { word in
      // The split is by bytes, because a name that begins with a combining character would form one
      // character with the separator.
      word.utf8.split(separator: 0, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
  }

  /// Whether a command takes any number of names.
  static func areAccepted(by command: String) -> Bool {
    Nightjar.configuration.subcommands.contains { type in
      type.configuration.commandName == command
        && (type is any ChangeCommand.Type || type == Show.self || type == Remaining.self)
    }
  }
}
