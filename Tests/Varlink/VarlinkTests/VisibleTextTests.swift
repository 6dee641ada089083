import Testing
import Varlink

struct VisibleTextTests {
  /// Listed again, from the standards and not from the code: control characters (ECMA-48), line and
  /// paragraph separators, and Bidi_Control of the Unicode Character Database.
  private static let unsafe: [UInt32] =
    Array(0...0x1F) + Array(0x7F...0x9F) + [0x2028, 0x2029, 0x061C, 0x200E, 0x200F]
    + Array(0x202A...0x202E) + Array(0x2066...0x2069)

  @Test func `Of all code points, controls, separators and bidirectional controls are unsafe`() {
    var found: [UInt32] = []
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if VisibleText.isUnsafe(scalar) { found.append(value) }
      let properties = scalar.properties
      let isIncluded =
        properties.generalCategory == .control || properties.isBidiControl
        || properties.generalCategory == .lineSeparator
        || properties.generalCategory == .paragraphSeparator
      guard isIncluded != VisibleText.isUnsafe(scalar) else { continue }
      Issue.record("U+\(String(value, radix: 16))")
    }
    #expect(found == Self.unsafe.sorted())
  }

  @Test func `Each unsafe code point is replaced, and the text around it stays`() throws {
    for scalar in Self.unsafe.compactMap(Unicode.Scalar.init) {
      let text = "é\(scalar)́b"
      for shown in [
        VisibleText.visible(text), VisibleText.visibleJSON(text),
        VisibleText.replaced(text) { _ in " " },
      ] {
        #expect(!VisibleText.hasUnsafe(shown))
        #expect(
          shown.hasPrefix("é") && shown.unicodeScalars.suffix(2).elementsEqual("́b".unicodeScalars))
      }
    }
    #expect(VisibleText.visible("a\n\t\r\u{1B}\u{85}\u{202E}b") == #"a\n\t\r\u{1B}\u{85}\u{202E}b"#)
    #expect(VisibleText.visible("a\tb\n", keepsTabs: true) == "a\tb\\n")
    #expect(VisibleText.visibleJSON("\u{7F}\u{85}\u{2028}") == #"\u007f\u0085\u2028"#)
  }

  @Test func `Printed JSON has no unsafe code point and the same meaning`() throws {
    for scalar in Self.unsafe.compactMap(Unicode.Scalar.init) {
      let value: JSONValue = .object([.init("k\(scalar)", .array([.string("v\(scalar)\"\\")]))])
      #expect(!VisibleText.hasUnsafe(value.text))
      #expect(try JSONValue.parse(value.text) == value)
    }
  }
}
