import ArgumentParser

/// The completion script of a shell. It is the argument parser's script, changed so that it calls
/// `nightjar __complete` for names.
///
/// A name may be any text, such as `$(reboot)`, `~root` or `--all`. With the argument parser's own
/// script, bash would insert the name unquoted, and zsh would expand a `!` in it from the history.
/// With this script, the command sends words to bash that are already quoted. zsh and fish quote
/// the names; the script sets the options that make them quote all special characters.
struct CompletionScript {
  let text: String

  init(for shell: Shell) {
    let (generated, offer) =
      switch shell {
      case .bash: (Nightjar.completionScript(for: .bash), Self.bash)
      case .zsh: (Nightjar.completionScript(for: .zsh), Self.zsh)
      case .fish: (Self.parsingOnce(Nightjar.completionScript(for: .fish)), Self.fish)
      }
    var script = Self.withOtherNames(Self.withoutParsersHelp(generated, for: shell), for: shell)
    for subject in Complete.Subject.allCases {
      let command = TimerCompletion.command(for: subject)
      let call = "__nightjar_offer \(subject.rawValue)"
      let files = subject.hasFiles ? Self.files(for: shell) : ""
      let (asked, offered) =
        switch shell {
        case .bash: ("__nightjar_add_completions -W \"$(eval '\(command)')\"", call + files)
        case .zsh:
          (
            "{local -a list;list=(${(f)\"$(\(command))\"});_describe -V \"\" list}",
            "{\(call)\(files)}"
          )
        case .fish: ("(\(command))", "(\(call)\(files))")
        }
      script = script.replacing(asked, with: offered)
      precondition(script.contains(call) && !script.contains(command), Self.changed)
    }
    // Our code is inserted after the first line, which must stay first: it names the shell, and for
    // zsh the command to complete.
    let end = script.firstIndex(of: "\n") ?? script.endIndex
    text = "\(script[..<end])\n\n\(offer)\(script[end...])"
  }

  /// The script without the argument parser's own `help` command, which Nightjar replaces. The
  /// generated script has two functions for `help`: first Nightjar's, then the parser's. A shell
  /// would use the second.
  private static func withoutParsersHelp(_ generated: String, for shell: Shell) -> String {
    let lines = generated.split(separator: "\n", omittingEmptySubsequences: false)
    var script = lines.filter { !$0.contains("Show subcommand help information.") }
      .joined(separator: "\n")
      .replacing("|help|help)", with: "|help)").replacing(" help help'", with: " help'")
    let (beginning, end) =
      switch shell {
      case .bash, .zsh: ("_nightjar_help() {\n", "\n}\n")
      case .fish: ("        case 'help'\n", "\n")
      }
    let places = script.ranges(of: beginning)
    guard places.count == 2, let rest = script[places[1].upperBound...].firstRange(of: end) else {
      preconditionFailure(changed)
    }
    script.removeSubrange(places[1].lowerBound..<rest.upperBound)
    return script
  }

  /// The code that offers files after the words of a subject. In bash, `__nightjar_offer` turns `-o
  /// filenames` off, because names are not files. This code turns it on again, so that bash appends
  /// a slash to a folder.
  private static func files(for shell: Shell) -> String {
    switch shell {
    case .bash: "; compopt -o filenames 2>/dev/null; __nightjar_add_completions -f"
    case .zsh: "; _files"
    case .fish: "; __fish_complete_path (commandline -ct)"
    }
  }

  /// The script, extended for the other names of commands. After such a name, the script completes
  /// as it does after the command's own name. The line that the user types does not change.
  private static func withOtherNames(_ script: String, for shell: Shell) -> String {
    let commands = Dictionary(
      grouping: Invocation.otherNames.filter { Nightjar.commandNames.contains($0.value[0]) }.keys
        .sorted()
    ) { Invocation.ownName($0) }.sorted { $0.key < $1.key }
    func cases(_ line: (_ command: String, _ names: [String]) -> String) -> String {
      commands.map { line($0.key, $0.value) }.joined()
    }
    let place: String
    let added: String
    switch shell {
    case .bash:
      place = "    local -r subcommand=\"${unparsed_words[0]}\"\n"
      let lines = cases { command, names in
        "        \(names.joined(separator: "|"))) subcommand=\(command) ;;\n"
      }
      // If the other name is the last word, it is not replaced, because the user may still be
      // typing it.
      added = """
            local subcommand="${unparsed_words[0]}"
            (( ${#unparsed_words[@]} > 1 )) && case "${subcommand}" in
        \(lines)    esac

        """
    case .zsh:
      place = "    arg)\n        case \"${words[1]}\" in\n        start|"
      let lines = cases { command, names in
        "        (\(names.joined(separator: "|"))) words[1]=\(command) ;;\n"
      }
      added = """
            arg)
                case "${words[1]}" in
        \(lines)        esac
                case "${words[1]}" in
                start|
        """
    case .fish:
      place = "    set -l unparsed_tokens (__nightjar_tokens -pc)\n"
      let lines = cases { command, names in
        "    case \(names.joined(separator: " "))\n        set unparsed_tokens[2] \(command)\n"
      }
      added = "\(place)    switch \"$unparsed_tokens[2]\"\n\(lines)    end\n"
    }
    guard let range = script.firstRange(of: place) else { preconditionFailure(changed) }
    return script[..<range.lowerBound] + added + script[range.upperBound...]
  }

