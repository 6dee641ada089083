import Foundation
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct DoctorTests {
  @Test func `A daemon that could be improved is no fault, and each advice has a reason`() throws {
    let fixture = try Fixture()
    let result = try fixture.run("doctor")
    #expect(result.status == 0 && result.errors == "")
    for (begin, words) in [
      ("ok      Socket", "\(fixture.daemon.path)\n"), ("advice  Sleep", "no system bus"),
      ("advice  Wake", "no timer can wake the machine: never asked"),
      ("", "→ timedatectl set-ntp true"), ("advice  Warning", "nearly full"),
    ] {
      let lines = result.output.split(separator: "\n").map { "\($0)\n" }
      #expect(lines.contains { $0.hasPrefix(begin) && $0.contains(words) }, "\(result)")
    }
    // Only queries, no changes.
    #expect(Set(fixture.methods) == ["Status", "List"])
  }

  @Test func `A ring that nobody could see or hear is named`() throws {
    func entry(_ name: String, _ ring: JSONValue) -> FakeTimers.Entry {
      .init(
        name: name, state: "over", remainingUsec: 0, ringing: "unanswered",
        more: ["open_ring": ring])
    }
    let fixture = try Fixture([
      entry("my tea", ["unseen": "paused", "unheard": "paused"]),
      entry("egg", ["unseen": "missing"]), entry("bread", ["unheard": "off"]),
    ])
    let rings = try fixture.findings("ring").lines
    let end = ", and was neither seen nor heard | nightjar why 'my tea' says why"
    try #require(rings.count == 2, "\(rings)")
    #expect(rings[1].hasPrefix("advice | my tea rang ") && rings[1].hasSuffix(end), "\(rings)")
  }

  @Test func `An alarm that skips an instant of its calendar is named, with the remedy`() throws {
    let now = Now.realtimeUsec
    // Half a day from now, so that none of them rings during the test.
    let next = now / hour * hour + 12 * hour
    let calendar = "*-*-* \(next / hour % 24):00:00 UTC"
    func alarm(_ name: String, at usec: Int64, more: JSONValue = [:]) -> JSONValue {
      let entry = FakeTimers.Entry(
        name: name, remainingUsec: usec - now, kind: "alarm",
        more: more.setting("calendar", .string(calendar))
          .setting("repeat", ["rung": 3, "snoozed": false]))
      return FakeTimers(nowUsec: now).json(entry)
    }
    func found(_ timers: JSONValue...) throws -> [String] {
      let fixture = try Fixture { request, _ in
        request.method == "List" ? [.reply(["timers": .array(timers)])] : nil
      }
      return try fixture.findings("alarms").lines
    }
    let both = try found(alarm("right", at: next), alarm("my alarm", at: next + 960 * hour))
    #expect(both.count == 1 && both[0].hasPrefix("advice | my alarm rings next "), "\(both)")
    let words = ["before the clock was set back", "nightjar restart 'my alarm'"]
    #expect(words.allSatisfy { both[0].contains($0) }, "\(both)")
    // Rings that a person skipped, and excepted days, have not rung before.
    let day = 24 * hour
    func date(_ days: Int) -> JSONValue {
      .string(CivilDate(daysSinceEpoch: Int(next / day) + days).text)
    }
    #expect(try found().map { $0.prefix(2) } == ["ok"])
    for (days, more) in [
      (0, [:]), (1, ["skipped_usec": [.integer(next)]]), (1, ["except": [date(0)]]),
      (1, ["until": date(-1)]),
    ] as [(Int64, JSONValue)] {
      let entry = alarm("right", at: next + days * day, more: more)
      #expect(try found(entry).map { $0.prefix(2) } == ["ok"])
    }
  }

  private static let asleep = ", and does not wake a machine that sleeps"
  private static let notGiven: JSONValue = [
    "can": false, "obstacle": "capability", "reason": "not given",
  ]

  @Test(
    arguments: [
      (nil, ["can": true], asleep, "--wake"),
      (["can": true], ["can": true], ", and wakes the machine for it", nil),
      (notGiven, notGiven, ", but cannot wake the machine: not given", "nightjar.service.d/"),
      (nil, notGiven, asleep, "nightjar.service.d/, then start"),
      (nil, ["can": false, "obstacle": "no_clock", "reason": "no such clock"], asleep, ""),
    ] as [(JSONValue?, JSONValue, String, String?)])
  func `It names the next alarm, and says whether the alarm wakes the machine`(
    ofAlarm: JSONValue?, ofDaemon: JSONValue, end: String, remedy: String?
  ) throws {
    func found(_ entries: [FakeTimers.Entry]) throws -> [String] {
      let timers = FakeTimers(entries, nowUsec: Now.realtimeUsec)
      let fixture = try Fixture(status: ["wake": ofDaemon]) { request, _ in
        request.method == "Status" ? nil : [timers.answer(request)]
      }
      return try fixture.findings("next_alarm").lines
    }
    func alarm(_ name: String, hours: Int64, wake: JSONValue?) -> FakeTimers.Entry {
      // Half an hour more, so that the test's run time does not change the hours.
      .init(
        name: name, remainingUsec: hours * hour + hour / 2, kind: "alarm",
        more: .members([("wake", wake)]))
    }
    let lines = try found([
      .init(name: "tea"), alarm("later", hours: 9, wake: nil),
      alarm("wake up", hours: 8, wake: ofAlarm),
    ])
    let parts = try #require(lines.first).components(separatedBy: " | ")
    #expect(parts[0] == (remedy == nil ? "ok" : "advice") && parts[1].hasSuffix(end), "\(parts)")
    #expect(parts[1].hasPrefix("wake up rings ") && parts[1].contains(", in 8 h "), "\(parts)")
    try #require(parts.count == (remedy == nil ? 2 : 3), "\(parts)")
    if let remedy {
      let isThere = remedy.isEmpty || parts[2].contains(remedy)
      #expect(parts[2].hasPrefix("leave the machine on") && isThere, "\(parts)")
    }
    #expect(try found([.init(name: "tea")]) == ["ok | none is set"])
  }

  /// The check, members of the daemon's status, and what is in the remedy.
  @Test(
    arguments: Row.table(
      #"""
      daemon => "version":"99.0.0" => restart the daemon
      database => "storage":{"ok":false,"reason":"the disk is full",STORAGE} => make room
      database => "storage":{"ok":true,"loss":{"reason":"the log was removed","first_seq":3,\#
      "last_seq":7,"kept_as":"old"},STORAGE} => restore a backup
      inhibitor => "sleep":{"seen":true,"inhibitor":false,"denied":true,"reason":"it is so",\#
      "kept_awake":false} => polkit
      clock => "clocks":{"realtime_usec":1,"boottime_usec":1,"monotonic_usec":1,"boot_id":"b"} => \#
      restart
      """#))
  func `A fault has a remedy, and scripts can read it`(row: Row) throws {
    let storage =
      #""state_directory":"/state","schema_version":2,"ledger":"one","oldest_seq":1,"last_seq":9"#
    let members = row[1].replacing("STORAGE", with: storage)
    let fixture = try Fixture(status: JSONValue.parse("{\(members)}"))
    let (code, lines) = try fixture.findings(row[0])
    #expect(code == 1 && lines.count == 1)
    let parts = try #require(lines.first).components(separatedBy: " | ")
    #expect(parts[0] == "fault" && parts.last?.contains(row[2]) == true, "\(lines)")
    #expect(try JSONValue.parse(fixture.run("doctor", "--json").output)["ok"] == false)
  }

  /// The daemon's check of a ring, the option of the command, its exit status, the finding, and
  /// what is in its remedy. The fourth ring is a wish of the user, which is no fault.
  @Test(
    arguments: Row.table(
      #"""
      "seen":true,"heard":true,"server":"dunst 1.9","player":"pw-play" => => 0 => ok | shown by \#
      dunst 1.9, played by pw-play =>
      "seen":true,"heard":false,"server":"mako","reason":"no player" => => 0 => advice | shown by \#
      mako, and not heard: no player => pw-play
      "seen":false,"heard":false,"reason":"no bus; no player" => => 0 => advice | the user would not \#
      notice one: no bus; no player => dunst
      "seen":false,"heard":false,"unseen":"off","unheard":"off","reason":"the configuration says \#
      notify = false; the configuration says sound = false" => => 0 => ok | the user would not \#
      notice one: the configuration says notify = false; the configuration says sound = false =>
      "seen":true,"heard":true,"server":"gnome-shell 43" => --ring => 0 => ok | gnome-shell 43 has \#
      shown it, gnome-shell 43 has played it =>
      "seen":false,"heard":false,"reason":"no bus; no player" => --ring => 1 => fault | the user \#
      cannot have noticed it: no bus; no player => dunst
      """#))
  func `It says whether a ring would be seen and heard, or with --ring is, and what to do if not`(
    row: Row
  ) throws {
    let ring = try JSONValue.parse("{\(row[0])}")
    let fixture = try Fixture(status: ["ring": ring]) { request, _ in
      request.method == "TestRing" ? [.reply(["ring": ring])] : nil
    }
    let rings = !row[1].isEmpty
    let (status, lines) = try rings ? fixture.findings("ring", row[1]) : fixture.findings("ring")
    #expect("\(status)" == row[2] && lines.count == 1, "\(lines)")
    let parts = try #require(lines.first).components(separatedBy: " | ")
    #expect(parts.prefix(2).joined(separator: " | ") == row[3])
    #expect((parts.count == 2) == row[4].isEmpty, "what is no fault has no remedy: \(parts)")
    #expect(row[4].isEmpty || parts.last?.contains(row[4]) == true, "\(parts)")
    #expect(Set(fixture.methods) == Set(["Status", "List"] + (rings ? ["TestRing"] : [])))
  }

  @Test func `If no daemon answers, that is the fault, and none is started`() throws {
    let folder = try TestFolder()
    let runner = try CommandRunner(socket: "\(folder.path)/none")
    let result = try runner.run("doctor")
    #expect(result.status == 1)
    #expect(result.output.contains("fault   Socket") && result.output.contains("no daemon answers"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  // MARK: Files

  @Test func `The presets are checked, whether a daemon answers or not`() throws {
    let fixture = try Fixture()
    let file = "HOME/.config/nightjar/config.toml"
    #expect(try fixture.findings("presets").lines == ["ok | none; they would be in \(file)"])
    let presets = "[presets.tea]\nduration = 3\n[presets.egg]\n"
    try fixture.runner.configure(presets)
    #expect(try fixture.findings("presets") == (0, ["ok | egg, tea, in \(file)"]))
    try fixture.runner.configure("\(presets)waek = true\n")
    let (status, lines) = try fixture.findings("presets")
    let fault = "fault | \(file), line 4: [presets.egg] has no key 'waek'; did you mean 'wake'? | "
    #expect(status == 1 && lines.count == 1 && lines[0].hasPrefix(fault), "\(lines)")
  }

  @Test func `A wrong key of the daemon is reported before the daemon reloads the file`() throws {
    let fixture = try Fixture()
    let pid = try #require(Samples.status(nowUsec: 0)["pid"]?.integerValue)
    let file = "HOME/.config/nightjar/config.toml"
    #expect(try fixture.findings("configuration") == (0, ["ok | none; it would be \(file)"]))
    try fixture.runner.configure("[daemon]\nsnooze = \"7min\"\n")
    #expect(try fixture.findings("configuration") == (0, ["ok | \(file)"]))
    try fixture.runner.configure("[daemon]\nlate = \"skip\"\nsnoze = \"7min\"\n")
    let wrong =
      "fault | \(file), line 3: [daemon] has no key 'snoze'; did you mean 'snooze'? | correct it, "
      + "then have the daemon read it: kill -HUP \(pid)"
    #expect(try fixture.findings("configuration") == (1, [wrong]))
  }

  @Test func `A state folder that cannot be written is reported before a daemon fails`() throws {
    var fixture = try Fixture()
    let folder = fixture.runner.folder.path
    fixture.runner.environment["NIGHTJAR_SOCKET"] = "\(folder)/none"
    let state = "\(folder)/.local/state/nightjar"
    let shown = "HOME/.local/state/nightjar"
    func found() throws -> String? { try fixture.findings("state").lines.first }
    #expect(try found() == "ok | \(shown), which the daemon makes when it starts")
    try makeFolder(state)
    chmod(state, 0o700)
    #expect(try fixture.findings("state") == (1, ["ok | \(shown)"]))
    chmod(state, 0o777)
    #expect(try found()?.hasSuffix("chmod go-w \(shown)") == true)
    try FileManager.default.removeItem(atPath: "\(folder)/.local/state")
    try writeFile("", to: "\(folder)/.local/state", mode: 0o600)
    #expect(
      try found()
        == "fault | the daemon cannot keep its timers in \(shown): HOME/.local/state: "
        + "Not a directory | move it away")
  }

  @Test func `Hooks that run are counted, and those that never will are named`() throws {
    let fixture = try Fixture()
    let folder = fixture.runner.folder.path + "/.config/nightjar/hooks"
    func found() throws -> (Int32, [String]) {
      let (status, lines) = try fixture.findings("hooks")
      return (status, lines.map { $0.replacing("HOME/.config/nightjar/hooks", with: "hooks") })
    }
    func make(_ type: String, _ files: [String], mode: mode_t = 0o755) throws {
      try makeFolder("\(folder)/\(type)")
      for file in files {
        try writeFile("#!/bin/sh\n", to: "\(folder)/\(type)/\(file)", mode: mode)
      }
    }
    #expect(try found().1.isEmpty)
    try make("rang.d", ["a", "b", "c"])
    try make("came_due.d", ["a"])
    let good = ["ok | 1 program for came_due, 3 programs for rang, in hooks"]
    #expect(try found() == (0, good))
    try make("paused.d", ["plain"], mode: 0o644)
    try make("resumed", ["a"])
    let advice = [
      "advice | hooks/resumed is not looked into: its name does not end in .d | "
        + "mv hooks/resumed hooks/resumed.d",
      "advice | hooks/paused.d/plain may not be executed, and is not run | "
        + "chmod +x hooks/paused.d/plain",
    ]
    #expect(try found() == (0, good + advice))
    try make("rnag.d", [])
    try #require(symlink("/no/such", "\(folder)/rang.d/gone") == 0)
    let (status, lines) = try found()
    let wrong = "fault | hooks/rnag.d: there is no event 'rnag' | did you mean rang.d?"
    let gone = "fault | hooks/rang.d/gone is a link to what is not there | "
    #expect(status == 1 && lines.contains(wrong) && lines.contains { $0.hasPrefix(gone) })
  }

  @Test func `The hooks that come with Nightjar are listed with those that are enabled`() throws {
    var fixture = try Fixture()
    let folder = fixture.runner.folder.path
    let (prefix, enabled) = ("\(folder)/prefix", "\(folder)/.config/nightjar/hooks/rang.d")
    for path in ["\(prefix)/bin", "\(prefix)/share/nightjar/hooks/lib", enabled] {
      try makeFolder(path)
    }
    func found() throws -> [String] { try fixture.findings("hook_shelf").lines }
    // A program looks for what is installed with it. A process of its own copies it, because other
    // tests start processes, which would have the copy open for writing.
    try Rig().tool(["cp", Binaries.nightjar(), "\(prefix)/bin/nightjar"])
    fixture.runner.executable = "\(prefix)/bin/nightjar"
    #expect(try found() == [])
    let shelf = "\(prefix)/share/nightjar/hooks"
    for name in ["say", "ntfy", "music"] {
      try writeFile("#!/bin/sh\n", to: "\(shelf)/\(name)", mode: 0o755)
    }
    let place = "in HOME/prefix/share/nightjar/hooks"
    #expect(try found() == ["ok | not enabled: music, ntfy, say, \(place)"])
    try #require(symlink("\(shelf)/say", "\(enabled)/10-say") == 0)
    try writeFile("#!/bin/sh\n", to: "\(enabled)/ntfy", mode: 0o755)
    #expect(try found() == ["ok | enabled: say; not enabled: music, ntfy, \(place)"])
  }
}
