/// A line for /bin/sh, as `--shell` takes it.
struct ShellLine {
  private static let shell = ["/bin/sh", "-c"]

  /// As it was typed.
  let text: String

  /// A line as it was typed.
  init(_ text: String) { self.text = text }

  /// The line of a command; nil: it is no command for the shell.
  init?(_ command: [String]) {
    guard command.count == 3, Array(command.prefix(2)) == Self.shell else { return nil }
    text = command[2]
  }

  /// The words that have the shell run it.
  var command: [String] { Self.shell + [text] }

  /// The program that it begins with, if the shell would look for one by that very word; nil: only the
  /// shell can say what it begins with.
  var program: String? {
    let line = text.drop(while: \.isWhitespace)
    let word = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.+/".contains($0)) }
    let next = line[word.endIndex...].first
    // What follows may be a quote, a sign that stands for something else, or the end of an assignment. The `2`
    // of `2>file` is no word, and `name()` makes a function.
    guard !word.isEmpty, next.map({ $0.isWhitespace || "|&;<>".contains($0) }) ?? true,
      !word.allSatisfy(\.isNumber), !Self.ownWords.contains(String(word)),
      line[word.endIndex...].drop(while: \.isWhitespace).first != "("
    else { return nil }
    // A path that does not begin with a slash depends on the folder in which the daemon runs it.
    return word.contains("/") && word.first != "/" ? nil : String(word)
  }

  /// Words that a shell understands without a program: reserved words and builtins of POSIX, of dash
  /// and of bash, each of which may be /bin/sh.
  private static let ownWords = Set(
    """
    if then else elif fi do done case esac while until for in select function time coproc
    . : alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare
    dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let
    local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source
    suspend test times trap true type typeset ulimit umask unalias unset wait
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
