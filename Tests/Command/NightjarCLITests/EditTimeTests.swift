import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

/// New times of timers: which words are the time, and what it does to each kind of timer.
@Suite(.blocking) struct EditTimeTests {
  /// The words behind the stroke are no names: a time, of which an error would be, or options.
  @Test(arguments: [
    "wake |weekdays 6:45", "wake |'weekdays 6:45'", "a b c |mon 6:45", "a |mon, wed and fri 6:45",
    "a |every day at noon", "a |Mon..Fri *-*-* 6:45", "a |daily 6:45 UTC", "4711 |6min", "|6min",
    "a |1h 30min", "a |tomorrow 6:30", "a |weekdays 6:75", "a |--message x", "a b |--message x",
  ])
  func `The words at the end that form a time are the new time`(line: String) throws {
    let typed = try ScriptLine("edit \(line.replacing("|", with: ""))").words
    let edit = try #require(try Program.parsed(typed) as? Edit)
    let names = line.prefix { $0 != "|" }.split(separator: " ").map(String.init)
    #expect(try edit.request(at: .here).words == names)
  }

  @Test func `Excepted days and the last day need no quotes`() throws {
    let fixture = try fixture()
    let days = ["--except", "24", "Dec", "2090..1", "Jan", "2091", "--until", "31 Mar 2091"]
    #expect(try fixture.runner.run(["edit", "wake"] + days).status == 0)
    let except: JSONValue = ["2090-12-24..2091-01-01"]
    #expect(updated(fixture) == [["name": "wake", "except": except, "until": "2091-03-31"]])
    let alarm = ["alarm", "x", "weekdays", "6:45"] + days + ["--", "y", "--except"]
    #expect(try fixture.runner.run(alarm).status == 0)
    let sent = try fixture.sent("Start")
    #expect(sent["alarm"]?["except"] == except && sent["ring"]?["exec"] == ["y", "--except"])
  }

  @Test(
    arguments: Row.table(
      """
      skip wake 2090-12-24 => 2090-12-24
      skip wake 24 Dec 2090..1 Jan 2091 => 2090-12-24..2091-01-01
      skip 2090-12-24 => 2090-12-24
      """))
  func `skip with days adds them to the days on which an alarm does not ring`(row: Row) throws {
    let more: JSONValue = ["calendar": "*-*-* 07:00:00", "except": ["2090-11-01"]]
    let fixture = try Fixture([.init(name: "wake", clock: "wall", kind: "alarm", more: more)])
    #expect(try fixture.runner.run(row.words()).status == 0)
    #expect(updated(fixture) == [["name": "wake", "except": ["2090-11-01", .string(row[1])]]])
    #expect(!fixture.methods.contains("Skip"))
  }

  @Test func `Days and labels are added to those of a timer, and --without removes them`() throws {
    let entry = FakeTimers.Entry(
      name: "wake", clock: "wall", labels: ["a": "1"], kind: "alarm",
      more: ["calendar": "*-*-* 07:00:00", "except": ["2090-12-24"]])
    for (words, update) in [
      (["--except", "2091-01-02"], ["except": ["2090-12-24", "2091-01-02"]]),
      (["--label", "b=2"], ["labels": ["a": "1", "b": "2"]]),
      (["--without", "except,labels"], ["except": [], "labels": [:]]),
    ] as [([String], JSONValue)] {
      let fixture = try Fixture([entry])
      #expect(try fixture.runner.run(["edit", "wake"] + words).status == 0)
      // The order of the members does not matter.
      let members = [try fixture.sent("Update"), update.setting("name", "wake")].map { object in
        (object.objectValue ?? []).map { "\($0.key): \($0.value.text)" }.sorted()
      }
      #expect(members[0] == members[1])
    }
  }

  // MARK: What edit makes of it

  /// A stand-in with a repeating alarm, and another that rings once.
  private func fixture() throws -> Fixture {
    try Fixture([
      .init(
        name: "wake", clock: "wall", kind: "alarm",
        more: ["calendar": "Mon..Fri *-*-* 07:00:00", "repeat": ["rung": 0, "snoozed": false]]),
      .init(name: "a5", clock: "wall", kind: "alarm"),
    ])
  }

  private func updated(_ fixture: Fixture) -> [JSONValue] {
    fixture.daemon.requests.filter { $0.method == "Update" }.map(\.parameters)
  }

