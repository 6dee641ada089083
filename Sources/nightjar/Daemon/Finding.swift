/// The result of one check.
struct Finding: Equatable {
  enum Level: String {
    /// As it should be.
    case fine = "ok"
    /// It works, and could be improved.
    case advice
    /// It does not work, or not as the user expects.
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
  /// The result, for people.
  let text: String
  /// How to correct it.
  var remedy: String?

  /// A fault from an error's message, whose part after the last semicolon is the remedy.
  init(check: String, fault error: CommandError) {
    let parts = error.message.split(separator: "; ")
    self.init(
      check: check, level: .fault, text: parts.dropLast().joined(separator: "; "),
      remedy: parts.last.map(String.init))
    if parts.count < 2 { self = Finding(check: check, level: .fault, text: error.message) }
  }

  init(check: String, level: Level, text: String, remedy: String? = nil) {
    (self.check, self.level, self.text, self.remedy) = (check, level, text, remedy)
  }

  /// The check's name, for people.
  var title: String {
    let words = check.replacing("_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
