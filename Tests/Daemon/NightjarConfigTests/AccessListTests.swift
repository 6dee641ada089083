import NightjarConfig
import Testing

/// mosquitto's ACL file: printed from a table, parsed, and compared with a table.
@Suite struct AccessListTests {
  private static let text = """
    persons = ["alex", "kim"]
    [groups]
    runners = ["alex", "kim"]
    cooks = ["kim"]
    """

  private func table(_ text: String = text) throws -> PersonsTable {
    try PersonsTable(Array(text.utf8), path: "p.toml")
  }

  private static let printed = """

    user alex
    topic readwrite nightjar/alex/#
    topic read nightjar/@runners/#
    topic write nightjar/@runners/+/alex/#
    topic read nightjar/kim/+/presence

    user kim
    topic readwrite nightjar/kim/#
    topic read nightjar/@runners/#
    topic write nightjar/@runners/+/kim/#
    topic read nightjar/@cooks/#
    topic write nightjar/@cooks/+/kim/#
    topic read nightjar/alex/+/presence
    """

  private func read(_ text: String) -> AccessList { AccessList(mosquitto: Array(text.utf8)) }

  /// The differences of a file, each with its line first.
  private func said(_ file: String, table text: String = text) throws -> [String] {
    try read(file).differences(from: table(text), called: "p.toml").map {
      "\($0.line.map(String.init) ?? "-") \($0.kind): \($0.sentence)"
    }
  }

  // MARK: - Printing

