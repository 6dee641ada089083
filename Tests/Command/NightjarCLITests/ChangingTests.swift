import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@Suite(.blocking) struct ChangingTests {
  @Test(
    arguments: Row.table(
      """
      Pause => pause tea => tea: paused, 03:12 left
      Resume => resume run/1/me => run/1/me: running, 01:30:00 left, rings at 13:29:59
      Cancel => cancel tea => tea: cancelled, 03:12 was left
      Restart => restart egg => egg: 4 min, rings at 12:04:00
      Dismiss => dismiss egg => egg: dismissed
      Remove => remove old => old: removed
      Extend => extend tea 5min => tea: 5 min more, rings at 12:08:11
      Extend => extend tea 60 => tea: 1 min more, rings at 12:04:11 (60 means seconds: 1 min)
      Extend => extend tea +1:30 => tea: 1 min 30 s more, rings at 12:04:41 (+1:30 means \
      minutes:seconds: 1 min 30 s)
      Extend => extend run/1/me 5min => run/1/me: 5 min more, paused, 01:35:00 left
      Extend => shorten tea 1min => tea: 1 min less, rings at 12:02:11
      Extend => shorten tea 0:30 => tea: 30 s less, rings at 12:02:41 (0:30 means \
      minutes:seconds: 30 s)
      Extend => shorten tea 5min => tea: no more than 5 min was left, so it rings now
      Extend => shorten tea 300 => tea: no more than 5 min was left, so it rings now (300 means \
      seconds: 5 min)
      Extend => shorten run/1/me 2h => run/1/me: no more than 2 h was left, so it rings when it is \
      resumed
      Snooze => snooze egg 10min => egg: snoozed for 10 min, rings at 12:10:00
      Snooze => snooze egg => egg: snoozed for 5 min, rings at 12:05:00
      Snooze => snooze egg 1:00:00 => egg: snoozed for 1 h, rings at 13:00:00 (1:00:00 means \
      hours:minutes:seconds: 1 h)
      Update => update tea --label a=b => tea: updated
      """))
  func `Each verb reports what it did`(row: Row) throws {
    let fixture = try Fixture(Fixture.four)
    try fixture.check("$ \(row[1])\n\(row[2])")
    #expect(fixture.methods.filter { $0 != "Get" } == [row[0]])
    let json = try Fixture(Fixture.four)
    let result = try json.runner.run(row.words(1) + ["--json"])
    #expect(try JSONValue.parse(result.output)["timer"]?["name"]?.stringValue == row.words(1)[1])
  }

  @Test func `A person at a terminal is asked before all timers are changed`() throws {
    let fixture = try Fixture(Fixture.four)
    let no = try fixture.runner.runOnTerminal(["remove", "--all"], typing: "n\n")
    let words = ["remove 4 timers? [y/N]", "nothing was changed"]
    #expect(no.status == 1 && words.allSatisfy { no.output.contains($0) }, "\(no)")
    #expect(!fixture.methods.contains("Remove"))
    let confirmed = try fixture.runner.runOnTerminal(["cancel", "--all", "--yes"], typing: "")
    #expect(confirmed.status == 0 && !confirmed.output.contains("[y/N]"), "\(confirmed)")
    let yes = try fixture.runner.runOnTerminal(["remove", "--all"], typing: "y\n")
    // One undo reverts one command of a person.
    let ids = fixture.daemon.requests.filter { $0.method == "Remove" }.map(\.undoID)
    #expect(yes.status == 0 && ids.count == 4 && Set(ids).count == 1, "\(yes)")
    #expect(ids.first != .some(nil))
  }

  @Test func `Several timers under a prefix are confirmed first, and typed names are not`() throws {
    let running = ["run/1", "run/2", "one/1"].map { FakeTimers.Entry(name: $0) }
    let fixture = try Fixture(running + [.init(name: "run/3", state: "paused")])
    for (verb, count) in [("remove", 3), ("cancel", 3), ("restart", 3), ("stop", 3), ("pause", 2)] {
      let no = try fixture.runner.runOnTerminal([verb, "run/..."], typing: "n\n")
      #expect(no.status == 1 && no.output.contains("\(verb) \(count) timers? [y/N]"), "\(no)")
    }
    #expect(fixture.methods.allSatisfy { $0 == "List" }, "\(fixture.methods)")
    let one = try fixture.runner.runOnTerminal(["cancel", "one/…"], typing: "")
    #expect(one.status == 0 && one.output.hasPrefix("one/1: cancelled"), "\(one)")
    let named = try fixture.runner.runOnTerminal(["cancel", "run/1", "run/3"], typing: "")
    #expect(named.status == 0 && !named.output.contains("[y/N]"), "\(named)")
    let sure = try fixture.runner.runOnTerminal(["remove", "run/…", "--yes"], typing: "")
    #expect(sure.status == 0 && !sure.output.contains("[y/N]"), "\(sure)")
    #expect(fixture.methods.filter { $0 == "Remove" }.count == 3)
  }

  @Test func `Rename reports the new name, and what to do if it is taken`() throws {
    let fixture = try Fixture(Fixture.four) { request, _ in
      request.method == "Rename"
        ? [.error("TimerExists", ["name": request.parameters["new_name"] ?? ""])] : nil
    }
    let remedy = "nightjar remove 'green tea' makes room for the new name"
    try fixture.check("$ rename tea 'green tea'\n1! there is a timer called 'green tea'; \(remedy)")
    let request = try #require(fixture.daemon.requests.first { $0.method == "Rename" })
    #expect(request.parameters["name"] == "tea" && request.undoID != nil)
  }

  @Test func `Undo reports what is back and what stays`() throws {
    let reply: JSONValue = [
      "type": "removed", "ago_usec": 3_000_000, "timers": [], "count": 2, "kept": 2,
      "kept_names": ["tea", "bread"],
    ]
    let fixture = try Fixture { request, _ in request.method == "Undo" ? [.reply(reply)] : nil }
    try fixture.check(
      """
      $ undo
      and 2 more
      tea stays as it is: something else happened to it since
      bread stays as it is: something else happened to it since
      """)
    let refusing = try Fixture { request, _ in
      request.method == "Undo"
        ? [.error("NothingToUndo", ["reason": "'tea' was changed again since"])] : nil
    }
    try refusing.check("$ undo\n1! nothing to undo: 'tea' was changed again since")
  }

  @Test func `A duration from update is that of the whole run`() throws {
    let fixture = try Fixture(Fixture.four)
    try fixture.check("$ update tea 5min\ntea: updated, 5 min, rings at 12:04:11")
    #expect(fixture.methods == ["Get", "Extend"])
    #expect(try fixture.sent("Extend") == ["name": "tea", "by_usec": 60_000_000])
    #expect(try fixture.run("update", "tea", "4min", "--label", "a=b").status == 0)
    // They are undone together.
    let ids = fixture.daemon.requests.suffix(2)
    #expect(ids.map(\.method) == ["Extend", "Update"] && Set(ids.map(\.undoID)).count == 1)
    let other = try Fixture([.init(name: "run", kind: "stopwatch")])
    let refusal = "a stopwatch has no single time, so 'run' cannot get another"
    try other.check("$ update run 4min --label a=b\n1! \(refusal)")
    #expect(other.methods == ["Get"])
  }

  @Test func `A change by a command that the daemon runs is not a person's change`() throws {
    var fixture = try Fixture(Fixture.four)
    fixture.runner.environment["NIGHTJAR_SEQ"] = "7"
    #expect(try fixture.run("pause", "tea").status == 0)
    #expect(fixture.daemon.requests.map(\.undoID) == [nil])
  }

  @Test func `A snooze without a time span is as long as the daemon's file says`() throws {
    let usual = "5 min, rings at 12:05:00"
    for (line, echo) in [
      ("snooze = \"10min\"", "10 min, rings at 12:10:00"), ("late = \"skip\"", usual),
      ("snooze = \"ages\"", usual), ("snooze =", usual),
    ] {
      let fixture = try Fixture(Fixture.four)
      try fixture.runner.configure("[daemon]\n\(line)\n")
      try fixture.check("$ snooze egg\negg: snoozed for \(echo)")
    }
  }

  @Test func `Stop with --all leaves alarms that repeat, and ends their rings`() throws {
    let calendar: JSONValue = ["calendar": "Mon..Fri 06:45", "repeat": ["rung": 1]]
    let fixture = try Fixture([
      .init(name: "work", kind: "alarm", more: calendar),
      .init(name: "up", ringing: "ringing", kind: "alarm", more: calendar),
      .init(name: "bus", kind: "alarm"), .init(name: "tea"),
    ])
    let result = try fixture.run("stop", "--all")
    let stopped = fixture.daemon.requests.filter { $0.method == "Stop" }
      .compactMap { $0.parameters["name"]?.stringValue }
    #expect(result.status == 0 && stopped.sorted() == ["bus", "tea", "up"], "\(result)")
  }

  @Test func `Stop ends the ring of a timer that continues, and says what is next`() throws {
    let fixture = try Fixture([.init(name: "up", ringing: "ringing")])
    try fixture.check(
      """
      $ stop up
      up: the ring is over, next 12:04:00
      $ stop up
      up: cancelled, 04:00 was left
      """)
    #expect(fixture.methods == ["Stop", "Stop"])
  }

  @Test func `Each of several refusals is reported, and the worst is the exit code`() throws {
    let fixture = try Fixture(Fixture.four)
    try fixture.check(
      """
      $ pause egg tea run/1/me
      tea: paused, 03:12 left
      1! cannot pause 'egg': it has rung; use nightjar snooze egg or nightjar restart egg
      1! cannot pause 'run/1/me': it is paused; use nightjar resume run/1/me
      """)
    // Somebody has removed tea meanwhile.
    let gone = try Fixture(Fixture.four) { request, _ in
      request.method == "Pause" && request.parameters["name"] == "tea"
        ? [.error("TimerNotFound", ["name": "tea"])] : nil
    }
    #expect(try gone.run("pause", "tea", "egg").status == 3)
  }

  @Test(
    arguments: Row.table(
      """
      pause tea eg => no timer called 'eg'; there is 'egg'
      update tea nosuch --without sound => no timer called 'nosuch'; see nightjar list
      extend nosuch tea 5min => no timer called 'nosuch'; see nightjar list
      remove run/… nosuch => no timer called 'nosuch'; see nightjar list
      stop a tea b c => no timers called 'a', 'b' and 'c'; see nightjar list
      cancel tea n1 n2 n3 n4 n5 n6 n7 n8 n9 => no timers called 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', \
      'n7' and others; see nightjar list
      """))
  func `If one of several names is unknown, nothing is changed`(row: Row) throws {
    let fixture = try Fixture(Fixture.four)
    try fixture.check("$ \(row[0])\n3! \(row[1]); nothing was changed")
    #expect(fixture.methods.allSatisfy { ["Get", "List"].contains($0) }, "\(fixture.methods)")
  }

  @Test func `A prefix and --all select timers in a suitable state, by whole segments`() throws {
    var entries = ["run", "run/1", "runner"].map { FakeTimers.Entry(name: $0) }
    entries += [.init(name: "run/2", state: "paused"), .init(name: "egg", state: "over")]
    try Fixture(entries).check(
      """
      $ pause run/…
      run: paused, 04:00 left
      run/1: paused, 04:00 left
      $ pause run/...
      0! nothing to pause under 'run/'
      """)
    let fixture = try Fixture(entries)
    try fixture.check(
      """
      $ pause --all
      run: paused, 04:00 left
      run/1: paused, 04:00 left
      runner: paused, 04:00 left
      $ pause --all
      0! no timer to pause
      $ skip --all
      0! no timer to skip
      $ lap --all --json
      0! no timer to lap
      $ dismiss --all
      egg: dismissed
      $ pause --all tea
      64! give names or --all, not both
      """)
    for words in [["extend", "--all", "1min"], ["remove", "--all"]] {
      #expect(try fixture.runner.run(words).output.split(separator: "\n").count == 4, "\(words)")
    }
    // A ring that is snoozed is left alone.
    for words in [["dismiss", "--all"], ["snooze", "--all", "5min"]] {
      let snoozed = FakeTimers.Entry(name: "nap", state: "over", ringing: "snoozed")
      let rings = try Fixture([.init(name: "egg", state: "over"), snoozed])
      let lines = try rings.runner.run(words).output.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasPrefix("egg: "), "\(lines)")
    }
  }

  @Test(
    arguments: Row.table(
      """
      extend => say how long: nightjar extend 5min
      extend tea => how long? nightjar extend tea 5min
      extend 5min tea => the name comes first: nightjar extend tea 5min
      extend tea 5Mnt => in '5Mnt': unknown unit 'Mnt' at 2; the units are us ms s min h d w month y
      extend tea 1:60 => in '1:60': expected two digits from 00 to 59 at 3, not '60'
      snooze egg :30 => expected a number before ':' at 1, such as 0:30
      snooze 5min tea => the name comes first: nightjar snooze tea 5min
      update tea --label a=b --without labels => give --label or --without labels, not both
      pause tea --frob => unknown option '--frob'; did you mean '--json'?
      """))
  func `A missing or swapped argument is named, with the right command`(row: Row) throws {
    try Fixture(Fixture.four).check("$ \(row[0])\n64! \(row[1])")
  }
}
