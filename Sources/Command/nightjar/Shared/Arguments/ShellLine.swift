/// A line for /bin/sh. It is the value of `--shell`.
struct ShellLine {
  private static let shell = ["/bin/sh", "-c"]

  /// The line, as the user typed it.
  let text: String

  init(_ text: String) { self.text = text }

  /// The line in the words of a command; nil: the command does not run the shell.
  init?(_ command: [String]) {
    guard command.count == 3, Array(command.prefix(2)) == Self.shell else { return nil }
    text = command[2]
  }

  /// The words of the command that makes the shell run the line.
  var command: [String] { Self.shell + [text] }

  /// The program at the beginning of the line. Nil if only the shell can find out which program it
  /// is.
  var program: String? {
    let line = text.drop(while: \.isWhitespace)
    let word = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.+/".contains($0)) }
    let next = line[word.endIndex...].first
    // If the next character is a quote, an expansion or part of an assignment, the word is not the
    // program's whole name. The `2` of `2>file` is not a word, and `name()` defines a function.
    guard !word.isEmpty, next.map({ $0.isWhitespace || "|&;<>".contains($0) }) ?? true,
      !word.allSatisfy(\.isNumber), !Self.ownWords.contains(String(word)),
      line[word.endIndex...].drop(while: \.isWhitespace).first != "("
    else { return nil }
    // A relative path is left out, because it depends on the folder in which the daemon runs the
    // command.
    return word.contains("/") && word.first != "/" ? nil : String(word)
  }

  /// The words that a shell understands without a program, which are reserved words and builtins.
  /// The list has the words of POSIX, dash and bash, because /bin/sh may be dash or bash.
  private static let ownWords = Set(
    """
    if then else elif fi do done case esac while until for in select function time coproc
    . : alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare
    dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let
    local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source
    suspend test times trap true type typeset ulimit umask unalias unset wait
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
