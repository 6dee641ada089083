import NightjarModel
import Testing

@Suite struct TimerNameTests {
  private func problem(_ name: String) -> NameProblem? {
    var name = name
    return name.withUTF8 { TimerName.problem(UnsafeRawBufferPointer($0)) }
  }

  private func matches(_ name: String, _ prefix: String) -> Bool {
    var (name, prefix) = (name, prefix)
    return name.withUTF8 { name in
      prefix.withUTF8 { prefix in
        TimerName.matches(UnsafeRawBufferPointer(name), prefix: UnsafeRawBufferPointer(prefix))
      }
    }
  }

  @Test(arguments: [
    "a", "tea", "run/4711/mate", "Tee für zwei", "茶/お茶", "🫖", "a.b-c_d", "..", " ", "-n",
    String(repeating: "x", count: 255), String(repeating: "é", count: 127), "a\u{A0}b", "a\u{C0}",
  ])
  func `A name is a path of segments`(_ name: String) {
    #expect(problem(name) == nil)
  }

  @Test(arguments: [
    ("", NameProblem.empty), (String(repeating: "x", count: 256), .tooLong(256)),
    (String(repeating: "é", count: 128), .tooLong(256)), ("/", .emptySegment),
    ("/tea", .emptySegment), ("tea/", .emptySegment), ("a//b", .emptySegment),
    ("tea\n", .controlCharacter(3)), ("\u{0}", .controlCharacter(0)),
    ("a\tb", .controlCharacter(1)), ("a\u{7F}", .controlCharacter(1)),
    ("a\u{80}", .controlCharacter(1)), ("é\u{9F}", .controlCharacter(2)),
  ])
  func `An invalid name is refused with its problem`(_ name: String, _ expected: NameProblem) {
    #expect(problem(name) == expected)
    #expect(!expected.description.isEmpty)
  }

  @Test(arguments: [
    ("tea", "tea", true), ("tea/green", "tea", true), ("tea/green", "tea/", true),
    ("teapot", "tea", false), ("teapot", "tea/", false), ("tea", "tea/", false),
    ("te", "tea", false), ("anything/at/all", "", true), ("a/b/c", "a/b", true),
    ("a/bc", "a/b", false), ("A", "a", false), ("caf\u{E9}/1", "cafe\u{301}", true),
    ("cafe\u{301}/1", "caf\u{E9}/", true), ("cafe\u{301}", "caf\u{E9}", true),
    ("cafe\u{301}", "caf\u{E9}/", false), ("cafe\u{301}s", "caf\u{E9}", false),
    ("cafe\u{301}", "cafe", false), ("caf\u{E9}", "/", false), ("run/\u{212A}/1", "run/K", true),
  ])
  func `A prefix matches whole segments`(_ name: String, _ prefix: String, _ expected: Bool) {
    #expect(matches(name, prefix) == expected)
  }

  @Test func `The names for timers without a name are valid and differ`() {
    #expect(Set(TimerName.birds).count == TimerName.birds.count)
    for bird in TimerName.birds { #expect(problem(bird) == nil) }
  }
}
