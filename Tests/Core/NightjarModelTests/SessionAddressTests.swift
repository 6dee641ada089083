import NightjarModel
import Testing

@Suite struct SessionAddressTests {
  private func session(_ path: String) throws -> SessionAddress {
    try #require(SessionAddress(group: "runners", path: path))
  }

  @Test(arguments: [
    ("run/4711", "run%2F4711"), ("Über", "%C3%9Cber"), ("a+b#c%d", "a%2Bb%23c%25d"),
    ("..", "%2E%2E"),
    ("a\u{20}b", "a%20b"),
  ])
  func `The path of a session is one word for topics and files`(path: String, word: String) throws {
    #expect(try session(path).word == word)
    #expect(SessionAddress.word(of: path) == word)
  }

  @Test(arguments: [
    "", "/a", "a/", "a//b", "a\nb", String(repeating: "a", count: 65), "ÜÜÜÜÜÜÜÜÜÜÜ",
  ])
  func `A text that is no name, or too long as a word, is no path of a session`(path: String) {
    #expect(!SessionAddress.isPath(path))
    #expect(SessionAddress(group: "runners", path: path) == nil)
  }

  @Test func `The longest path is accepted, and a group must be a word`() {
    #expect(SessionAddress(group: "g", path: String(repeating: "a", count: 64)) != nil)
    for group in ["", "a b", "a/b", "+", String(repeating: "a", count: 33)] {
      #expect(SessionAddress(group: group, path: "a") == nil, "\(group)")
    }
  }

  @Test func `A timer is in a session by whole segments, and shown with its owner`() throws {
    let owner = try #require(DeviceAddress(person: "kim", device: "phone"))
    let session = try session("run/4711")
    func shown(_ name: String) -> String? { session.shownName(of: name, on: owner) }
    #expect(shown("run/4711") == "kim/phone")
    #expect(shown("run/4711/time") == "kim/phone/time")
    #expect(shown("run/4711/a/b") == "kim/phone/a/b")
    for name in ["run/47110", "run", "run/471", "x/run/4711", "RUN/4711", ""] {
      #expect(shown(name) == nil && !session.includes(name), "\(name)")
    }
    // The shown name is a name, too, so it may be as long as one.
    let room = Limits.nameBytes - "kim/phone/".utf8.count
    #expect(shown("run/4711/" + String(repeating: "a", count: room)) != nil)
    #expect(shown("run/4711/" + String(repeating: "a", count: room + 1)) == nil)
  }
}