  @Test(arguments: [
    ("7:15", "Mon..Fri *-*-* 07:15:00"), ("6:30 am", "Mon..Fri *-*-* 06:30:00"),
    ("half past 9", "Mon..Fri *-*-* 09:30:00"), ("noon", "Mon..Fri *-*-* 12:00:00"),
    ("weekends 9:00", "Sat,Sun *-*-* 09:00:00"), ("daily 6:45", "*-*-* 06:45:00"),
    ("Mon..Fri", "Mon..Fri *-*-* 00:00:00"), ("weekly", "Mon *-*-* 00:00:00"),
  ])
  func `A time of day keeps the days of an alarm`(time: String, calendar: String) throws {
    let fixture = try fixture()
    let words = time.split(separator: " ").map(String.init)
    #expect(try fixture.runner.run(["edit", "wake"] + words).status == 0)
    #expect(updated(fixture).first == ["name": "wake", "calendar": .string(calendar)])
  }

  @Test(
    arguments: Row.table(
      #"""
      wake weekdays => 'weekdays' has no time of day; write one after it, such as \#
      'weekdays 7:00', or 'weekdays 0:00' for midnight
      wake tomorrow 6:30 => 'tomorrow 6:30' is a single time, and wake repeats; for that \#
      day alone write nightjar skip wake TOMORROW, and nightjar alarm wake/once tomorrow 6:30
      a5 9h => '9h' has two readings; write nightjar edit 9:00 (a time of day), or \#
      nightjar edit in 9h (from now)
      """#))
  func `A time that does not fit is refused, with what to write`(row: Row) throws {
    let fixture = try fixture()
    let tomorrow = fixture.noon.isoDate(daysLater: 1)
    let sentence = row[1].replacing("TOMORROW", with: tomorrow)
    try fixture.check("$ edit \(row[0])\n1! \(sentence)")
    #expect(updated(fixture) == [])
  }

  @Test(arguments: [["tomorrow", "6:30"], ["tomorrow 6:30"], ["6:30"], ["6:30 am"]])
  func `An alarm that rings once is moved, and keeps its other properties`(typed: [String]) throws {
    let fixture = try fixture()
    let result = try fixture.runner.run(["edit", "a5"] + typed + ["--message", "Up"])
    let begin = "a5: updated, rings once, tomorrow 06:30, in 18 h "
    #expect(result.status == 0 && result.output.hasPrefix(begin), "\(result)")
    let calls = fixture.daemon.requests.filter { $0.method != "Get" }
    // It rings four minutes after noon.
    #expect(calls.first?.parameters["by_usec"] == .integer(37 * hour / 2 - 240_000_000))
    // One undo reverts all of them.
    #expect(calls.map(\.method) == ["Extend", "Update"] && calls[0].undoID == calls[1].undoID)
  }

  @Test(
    arguments: Row.table(
      #"""
      p => 'p' is paused; use nightjar resume p, and then move it
      f => 'f' has rung; nightjar snooze f SPAN lets it ring again, and nightjar alarm f TIME \#
      --replace starts it again
      s => 's' has rung; nightjar snooze s SPAN lets it ring again, and nightjar alarm s TIME \#
      --replace starts it again
      c => 'c' is cancelled; nightjar alarm c TIME --replace starts it again
      """#))
  func `An alarm that cannot be moved gets an error with the remedy`(row: Row) throws {
    let states = ["p": "paused", "f": "over", "s": "over", "c": "cancelled"]
    let fixture = try Fixture([
      .init(
        name: row[0], state: states[row[0]] ?? "", clock: "wall",
        ringing: row[0] == "s" ? "snoozed" : nil, kind: "alarm")
    ])
    try fixture.check("$ edit \(row[0]) 'tomorrow 6:30'\n1! \(row[1])")
  }

  /// A new alarm has the zone of the user who starts it. A change of its time does not change the
  /// zone.
  @Test(arguments: [nil, "Europe/Berlin", "UTC"])
  func `An alarm keeps its zone when its time is changed`(zone: String?) throws {
    for own in ["", " Asia/Tokyo"] {
      var fixture = try Fixture([
        .init(name: "up", kind: "alarm", more: ["calendar": .string("*-*-* 07:00:00\(own)")])
      ])
      fixture.runner.environment["TZ"] = zone
      #expect(try fixture.run("edit", "up", "weekdays 6:45").status == 0)
      let calendar = "Mon..Fri *-*-* 06:45:00\(own)"
      #expect(updated(fixture).map { $0["calendar"] } == [.string(calendar)])
    }
  }
}
