import ArgumentParser
import NightjarClient

struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print the completion script for a shell.",
    discussion: """
      To install the script for a shell by hand:

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
