import ArgumentParser

/// What the shells offer for a timer's name, and for one that is to be started.
enum TimerCompletion {
  /// The command that the completion scripts ask, up to the subject; `Completions` adds for which
  /// shell.
  static let command = "nightjar __complete"

  static let names = CompletionKind.shellCommand("\(command) names 2>/dev/null")
  static let presets = CompletionKind.shellCommand("\(command) presets 2>/dev/null")
}

/// A shell that has completions.
enum Shell: String, ExpressibleByArgument, CaseIterable {
  case bash
  case zsh
  case fish

  /// A name as the shell's completion script must be given it.
  ///
  /// bash expands what it is given (compgen -W), commands too, so that a name such as `$(reboot)`
  /// would be run by whoever presses tab: quotes keep it a name. zsh takes what follows a colon for
  /// a description.
  func escaped(_ name: String) -> String {
    switch self {
    case .bash: Quoting.inQuotes(name)
    case .zsh:
      name.replacingScalars("\\", with: "\\\\").replacingScalars(":", with: "\\:")
    case .fish: name
    }
  }
}
