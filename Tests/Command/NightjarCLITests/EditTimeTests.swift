import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// New times of timers: which words are the time, and what it does to each kind of timer.
@Suite(.blocking) struct EditTimeTests {
  /// The names that edit reads in its words; the rest is the time.
  private func names(_ typed: [String]) throws -> [String] {
    let edit = try #require(try Program.parsed(["edit"] + typed) as? Edit)
    return try edit.request(at: .here).words
  }

  @Test(
    arguments: [
      (["wake", "weekdays", "6:45"], ["wake"]), (["wake", "weekdays 6:45"], ["wake"]),
      (["a", "b", "c", "mon", "6:45"], ["a", "b", "c"]),
      (["a", "mon,", "wed", "and", "fri", "6:45"], ["a"]),
      (["a", "every", "day", "at", "noon"], ["a"]), (["a", "Mon..Fri", "*-*-*", "6:45"], ["a"]),
      (["a", "daily", "6:45", "UTC"], ["a"]), (["4711", "6min"], ["4711"]), (["6min"], []),
      (["a", "1h", "30min"], ["a"]), (["a", "tomorrow", "6:30"], ["a"]),
      // The error is about the time.
      (["a", "weekdays", "6:75"], ["a"]), (["a", "--message", "x"], ["a"]),
      (["a", "b", "--message", "x"], ["a", "b"]),
    ] as [([String], [String])])
  func `The words at the end that form a time are the new time`(typed: [String], names: [String])
    throws
  {
    #expect(try self.names(typed) == names)
  }

  @Test func `Excepted days and the last day need no quotes`() throws {
    let fixture = try fixture()
    let days = ["--except", "24", "Dec", "2090..1", "Jan", "2091", "--until", "31 Mar 2091"]
    #expect(try fixture.runner.run(["edit", "wake"] + days).status == 0)
    #expect(
      updated(fixture) == [
        ["name": "wake", "except": ["2090-12-24..2091-01-01"], "until": "2091-03-31"]
      ])
    let alarm = ["alarm", "x", "weekdays", "6:45"] + days + ["--", "y", "--except"]
    #expect(try fixture.runner.run(alarm).status == 0)
    let sent = try fixture.sent("Start")
    #expect(sent["alarm"]?["except"] == ["2090-12-24..2091-01-01"])
    #expect(sent["ring"]?["exec"] == ["y", "--except"])
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
    #expect(fixture.methods.contains("Skip") == false)
  }

  @Test func `Days and labels are added to those of the timer, and --without removes them`() throws
  {
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
      let (sent, expected) = (try fixture.sent("Update"), update.setting("name", "wake"))
      #expect(sent.objectValue?.count == expected.objectValue?.count, "\(words): \(sent.text)")
      for member in expected.objectValue ?? [] {
        #expect(sent[member.key] == member.value, "\(words): \(sent.text)")
      }
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
  func `A time of day keeps the days of an alarm that repeats`(time: String, calendar: String)
    throws
  {
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
    #expect(
      result.status == 0
        && result.output.hasPrefix("a5: updated, rings once, tomorrow 06:30, in 18 h "), "\(result)"
    )
    let calls = fixture.daemon.requests.filter { $0.method != "Get" }
    // It rings four minutes after noon.
    #expect(calls.first?.parameters["by_usec"] == .integer(37 * hour / 2 - 240_000_000))
    #expect(calls.map(\.method) == ["Extend", "Update"])
    // One undo reverts all of them.
    #expect(Set(calls.map(\.undoID)).count == 1)
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
    let fixture = try Fixture([
      .init(name: "p", state: "paused", clock: "wall", kind: "alarm"),
      .init(name: "f", state: "over", clock: "wall", kind: "alarm"),
      .init(name: "s", state: "over", clock: "wall", ringing: "snoozed", kind: "alarm"),
      .init(name: "c", state: "cancelled", clock: "wall", kind: "alarm"),
    ])
    try fixture.check("$ edit \(row[0]) 'tomorrow 6:30'\n1! \(row[1])")
  }

  /// A new alarm has the zone of the user who starts it. A change of its time does not change the
  /// zone.
  @Test(arguments: [nil, "Europe/Berlin", "UTC"])
  func `An alarm keeps its zone when its time is changed`(zone: String?) throws {
    for (own, expected) in [("", ""), (" Asia/Tokyo", " Asia/Tokyo")] {
      var fixture = try Fixture([
        .init(name: "up", kind: "alarm", more: ["calendar": .string("*-*-* 07:00:00\(own)")])
      ])
      fixture.runner.environment["TZ"] = zone
      let result = try fixture.run("edit", "up", "weekdays 6:45")
      #expect(result.status == 0, "\(result)")
      #expect(
        updated(fixture).map { $0["calendar"] } == [.string("Mon..Fri *-*-* 06:45:00\(expected)")])
    }
  }
}
