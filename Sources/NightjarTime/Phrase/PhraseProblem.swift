/// Why words of time were refused, and what may be written instead.
public struct PhraseProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// One way to say what may have been meant.
  public struct Choice: Equatable, Sendable {
    /// The command that takes it.
    public enum Command: Sendable {
      /// The same that was given the phrase.
      case same
      case alarm
      case start
    }

    /// Which command takes it.
    public let command: Command
    /// What to write behind the command, such as `in 9h`.
    public let words: String
    /// What it means, for somebody who chooses; may be empty.
    public let meaning: String

    init(_ words: String, _ meaning: String = "", command: Command = .same) {
      (self.words, self.meaning, self.command) = (words, meaning, command)
    }
  }

  /// What is wrong, for people: a sentence without a full stop.
  public let reason: String
  /// What may be written instead, in full; may be empty.
  public let choices: [Choice]
  /// Whether it is a point in time that is understood and past.
  public let isPast: Bool
  /// The word that is none that times are said with, if that is what is wrong.
  public let unknownWord: String?

  init(_ reason: String, choices: [Choice] = [], isPast: Bool = false) {
    (self.reason, self.choices, self.isPast) = (reason, choices, isPast)
    unknownWord = nil
  }

  init(unknown word: String) {
    reason = "'\(word)' is no word of time; write a time such as 17:30, tomorrow 9:00 or Mon 9:30"
    (choices, isPast, unknownWord) = ([], false, word)
  }

  /// Two readings are left, or three, and the user has to say which.
  static func ambiguous(_ text: String, _ choices: Choice...) -> PhraseProblem {
    ambiguous(text, choices)
  }

  static func ambiguous(_ text: String, _ choices: [Choice]) -> PhraseProblem {
    let number = choices.count == 2 ? "two" : "three"
    return PhraseProblem("'\(text)' has \(number) readings", choices: choices)
  }

  /// What is wrong and what to write, for a program that reads phrases.
  public var description: String {
    sentence { choice in
      switch choice.command {
      case .same: choice.words
      case .alarm: "nightjar alarm \(choice.words)"
      case .start: "nightjar start \(choice.words)"
      }
    }
  }

  /// What is wrong and what to write.
  ///
  /// - Parameter command: how a choice is written.
  public func sentence(_ command: (Choice) -> String) -> String {
    guard !choices.isEmpty else { return reason }
    let ways = choices.map { choice in
      command(choice) + (choice.meaning.isEmpty ? "" : " (\(choice.meaning))")
    }
    return "\(reason); write \(ways.joined(separator: ", or "))"
  }
}
