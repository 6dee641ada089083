import Testing

@testable import nightjar

/// A terminal's bytes as keys.
@Suite struct KeyReaderTests {
  private func keys(_ texts: String...) -> [Key] {
    var reader = KeyReader()
    return texts.flatMap { reader.keys(in: Array($0.utf8)) }
  }

  @Test(
    arguments: [
      ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left),
      ("\u{1B}[H", .home), ("\u{1B}[4~", .end), ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp),
      ("\r", .enter), ("\u{7F}", .backspace), ("\u{15}", .control("u")), ("\u{17}", .control("w")),
      ("é", .character("é")), ("茶", .character("茶")),
      ("\u{1B}[<0;12;3M", .click(line: 2, column: 11)),
      ("\u{1B}[<0;200;50M", .click(line: 49, column: 199)), ("\u{1B}[<64;1;1M", .wheel(-1)),
      ("\u{1B}[<65;1;1M", .wheel(1)),
    ] as [(String, Key)])
  func `A sequence is a key, whatever follows`(text: String, key: Key) {
    #expect(keys(text + "x") == [key, .character("x")])
  }

  @Test func `A released button, another button and an unknown sequence are no keys`() {
    #expect(keys("\u{1B}[<0;12;3m\u{1B}[<2;12;3M\u{1B}[<0;12M\u{1B}[24~x") == [.character("x")])
  }

  @Test func `A sequence may come in pieces`() {
    #expect(keys("\u{1B}[<0;1", "2;3M") == [.click(line: 2, column: 11)])
  }
}
