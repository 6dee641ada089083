import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// Times and days as values of options, quoted and unquoted.
@Suite(.blocking) struct UnquotedValueTests {
  /// How update reads its arguments: the calendar, and the names.
  private func update(_ typed: [String]) throws -> (calendar: String?, names: [String]) {
    let update = try #require(try Program.parsed(["update"] + typed) as? Update)
    return (update.calendar, update.selection.names)
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
      // The error shows all words of time.
      (["a", "--calendar", "weekdays", "6:75"], "weekdays 6:75", ["a"]),
      (["--calendar", "wekdays", "6:45", "a"], "wekdays 6:45", ["a"]),
      (["a", "--calendar", "tomorrow", "6:30"], "tomorrow 6:30", ["a"]),
      (["--calendar", "blue", "moon"], "blue", ["moon"]),
    ] as [([String], String, [String])])
  func `A calendar is all words that can form one, and names precede or follow`(
    typed: [String], calendar: String, names: [String]
  ) throws {
    let update = try update(typed)
    #expect(update.calendar == calendar && update.names == names)
  }

  @Test func `Excepted days and the last day are read in the same way`() throws {
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
    // A command after -- keeps its words.
    let typed = ["alarm", "daily", "7:00", "--until", "31", "Mar", "2091", "--", "x", "--except"]
    let alarm = try #require(try Program.parsed(typed) as? Alarm)
    #expect(alarm.days.until == "31 Mar 2091" && alarm.command.command == ["x", "--except"])
  }

  // MARK: What update makes of it

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

  @Test func `An unquoted time moves the alarm to that time`() throws {
    let fixture = try fixture()
    #expect(try fixture.run("update", "wake", "--calendar", "weekdays", "6:45").status == 0)
    #expect(updated(fixture) == [["name": "wake", "calendar": "Mon..Fri *-*-* 06:45:00"]])
  }

  @Test(arguments: [
    ("9:00", "'daily 9:00' or 'weekdays 9:00'"), ("9am", "'daily 9am' or 'weekdays 9am'"),
    ("half past 9", "'daily half past 9' or 'weekdays half past 9'"),
    ("noon", "'daily noon' or 'weekdays noon'"),
    ("at 9:00", "'daily at 9:00' or 'weekdays at 9:00'"),
  ])
  func `A time without days is refused, with days to write`(time: String, ways: String) throws {
    let fixture = try fixture()
    let sentence =
      "--calendar: '\(time)' does not say on which days; write \(ways); an alarm that rings once is "
      + "moved by --at"
    #expect(try fixture.run("update", "wake", "--calendar", time) == .sentence(64, sentence))
    #expect(updated(fixture) == [])
    // The suggested values are accepted.
    for way in ways.split(separator: "'").filter({ $0 != " or " }) {
      #expect(try fixture.run("update", "wake", "--calendar", String(way)).status == 0)
    }
  }

  @Test(arguments: ["weekdays", "weekends", "every monday", "mondays", "every day", "24 Dec"])
  func `Days without a time are refused, with times to write`(days: String) throws {
    let fixture = try fixture()
    let sentence =
      "--calendar: '\(days)' has no time of day; write one after it, such as '\(days) 7:00', or "
      + "'\(days) 0:00' for midnight"
    #expect(try fixture.run("update", "wake", "--calendar", days) == .sentence(64, sentence))
    #expect(updated(fixture) == [])
    for time in ["7:00", "0:00"] {
      #expect(try fixture.run("update", "wake", "--calendar", "\(days) \(time)").status == 0)
    }
  }

  @Test(arguments: [
    ("Mon..Fri", "Mon..Fri *-*-* 00:00:00"), ("daily", "*-*-* 00:00:00"),
    ("weekly", "Mon *-*-* 00:00:00"), ("friday", "Fri *-*-* 00:00:00"),
  ])
  func `An expression that systemd accepts keeps its midnight`(said: String, calendar: String)
    throws
  {
    let fixture = try fixture()
    #expect(try fixture.run("update", "wake", "--calendar", said).status == 0)
    #expect(updated(fixture) == [["name": "wake", "calendar": .string(calendar)]])
  }

  @Test func `A time that occurs once is refused, with how to start the alarm again`() throws {
    let fixture = try fixture()
    let once = try fixture.run("update", "a5", "--calendar", "tomorrow", "6:30")
    #expect(
      once
        == .sentence(
          64,
          "--calendar: 'tomorrow 6:30' is a single time, and a calendar repeats; write days "
            + "such as 'weekdays 7:00', or start the alarm again: nightjar alarm a5 tomorrow 6:30 --replace; an "
            + "alarm that rings once is moved by --at"))
    #expect(updated(fixture) == [])
    let calendar = try fixture.run("update", "a5", "--calendar", "weekdays", "6:30")
    #expect(
      calendar
        == .sentence(
          1,
          "'a5' rings once, and --calendar is for an alarm that repeats; move it with "
            + "nightjar update a5 --at TIME"))
    #expect(updated(fixture) == [])
    // A date without a year means every year.
    #expect(try fixture.run("update", "wake", "--calendar", "24 Dec 18:00").status == 0)
    #expect(updated(fixture) == [["name": "wake", "calendar": "*-12-24 18:00:00"]])
  }

  @Test func `The answer names its zone if the user named one for the time`() throws {
    for time in ["7:30 Europe/Berlin", "tomorrow 6:30 UTC"] {
      let result = try fixture().run("update", "a5", "--at", time)
      // The zone of these tests is called noon.
      #expect(result.status == 0 && result.output.hasSuffix(" noon\n"), "\(result)")
    }
  }

  @Test(arguments: [["tomorrow", "6:30"], ["tomorrow 6:30"], ["6:30"], ["6:30 am"]])
  func `An alarm that rings once is moved, and keeps its other properties`(typed: [String]) throws {
    let fixture = try fixture()
    let result = try fixture.runner.run(["update", "a5", "--message", "Up", "--at"] + typed)
    #expect(result == .init(0, "a5: updated, rings once, tomorrow 06:30\n"))
    let calls = fixture.daemon.requests.filter { $0.method != "Get" }
    // It rings four minutes after noon.
    #expect(calls.first?.parameters["by_usec"] == .integer(37 * hour / 2 - 240_000_000))
    #expect(calls.map(\.method) == ["Extend", "Update"])
    // One undo reverts all of them.
    #expect(Set(calls.map(\.undoID)).count == 1)
  }

  @Test(arguments: [
    (
      "wake",
      "'wake' repeats, and --at is for an alarm that rings once; move it with nightjar update wake "
        + "--calendar TIME"
    ),
    ("tea", "--at is for an alarm that rings once, and 'tea' is a countdown"),
    ("p", "'p' is paused; use nightjar resume p, and then move it"),
    (
      "f",
      "'f' has rung; nightjar snooze f SPAN lets it ring again, and nightjar alarm f TIME --replace "
        + "starts it again"
    ),
    (
      "s",
      "'s' has rung; nightjar snooze s SPAN lets it ring again, and nightjar alarm s "
        + "TIME --replace starts it again"
    ),
    ("c", "'c' is cancelled; nightjar alarm c TIME --replace starts it again"),
  ])
  func `An alarm that --at cannot move gets an error with the remedy`(
    name: String, sentence: String
  ) throws {
    let fixture = try Fixture([
      .init(name: "wake", clock: "wall", kind: "alarm", more: ["calendar": "*-*-* 07:00:00"]),
      .init(name: "tea"), .init(name: "p", state: "paused", clock: "wall", kind: "alarm"),
      .init(name: "f", state: "over", clock: "wall", kind: "alarm"),
      .init(name: "s", state: "over", clock: "wall", ringing: "snoozed", kind: "alarm"),
      .init(name: "c", state: "cancelled", clock: "wall", kind: "alarm"),
    ])
    let result = try fixture.run("update", name, "--at", "tomorrow 6:30")
    #expect(result == .sentence(1, sentence))
  }

  @Test func `If a time for --at has two readings, the question names the option`() throws {
    let fixture = try fixture()
    let result = try fixture.run("update", "a5", "--at", "9h")
    #expect(result.status == 64, "\(result)")
    #expect(
      result.errors
        == "nightjar: --at: '9h' has two readings; write --at 9:00 (a time of day), or --at 'in 9h' "
        + "(from now)\n")
    #expect(
      try fixture.run("update", "a5", "--at", "9:00", "--duration", "1h").errors
        == "nightjar: --duration is for a countdown, --calendar for an alarm that repeats, and --at for "
        + "one that rings once: give one\n")
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
      let result = try fixture.run("update", "up", "--calendar", "weekdays 6:45")
      #expect(result.status == 0, "\(result)")
      #expect(
        updated(fixture).map { $0["calendar"] } == [.string("Mon..Fri *-*-* 06:45:00\(expected)")])
    }
  }

  // MARK: Rings that were skipped

  /// The answer to moving an alarm that skips rings of the next days, at noon UTC.
  private func moved(to calendar: String, skipping: [Int64]) throws -> String {
    let now = Now.realtimeUsec / (24 * hour) * 24 * hour + 12 * hour
    let nextDay = now + 12 * hour
    @Sendable func alarm(_ calendar: String, _ passed: [Int64]) -> JSONValue {
      FakeTimers(nowUsec: now).json(
        .init(
          name: "wake", clock: "wall", remainingUsec: 48 * hour, kind: "alarm",
          more: [
            "calendar": .string(calendar), "zone": "UTC", "repeat": ["rung": 0, "snoozed": false],
            "skipped_usec": .array(passed.map { .integer(nextDay + $0) }),
          ]))
    }
    let fixture = try Fixture { request, _ in
      switch request.method {
      case "Get": [.reply(["timer": alarm("*-*-* 07:00:00", skipping)])]
      case "Update":
        [.reply(["timer": alarm(request.parameters["calendar"]?.stringValue ?? "", skipping)])]
      default: nil
      }
    }
    var runner = fixture.runner
    runner.environment["TZ"] = nil
    let result = try runner.run("update", "wake", "--calendar", calendar)
    #expect(result.status == 0 && result.errors == "", "\(result)")
    return result.output
  }

  @Test func `The answer says which skipped ring is not skipped any more`() throws {
    let one = try moved(to: "daily 6:45", skipping: [7 * hour])
    #expect(
      one.contains("07:00:00 is not skipped any more; nightjar skip wake skips the next ring"))
    let two = try moved(to: "daily 7:30", skipping: [7 * hour, 31 * hour])
    #expect(two.contains(" and 1 more are not skipped any more; nightjar skip wake"), "\(two)")
    // A time that both calendars contain stays skipped.
    let unchanged = try moved(to: "*-*-* 7,8:00", skipping: [7 * hour])
    #expect(!unchanged.contains("skip"), "\(unchanged)")
    #expect(try !moved(to: "daily 6:45", skipping: []).contains("skip"))
    // A skip that an earlier calendar change had lost was reported then.
    #expect(try !moved(to: "daily 6:45", skipping: [8 * hour]).contains("skip"))
  }
}
