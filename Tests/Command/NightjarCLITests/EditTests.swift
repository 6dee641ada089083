import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

/// `nightjar edit`, with sed(1) as the editor.
@Suite(.blocking) struct EditTests {
  private static let tea = FakeTimers.Entry(
    name: "tea", remainingUsec: 191_500_000, labels: ["kind": "drink"], data: ["cups": 2],
    more: [
      "message": "Now", "bands": [["name": "warn", "remaining_usec": 60_000_000]],
      "ring": ["sound": "/bell.oga", "volume": 40],
    ])

  private func fixture(
    editing script: String, _ entries: [FakeTimers.Entry] = [tea]
  ) throws -> Fixture {
    var fixture = try Fixture(entries)
    fixture.runner.environment["EDITOR"] = "sed -i \(script)"
    fixture.runner.environment["TMPDIR"] = fixture.runner.folder.path
    return fixture
  }

  /// The files that remain.
  private func files(_ fixture: Fixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.runner.folder.path)
      .filter { $0.hasSuffix(".toml") }
  }

  /// The parameters of the request without the name.
  private func asked(_ fixture: Fixture, _ method: String) -> JSONValue? {
    fixture.daemon.requests.last { $0.method == method }.map {
      .object(($0.parameters.objectValue ?? []).filter { $0.key != "name" })
    }
  }

  @Test func `The editor shows the editable properties, as the table of a preset`() throws {
    var fixture = try fixture(editing: "")
    let seen = fixture.runner.folder.path + "/seen"
    fixture.runner.environment["EDITOR"] = "sed -i -e 'w \(seen)'"
    #expect(try fixture.run("edit", "tea").status == 0)
    let text = try String(contentsOfFile: seen, encoding: .utf8)
    #expect(
      text.split(separator: "\n").filter { !$0.hasPrefix("#") } == [
        "[presets.tea]", "duration = \"4min\"", "message = \"Now\"",
        "labels = { kind = \"drink\" }", "data = { cups = 2 }",
        "bands = [{ name = \"warn\", remaining = \"1min\" }]", "sound = \"/bell.oga\"",
        "volume = 40",
      ])
    #expect(fixture.methods == ["Get"])
  }

  @Test(
    arguments: [
      ("'s/4min/5min/'", "Extend", ["by_usec": 60_000_000]),
      ("'s/Now/Later/'", "Update", ["message": "Later"]),
      ("/message/d", "Update", ["message": ""]),
      ("/labels/d", "Update", ["labels": [:]]),
      ("'s/cups = 2/cups = 3/'", "Update", ["data": ["cups": 3]]),
      ("/bands/d", "Update", ["bands": []]),
      ("'s/= 40/= 50/'", "Update", ["ring": ["volume": 50]]),
      ("'s/sound.*/silent = true/'", "Update", ["ring": ["silent": true]]),
      ("-e /sound/d -e /volume/d", "Update", ["ring": [:]]),
    ] as [(String, String, JSONValue)])
  func `Only the edited properties are changed`(
    script: String, method: String, expected: JSONValue
  ) throws {
    let fixture = try fixture(editing: script)
    let result = try fixture.run("edit", "tea")
    #expect(result.status == 0 && result.output.hasPrefix("tea: changed, "), "\(result)")
    #expect(fixture.methods == ["Get", "Get", method])
    #expect(asked(fixture, method) == expected)
    #expect(try files(fixture) == [])
  }

  private static let ring: JSONValue = [
    "exec": ["ls", "-l"], "on": ["paused"], "environment": ["TOKEN"], "timeout_usec": 5_000_000,
    "sound": "/bell.oga", "ring_for_usec": 60_000_000, "volume": 40, "rising_usec": 7_000_000,
    "insist_usec": 300_000_000, "disturb": true,
  ]

  @Test(
    arguments: [
      ("/^sound/d", ["ring_without": ["sound"]]), ("/^volume/d", ["ring_without": ["volume"]]),
      ("/^ring_for/d", ["ring_without": ["ring_for_usec"]]),
      ("/^rising/d", ["ring_without": ["rising_usec"]]),
      ("/^insist/d", ["ring_without": ["insist_usec"]]),
      ("/^disturb/d", ["ring_without": ["disturb"]]),
      ("/^exec_on/d", ["ring_without": ["on"]]),
      ("/^exec_timeout/d", ["ring_without": ["timeout_usec"]]),
      ("/^exec/d", ["ring_without": ["exec", "on", "timeout_usec"]]),
      ("-e /^sound/d -e '/^volume/s/40/50/'", ["ring": ["volume": 50], "ring_without": ["sound"]]),
    ] as [(String, JSONValue)])
  func `Removing a line of command and sound removes that part, and the rest stays`(
    script: String, expected: JSONValue
  ) throws {
    let entry = FakeTimers.Entry(name: "tea", more: ["ring": Self.ring])
    let fixture = try fixture(editing: script, [entry])
    let result = try fixture.run("edit", "tea")
    #expect(result.status == 0, "\(result)")
    #expect(asked(fixture, "Update") == expected)
  }

  @Test(arguments: [
    ("countdown", "'/^exec =/d'", "'exec_on' is a setting of a command"),
    ("stopwatch", "/^exec_on/d", "a stopwatch does not ring; say when to run it"),
  ])
  func `Options of a command without the command are refused`(
    kind: String, script: String, sentence: String
  ) throws {
    let entry = FakeTimers.Entry(name: "tea", kind: kind, more: ["ring": Self.ring])
    let fixture = try fixture(editing: script, [entry])
    let result = try fixture.run("edit", "tea")
    #expect(result.status == 1 && result.errors.contains(sentence), "\(result)")
    #expect(fixture.methods == ["Get"])
  }

  // MARK: Data that TOML cannot write

  private static let nulls = FakeTimers.Entry(
    name: "tea",
    data: ["cups": 2, "milk": nil, "pot": ["size": 1, "lid": nil], "list": [1, nil], "\n": nil])

  @Test
  func `Data that contains null is shown as far as TOML allows, and a comment names the rest`()
    throws
  {
    var fixture = try fixture(editing: "", [Self.nulls])
    let seen = fixture.runner.folder.path + "/seen"
    fixture.runner.environment["EDITOR"] = "sed -i -e 'w \(seen)'"
    #expect(try fixture.run("edit", "tea") == .init(0, "tea: nothing was changed\n"))
    let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
    let data = try #require(lines.firstIndex { $0.hasPrefix("data = ") })
    #expect(lines[data] == "data = { cups = 2, pot = { size = 1 } }")
    #expect(
      lines[..<data].suffix(2) == [
        "# TOML has no null, so these members of data are not shown, and stay as they are: milk, "
          + "pot.lid, list, \"\\u000a\"", "# nightjar update tea --data JSON replaces all of data.",
      ], "\(lines)")
  }

  @Test(
    arguments: [
      (
        "'s/cups = 2/cups = 3/'",
        ["cups": 3, "pot": ["size": 1, "lid": nil], "milk": nil, "list": [1, nil], "\n": nil]
      ),
      ("/^data/d", ["milk": nil, "pot": ["lid": nil], "list": [1, nil], "\n": nil]),
      (
        "'s/pot = {.*/pot = 4, milk = 5 }/'",
        ["cups": 2, "pot": 4, "milk": 5, "list": [1, nil], "\n": nil]
      ),
    ] as [(String, JSONValue)])
  func `Members of data that TOML cannot write stay when data is changed`(
    script: String, expected: JSONValue
  ) throws {
    let fixture = try fixture(editing: script, [Self.nulls])
    let result = try fixture.run("edit", "tea")
    #expect(result.status == 0, "\(result)")
    #expect(asked(fixture, "Update") == ["data": expected])
  }

  @Test func `The days and the calendar of an alarm are changed`() throws {
    let alarm = FakeTimers.Entry(
      name: "up", clock: "wall", kind: "alarm",
      more: ["calendar": "Mon..Fri *-*-* 09:30:00", "except": ["2026-12-24"]])
    let days = try fixture(editing: "'s/.2026-12-24./\"2027-01-01\"/'", [alarm])
    #expect(try days.run("edit", "up").status == 0)
    #expect(asked(days, "Update") == ["except": ["2027-01-01"]])
    let time = try fixture(editing: "'s/09:30/09:31/'", [alarm])
    #expect(try time.run("edit", "up").status == 0)
    #expect(asked(time, "Update") == ["calendar": "Mon..Fri *-*-* 09:31:00"])
  }

  @Test(arguments: [
    ("'s/= 40/= /'", "line 10"),
    (
      "'s/\"Now\"/hello/'",
      "this is no TOML: a value is a number, true, false, or a text in quotes, such as \"4min\""
    ),
    ("'s/volume/volum/'", "line 10: [presets.tea] has no key 'volum'; did you mean 'volume'?"),
    (
      "'s/volume = 40/foo = 1/'",
      "line 10: [presets.tea] has no key 'foo' that can be changed; it can have duration, message, "
        + "labels, data, bands, exec, shell, exec_on, exec_timeout, env, sound, silent, ring_for, "
        + "volume, rising, insist, disturb; what"
    ),
    (
      "'s/volume = 40/until = 1/'",
      "line 10: 'until' is for an alarm that repeats, and this timer is not one"
    ),
    (
      "'s/volume = 40/clock = \"awake\"/'",
      "line 10: 'clock' cannot be changed while there is the timer; start it again with --replace"
    ),
    (
      "'s/volume = 40/late = \"skip\"/'",
      "line 10: 'late' cannot be changed while there is the timer; start it again with --replace"
    ),
    ("'s/volume = 40/name = \"egg\"/'", "line 10: nightjar rename gives a timer another name"),
    ("3d", "line 3: the line [presets.tea] is not there any more; put it in front of this"),
    ("'s/4min/never/'", "line 4"),
    ("/duration/d", "line 3: a countdown needs a 'duration', such as duration = \"4min\""),
    (
      "'s/presets.tea/presets.egg/'",
      "line 3: this was [presets.tea]; nightjar rename gives a timer another name"
    ),
    ("'$a[presets.egg]'", "only [presets.tea] is changed here, not [presets.egg]"),
    ("'s/volume = 40/volume = 700/'", "line 10: volume is from 1 to 100, not 700; what"),
    ("'s/Now/a\\\\nb/'", "line 5: "),
    ("'s|/bell.oga|/nosuch.wav|'", "line 9: 'sound': /nosuch.wav"),
  ])
  func `A wrong text changes nothing, is reported with its line, and is not lost`(
    script: String, sentence: String
  ) throws {
    let fixture = try fixture(editing: script)
    let result = try fixture.run("edit", "tea")
    #expect(result.status == 1 && result.errors.contains(sentence), "\(result)")
    #expect(fixture.methods == ["Get"])
    let file = try #require(try files(fixture).first)
    #expect(result.errors.hasSuffix("what you wrote is in \(fixture.runner.folder.path)/\(file)\n"))
  }

  @Test func `A refusal by the daemon has its line, too`() throws {
    for (script, line, answer) in [
      ("'s/= 40/= 50/'", 10, ("InvalidValue", ["parameter": "volume", "reason": "too loud"])),
      ("'s/Now/Later/'", 5, ("LimitExceeded", ["limit": "message_bytes", "value": 3])),
    ] as [(String, Int, (String, JSONValue))] {
      var fixture = try Fixture([Self.tea]) { request, _ in
        request.method == "Update" ? [.error(answer.0, answer.1)] : nil
      }
      fixture.runner.environment["EDITOR"] = "sed -i \(script)"
      fixture.runner.environment["TMPDIR"] = fixture.runner.folder.path
      let result = try fixture.run("edit", "tea")
      #expect(result.status == 1 && result.errors.contains(".toml, line \(line): "), "\(result)")
    }
  }

  private static let alarm = FakeTimers.Entry(
    name: "up", clock: "wall", kind: "alarm",
    more: ["calendar": "Mon..Fri *-*-* 09:30:00", "zone": "Europe/Berlin"])

  @Test(
    arguments: [
      ("weekdays 8:00", "Mon..Fri *-*-* 08:00:00"), ("every tuesday 9am", "Tue *-*-* 09:00:00"),
      ("daily 8:00", "*-*-* 08:00:00"), ("*-*-01 12:00", "*-*-01 12:00:00"),
      ("mon..fri 9:30", nil),
    ] as [(String, String?)])
  func `The time of an alarm is read as people say it`(said: String, calendar: String?) throws {
    let fixture = try fixture(editing: "'s/^alarm.*/alarm = \"\(said)\"/'", [Self.alarm])
    let result = try fixture.run("edit", "up")
    #expect(result.status == 0, "\(result)")
    #expect(asked(fixture, "Update") == calendar.map { ["calendar": .string($0)] })
  }

  @Test(arguments: [
    ("tomorow 9:00", "'alarm': 'tomorow' is not understood; write a time such as 17:30"),
    ("9h", "'alarm': '9h' has two readings"),
    ("8:00", "'8:00' does not say on which days; write 'daily 8:00' or 'weekdays 8:00'"),
    ("24:00", "'alarm': '24:00' is no time: the hour at 1 is from 0 to 23"),
    (
      "tomorrow 9am",
      "'tomorrow 9am' is a single time, and a calendar repeats; write days such as 'weekdays 7:00', or "
        + "start the alarm again: nightjar alarm up tomorrow 9am --replace"
    ),
    (
      "weekdays",
      "'weekdays' has no time of day; write one after it, such as 'weekdays 7:00', or 'weekdays 0:00' "
        + "for midnight"
    ),
    ("mon 8:00 Europe/Paris", "'mon 8:00 Europe/Paris' has a zone of its own; the alarm keeps the"),
    ("*:*:0..59/0.05", "line 4: "),
  ])
  func `A time that an alarm cannot have is refused with its line`(
    said: String, sentence: String
  ) throws {
    let fixture = try fixture(editing: "'s#^alarm.*#alarm = \"\(said)\"#'", [Self.alarm])
    let result = try fixture.run("edit", "up")
    #expect(
      result.status == 1 && result.errors.contains(".toml, line 4: ")
        && result.errors.contains(sentence), "\(result)")
    #expect(fixture.methods == ["Get"])
  }

  @Test func `An alarm is shown as people write it, and a past last day is reported with its line`()
    throws
  {
    var fixture = try fixture(editing: "", [Self.alarm])
    let seen = fixture.runner.folder.path + "/seen"
    fixture.runner.environment["EDITOR"] =
      "sed -i -e 'w \(seen)' -e '/^alarm/auntil = \"yesterday\"'"
    let result = try fixture.run("edit", "up")
    let sentence = "line 5: 'until': 'yesterday' is in the past; write today or a later day; what"
    #expect(result.status == 1 && result.errors.contains(sentence), "\(result)")
    let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains("alarm = \"Mon..Fri 09:30\""), "\(lines)")
  }

  @Test(arguments: ["'s/message = .*/message = \"Up\"/'", "/^except/d"])
  func `If only other properties of an alarm are changed, its calendar stays`(script: String) throws
  {
    let entry = FakeTimers.Entry(
      name: "up", clock: "wall", kind: "alarm",
      more: ["calendar": "*-*-* 09:30:00", "except": ["2026-12-24"], "message": "Now"])
    let fixture = try fixture(editing: script, [entry])
    let result = try fixture.run("edit", "up")
    #expect(result.status == 0, "\(result)")
    #expect(asked(fixture, "Update")?["calendar"] == nil && fixture.methods.last == "Update")
  }

  private static let once = FakeTimers.Entry(
    name: "once", clock: "wall", kind: "alarm", more: ["message": "Up"])

  @Test func `An alarm that rings once is moved, and keeps its other properties`() throws {
    var fixture = try fixture(editing: "", [Self.once])
    let seen = fixture.runner.folder.path + "/seen"
    fixture.runner.environment["EDITOR"] =
      "sed -i -e 'w \(seen)' -e 's/^alarm.*/alarm = \"tomorrow 7:00\"/'"
    let result = try fixture.run("edit", "once")
    #expect(result.status == 0, "\(result)")
    let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("alarm = \"2") && $0.hasSuffix(" 12:04\"") }, "\(lines)")
    #expect(asked(fixture, "Extend") == ["by_usec": .integer(19 * hour - 240_000_000)])
    #expect(asked(fixture, "Update") == nil)
  }

  @Test(arguments: [
    (
      "s/^alarm.*/alarm = \"daily 9:00\"/",
      "line 4: 'daily 9:00' repeats, and this alarm rings once; write a time such as 'tomorrow 7:00', "
        + "or start it again: nightjar alarm once daily 9:00 --replace"
    ),
    ("s/^alarm.*/alarm = \"yesterday 9:00\"/", "line 4: 'alarm': 'yesterday 9:00' is in the past"),
    ("s/^alarm.*/alarm = \"3h30\"/", "line 4: 'alarm': '3h30' has two readings"),
    ("/^alarm/d", "an alarm has a line 'alarm', which says when it rings"),
    (
      "$auntil = \"2199-12-31\"",
      "'until' is for an alarm that repeats, and this timer rings once; what"
    ),
  ])
  func `A time that an alarm which rings once cannot have is refused`(
    script: String, sentence: String
  ) throws {
    let fixture = try fixture(editing: "'\(script)'", [Self.once])
    let result = try fixture.run("edit", "once")
    #expect(result.status == 1 && result.errors.contains(sentence), "\(result)")
    #expect(fixture.methods == ["Get"])
  }

  @Test
  func `For an alarm that has rung, the comment and the error say how to give it another time`()
    throws
  {
    let remedy = "start it again: nightjar alarm once TIME --replace"
    var fixture = try fixture(
      editing: "", [.init(name: "once", state: "over", clock: "wall", kind: "alarm")])
    let seen = fixture.runner.folder.path + "/seen"
    fixture.runner.environment["EDITOR"] = "sed -i -e 'w \(seen)' -e '$aalarm = \"daily 9:00\"'"
    let result = try fixture.run("edit", "once")
    let sentence = "'alarm' is for an alarm that repeats, and this timer rings once; \(remedy)"
    #expect(result.status == 1 && result.errors.contains(sentence), "\(result)")
    let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0 == "# It rings once. For another time \(remedy)" }, "\(lines)")
  }

  @Test func `Properties that cannot be changed are shown as a comment`() throws {
    var fixture = try fixture(
      editing: "",
      [
        .init(
          name: "tea", clock: "awake",
          more: [
            "late": "skip", "missed": "each", "repeat": ["rounds": 3, "rung": 1, "snoozed": false],
          ])
      ])
    let seen = fixture.runner.folder.path + "/seen"
    fixture.runner.environment["EDITOR"] = "sed -i -e 'w \(seen)'"
    #expect(try fixture.run("edit", "tea").status == 0)
    let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
    #expect(
      lines.suffix(5) == [
        "# The rest cannot be changed while there is the timer; start it again with --replace:",
        "# repeat = 3", "# late = \"skip\"", "# missed = \"each\"", "# clock = \"awake\"",
      ], "\(lines)")
  }

  // MARK: Variables of a command

  @Test func `A new command has none of the variables, and the file and the answer say so`() throws
  {
    let entry = FakeTimers.Entry(
      name: "tea", more: ["ring": ["exec": ["ls"], "environment": ["PATH", "TOKEN"]]])
    let seen = "/seen"
    var fixture = try fixture(editing: "", [entry])
    let folder = fixture.runner.folder.path
    fixture.runner.environment["EDITOR"] =
      "sed -i -e 'w \(folder)\(seen)' -e 's/^exec =.*/exec = \"ls -l\"/'"
    let result = try fixture.run("edit", "tea")
    #expect(
      result.output.hasSuffix(
        "the new command has no variable TOKEN; nightjar update tea --env TOKEN=VALUE sets it, and "
          + "nightjar undo brings the old command back\n"), "\(result)")
    let lines = try String(contentsOfFile: folder + seen, encoding: .utf8).split(separator: "\n")
    let exec = try #require(lines.firstIndex { $0.hasPrefix("exec") })
    #expect(
      lines[exec - 1]
        == "# The command has variables whose values are not shown: TOKEN. Another 'exec' has none of "
        + "them: give them with it, as in env = { TOKEN = \"value\" }.")
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
    let result = try fixture.runner.runOnTerminal(["edit", "tea"], typing: "y\n")
    #expect(result.status == 0, "\(result)")
    #expect(asked(fixture, "Update") == ["ring": ["volume": 50]])
  }

  @Test func `Changes by other clients while the editor was open are taken into account`() throws {
    let longer = FakeTimers.Entry(
      name: "tea", durationUsec: 300_000_000, remainingUsec: 200_000_000)
    let gone = FakeTimers.Entry(name: "tea", id: 2)
    for (entry, status, byUsec) in [(longer, Int32(0), Int64(60_000_000)), (gone, 1, 0)] {
      let asked = Mutex(0)
      var fixture = try Fixture([Self.tea]) { request, nowUsec in
        guard request.method == "Get" else { return nil }
        let isFirst = asked.withLock { asked in
          asked += 1
          return asked == 1
        }
        let timers = FakeTimers(nowUsec: nowUsec)
        return [.reply(["timer": timers.json(isFirst ? Self.tea : entry)])]
      }
      fixture.runner.environment["EDITOR"] = "sed -i s/4min/6min/"
      fixture.runner.environment["TMPDIR"] = fixture.runner.folder.path
      let result = try fixture.run("edit", "tea")
      #expect(result.status == status, "\(result)")
      let extended = fixture.daemon.requests.first { $0.method == "Extend" }
      #expect(extended?.parameters["by_usec"]?.integerValue ?? 0 == byUsec)
      #expect(status == 0 || result.errors.contains("'tea' is another timer now"))
    }
  }

  @Test func `The text is not lost if the editor fails after writing it`() throws {
    var fixture = try fixture(editing: "")
    fixture.runner.environment["EDITOR"] = "sh -c 'sed -i s/4min/7min/ $0; exit 1'"
    let result = try fixture.run("edit", "tea")
    let file = try #require(try files(fixture).first)
    #expect(
      result.status == 1
        && result.errors.hasSuffix("what you wrote is in \(fixture.runner.folder.path)/\(file)\n"),
      "\(result)")
  }

  @Test func `Nothing happens if nothing was changed, or the editor failed`() throws {
    let same = try fixture(editing: "-e b")
    #expect(try same.run("edit", "tea") == .init(0, "tea: nothing was changed\n"))
    var none = try fixture(editing: "")
    none.runner.environment["EDITOR"] = "false"
    let result = try none.run("edit", "tea")
    #expect(result.status == 1 && result.errors.contains("the editor 'false' failed"), "\(result)")
    #expect(same.methods == ["Get"] && none.methods == ["Get"])
    #expect(try files(same) == [] && files(none) == [])
    #expect(try same.run("edit", "coffee").status == 3)
  }
}
