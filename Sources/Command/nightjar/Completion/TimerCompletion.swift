import ArgumentParser

/// The completions for the name of a timer, the name of a new timer, its zone and its sound.
enum TimerCompletion {
  static let names = kind(of: .names)
  static let presets = kind(of: .presets)
  static let zones = kind(of: .zones)
  static let sounds = kind(of: .sounds)

  private static func kind(of subject: Complete.Subject) -> CompletionKind {
    .shellCommand(command(for: subject))
  }

  /// The command that the argument parser's scripts run for a list of words. `CompletionScript`
  /// replaces the calls of this command, because the parser's scripts insert the words unquoted.
  static func command(for subject: Complete.Subject) -> String {
    "nightjar __complete \(subject.rawValue) 2>/dev/null"
  }
}

enum Shell: String, ExpressibleByArgument, CaseIterable {
  case bash
  case zsh
  case fish
}
