import NightjarTestSupport
import Testing

@testable import nightjar

/// Names and texts come from anyone. VisibleOutputTests see that no output has a character of
/// theirs that controls a terminal.
@Suite(.blocking) struct VisibleTextTests {
  @Test func `An unsafe character is escaped, and columns are aligned by the visible text`() throws
  {
    let name = "rtl \u{202E}abc"
    let fixture = try Fixture([
      .init(name: name, state: "paused"), .init(name: "tea", state: "paused"),
    ])
    let lines = try fixture.runner.runOnTerminal(["list"]).output.split(separator: "\n")
    let places = lines.dropFirst().map {
      $0.firstRange(of: "04:00")?.lowerBound.utf16Offset(in: $0)
    }
    #expect(places.count == 2 && Set(places).count == 1, "\(lines)")
    #expect(lines.contains { $0.hasPrefix(#"rtl \u{202E}abc"#) }, "\(lines)")
  }

  @Test func `A character with a combining mark is escaped: bars and shells see the character`() {
    func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }
    #expect(scalars("a'\u{301}b'".replacingScalars("'", with: "\\'")) == scalars("a\\'\u{301}b\\'"))
    #expect(scalars("%{\u{301}A}".replacingScalars("%{", with: "% {")) == scalars("% {\u{301}A}"))
    #expect("".replacingScalars("&", with: "&amp;") == "")
    #expect("&&".replacingScalars("&", with: "&amp;") == "&amp;&amp;")
  }
}
