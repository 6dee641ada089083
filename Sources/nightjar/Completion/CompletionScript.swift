import ArgumentParser

/// The completion script of a shell: the argument parser's, with names asked for in a way of our own.
///
/// A name may be any text: `$(reboot)`, `~root`, `--all`. The argument parser's scripts would have bash
/// insert it as it is, and zsh leave a `!` for its history. In these scripts bash is given words that are
/// quoted already, and zsh and fish quote names themselves, under the options with which they quote all
/// that is special.
struct CompletionScript {
  let text: String

  init(for shell: Shell) {
    let (generated, offer) =
      switch shell {
      case .bash: (Nightjar.completionScript(for: .bash), Self.bash)
      case .zsh: (Nightjar.completionScript(for: .zsh), Self.zsh)
      case .fish: (Nightjar.completionScript(for: .fish), Self.fish)
      }
    var script = generated
    for subject in Complete.Subject.allCases {
      let command = TimerCompletion.command(for: subject)
      let call = "__nightjar_offer \(subject.rawValue)"
      let (asked, offered) =
        switch shell {
        case .bash: ("__nightjar_add_completions -W \"$(eval '\(command)')\"", call)
        case .zsh:
          ("{local -a list;list=(${(f)\"$(\(command))\"});_describe -V \"\" list}", "{\(call)}")
        case .fish: ("(\(command))", "(\(call))")
        }
      script = script.replacing(asked, with: offered)
      precondition(
        script.contains(call) && !script.contains(command),
        "the argument parser's completion script is not what it was")
    }
    // Behind the first line, which tells zsh what the script is for.
    let end = script.firstIndex(of: "\n") ?? script.endIndex
    text = "\(script[..<end])\n\n\(offer)\(script[end...])"
  }

  /// readline replaces `cur`, and what it has to be replaced with depends on the quotes that are open there:
  /// hence the line. Behind `-o filenames` readline would quote once more. `--` is looked for in front of
  /// the word that is completed.
  private static let bash = """
    __nightjar_offer() {
        compopt +o filenames 2>/dev/null
        local word
        local -a literal=()
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [[ "${word}" = -- ]] && literal=(--literal)
        done
        while IFS='' read -r word; do
            COMPREPLY+=("${word}")
        done < <(
            nightjar __complete --for bash "--verb=${COMP_WORDS[1]}" "${literal[@]}" "${1}" -- "${cur}" \\
                "${COMP_LINE:0:COMP_POINT}" 2>/dev/null
        )
    }

    """

  /// Behind a tab come names that are quoted already, because zsh would show them as they are. Those may
  /// only stand where no quote is open.
  private static let zsh = """
    __nightjar_offer() {
        # Without this option `!` is not quoted, and is the history's when the line is entered.
        setopt localoptions banghist
        local word
        local -a literal plain quoted
        (( ${words[(I)--]} && ${words[(I)--]} < CURRENT )) && literal=(--literal)
        while IFS='' read -r word; do
            case "${word}" in
            ($'\\t'*) quoted+=("${word#?}") ;;
            (*) plain+=("${word}") ;;
            esac
        done < <(
            nightjar __complete --for zsh "--verb=${words[1]}" "${literal[@]}" "${1}" -- \\
                "${(Q)PREFIX}" 2>/dev/null
        )
        local -i ret=1
        (( ${#plain} )) && compadd -V nightjar -a plain && ret=0
        (( ${#quoted} )) && [[ -z "${compstate[quote]}" ]] &&
            compadd -U -Q -V nightjar -a quoted && ret=0
        return ret
    }

    """

  private static let fish = """
    function __nightjar_offer -a subject
        set -l literal
        contains -- -- (__nightjar_tokens -pc)
        and set literal --literal
        set -l word (commandline -ct)
        set -l verb (__nightjar_tokens -pc)[2]
        nightjar __complete --for fish "--verb=$verb" $literal $subject -- "$word" 2>/dev/null
    end

    """
}
