import NightjarTestSupport
import Testing

@testable import nightjar

/// The word that bash completes, and its replacement.
@Suite(.blocking) struct UnfinishedWordTests {
  @Test(arguments: [
    ("nightjar show te", "te", "", "te", UnfinishedWord.Quote.none),
    ("nightjar show ", "", "", "", .none), ("nightjar show 'my t", "my t", "", "my t", .single),
    ("nightjar show \"my t", "my t", "", "my t", .double),
    ("nightjar show my\\ t", "my\\ t", "", "my t", .none),
    ("nightjar show a:b", "b", "a:", "b", .none),
    ("nightjar show 'a'b\"c", "c", "ab", "c", .double),
    ("nightjar show $'a\\'b", "a\\'b", "", "a'b", .dollar), ("a 'b c", "b c", "", "b c", .single),
    ("a \"\\x\\$", "\\x\\$", "", "\\x$", .double), ("a 'it'\\''s", "s", "it'", "s", .single),
    ("a;b", "b", "", "b", .none), ("a x@y", "@y", "x", "@y", .none),
  ])
  func `The word is read like bash does, up to the part that readline replaces`(
    line: String, replaced: String, head: String, typed: String, quote: UnfinishedWord.Quote
  ) {
    let word = UnfinishedWord(line: line, replaced: replaced)
    #expect((word.head, word.typed) == (head, typed))
    #expect(word.quote == quote)
  }

  @Test func `A completion begins with the open quote, and closes the quotes that it opens`() {
    func completions(_ line: String, _ replaced: String, _ names: String...) -> [String] {
      UnfinishedWord(line: line, replaced: replaced).completions(among: names)
    }
    #expect(completions("n t", "t", "tea", "team", "x") == ["tea", "team"])
    #expect(completions("n t", "t", "tea", "t x") == ["'tea'", "'t x'"])
    // Names without a common beginning have no quote in common.
    #expect(completions("n ", "", "tea", "my tea") == ["tea", "'my tea'"])
    #expect(completions("n ", "", "my tea", "your tea") == [#""my tea""#, "'your tea'"])
    #expect(completions("n ", "", "a b!", "b c", "tea") == ["'a b!'", "'b c'", "tea"])
    #expect(completions("n ", "", "a b!", "b c") == [#"""'a b!'"""#, "'b c'"])
    #expect(completions("n ", "", "my tea", "my cup") == ["'my tea'", "'my cup'"])
    #expect(completions("n 't", "t", "t'x") == [#"'t'\''x'"#])
    #expect(completions("n \"t", "t", "t$x\"`\\") == [#""t\$x\"\`\\""#])
    #expect(completions("n \"t", "t", "t!x") == [#"""'t!x'"""#])
    #expect(completions("n a:", "", "a:b", "a:c d", "b") == ["b", "'c d'"])
    #expect(completions("n ", "", "\u{202E}'!\\") == [#"$'\xe2\x80\xae\x27\x21\x5c'"#])
    #expect(completions("n 't", "t", "t\u{202E}") == [#"''$'t\xe2\x80\xae'"#])
    #expect(completions("n $'t", "t", "t\u{202E}") == [#"'t\xe2\x80\xae'"#])
  }
}