  private static let changed = "the argument parser's completion script is not what it was"

  /// The argument parser's script for fish, changed so that it parses the line once.
  ///
  /// In the generated script, the condition of each option and each argument parses the line again:
  /// hundreds of times for each Tab. Here the first condition parses it, and the others read the
  /// result.
  private static func parsingOnce(_ generated: String) -> String {
    // Everything before this function is replaced: the two functions that check the conditions. The
    // functions that they call come later in the script, and are not changed.
    guard let rest = generated.firstRange(of: "function __nightjar_parse_tokens -S\n")?.lowerBound
    else {
      preconditionFailure(changed)
    }
    // The generated code looks only for the options of one condition. This collects all options on
    // the line.
    let search = """
              for non_repeating_flag_or_option in $non_repeating_flags_or_options
                  if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                      set non_repeating_flags_or_options_absent 1
                      break
                  end
              end

      """
    let functions = generated[rest...].replacing(
      search, with: "        set -a flags (set -ln | string match '_flag_*')\n")
    precondition(functions.count < generated[rest...].count, changed)
    return "# Completions of nightjar for fish.\n\(fishConditions)\n\(functions)"
  }

  /// The function for bash. The command gets the whole line, because the text that readline inserts
  /// depends on the quotes that are open in the line. `-o filenames` is turned off, because
  /// readline would quote the names a second time. `--` ends the options only if it stands before
  /// the word to complete.
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

  /// The function for zsh. A tab before a name marks a name that the command has already quoted.
  /// The command quotes names with unsafe characters itself, because zsh would show those
  /// characters without escaping them. Such a name can be inserted only where no quote is open.
  private static let zsh = """
    __nightjar_offer() {
        # Without this option `!` is not quoted, and is the history's when the line is entered.
        setopt localoptions banghist
        local word
        local -a literal given plain quoted
        (( ${words[(I)--]} && ${words[(I)--]} < CURRENT )) && literal=(--literal)
        for word in "${(@)words[2,CURRENT-1]}"; do
            given+=("--given=${(Q)word}")
        done
        while IFS='' read -r word; do
            case "${word}" in
            ($'\\t'*) quoted+=("${word#?}") ;;
            (*) plain+=("${word}") ;;
            esac
        done < <(
            nightjar __complete --for zsh "--verb=${words[1]}" "${literal[@]}" "${given[@]}" \\
                "${1}" -- "${(Q)PREFIX}" 2>/dev/null
        )
        local -i ret=1
        (( ${#plain} )) && compadd -V nightjar -a plain && ret=0
        (( ${#quoted} )) && [[ -z "${compstate[quote]}" ]] &&
            compadd -U -Q -V nightjar -a quoted && ret=0
        return ret
    }

    """

  /// The conditions for fish. `__nightjar_parse_tokens` sets the local variables of its caller, and
  /// its result depends only on the text up to the cursor. The first line of the code clears the
  /// result if the script is loaded again.
  private static let fishConditions = """
    set -g __nightjar_parsed

    function __nightjar_parse_once
        set -l line "$(commandline -pc)"
        test "$line" = "$__nightjar_parsed"; and return
        set -l commands
        set -l positional_index 0
        set -l flags
        __nightjar_parse_tokens
        set -g __nightjar_commands "$commands"
        set -g __nightjar_positional_index $positional_index
        set -g __nightjar_flags $flags
        set -g __nightjar_parsed "$line"
    end

    function __nightjar_should_offer_completions_for_flags_or_options -a expected_commands
        __nightjar_parse_once
        test "$__nightjar_commands" = "$expected_commands"; or return 1
        for name in $argv[2..]
            contains "_flag_$(string replace -a - _ -- $name)" $__nightjar_flags; and return 1
        end
        return 0
    end

    function __nightjar_should_offer_completions_for_positional -a expected_commands comparison expected_index
        __nightjar_parse_once
        test "$__nightjar_commands" = "$expected_commands"; or return 1
        test "$__nightjar_positional_index" "$comparison" "$expected_index"
    end

    """

  private static let fish = """
    function __nightjar_offer -a subject
        set -l literal
        contains -- -- (__nightjar_tokens -pc)
        and set literal --literal
        set -l word (commandline -ct)
        set -l tokens (__nightjar_tokens -pc)
        set -l given
        for token in $tokens[3..]
            # As it was typed in newer versions of fish, without its quotes in others.
            set -a given "--given=$token"
            set -l said (string unescape -- "$token" 2>/dev/null)
            and test "$said" != "$token"; and set -a given "--given=$said"
        end
        nightjar __complete --for fish "--verb=$tokens[2]" $literal $given $subject -- "$word" 2>/dev/null
    end

    """
}