  @Test
  func
    `Each person has the own topics, reads all of the own groups, and writes below the own name`()
    throws
  {
    #expect(AccessList(try table()).lines.joined(separator: "\n") == Self.printed)
    let other = try table("prefix = \"home/n j\"\npersons = [\"a\"]\n[groups]\ng = [\"a\"]\ne = []")
    #expect(
      AccessList(other).lines == [
        "", "user a", "topic readwrite home/n j/a/#", "topic read home/n j/@g/#",
        "topic write home/n j/@g/+/a/#",
      ])
  }

  @Test func `A Home Assistant reads its topics, and its persons' machines describe themselves`()
    throws
  {
    let text = "persons = [\"alex\", \"kim\"]\n[home_assistant]\nhome = [\"alex\"]"
    let list = AccessList(try table(text))
    #expect(
      list.lines == [
        "", "user alex", "topic readwrite nightjar/alex/#",
        "topic readwrite homeassistant/device/nightjar-alex/#",
        "topic read homeassistant/status", "", "user kim", "topic readwrite nightjar/kim/#", "",
        "user home", "topic readwrite homeassistant/status",
        "topic read homeassistant/device/nightjar-alex/#",
        "topic read nightjar/alex/+/presence", "topic read nightjar/alex/+/home/#",
        "topic write nightjar/alex/+/home/set/#",
      ])
    let file = list.lines.joined(separator: "\n") + "\n"
    #expect(try said(file, table: text) == [])
    #expect(
      try said(file.replacing("home/set/#", with: "call"), table: text) == [
        "- missing: home may not write nightjar/alex/+/home/set/#, although p.toml allows it",
        "15 beyond: home may write nightjar/alex/+/call, although p.toml does not allow it",
      ])
    let error = #expect(throws: ConfigError.self) {
      try table("persons = [\"alex\"]\n[home_assistant]\nalex = [\"alex\"]")
    }
    #expect(error?.description.contains("Home Assistant is a user of its own") == true)
  }

  @Test func `A printed list is parsed as the same list`() throws {
    let list = AccessList(try table())
    let file = read("# A comment.\n" + list.lines.joined(separator: "\n") + "\n")
    #expect(file.unknown.isEmpty)
    #expect(file.entries.map(\.subject) == list.entries.map(\.subject))
    #expect(file.entries.map(\.access) == list.entries.map(\.access))
    #expect(file.entries.map(\.filter) == list.entries.map(\.filter))
    #expect(file.entries.first?.line == 4)
    #expect(try said(Self.printed) == [])
  }

  // MARK: - Reading

  /// Tested with mosquitto 2.0.11.
  @Test(arguments: [
    ("topic read a", "topic read a"), ("topic write  a b  ", "topic write a b"),
    ("topic a", "topic readwrite a"), ("topic read", "topic readwrite read"),
    (" topic   deny  a/+/#\r", "topic deny a/+/#"), ("pattern read %u/x", "pattern read %u/x"),
    ("topic read /", "topic read /"), ("topic readwrite \tx", "topic readwrite x"),
  ])
  func `A right is read as mosquitto reads it`(line: String, meaning: String) throws {
    let list = read("#x\n   \n\(line)\n")
    let entry = try #require(list.entries.first)
    #expect(list.entries.count == 1 && list.unknown.isEmpty && entry.line == 3)
    let word = entry.subject == .everyone ? "pattern" : "topic"
    #expect("\(word) \(entry.access.rawValue) \(entry.filter)" == meaning)
    if entry.subject != .everyone { #expect(entry.subject == .anonymous) }
  }

  /// Tested with mosquitto 2.0.11.
  @Test(arguments: [
    "\ttopic read x", "topic read a+", "user", "user  ", "topic", "topic reed a b", "topic a b",
    "topic read a/#/b", " # c", "topc read x", "User alex", "topic Read x", "pattern",
  ])
  func `A line that mosquitto refuses is reported with its number`(line: String) throws {
    let list = read("user alex\n\(line)\ntopic read x\n")
    #expect(list.unknown.map(\.line) == [2] && list.entries.map(\.line) == [3])
    let said = try said("\(Self.printed)\n\(line)")
    #expect(said.count == 1 && said[0].hasPrefix("15 unknown: mosquitto does not understand this "))
  }

  @Test func `A line that is no text is reported, and a comment may contain anything`() {
    let bytes = Array("# ".utf8) + [0xFF, 0x0A] + Array("topic ".utf8) + [0xFF, 0x0A]
    let list = AccessList(mosquitto: bytes + Array("topic a\0b".utf8))
    #expect(list.unknown.map(\.line) == [2, 3] && list.entries.isEmpty)
  }

  // MARK: - Comparing

  @Test
  func `Another order, other lines for the same rights, and other programs make no difference`()
    throws
  {
    #expect(
      try said(
        """
        # By hand.
        topic read $SYS/#
        topic read zigbee/#
        user kim
        topic read nightjar/@cooks/#
        topic write nightjar/@cooks/+/kim/#
        topic nightjar/@runners/+/kim/#
        topic read nightjar/@runners/#
        topic read nightjar/alex/+/presence
        user bridge
        topic readwrite zigbee2mqtt/#
        topic deny nightjar/#
        topic read nightjar/alex/#
        user alex
        topic read nightjar/@runners/#
        topic write nightjar/@runners/+/alex/#
        topic read nightjar/kim/+/presence
        pattern write nightjar/%u/+/#
        pattern deny nightjar/stranger/#
        user kim
        topic read nightjar/kim/#
        topic write nightjar/kim/#
        user alex
        topic read nightjar/alex/#
        topic write nightjar/alex
        """, table: Self.text
      ).filter { !$0.contains("every user who is not in p.toml") } == [])
  }

  @Test func `Each missing right is reported with the person`() throws {
    #expect(
      try said("user alex\ntopic read nightjar/alex/#\ntopic read nightjar/@runners/+/+/#\n") == [
        "- missing: alex may not write nightjar/alex/#, although p.toml allows it",
        "- missing: alex may not read nightjar/@runners/#, although p.toml allows it",
        "- missing: alex may not write nightjar/@runners/+/alex/#, although p.toml allows it",
        "- missing: alex may not read nightjar/kim/+/presence, although p.toml allows it",
        "- missing: kim may not read or write nightjar/kim/#, although p.toml allows it",
        "- missing: kim may not read nightjar/@runners/#, although p.toml allows it",
        "- missing: kim may not write nightjar/@runners/+/kim/#, although p.toml allows it",
        "- missing: kim may not read nightjar/@cooks/#, although p.toml allows it",
        "- missing: kim may not write nightjar/@cooks/+/kim/#, although p.toml allows it",
        "- missing: kim may not read nightjar/alex/+/presence, although p.toml allows it",
      ])
  }

  @Test(arguments: [
    ("user kim\ntopic read nightjar/alex/#", "kim may read nightjar/alex/#"),
    ("user kim\ntopic nightjar/alex/x/call", "kim may read and write nightjar/alex/x/call"),
    ("user alex\ntopic read nightjar/@cooks/#", "alex may read nightjar/@cooks/#"),
    ("user alex\ntopic write nightjar/@runners/#", "alex may write nightjar/@runners/#"),
    (
      "user alex\ntopic write nightjar/@runners/+/kim/#",
      "alex may write nightjar/@runners/+/kim/#"
    ),
    ("user alex\ntopic read #", "alex may read #"),
    ("user alex\ntopic read +/kim/#", "alex may read +/kim/#"),
    ("user sam\ntopic write nightjar/sam/#", "sam may write nightjar/sam/#"),
    ("user Kim\ntopic read nightjar/kim/#", "Kim may read nightjar/kim/#"),
  ])
  func `Each right beyond the table is reported with its line`(more: String, sentence: String)
    throws
  {
    let said = try said("\(Self.printed)\n\(more)\n")
    #expect(said == ["16 beyond: \(sentence), although p.toml does not allow it"])
  }

  @Test func `Rights of clients without a name, and patterns, apply to many users`() throws {
    #expect(
      try said("topic read nightjar/alex/#\n\(Self.printed)") == [
        "1 beyond: a client without a user name may read nightjar/alex/#, although p.toml does not "
          + "allow it"
      ])
    #expect(
      try said("\(Self.printed)\npattern read nightjar/alex/#") == [
        "15 beyond: kim and every user who is not in p.toml may read nightjar/alex/#, although "
          + "p.toml does not allow it"
      ])
    // A client chooses its own id.
    #expect(
      try said("\(Self.printed)\npattern write nightjar/%c/#") == [
        "15 beyond: alex, kim and every user who is not in p.toml may write nightjar/%c/#, "
          + "although p.toml does not allow it"
      ])
    #expect(
      try said("\(Self.printed)\npattern readwrite nightjar/%u/#") == [
        "15 beyond: every user who is not in p.toml may read and write nightjar/%u/#, although "
          + "p.toml does not allow it"
      ])
    // A pattern can give the same rights as the table; here another line denies them to users
    // outside the table.
    let own = Self.printed.replacing("topic readwrite nightjar/kim/#\n", with: "")
    #expect(try said("\(own)\npattern readwrite %u/#").count == 1)
    #expect(
      try said("\(own)\npattern readwrite nightjar/%u/#") == [
        "14 beyond: every user who is not in p.toml may read and write nightjar/%u/#, although "
          + "p.toml does not allow it"
      ])
  }

  @Test func `A name that only looks like that of a person is another user`() throws {
    #expect("Kim" == "\u{212A}im", "Swift takes them for the same")
    let said = try said(
      "user \u{212A}im\ntopic readwrite nightjar/Kim/#", table: "persons = [\"Kim\"]")
    #expect(
      said == [
        "- missing: Kim may not read or write nightjar/Kim/#, although p.toml allows it",
        "2 beyond: \u{212A}im may read and write nightjar/Kim/#, although p.toml does not allow it",
      ])
  }

  @Test func `A denied right is not given, according to mosquitto's rules`() throws {
    #expect(try said("\(Self.printed)\ntopic read nightjar/#\ntopic deny nightjar/#").count == 6)
    #expect(
      try said("\(Self.printed)\ntopic deny nightjar/kim/x/#") == [
        "15 denied: kim may not read or write all of nightjar/kim/#, although p.toml allows it: "
          + "this line denies nightjar/kim/x/#"
      ])
    // It denies no right of the table, and removes the excess right of the line above.
    #expect(
      try said("\(Self.printed)\ntopic read nightjar/+/#\ntopic deny nightjar/sam/#").count == 1)
    #expect(
      try said("\(Self.printed)\ntopic read nightjar/sam/#\ntopic deny nightjar/sam/#") == [])
    // A pattern denies rights from patterns, but not rights from the user's own lines.
    #expect(try said("\(Self.printed)\npattern deny nightjar/%u/#") == [])
    #expect(
      try said("\(Self.printed)\npattern read nightjar/alex/#\npattern deny nightjar/alex/#") == [])
    // A denial for a client id can be avoided, because a client chooses its id.
    #expect(
      try said("\(Self.printed)\npattern read nightjar/x/#\npattern deny nightjar/x/%c/#").count
        == 1)
  }

  @Test func `A table with a changed member differs from the file that was printed before`() throws
  {
    let later = Self.text.replacing("runners = [\"alex\", \"kim\"]", with: "runners = [\"kim\"]")
      .replacing("cooks = [\"kim\"]", with: "cooks = [\"kim\", \"alex\"]")
    #expect(
      try said(Self.printed, table: later) == [
        "- missing: alex may not read nightjar/@cooks/#, although p.toml allows it",
        "- missing: alex may not write nightjar/@cooks/+/alex/#, although p.toml allows it",
        "4 beyond: alex may read nightjar/@runners/#, although p.toml does not allow it",
        "5 beyond: alex may write nightjar/@runners/+/alex/#, although p.toml does not allow it",
      ])
  }
}
