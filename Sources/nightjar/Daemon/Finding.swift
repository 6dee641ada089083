/// What was found about one thing.
struct Finding: Equatable {
  enum Level: String {
    /// As it should be.
    case fine = "ok"
    /// It works, and could be better.
    case advice
    /// It does not work, or not as one would think.
    case fault

    var style: Terminal.Style {
      switch self {
      case .fine: .green
      case .advice: .bold
      case .fault: .yellow
      }
    }
  }

  /// Its name, for programs.
  let check: String
  let level: Level
  /// What is so, for people.
  let text: String
  /// What to do about it.
  var remedy: String?

  /// A fault that an error says, with what to do about it behind its last semicolon.
  init(check: String, fault error: CommandError) {
    let parts = error.message.split(separator: "; ")
    self.init(
      check: check, level: .fault, text: parts.dropLast().joined(separator: "; "),
      remedy: parts.last.map(String.init))
    if parts.count < 2 { self = Finding(check: check, level: .fault, text: error.message) }
  }

  /// What is found.
  init(check: String, level: Level, text: String, remedy: String? = nil) {
    (self.check, self.level, self.text, self.remedy) = (check, level, text, remedy)
  }

  /// Its name, for people.
  var title: String {
    let words = check.replacing("_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
