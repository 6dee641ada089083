import ArgumentParser
import NightjarClient

struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print the completion script for a shell.",
    discussion: """
      bash  nightjar completions bash > ~/.local/share/bash-completion/completions/nightjar
      zsh   nightjar completions zsh > a folder of $fpath, as _nightjar
      fish  nightjar completions fish > ~/.config/fish/completions/nightjar.fish
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() throws {
    let shell: CompletionShell =
      switch self.shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    let script = Nightjar.completionScript(for: shell)
    let command = TimerCompletion.command
    Output.ready(script.replacing(command, with: "\(command) --for \(self.shell.rawValue)"))
  }
}

// MARK: - Manual

extension Completions: Documented {
  static let manual = """
    The script completes commands, options, and the names of timers and presets as they are at \
    that moment. `make install` installs all three.

    # EXIT STATUS
    0  Done.
    64  Wrong usage.

    # EXAMPLES
      $ folder=~/.local/share/bash-completion/completions
      $ mkdir -p $folder && nightjar completions bash >$folder/nightjar

    # SEE ALSO
    nightjar(1), bash(1), fish(1), zsh(1)
    """
}
