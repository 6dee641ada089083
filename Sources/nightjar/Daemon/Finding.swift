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

  /// Its name, for people.
  var title: String {
    let words = check.replacing("_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
