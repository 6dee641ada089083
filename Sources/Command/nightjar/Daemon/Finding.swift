import NightjarInterface

/// The result of one check.
struct Finding {
  enum Level: String {
    /// The examined part works as the user expects.
    case fine = "ok"
    /// The examined part works, and the user could improve it.
    case advice
    /// The examined part does not work, or does not work as the user expects.
    case fault

    var style: Terminal.Style {
      switch self {
      case .fine: .green
      case .advice: .bold
      case .fault: .yellow
      }
    }
  }

  /// The check's name, for programs.
  let check: String
  let level: Level
  let text: Sentence
  /// What the user can do about the finding; nil: nothing.
  let remedy: Sentence?

  /// A fault from an error's message, whose part after the last semicolon is the remedy.
  init(check: String, fault error: CommandError) {
    let parts = "\(error.message)".split(separator: "; ")
    self.init(
      check: check, level: .fault, text: parts.dropLast().joined(separator: "; "),
      remedy: parts.last.map(String.init))
    if parts.count < 2 { self = Finding(check: check, level: .fault, text: "\(error.message)") }
  }

  init(check: String, level: Level, text: String, remedy: String? = nil) {
    (self.check, self.level) = (check, level)
    (self.text, self.remedy) = (Sentence(text), remedy.map { Sentence($0) })
  }

  static func fine(_ check: String, _ text: String) -> Finding {
    Finding(check: check, level: .fine, text: text)
  }

  static func advice(_ check: String, _ text: String, _ remedy: String? = nil) -> Finding {
    Finding(check: check, level: .advice, text: text, remedy: remedy)
  }

  static func fault(_ check: String, _ text: String, _ remedy: String? = nil) -> Finding {
    Finding(check: check, level: .fault, text: text, remedy: remedy)
  }

  /// The check's name, for people.
  var title: String {
    let words = check.replacing("_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
