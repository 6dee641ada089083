import Testing
import Varlink

@Suite struct JSONTextTests {
  private func withText(_ literal: String, _ body: (JSONText) -> Void) throws {
    try scan(literal) { (scanner) throws(JSONError) in body(try scanner.readString()) }
  }

  @Test(arguments: [
    (#""\"""#, "\""), (#""\\""#, "\\"), (#""\/""#, "/"), (#""\b""#, "\u{08}"),
    (#""\f""#, "\u{0c}"),
    (#""\n""#, "\n"), (#""\r""#, "\r"), (#""\t""#, "\t"), (#""\u0000""#, "\0"),
    (#""\u007f""#, "\u{7f}"),
    (#""\u0080""#, "\u{80}"), (#""\u07FF""#, "\u{7ff}"), (#""\u0800""#, "\u{800}"),
    (#""\uD7ff""#, "\u{d7ff}"),
    (#""\ue000""#, "\u{e000}"), (#""\uffff""#, "\u{ffff}"), (#""\ud800\udc00""#, "\u{10000}"),
    (#""\uD83D\uDE00""#, "😀"), (#""\uDBFF\uDFFF""#, "\u{10ffff}"), (#""a\u00e9b\n€""#, "aéb\n€"),
  ])
  func `Every escape stands for its character`(literal: String, text: String) throws {
    try withText(literal) {
      #expect($0.hasEscapes)
      #expect($0.string == text)
      #expect($0.utf8Count == text.utf8.count)
      #expect($0.withUTF8 { Array($0) } == Array(text.utf8))
    }
  }

  @Test func `Every scalar, escaped or not, is read as itself`() throws {
    for value in stride(from: UInt32(0x20), through: 0x10ffff, by: 61) {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      let escape = String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
      try withText("\"\(scalar)\"") { #expect($0.string.unicodeScalars.elementsEqual([scalar])) }
      try withText("\"\(escape)\"") { #expect($0.string.unicodeScalars.elementsEqual([scalar])) }
    }
  }

  @Test func `A text without escapes is not copied, and one with escapes is, at any length`() throws
  {
    try withText(#""plain""#) { text in
      #expect(!text.hasEscapes)
      text.withUTF8 { #expect($0.baseAddress == text.rawBytes.baseAddress) }
    }
    for count in [1, 1023, 1024, 1025, 100_000] {
      let literal = "\"" + String(repeating: #"\u00e9"#, count: count) + "\""
      try withText(literal) { text in
        #expect(text.utf8Count == 2 * count)
        text.withUTF8 { bytes in
          #expect(bytes.allSatisfy { $0 == 0xc3 || $0 == 0xa9 })
        }
      }
    }
  }

  @Test func `A text with escapes equals what it stands for, and not its spelling`() throws {
    try withText(#""by\u005fusec""#) {
      #expect($0.equals("by_usec"))
      #expect(!$0.equals(#"by\u005fusec"#))
      #expect(!$0.equals("by_use"))
    }
  }

  @Test func `Texts of every length differ if any byte differs`() throws {
    let all: [StaticString] = [
      "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi",
      "abcdefghij", "abcdefghijk", "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn",
      "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq",
    ]
    for (length, name) in all.enumerated() {
      let spelling = Array("\(name)".utf8)
      try withText("\"\(name)\"") { text in
        for (other, candidate) in all.enumerated() {
          #expect(text.equals(candidate) == (other == length))
        }
      }
      for index in spelling.indices {
        var changed = spelling
        changed[index] = UInt8(ascii: "X")
        try withText("\"\(String(decoding: changed, as: UTF8.self))\"") {
          #expect(!$0.equals(name))
        }
      }
    }
  }

  @Test func `The text after a prefix is found, with and without escapes`() throws {
    for literal in [#""a.b.Get""#, #""a\u002eb.Get""#, #""a.b.G\u0065t""#] {
      try withText(literal) {
        #expect($0.dropping(prefix: "a.b.")?.equals("Get") == true)
        #expect($0.dropping(prefix: "a.b.Get")?.utf8Count == 0)
        #expect($0.dropping(prefix: "")?.equals("a.b.Get") == true)
        #expect($0.dropping(prefix: "a.b.Gets") == nil)
        #expect($0.dropping(prefix: "a.c") == nil)
      }
    }
  }
}
