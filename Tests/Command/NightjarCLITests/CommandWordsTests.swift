import NightjarTestSupport
import Testing

@testable import nightjar

/// Splitting the text of a command into words.
@Suite(.blocking) struct CommandWordsTests {
  @Test(
    arguments: [
      ("paplay bell.oga", ["paplay", "bell.oga"]),
      ("  paplay \t bell.oga\n", ["paplay", "bell.oga"]),
      (#"notify-send "Tea is ready" now"#, ["notify-send", "Tea is ready", "now"]),
      (#"notify-send 'Tea is ready'"#, ["notify-send", "Tea is ready"]),
      (#"say it\ is"#, ["say", "it is"]), (#"say "" ''"#, ["say", "", ""]),
      (#"say --text="a b"c"#, ["say", "--text=a bc"]),
      (#"say 'it"s' "it's""#, ["say", #"it"s"#, "it's"]),
      (#"say 'it\'s' "a\"b""#, ["say", "it's", #"a"b"#]),
      (#"say a\tb\x41\u00e4\U0001F375\101\\"#, ["say", "a\tbAä🍵A\\"]),
      (#"say '\n'"#, ["say", "\n"]), (#"say \s\ \s"#, ["say", "   "]),
      ("glöckchen läuten", ["glöckchen", "läuten"]),
      // Characters that are literal in quotes, or alone, are passed to the program.
      (#"say 'a | b' "&&" \; \|"#, ["say", "a | b", "&&", ";", "|"]),
      (
        #"say '$HOME' \$HOME "$HOME" 5$ '$5' $"#,
        ["say", "$HOME", "$HOME", "$HOME", "5$", "$5", "$"]
      ),
      (#"say '~/x' \~ a~b ~me"#, ["say", "~/x", "~", "a~b", "~me"]),
      (
        #"say 'a|b' "a;b" x\>y 100% '*'.oga [a] h://x/?a=1 \*"#,
        ["say", "a|b", "a;b", "x>y", "100%", "*.oga", "[a]", "h://x/?a=1", "*"]
      ),
    ] as [(String, [String])])
  func `Words are split at blanks; quotes and backslashes keep them together`(
    text: String, words: [String]
  ) throws {
    #expect(try CommandWords.split(text) == words)
  }

  @Test(
    arguments: [
      ("a | b", "'|'"), ("a && b", "'&&'"), ("a ; b", "';'"), ("a > b", "'>'"), ("a &", "'&'"),
      ("a 2>&1", "'2>&1'"), ("say $HOME", "'$' and what follows"),
      ("say ${HOME}", "'$' and what follows"), ("say x$(date)", "'$' and what follows"),
      ("say `date`", "'`'"), ("paplay ~/bell.oga", "'~'"), ("ls ~", "'~'"),
      ("~/bin/ring", "'~'"), ("echo x>f", "'x>f'"), ("echo a;b", "'a;b'"), ("a|b", "'a|b'"),
      ("ls 2>/dev/null", "'2>/dev/null'"), ("rm *.txt", "'*.txt'"), ("a&", "'a&'"),
      ("sort <'a b'", "'<a b'"), ("say $1", "'$' and what follows"),
      ("say $?", "'$' and what follows"), ("say $$", "'$' and what follows"),
    ] as [(String, String)])
  func `Syntax that only a shell understands is not passed to the program`(
    text: String, what: String
  ) {
    #expect(
      throws: CommandWords.Problem(
        sentence: "is run without a shell, which \(what) would be for", isForShell: true)
    ) { try CommandWords.split(text) }
  }

  @Test(
    arguments: [
      ("", "has no program in it; write one such as 'paplay bell.oga'"),
      ("  \t", "has no program in it; write one such as 'paplay bell.oga'"),
      (#""" a"#, "has no program in it; write one such as 'paplay bell.oga'"),
      ("say 'a", "has a quote (') that does not end"),
      (#"say "a' b"#, #"has a quote (") that does not end"#),
      (#"say a\"#, "ends in a backslash that stands before nothing"),
      (#"say "a\"#, "ends in a backslash that stands before nothing"),
      (#"say \q"#, #"has '\q' in it, which means nothing; for a backslash write \\"#),
      (#"say \x4"#, #"has '\x4' in it, which is no character's number"#),
      (#"say \xzz"#, #"has '\xzz' in it, which is no character's number"#),
      (#"say \ud800"#, #"has '\ud800' in it, which is no character's number"#),
      (#"say \x00"#, #"has '\x00' in it, which is no character's number"#),
      (#"say \08"#, #"has '\08' in it, which is no character's number"#),
    ] as [(String, String)])
  func `An unfinished quote or an invalid escape gets one sentence`(
    text: String, sentence: String
  ) {
    #expect(throws: CommandWords.Problem(sentence: sentence)) { try CommandWords.split(text) }
  }

  @Test func `Words that are quoted one by one are read unchanged`() throws {
    let words = ["say", "", "a b", "it's", #"a\b"#, #"""#, "$HOME", "~", "|", "ä\n\t"]
    let quoted = words.map { word in
      "'" + word.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
    #expect(try CommandWords.split(quoted.joined(separator: " ")) == words)
  }
}
