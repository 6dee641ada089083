import Foundation
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct DoctorTests {
  /// A stand-in with some changed members in its status.
  private static func fixture(_ changes: [String: JSONValue] = [:]) throws -> Fixture {
    try Fixture { request, nowUsec in
      guard request.method == "Status", case .object(let members) = Samples.status(nowUsec: nowUsec)
      else { return nil }
      return [.reply(.object(members.map { .init($0.key, changes[$0.key] ?? $0.value) }))]
    }
  }

  private func finding(_ check: String, in output: String) throws -> JSONValue {
    guard case .array(let findings) = try JSONValue.parse(output)["findings"] else {
      throw Unmet(description: "no findings in \(output)")
    }
    return try #require(findings.first { $0["check"]?.stringValue == check }, "\(output)")
  }

  @Test func `A daemon that could be improved is no fault, and each advice has its reason`() throws
  {
    let fixture = try Self.fixture()
    let result = try fixture.run("doctor")
    #expect(result.status == 0 && result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("ok      Socket") && $0.hasSuffix(fixture.daemon.path) })
    #expect(lines.contains { $0.hasPrefix("advice  Sleep") && $0.contains("no system bus") })
    #expect(lines.contains { $0.contains("no timer can wake the machine: never asked") })
    #expect(lines.contains { $0.contains("→ timedatectl set-ntp true") })
    #expect(lines.contains { $0.hasPrefix("advice  Warning") && $0.contains("nearly full") })
    // Only queries, no changes.
    #expect(Set(fixture.methods) == ["Status", "List"])
  }

  @Test func `A ring that nobody could see or hear is named`() throws {
    func entry(_ name: String, _ ring: JSONValue) -> FakeTimers.Entry {
      FakeTimers.Entry(
        name: name, state: "over", remainingUsec: 0, ringing: "unanswered",
        more: ["open_ring": ring])
    }
    let fixture = try Fixture([
      entry("my tea", ["unseen": "paused", "unheard": "paused"]),
      entry("egg", ["unseen": "missing"]), entry("bread", ["unheard": "off"]),
    ])
    let output = try fixture.run("doctor", "--json").output
    let findings = try #require(try JSONValue.parse(output)["findings"]?.arrayValue)
    let rings = findings.filter { $0["check"] == "ring" }.dropFirst()
    let named = rings.compactMap { $0["text"]?.stringValue }
    #expect(named.count == 1 && named[0].hasPrefix("my tea rang "), "\(named)")
    #expect(named.first?.hasSuffix(", and was neither seen nor heard") == true)
    #expect(rings.first?["remedy"] == "nightjar why 'my tea' says why")
  }

  @Test func `An alarm that skips an instant of its calendar is named, with the remedy`() throws {
    let (hour, now) = (3_600_000_000 as Int64, Int64(Date().timeIntervalSince1970 * 1_000_000))
    // Half a day from now, so that none of them rings during the test.
    let next = now / hour * hour + 12 * hour
    let calendar = "*-*-* \(next / hour % 24):00:00 UTC"
    func alarm(_ name: String, at usec: Int64, more: JSONValue = [:]) -> JSONValue {
      let entry = FakeTimers.Entry(
        name: name, remainingUsec: usec - now, kind: "alarm",
        more: .object(
          (more.objectValue ?? []) + [
            .init("calendar", .string(calendar)),
            .init("repeat", ["rung": 3, "snoozed": false]),
          ]))
      return FakeTimers(nowUsec: now).json(entry)
    }
    func found(_ timers: [JSONValue]) throws -> [JSONValue] {
      let fixture = try Fixture { request, _ in
        request.method == "List" ? [.reply(["timers": .array(timers)])] : nil
      }
      let output = try fixture.run("doctor", "--json").output
      let findings = try #require(try JSONValue.parse(output)["findings"]?.arrayValue)
      return findings.filter { $0["check"] == "alarms" }
    }
    let right = try found([alarm("right", at: next)])
    #expect(right.map { $0["level"] } == ["ok"])
    let both = try found([alarm("right", at: next), alarm("my alarm", at: next + 960 * hour)])
    #expect(both.count == 1)
    let finding = try #require(both.first)
    #expect(finding["level"] == "advice")
    let text = try #require(finding["text"]?.stringValue)
    #expect(text.hasPrefix("my alarm rings next "))
    #expect(text.contains("before the clock was set back"))
    #expect(finding["remedy"]?.stringValue?.contains("nightjar restart 'my alarm'") == true)
    #expect(try found([]).map { $0["level"] } == ["ok"])
    // Rings that a person skipped, and excepted days, have not rung before.
    let day = 24 * hour
    let skipped = alarm("right", at: next + day, more: ["skipped_usec": [.integer(next)]])
    let except: JSONValue = ["except": [.string(CivilDate(daysSinceEpoch: Int(next / day)).text)]]
    let until: JSONValue = ["until": .string(CivilDate(daysSinceEpoch: Int(next / day) - 1).text)]
    for timer in [
      skipped, alarm("right", at: next + day, more: except),
      alarm("right", at: next + day, more: until),
    ] {
      #expect(try found([timer]).map { $0["level"] } == ["ok"])
    }
  }

  @Test(
    arguments: [
      (nil, ["can": true], "advice", ", and does not wake a machine that sleeps", "--wake"),
      (["can": true], ["can": true], "ok", ", and wakes the machine for it", nil),
      (
        ["can": false, "obstacle": "capability", "reason": "not given"],
        ["can": false, "obstacle": "capability", "reason": "not given"], "advice",
        ", but cannot wake the machine: not given", "nightjar.service.d/"
      ),
      (
        nil, ["can": false, "obstacle": "capability", "reason": "not given"], "advice",
        ", and does not wake a machine that sleeps", "nightjar.service.d/, then start"
      ),
      (
        nil, ["can": false, "obstacle": "no_clock", "reason": "no such clock"], "advice",
        ", and does not wake a machine that sleeps", nil
      ),
    ] as [(JSONValue?, JSONValue, String, String, String?)])
  func `It names the next alarm, and says whether the alarm wakes the machine`(
    ofAlarm: JSONValue?, ofDaemon: JSONValue, level: String, end: String, remedy: String?
  ) throws {
    let hour: Int64 = 3_600_000_000
    func finding(_ entries: [FakeTimers.Entry]) throws -> JSONValue {
      let timers = FakeTimers(entries, nowUsec: Int64(Date().timeIntervalSince1970 * 1_000_000))
      let fixture = try Fixture { request, nowUsec in
        guard request.method == "Status" else { return [timers.answer(request)] }
        return [.reply(Samples.status(nowUsec: nowUsec).setting("wake", ofDaemon))]
      }
      return try self.finding("next_alarm", in: fixture.run("doctor", "--json").output)
    }
    func alarm(_ name: String, hours: Int64, wake: JSONValue?) -> FakeTimers.Entry {
      // Half an hour more, so that the test's run time does not change the hours.
      let more = wake.map { JSONValue.object([.init("wake", $0)]) } ?? [:]
      return FakeTimers.Entry(
        name: name, remainingUsec: hours * hour + hour / 2, kind: "alarm", more: more)
    }
    let found = try finding([
      .init(name: "tea"), alarm("later", hours: 9, wake: nil),
      alarm("wake up", hours: 8, wake: ofAlarm),
    ])
    #expect(found["level"]?.stringValue == level)
    let text = try #require(found["text"]?.stringValue)
    #expect(text.hasPrefix("wake up rings ") && text.contains(", in 8 h "), "\(text)")
    #expect(text.hasSuffix(end), "\(text)")
    let said = found["remedy"]?.stringValue
    #expect((said == nil) == (level == "ok"))
    #expect(said?.hasPrefix("leave the machine on") ?? true)
    if let remedy { #expect(said?.contains(remedy) == true, "\(found)") }
    let none = try finding([.init(name: "tea")])
    #expect(none["level"] == "ok" && none["text"] == "none is set")
  }

  @Test(
    arguments: [
      ("daemon", ["version": "99.0.0"], "restart the daemon"),
      (
        "database",
        [
          "storage": [
            "ok": false, "reason": "the disk is full", "state_directory": "/state",
            "schema_version": 2, "ledger": "one", "oldest_seq": 1, "last_seq": 9,
          ]
        ], "make room"
      ),
      (
        "database",
        [
          "storage": [
            "ok": true, "state_directory": "/state", "schema_version": 2, "ledger": "one",
            "oldest_seq": 1,
            "last_seq": 9,
            "loss": [
              "reason": "the log was removed", "first_seq": 3, "last_seq": 7, "kept_as": "old",
            ],
          ]
        ], "restore a backup"
      ),
      (
        "inhibitor",
        [
          "sleep": [
            "seen": true, "inhibitor": false, "denied": true, "reason": "it is so",
            "kept_awake": false,
          ]
        ], "polkit"
      ),
      (
        "clock",
        ["clocks": ["realtime_usec": 1, "boottime_usec": 1, "monotonic_usec": 1, "boot_id": "b"]],
        "restart"
      ),
    ] as [(String, [String: JSONValue], String)])
  func `A fault has a remedy, and scripts can read it`(
    check: String, changes: [String: JSONValue], remedy: String
  ) throws {
    let result = try Self.fixture(changes).run("doctor", "--json")
    #expect(result.status == 1 && result.errors == "")
    #expect(try JSONValue.parse(result.output)["ok"] == false)
    let finding = try finding(check, in: result.output)
    #expect(finding["level"] == "fault")
    #expect(try #require(finding["remedy"]?.stringValue).contains(remedy))
  }

  /// The finding about rings, if the daemon reports this of a ring that it tries, and of one that
  /// it would try.
  private func ring(
    _ ring: JSONValue, _ arguments: String...
  ) throws -> (status: Int32, level: String?, text: String?, remedy: String?) {
    let fixture = try Fixture { request, nowUsec in
      if request.method == "TestRing" { return [.reply(["ring": ring])] }
      guard request.method == "Status", case .object(let members) = Samples.status(nowUsec: nowUsec)
      else { return nil }
      return [.reply(.object(members.map { .init($0.key, $0.key == "ring" ? ring : $0.value) }))]
    }
    let result = try fixture.runner.run(["doctor", "--json"] + arguments)
    let finding = try finding("ring", in: result.output)
    let asked: Set = ["Status", "List"]
    #expect(Set(fixture.methods) == (arguments.isEmpty ? asked : asked.union(["TestRing"])))
    return (
      result.status, finding["level"]?.stringValue, finding["text"]?.stringValue,
      finding["remedy"]?.stringValue
    )
  }

  @Test func `It says whether a ring would be seen and heard, and what to do if not`() throws {
    var found = try ring(["seen": true, "heard": true, "server": "dunst 1.9", "player": "pw-play"])
    #expect(found.status == 0 && found.level == "ok" && found.remedy == nil)
    #expect(found.text == "shown by dunst 1.9, played by pw-play")
    found = try ring(["seen": true, "heard": false, "server": "mako", "reason": "no player"])
    #expect(found.level == "advice" && found.text == "shown by mako, and not heard: no player")
    #expect(try #require(found.remedy).contains("pw-play"))
    found = try ring(["seen": false, "heard": false, "reason": "no bus; no player"])
    #expect(found.status == 0 && found.level == "advice")
    #expect(found.text == "the user would not notice one: no bus; no player")
    #expect(try #require(found.remedy).contains("dunst"))
    // A setting of the user is no fault.
    let wish = "the configuration says notify = false; the configuration says sound = false"
    found = try ring([
      "seen": false, "heard": false, "unseen": "off", "unheard": "off", "reason": .string(wish),
    ])
    #expect(found.level == "ok" && found.remedy == nil)
  }

  @Test
  func `With --ring it makes the daemon ring, and a ring that the user cannot notice is a fault`()
    throws
  {
    var found = try ring(["seen": true, "heard": true, "server": "gnome-shell 43"], "--ring")
    #expect(found.status == 0 && found.level == "ok")
    #expect(found.text == "gnome-shell 43 has shown it, gnome-shell 43 has played it")
    found = try ring(["seen": false, "heard": false, "reason": "no bus; no player"], "--ring")
    #expect(found.status == 1 && found.level == "fault")
    #expect(found.text == "the user cannot have noticed it: no bus; no player")
  }

  @Test func `If no daemon answers, that is the fault, and none is started`() throws {
    let folder = try TestFolder()
    var fixture = try Fixture()
    fixture.runner.environment["NIGHTJAR_SOCKET"] = "\(folder.path)/none"
    let result = try fixture.run("doctor")
    #expect(result.status == 1)
    #expect(result.output.contains("fault   Socket") && result.output.contains("no daemon answers"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `The presets are checked, whether a daemon answers or not`() throws {
    let fixture = try Self.fixture()
    let folder = fixture.runner.configFolder
    func found() throws -> (status: Int32, finding: JSONValue) {
      let result = try fixture.run("doctor", "--json")
      return (result.status, try finding("presets", in: result.output))
    }
    #expect(
      try found().finding["text"]?.stringValue == "none; they would be in \(folder)/config.toml")
    try fixture.runner.configure("[presets.tea]\nduration = 3\n[presets.egg]\n")
    let good = try found()
    #expect(good.status == 0)
    #expect(good.finding["text"]?.stringValue == "egg, tea, in \(folder)/config.toml")
    try fixture.runner.configure("[presets.tea]\nduration = 3\n[presets.egg]\nwaek = true\n")
    let bad = try found()
    #expect(bad.status == 1 && bad.finding["level"] == "fault")
    #expect(
      bad.finding["text"]?.stringValue
        == "\(folder)/config.toml, line 4: [presets.egg] has no key 'waek'; did you mean 'wake'?")
    #expect(bad.finding["remedy"] != nil)
  }

  // MARK: Files

  /// The finding of one check, as one line, without the path of the home folder.
  private func line(_ check: String, _ fixture: Fixture) throws -> (status: Int32, line: String) {
    let result = try fixture.run("doctor", "--json")
    let finding = try finding(check, in: result.output)
    let parts = ["level", "text", "remedy"].compactMap { finding[$0]?.stringValue }
    return (
      result.status,
      parts.joined(separator: " | ").replacing(fixture.runner.folder.path, with: "HOME")
    )
  }

  @Test func `A wrong key of the daemon is reported before the daemon reloads the file`() throws {
    let fixture = try Self.fixture()
    let pid = try #require(Samples.status(nowUsec: 0)["pid"]?.integerValue)
    let none = try line("configuration", fixture)
    #expect(none == (0, "ok | none; it would be HOME/.config/nightjar/config.toml"))
    try fixture.runner.configure("[daemon]\nsnooze = \"7min\"\n")
    #expect(try line("configuration", fixture) == (0, "ok | HOME/.config/nightjar/config.toml"))
    try fixture.runner.configure("[daemon]\nlate = \"skip\"\nsnoze = \"7min\"\n")
    let wrong = try line("configuration", fixture)
    #expect(
      wrong == (
        1,
        "fault | HOME/.config/nightjar/config.toml, line 3: [daemon] has no key 'snoze'; did you mean "
          + "'snooze'? | correct it, then have the daemon read it: kill -HUP \(pid)"
      ), "\(wrong)")
    // A key that no program uses is reported once.
    try fixture.runner.configure("[deamon]\n")
    let output = try fixture.run("doctor", "--json").output
    #expect(output.split(separator: "did you mean [daemon]?").count == 2)
  }

  @Test func `A state folder that cannot be written is reported before a daemon fails`() throws {
    var fixture = try Fixture()
    fixture.runner.environment["NIGHTJAR_SOCKET"] = fixture.runner.folder.path + "/none"
    let state = fixture.runner.folder.path + "/.local/state/nightjar"
    #expect(
      try line("state", fixture).line
        == "ok | HOME/.local/state/nightjar, which the daemon makes when it starts")
    try makeFolder(state)
    chmod(state, 0o700)
    #expect(try line("state", fixture) == (1, "ok | HOME/.local/state/nightjar"))
    chmod(state, 0o777)
    #expect(try line("state", fixture).line.hasSuffix("chmod go-w HOME/.local/state/nightjar"))
    try FileManager.default.removeItem(atPath: fixture.runner.folder.path + "/.local/state")
    try writeFile("", to: fixture.runner.folder.path + "/.local/state", mode: 0o600)
    #expect(
      try line("state", fixture).line
        == "fault | the daemon cannot keep its timers in HOME/.local/state/nightjar: "
        + "HOME/.local/state: Not a directory | move it away")
  }

  @Test func `Hooks that run are counted, and those that never will are named`() throws {
    let fixture = try Self.fixture()
    let folder = fixture.runner.folder.path + "/.config/nightjar/hooks"
    func found() throws -> (status: Int32, lines: [String]) {
      let result = try fixture.run("doctor", "--json")
      guard case .array(let findings) = try JSONValue.parse(result.output)["findings"] else {
        throw Unmet(description: "no findings in \(result)")
      }
      let lines = findings.filter { $0["check"] == "hooks" }.map { finding in
        ["level", "text", "remedy"].compactMap { finding[$0]?.stringValue }.joined(separator: " | ")
          .replacing(folder, with: "hooks")
      }
      return (result.status, lines)
    }
    func make(_ type: String, _ files: [String], mode: mode_t = 0o755) throws {
      try makeFolder("\(folder)/\(type)")
      for file in files {
        try writeFile("#!/bin/sh\n", to: "\(folder)/\(type)/\(file)", mode: mode)
      }
    }
    #expect(try found().lines.isEmpty)
    try make("rang.d", ["a", "b", "c"])
    try make("came_due.d", ["a"])
    let good = try found()
    #expect(good == (0, ["ok | 1 program for came_due, 3 programs for rang, in hooks"]), "\(good)")
    try make("paused.d", ["plain"], mode: 0o644)
    try make("resumed", ["a"])
    let advised = try found()
    #expect(advised.status == 0)
    #expect(
      advised.lines.dropFirst() == [
        "advice | hooks/resumed is not looked into: its name does not end in .d | "
          + "mv hooks/resumed hooks/resumed.d",
        "advice | hooks/paused.d/plain may not be executed, and is not run | "
          + "chmod +x hooks/paused.d/plain",
      ])
    try make("rnag.d", [])
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/rang.d/gone", withDestinationPath: "/no/such")
    let bad = try found()
    #expect(bad.status == 1)
    #expect(
      bad.lines.contains("fault | hooks/rnag.d: there is no event 'rnag' | did you mean rang.d?")
    )
    #expect(
      bad.lines.contains {
        $0.hasPrefix("fault | hooks/rang.d/gone is a link to what is not there | ")
      })
  }

  @Test func `The hooks that come with Nightjar are listed, and which of them are enabled`() throws
  {
    var fixture = try Self.fixture()
    let folder = fixture.runner.folder.path
    let (prefix, enabled) = ("\(folder)/prefix", "\(folder)/.config/nightjar/hooks/rang.d")
    for path in ["\(prefix)/bin", "\(prefix)/share/nightjar/hooks/lib", enabled] {
      try makeFolder(path)
    }
    func found() throws -> String? {
      let result = try fixture.run("doctor", "--json")
      let text = try finding("hook_shelf", in: result.output)["text"]?.stringValue
      return text?.replacing(prefix, with: "PREFIX")
    }
    // A program looks for what is installed with it. A process of its own copies it, because other
    // tests start processes, which would have the copy open for writing.
    try Rig().tool(["cp", Binaries.nightjar(), "\(prefix)/bin/nightjar"])
    fixture.runner.executable = "\(prefix)/bin/nightjar"
    #expect(try !fixture.run("doctor", "--json").output.contains("hook_shelf"))
    let shelf = "\(prefix)/share/nightjar/hooks"
    for name in ["say", "ntfy", "music"] {
      try writeFile("#!/bin/sh\n", to: "\(shelf)/\(name)", mode: 0o755)
    }
    #expect(try found() == "not enabled: music, ntfy, say, in PREFIX/share/nightjar/hooks")
    try FileManager.default.createSymbolicLink(
      atPath: "\(enabled)/10-say", withDestinationPath: "\(shelf)/say")
    try writeFile("#!/bin/sh\n", to: "\(enabled)/ntfy", mode: 0o755)
    #expect(
      try found() == "enabled: say; not enabled: music, ntfy, in PREFIX/share/nightjar/hooks")
  }
}
