import NightjarMirror
import NightjarModel
import Testing

@Suite struct TopicTests {
  private let laptop = DeviceAddress(person: "alex", device: "laptop-1")!

  @Test(arguments: [
    "tea", "run/4711/mate", "+", "#", "a+b/#c", "%", "%2B", "100 %", "grüner Tee", "/", "a//b",
    "$SYS",
    "x%25y", "status", "timer/timer",
  ])
  func `The name of a timer can be decoded from its topic, and no level is a wildcard`(
    name: String
  ) {
    let topic = Topic.timer(laptop, name: name)
    let text = topic.text(prefix: "nightjar")
    #expect(Topic(text, prefix: "nightjar") == topic)
    #expect(text.hasPrefix("nightjar/alex/laptop-1/timer/"))
    #expect(!text.contains("+") && !text.contains("#"))
  }

  @Test(arguments: [
    "nightjar/alex/laptop-1/status", "nightjar/alex/laptop-1/event", "nightjar/alex/laptop-1/call",
    "nightjar/alex/laptop-1/reply", "nightjar/alex/laptop-1/marker",
    "nightjar/alex/laptop-1/presence",
  ])
  func `Each topic of a device is parsed as it was written`(text: String) throws {
    let topic = try #require(Topic(text, prefix: "nightjar"))
    #expect(topic.text(prefix: "nightjar") == text)
    #expect(topic.address == laptop)
  }

  @Test func `A ring has one topic, below its person`() throws {
    let key = try #require(RingKey(ledger: "one", id: 7, expiry: 12))
    let topic = Topic.ring(person: "alex", key)
    #expect(topic.text(prefix: "nightjar") == "nightjar/alex/ring/one/7/12")
    #expect(Topic("nightjar/alex/ring/one/7/12", prefix: "nightjar") == topic)
    #expect(topic.address == nil && topic.person == "alex")
    #expect(DeviceAddress(person: "alex", device: "ring") == nil)
  }

  @Test(arguments: [
    "", "nightjar", "nightjar/", "nightjar/alex", "nightjar/alex/laptop",
    "nightjar/alex/laptop/timer",
    "nightjar/alex/laptop/status/x", "nightjar/alex/lap top/status", "nightjar/al.ex/laptop/status",
    "nightjar//laptop/status", "other/alex/laptop/status", "nightjarx/alex/laptop/status",
    "nightjar/alex/laptop/timer/a%2", "nightjar/alex/laptop/timer/a%41",
    "nightjar/alex/laptop/other", "nightjar/alex/ring/one/7", "nightjar/alex/ring/one/7/12/1",
    "nightjar/alex/ring/one/+7/12", "nightjar/alex/ring/one/07/12", "nightjar/alex/ring/one/-7/12",
    "nightjar/alex/ring/one//12", "nightjar/alex/ring//7/12", "nightjar/al ex/ring/one/7/12",
    "nightjar/alex/ring/o e/7/12", "nightjar/alex/ring/one/7/99999999999999999999",
  ])
  func `A topic that no bridge writes is refused`(text: String) {
    #expect(Topic(text, prefix: "nightjar") == nil)
  }

  @Test func `A prefix of several levels is removed as a whole`() {
    let topic = Topic.status(laptop)
    #expect(topic.text(prefix: "home/nj") == "home/nj/alex/laptop-1/status")
    #expect(Topic("home/nj/alex/laptop-1/status", prefix: "home/nj") == topic)
  }

  @Test(arguments: [
    ("alex", true), ("A-b_9", true), (String(repeating: "x", count: 32), true), ("", false),
    (String(repeating: "x", count: 33), false), ("a/b", false), ("a.b", false), ("+", false),
    ("#", false), ("ä", false), ("a b", false), ("..", false),
  ])
  func `Persons and devices are words that are valid in topics and folders`(
    word: String, fits: Bool
  ) {
    #expect(DeviceAddress.isWord(word) == fits)
    #expect((DeviceAddress(person: word, device: "x") != nil) == fits)
    #expect((DeviceAddress(person: "x", device: word) != nil) == fits)
  }

  @Test func `A name of more than 128 segments has no topic`() {
    let deep = Array(repeating: "x", count: 128).joined(separator: "/")
    #expect(Topic.canPublish(deep))
    #expect(!Topic.canPublish("\(deep)/x"))
  }
}
