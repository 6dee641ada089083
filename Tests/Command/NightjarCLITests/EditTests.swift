import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

/// `nightjar edit`, with sed(1) as the editor.
@Suite(.blocking) struct EditTests {
  private static let tea = FakeTimers.Entry(
    name: "tea", remainingUsec: 191_500_000, labels: ["kind": "drink"], data: ["cups": 2],
    more: [
      "message": "Now", "bands": [["name": "warn", "remaining_usec": 60_000_000]],
      "ring": ["sound": "/bell.oga", "volume": 40],
    ])

  /// - Parameter script: what sed(1) does with the text, after it has written it to a file `seen`.
  private func fixture(
    editing script: String = "", _ entries: [FakeTimers.Entry] = [tea]
  ) throws -> Fixture {
    var fixture = try Fixture(entries)
    let folder = fixture.runner.folder.path
    let change = script.isEmpty || script.hasPrefix("-e ") ? script : "-e \(script)"
    fixture.runner.environment["EDITOR"] = "sed -i -e 'w \(folder)/seen' \(change)"
    fixture.runner.environment["TMPDIR"] = folder
    return fixture
  }

  /// The lines of the text that the editor got.
  private func seen(_ fixture: Fixture) throws -> [Substring] {
    try String(contentsOfFile: fixture.runner.folder.path + "/seen", encoding: .utf8)
      .split(separator: "\n")
  }

