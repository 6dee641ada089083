/// The reason why a phrase was refused, and the texts that the user may write instead.
public struct PhraseProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// A text that the user may write instead, for one possible meaning of the phrase.
  public struct Choice: Equatable, Sendable {
    /// The command for which the text is meant.
    public enum Command: Sendable {
      /// The command to which the phrase was given.
      case same
      case alarm
      case start
    }

    public let command: Command
    /// The words to write after the command, such as `in 9h`.
    public let words: String
    /// A description of the meaning, for the user who chooses; may be empty.
    public let meaning: String

    init(_ words: String, _ meaning: String = "", command: Command = .same) {
      (self.words, self.meaning, self.command) = (words, meaning, command)
    }
  }

  /// The mistake, as a sentence for people, without a full stop.
  public let reason: String
  /// Texts that the user may write instead; may be empty.
  public let choices: [Choice]
  /// Whether the phrase is a valid point in time, but in the past.
  public let isPast: Bool
  /// The word that the parser does not understand; nil: the mistake is another one.
  public let unknownWord: String?

  init(_ reason: String, choices: [Choice] = [], isPast: Bool = false) {
    (self.reason, self.choices, self.isPast) = (reason, choices, isPast)
    unknownWord = nil
  }

  init(unknown word: String) {
    reason = "'\(word)' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30"
    (choices, isPast, unknownWord) = ([], false, word)
  }

  /// A phrase with two or three meanings, of which the user must choose one.
  static func ambiguous(_ text: String, _ choices: Choice...) -> PhraseProblem {
    ambiguous(text, choices)
  }

  static func ambiguous(_ text: String, _ choices: [Choice]) -> PhraseProblem {
    let number = choices.count == 2 ? "two" : "three"
    return PhraseProblem("'\(text)' has \(number) readings", choices: choices)
  }

  /// The problem and what to write instead, in one sentence, for commands that read phrases.
  public var description: String {
    sentence { choice in
      switch choice.command {
      case .same: choice.words
      case .alarm: "nightjar alarm \(choice.words)"
      case .start: "nightjar start \(choice.words)"
      }
    }
  }

  /// The problem and what to write instead, in one sentence.
  ///
  /// - Parameter command: returns the text for a choice.
  public func sentence(_ command: (Choice) -> String) -> String {
    guard !choices.isEmpty else { return reason }
    let ways = choices.map { choice in
      command(choice) + (choice.meaning.isEmpty ? "" : " (\(choice.meaning))")
    }
    return "\(reason); write \(ways.joined(separator: ", or "))"
  }
}
