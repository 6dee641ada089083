import NightjarInterface
import Testing

@Suite struct MarkupTests {
  @Test func `Escaped text is shown unchanged by markup`() {
    #expect(Markup.escaped("a < b && <b>c</b>") == "a &lt; b &amp;&amp; &lt;b&gt;c&lt;/b&gt;")
    let combined = Markup.escaped("<\u{301}b>")
    #expect(combined.unicodeScalars.elementsEqual("&lt;\u{301}b&gt;".unicodeScalars))
  }
}
