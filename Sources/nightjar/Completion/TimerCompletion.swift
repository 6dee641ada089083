import ArgumentParser

/// What the shells offer for a timer's name, for one that is to be started, and for its zone and its sound.
enum TimerCompletion {
  static let names = kind(of: .names)
  static let presets = kind(of: .presets)
  static let zones = kind(of: .zones)
  static let sounds = kind(of: .sounds)

  private static func kind(of subject: Complete.Subject) -> CompletionKind {
    .shellCommand(command(for: subject))
  }

  /// What the argument parser's scripts run for a list of words. `CompletionScript` has them ask in another
  /// way: they hand the words to the shell as they come.
  static func command(for subject: Complete.Subject) -> String {
    "nightjar __complete \(subject.rawValue) 2>/dev/null"
  }
}

/// A shell that has completions.
enum Shell: String, ExpressibleByArgument, CaseIterable {
  case bash
  case zsh
  case fish
}
