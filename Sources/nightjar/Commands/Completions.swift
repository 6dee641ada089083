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
    Output.ready(CompletionScript(for: shell).text)
  }
}

// MARK: - Manual

extension Completions: Documented {
  static let manual = """
    The script completes commands, options, and the names of timers and presets as they are at \
    that moment. `make install` installs all three.

    A name is inserted so that the shell reads just that name, whatever is in it: bash and zsh write \
    characters that cannot be seen, or that turn the direction of a line, as escapes. A name that \
    begins with a minus is offered behind `--` only. fish offers no name that begins with a tilde, \
    which it would expand, none that has such characters, and one that begins with a dot behind \
    the dot only.

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