  /// The paths of the files that remain.
  private func files(_ fixture: Fixture) throws -> [String] {
    let folder = fixture.runner.folder.path
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".toml") }.map { "\(folder)/\($0)" }
  }

  /// The parameters of the request without the name.
  private func asked(_ fixture: Fixture, _ method: String) -> JSONValue? {
    fixture.daemon.requests.last { $0.method == method }.map {
      .object(($0.parameters.objectValue ?? []).filter { $0.key != "name" })
    }
  }

  @Test func `The editor shows the editable properties, as the table of a preset`() throws {
    let fixture = try fixture()
    #expect(try fixture.run("edit", "tea").status == 0)
    let lines = [
      "[presets.tea]", #"duration = "4min""#, #"labels = { kind = "drink" }"#,
      #"data = "{\"cups\":2}""#, #"message = "Now""#, #"bands = ["1min=warn"]"#,
      #"sound = "/bell.oga""#, "volume = 40",
    ]
    #expect(try seen(fixture).filter { !$0.hasPrefix("#") }.map(String.init) == lines)
    #expect(fixture.methods == ["Get"])
  }

  @Test(
    arguments: [
      ("'s/4min/5min/'", "Extend", ["by_usec": 60_000_000]),
      ("'s/Now/Later/'", "Update", ["message": "Later"]),
      ("/message/d", "Update", ["message": ""]), ("/labels/d", "Update", ["labels": [:]]),
      ("'s/:2/:3/'", "Update", ["data": ["cups": 3]]),
      ("'s/data = .*/data = { cups = 3 }/'", "Update", ["data": ["cups": 3]]),
      ("'s/{ kind/{ a = \"b\", kind/'", "Update", ["labels": ["a": "b", "kind": "drink"]]),
      ("/bands/d", "Update", ["bands": []]), ("'s/= 40/= 50/'", "Update", ["ring": ["volume": 50]]),
      ("'s/sound.*/silent = true/'", "Update", ["ring": ["silent": true]]),
      ("-e /sound/d -e /volume/d", "Update", ["ring_without": ["sound", "volume"]]),
      (
        "-e /sound/d -e 's/= 40/= 50/'", "Update",
        ["ring_without": ["sound"], "ring": ["volume": 50]]
      ),
    ] as [(String, String, JSONValue)])
  func `Only the edited properties are changed`(
    script: String, method: String, expected: JSONValue
  ) throws {
    let fixture = try fixture(editing: script)
    let result = try fixture.run("edit", "tea")
    #expect(result.status == 0 && result.output.hasPrefix("tea: changed, "), "\(result)")
    #expect(fixture.methods == ["Get", "Get", method] && asked(fixture, method) == expected)
    #expect(try files(fixture) == [])
  }

  @Test(
    arguments: Row.table(
      #"""
      's/= 40/= /' => line 11
      's/"Now"/hello/' => this is no TOML: a value is a number, true, false, or a text in \#
      quotes, such as "4min"
      's/volume = 40/volum = 40/' => line 11: [presets.tea] has no key 'volum'; did you mean \#
      'volume'?
      's/volume = 40/until = 1/' => line 11: 'until' cannot be changed here; start the timer \#
      again with --replace
      's/volume = 40/late = "skip"/' => line 11: 'late' cannot be changed here; start the timer \#
      again with --replace
      's/4min/never/' => line 5
      /duration/d => the timer needs a line such as duration = "4min"
      's/presets.tea/presets.egg/' => line 4: the text has one table, [presets.tea]
      '$a[presets.egg]' => the text has one table, [presets.tea]
      's/volume = 40/volume = 700/' => line 11: 'volume' goes from 1 to 100, not 700
      's|/bell.oga|/nosuch.wav|' => line 10: 'sound': /nosuch.wav
      """#))
  func `A wrong text changes nothing, is reported with its line, and is not lost`(row: Row) throws {
    let fixture = try fixture(editing: row[0])
    let result = try fixture.run("edit", "tea")
    let (said, file) = (result.errors, try #require(try files(fixture).first))
    let end = "what you wrote is in \(file)\n"
    #expect(result.status == 1 && said.contains(row[1]) && said.hasSuffix(end), "\(result)")
    #expect(fixture.methods == ["Get"])
  }

  private static let alarm = FakeTimers.Entry(
    name: "up", clock: "wall", kind: "alarm",
    more: ["calendar": "Mon..Fri *-*-* 09:30:00", "zone": "Europe/Berlin"])

  @Test(arguments: [
    ("weekdays 8:00", "Mon..Fri *-*-* 08:00:00"), ("every tuesday 9am", "Tue *-*-* 09:00:00"),
    ("daily 8:00", "*-*-* 08:00:00"), ("*-*-01 12:00", "*-*-01 12:00:00"),
    ("8:00", "Mon..Fri *-*-* 08:00:00"),
  ])
  func `The time of an alarm is read as people say it`(said: String, calendar: String) throws {
    let fixture = try fixture(editing: "'s/^alarm.*/alarm = \"\(said)\"/'", [Self.alarm])
    #expect(try fixture.run("edit", "up").status == 0)
    #expect(asked(fixture, "Update") == ["calendar": .string(calendar)])
  }

  @Test(
    arguments: Row.table(
      #"""
      tomorow 9:00 => 'alarm': 'tomorow' is not understood; did you mean tomorrow?
      9h => 'alarm': '9h' has two readings
      24:00 => 'alarm': '24:00' is no time: the hour at 1 is from 0 to 23
      tomorrow 9am => 'alarm': 'tomorrow 9am' is a single time, and up repeats; for that day \#
      alone write
      weekdays => 'weekdays' has no time of day; write one after it, such as 'weekdays 7:00', \#
      or 'weekdays 0:00' for midnight
      *:*:0..59/0.05 => line 5:
      """#))
  func `A time that an alarm cannot have is refused with its line`(row: Row) throws {
    let fixture = try fixture(editing: "'s#^alarm.*#alarm = \"\(row[0])\"#'", [Self.alarm])
    let result = try fixture.run("edit", "up")
    let isTold = [".toml, line 5: ", row[1]].allSatisfy { result.errors.contains($0) }
    #expect(result.status == 1 && isTold && fixture.methods == ["Get"], "\(result)")
  }

  @Test func `An alarm that rings once is moved, and keeps its other properties`() throws {
    let once = FakeTimers.Entry(name: "once", clock: "wall", kind: "alarm", more: ["message": "Up"])
    let fixture = try fixture(editing: "'s/^alarm.*/alarm = \"tomorrow 7:00\"/'", [once])
    #expect(try fixture.run("edit", "once").status == 0)
    let lines = try seen(fixture)
    #expect(lines.contains { $0.hasPrefix("alarm = \"2") && $0.hasSuffix(" 12:04\"") }, "\(lines)")
    #expect(asked(fixture, "Extend") == ["by_usec": .integer(19 * hour - 240_000_000)])
    #expect(asked(fixture, "Update") == nil)
  }

  @Test func `Properties that cannot be changed are shown as a comment`() throws {
    let more: JSONValue = [
      "late": "skip", "missed": "each", "repeat": ["rounds": 3, "rung": 1, "snoozed": false],
    ]
    let fixture = try fixture(editing: "", [.init(name: "tea", clock: "awake", more: more)])
    #expect(try fixture.run("edit", "tea").status == 0)
    #expect(
      try seen(fixture).suffix(5) == [
        "# These stay; to change them start the timer again with --replace:", "# repeat = 3",
        "# late = \"skip\"", "# missed = \"each\"", "# clock = \"awake\"",
      ])
  }

  @Test func `A new command has none of the variables, which the file and the answer say`() throws {
    let entry = FakeTimers.Entry(
      name: "tea", more: ["ring": ["exec": ["ls"], "environment": ["PATH", "TOKEN"]]])
    let fixture = try fixture(editing: "'s/^exec =.*/exec = \"ls -l\"/'", [entry])
    let remark =
      "the new command has none of the old one's variables TOKEN; nightjar undo brings the old "
      + "command back\n"
    #expect(try fixture.run("edit", "tea").output.hasSuffix(remark))
    #expect(try seen(fixture).contains("# Another command has none of these variables: TOKEN"))
    // Given with the command, or with an unchanged command, no variable is lost.
    for script in [
      "'s/^exec =.*/exec = \"ls -l\"\\nenv = { TOKEN = \"x\" }/'",
      "'s/^message =.*/message = \"x\"/'",
    ] {
      let other = try self.fixture(editing: script, [entry])
      let result = try other.run("edit", "tea")
      #expect(result.status == 0 && !result.output.contains("variable"), "\(result)")
    }
  }

  @Test func `A person at a terminal may edit it again`() throws {
    // The number is wrong at first, and corrected the second time.
    let fixture = try fixture(editing: "'s/= 40/= x50/;t;s/= x50/= 50/'")
    #expect(try fixture.runner.runOnTerminal(["edit", "tea"], typing: "y\n").status == 0)
    #expect(asked(fixture, "Update") == ["ring": ["volume": 50]])
  }

  @Test func `Changes by other clients while the editor was open are taken into account`() throws {
    for (entry, status, byUsec) in [
      (.init(name: "tea", durationUsec: 300_000_000, remainingUsec: 200_000_000), 0, 60_000_000),
      (.init(name: "tea", id: 2), 1, 0),
    ] as [(FakeTimers.Entry, Int32, Int64)] {
      let next = Mutex(Self.tea)
      var fixture = try Fixture([Self.tea]) { request, nowUsec in
        guard request.method == "Get" else { return nil }
        let timer = next.withLock { timer in
          defer { timer = entry }
          return timer
        }
        return [.reply(["timer": FakeTimers(nowUsec: nowUsec).json(timer)])]
      }
      fixture.runner.environment["EDITOR"] = "sed -i s/4min/6min/"
      fixture.runner.environment["TMPDIR"] = fixture.runner.folder.path
      let result = try fixture.run("edit", "tea")
      let isTold = status == 0 || result.errors.contains("'tea' is another timer now")
      #expect(result.status == status && isTold, "\(result)")
      let extended = fixture.daemon.requests.first { $0.method == "Extend" }
      #expect(extended?.parameters["by_usec"]?.integerValue ?? 0 == byUsec)
    }
  }

  @Test func `The text is not lost if the editor fails after writing it`() throws {
    var fixture = try fixture()
    fixture.runner.environment["EDITOR"] = "sh -c 'sed -i s/4min/7min/ $0; exit 1'"
    let result = try fixture.run("edit", "tea")
    let file = try #require(try files(fixture).first)
    let end = "what you wrote is in \(file)\n"
    #expect(result.status == 1 && result.errors.hasSuffix(end), "\(result)")
  }

  @Test func `Nothing happens if nothing was changed, or the editor failed`() throws {
    let same = try fixture(editing: "-e b")
    try same.check("$ edit tea\ntea: nothing was changed")
    var none = try fixture()
    none.runner.environment["EDITOR"] = "false"
    let result = try none.run("edit", "tea")
    #expect(result.status == 1 && result.errors.contains("the editor 'false' failed"), "\(result)")
    #expect(same.methods == ["Get"] && none.methods == ["Get"])
    #expect(try files(same) == [] && files(none) == [])
    #expect(try same.run("edit", "coffee").status == 3)
  }
}
