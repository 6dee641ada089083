import NightjarTestSupport
import NightjarVarlink
import Testing

@testable import nightjar

/// Times and days behind an option, with quotes and without.
@Suite(.blocking) struct UnquotedValueTests {
  /// What update understands: the calendar, and the names.
  private func update(_ typed: [String]) throws -> (calendar: String?, names: [String]) {
    let update = try #require(try Program.parsed(["update"] + typed) as? Update)
    return (update.calendar, ManyNames.unfolded(update.selection.names))
  }

  @Test(
    arguments: [
      (["wake", "--calendar", "weekdays", "6:45"], "weekdays 6:45", ["wake"]),
      (["wake", "--calendar", "weekdays 6:45"], "weekdays 6:45", ["wake"]),
      (["wake", "--calendar=weekdays", "6:45"], "weekdays 6:45", ["wake"]),
      (["--calendar", "weekdays", "6:45", "wake"], "weekdays 6:45", ["wake"]),
      (["--calendar", "weekdays 6:45", "wake"], "weekdays 6:45", ["wake"]),
      (["--calendar=weekdays 6:45", "wake"], "weekdays 6:45", ["wake"]),
      (["--calendar", "weekdays 6:45", "4711"], "weekdays 6:45", ["4711"]),
      (["a", "--calendar", "mon", "6:45", "b", "c"], "mon 6:45", ["a", "b", "c"]),
      (["a", "--calendar", "mon,", "wed", "and", "fri", "6:45"], "mon, wed and fri 6:45", ["a"]),
      (["a", "--calendar", "every", "day", "at", "noon", "b"], "every day at noon", ["a", "b"]),
      (["a", "--calendar", "Mon..Fri", "*-*-*", "6:45"], "Mon..Fri *-*-* 6:45", ["a"]),
      (["a", "--calendar", "daily", "6:45", "UTC", "b"], "daily 6:45 UTC", ["a", "b"]),
      (["a", "--calendar", "hourly", "b/…"], "hourly", ["a", "b/…"]),
      (["a", "--calendar", "hourly", "--", "b"], "hourly", ["a", "b"]),
      (["a", "--calendar", "weekdays", "6:45", "--json"], "weekdays 6:45", ["a"]),
      // What is wrong is told of all words of time.
      (["a", "--calendar", "weekdays", "6:75"], "weekdays 6:75", ["a"]),
      (["--calendar", "wekdays", "6:45", "a"], "wekdays 6:45", ["a"]),
      (["a", "--calendar", "tomorrow", "6:30"], "tomorrow 6:30", ["a"]),
      (["--calendar", "blue", "moon"], "blue", ["moon"]),
    ] as [([String], String, [String])])
  func `A calendar is all words that can be one, and names stand in front or behind`(
    typed: [String], calendar: String, names: [String]
  ) throws {
    let update = try update(typed)
    #expect(update.calendar == calendar && update.names == names)
  }

  @Test func `Thousands of names may stand behind a calendar`() throws {
    let names = (0..<16_000).map { "run/\($0)" }
    let update = try update(["--calendar", "weekdays", "6:45"] + names)
    #expect(update.calendar == "weekdays 6:45" && update.names == names)
  }

  @Test func `Days that are left out and the last day are read likewise`() throws {
    let days = ["--except", "24", "Dec", "2090..1", "Jan", "2091", "--until", "31", "Mar", "2091"]
    for typed in [["wake"] + days, days + ["wake"]] {
      let update = try #require(try Program.parsed(["update"] + typed) as? Update)
      #expect(update.days.except == ["24 Dec 2090..1 Jan 2091"])
      #expect(update.days.until == "31 Mar 2091" && update.selection.names == ["wake"])
    }
    for typed in [["wake", "weekdays", "6:45"] + days, days + ["wake", "weekdays", "6:45"]] {
      let alarm = try #require(try Program.parsed(["alarm"] + typed) as? Alarm)
      #expect(alarm.days.except == ["24 Dec 2090..1 Jan 2091"])
      #expect(alarm.days.until == "31 Mar 2091" && alarm.words == ["wake", "weekdays", "6:45"])
    }
    // A command behind -- is its own.
    let typed = ["alarm", "daily", "7:00", "--until", "31", "Mar", "2091", "--", "x", "--except"]
    let alarm = try #require(try Program.parsed(typed) as? Alarm)
    #expect(alarm.days.until == "31 Mar 2091" && alarm.command.command == ["x", "--except"])
  }

  // MARK: What update makes of it

  /// A stand-in with an alarm that repeats, and another that rings once.
  private func fixture() throws -> Fixture {
    try Fixture([
      .init(
        name: "wake", clock: "wall", kind: "alarm",
        more: [
          "calendar": "Mon..Fri *-*-* 07:00:00", "repeat": ["rung": 0, "snoozed": false],
        ]), .init(name: "a5", clock: "wall", kind: "alarm"),
    ])
  }

  private func updated(_ fixture: Fixture) -> [JSONValue] {
    fixture.daemon.requests.filter { $0.method == "Update" }.map(\.parameters)
  }

  @Test func `An unquoted time moves the alarm to that time`() throws {
    let fixture = try fixture()
    #expect(try fixture.run("update", "wake", "--calendar", "weekdays", "6:45").status == 0)
    #expect(updated(fixture) == [["name": "wake", "calendar": "Mon..Fri *-*-* 06:45:00"]])
  }
}
