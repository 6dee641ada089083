import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// The answer to a new alarm. The same words are the same alarm on any day.
@Suite(.blocking) struct AlarmAnswerTests {
  /// The answer to an alarm that is typed at a given time in UTC.
  private func answer(
    _ phrase: String, at moment: String = "2026-11-23 08:00", rounds: Int64? = nil,
    zone: String? = nil
  ) throws -> String {
    let nowUsec = try Timestamp(moment, now: 0, local: .utc).usec
    var reader = PhraseReader(nowUsec: nowUsec, local: .utc, locale: .neutral)
    let time = AlarmTime(zone: zone, wall: WallClock(nowUsec: nowUsec, zone: .utc))
    reader.local = time.rules
    var members: [JSONValue.Member] = []
    let deadline: Int64
    switch try reader.time(phrase) {
    case .once(let usec): deadline = usec
    case .repeating(let expression):
      deadline = try #require(reader.next(of: expression))
      let rung: JSONValue = ["rung": 0, "snoozed": false]
      members = [
        .init("calendar", .string(expression.description)),
        .init("repeat", rounds.map { rung.setting("rounds", .integer($0)) } ?? rung),
      ]
    }
    let json = FakeTimers(nowUsec: nowUsec).json(
      .init(
        name: "x", clock: "wall", durationUsec: deadline - nowUsec,
        remainingUsec: deadline - nowUsec, kind: "alarm", more: .object(members)))
    let text = TimerText(try Session.timer(in: ["timer": json]), nowUsec: nowUsec, zone: .utc)
    return AlarmText(text).answer(typed: phrase, namesZone: time.isInNamedZone(phrase)) ?? "nothing"
  }

  @Test(
    arguments: Row.table(
      #"""
      Mon 9:30 => 23 08:00 => every Monday at 09:30, next today 09:30, in 1 h 30 min
      Mon 9:30 => 23 10:00 => every Monday at 09:30, next Mon 30 Nov 09:30, in 6 d 23 h
      Mon 9:30 => 24 12:00 => every Monday at 09:30, next Monday 09:30, in 5 d 21 h
      sunday at noon => 28 12:00 => every Sunday at 12:00, next tomorrow 12:00, in 1 d
      weekdays 7:00 => 23 10:00 => from Monday to Friday at 07:00, next tomorrow 07:00, in 21 h
      weekends 10 => 23 10:00 => every Saturday and Sunday at 10:00, next Saturday 10:00, in 5 d
      mon wed fri 6:45 => 23 10:00 => every Monday, Wednesday and Friday at 06:45, next Wednesday \#
      06:45, in 1 d 20 h
      daily 9am => 23 08:30 => every day at 09:00, next today 09:00, in 30 min
      daily 9am UTC => 23 08:30 => every day at 09:00 (UTC), next today 09:00, in 30 min
      *-*~1 12:00 => 23 08:00 => by '*-*~1 12:00', next Mon 30 Nov 12:00, in 7 d 4 h
      hourly => 23 08:30 => every hour, next today 09:00, in 30 min
      monthly => 23 08:00 => every month on day 1 at 00:00, next Tue 1 Dec 00:00, in 7 d 16 h
      *-12-24 18:00 => 23 08:00 => every year on 24 Dec at 18:00, next Thu 24 Dec 18:00, in 31 d \#
      10 h
      *-*-01,15 12:00 => 23 08:00 => by '*-*-01,15 12:00', next Tue 1 Dec 12:00, in 8 d 4 h
      9:30 => 23 10:00 => once, tomorrow 09:30, in 23 h 30 min
      9:30 => 23 08:00 => once, today 09:30, in 1 h 30 min
      next monday 9am => 23 08:00 => once, Mon 30 Nov 09:00, in 7 d 1 h
      3 Jan 9:00 => 23 08:00 => once, Sun 3 Jan 2027 09:00, in 41 d 1 h
      in 90s => 23 08:00 => once, today 08:01:30, in 1 min 30 s
      """#))
  func `The answer always says whether it repeats, and when it rings`(row: Row) throws {
    #expect(try answer(row[0], at: "2026-11-\(row[1])") == "rings \(row[2])")
  }

  @Test(arguments: [
    ("2:30", "Europe/Berlin", "tomorrow 01:30 UTC, in 17 h 30 min"),
    ("2:30 Europe/Berlin", nil, "tomorrow 01:30 UTC, in 17 h 30 min"),
    ("24 Dec 18:00", "America/New_York", "Thu 24 Dec 23:00 UTC, in 31 d 15 h"),
    ("2026-12-24T18:00+01:00", nil, "Thu 24 Dec 17:00 UTC, in 31 d 9 h"),
    ("2:30", nil, "tomorrow 02:30, in 18 h 30 min"),
    ("2026-12-24 18:00", nil, "Thu 24 Dec 18:00, in 31 d 10 h"),
    ("in 5 minutes", nil, "today 08:05, in 5 min"),
  ])
  func `The answer names its zone if the user named one for the time`(
    phrase: String, zone: String?, expected: String
  ) throws {
    #expect(try answer(phrase, zone: zone) == "rings once, \(expected)")
  }

  @Test func `The answer says how often it rings, and during a snooze what is next`() throws {
    let limited = "rings every day at 09:00, 3 times, next today 09:00, in 1 h"
    #expect(try answer("daily 9am", rounds: 3) == limited)
    let json = FakeTimers(nowUsec: 0).json(
      .init(
        name: "x", clock: "wall", remainingUsec: 179_000_000, ringing: "snoozed", kind: "alarm",
        more: ["calendar": "*-*-* 09:00:00", "repeat": ["rung": 1]]))
    let text = TimerText(try Session.timer(in: ["timer": json]), nowUsec: 0, zone: .utc)
    let snoozed = "rings every day at 09:00, next today 00:02:59, in 2 min 59 s"
    #expect(AlarmText(text).answer(typed: nil) == snoozed)
  }

  @Test(arguments: [
    ("Mon..Fri *-*-* 09:30:00", "Mon..Fri 09:30"), ("*-*-* 09:30:00", "daily 09:30"),
    ("*-*-* *:00:00", "hourly"), ("*-*-01 00:00:00", "monthly"),
    ("*-01-01 00:00:00 UTC", "yearly UTC"), ("*-*~01 00:00:00", "*-*~01 00:00"),
    ("*-*-01 12:00:00", "*-*-01 12:00"), ("*-12-24 18:00:00", "every 24 Dec 18:00"),
    ("*-02-29 09:30:15 UTC", "every 29 Feb 09:30:15 UTC"),
    ("2026-12-24 18:00:00", "2026-12-24 18:00"),
    ("*-*-* 09,17:30:00", "09,17:30"), ("*-*-* *:*:*", "*:*:*"),
    ("Sat *-*-* 10:00:30 Europe/Berlin", "Sat 10:00:30 Europe/Berlin"), ("junk", "junk"),
  ])
  func `A calendar is shown as a user would type it`(expression: String, expected: String) {
    #expect(CalendarText.short(expression) == expected)
  }
}

/// The week of the issue, played by the engine.
@Suite(.blocking) struct MondayAlarmTests {
  @Test func `With --once it rings once, and a bare time with --repeat every day`() throws {
    let result = try RehearsedScript().run(
      "at 2026-11-23 10:00 UTC\nalarm a Mon 9:30 --once\nalarm b 9:30 --repeat\nwait 15d\n")
    let rang = result.output.split(separator: "\n").filter { $0.contains(": rang") }
    #expect(rang.count { $0.contains("\ta: ") } == 1 && rang.count { $0.contains("\tb: ") } == 15)
  }
}
