import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// Names and texts come from anyone: none may change the direction or position of the text after
/// it, on any screen.
@Suite(.blocking) struct VisibleTextTests {
  private static let name = "rtl \u{202E}abc"
  private static let shown = #"rtl \u{202E}abc"#

  private func fixture() throws -> Fixture {
    try Fixture([
      .init(name: Self.name, state: "paused"), .init(name: "tea", state: "paused"),
    ]) { request, nowUsec in
      switch request.method {
      case "Events":
        (1...9).map {
          .reply(
            [
              "event": [
                "seq": .integer($0), "time_usec": .integer(nowUsec), "type": "paused",
                "name": .string(Self.name),
              ]
            ], continues: true)
        }
      case "Watch":
        [
          .reply(
            [
              "event": [
                "seq": 1, "time_usec": .integer(nowUsec), "type": "paused",
                "name": .string(Self.name),
              ]
            ])
        ]
      default: nil
      }
    }
  }

  @Test(arguments: [
    ["list"], ["show", Self.name], ["remaining", "--all"], ["start", Self.name, "4min"],
    ["resume", Self.name], ["dismiss", Self.name], ["show", Self.name + "x"], ["events"],
    ["watch", "--tick", "1s"], [Self.name],
  ])
  func `A character that changes the direction of a line is escaped wherever people read it`(
    arguments: [String]
  ) throws {
    let fixture = try fixture()
    for result in [
      try fixture.runner.run(arguments), try fixture.runner.runOnTerminal(arguments, typing: ""),
    ] {
      let text = result.output + result.errors
      #expect(text.contains(Self.shown) && !text.contains("\u{202E}"), "\(arguments): \(result)")
    }
  }

  @Test func `Programs get the name unchanged`() throws {
    for arguments in [["list", "--json"], ["show", Self.name, "--json"], ["events", "--json"]] {
      let fixture = try fixture()
      let lines = try fixture.runner.run(arguments).output.split(separator: "\n")
      let value = try JSONValue.parse(String(try #require(lines.first)))
      let names = [
        value["timers"]?.arrayValue?.first?["name"], value["timer"]?["name"],
        value["event"]?["name"],
      ].compactMap { $0?.stringValue }
      #expect(names == [Self.name])
    }
  }

  @Test func `Columns are aligned by the visible text`() throws {
    let fixture = try fixture()
    let lines = try fixture.runner.runOnTerminal(["list"]).output.split(separator: "\n")
    let places = lines.dropFirst().map {
      $0.firstRange(of: "04:00")?.lowerBound.utf16Offset(in: $0)
    }
    #expect(places.count == 2 && Set(places).count == 1, "\(lines)")
  }

  @Test func `A character with a combining mark is escaped: bars and shells see the character`() {
    func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }
    #expect(scalars("a'\u{301}b'".replacingScalars("'", with: "\\'")) == scalars("a\\'\u{301}b\\'"))
    #expect(scalars("%{\u{301}A}".replacingScalars("%{", with: "% {")) == scalars("% {\u{301}A}"))
    #expect("".replacingScalars("&", with: "&amp;") == "")
    #expect("&&".replacingScalars("&", with: "&amp;") == "&amp;&amp;")
  }
}
