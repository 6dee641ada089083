import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

private let second = LedgerScript.second
private let minute = LedgerScript.minute
private let hour = LedgerScript.hour
/// 2027-01-15 08:00 UTC.
private let begin = 1_800_000_000 * second

@Suite(.blocking) struct SequenceFoldTests {
  private static let pomodoro: [(String, Int64, isBreak: Bool)] = [
    ("work", 25 * minute, false), ("rest", 5 * minute, true),
  ]

  private static func started(rounds: Int64 = 4) -> LedgerScript {
    var ledger = LedgerScript()
    ledger.start(
      "pomodoro", at: begin, for: 25 * minute, kind: "sequence",
      LedgerScript.sequence(pomodoro, rounds: rounds))
    return ledger
  }

  private static func stepped(
    _ number: Int64, _ name: String, _ durationUsec: Int64?, missed: Int64 = 0, late: Int64 = 0,
    state: String? = nil
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("late_usec", .integer(late)), .init("missed", .integer(missed)),
      .init("step_number", .integer(number)), .init("step_name", .string(name)),
    ]
    if let durationUsec { members.append(.init("duration_usec", .integer(durationUsec))) }
    if let state { members.append(.init("state", .string(state))) }
    return .object(members)
  }

  private static func times(_ run: Run) -> [String: Int64] {
    run.steps.reduce(into: [:]) { $0[$1.name] = $1.countedUsec / minute }
  }

  @Test func `Each step counts under its name, and breaks are separate`() throws {
    var ledger = Self.started()
    ledger.add("rang", "pomodoro", at: begin + 25 * minute, Self.stepped(2, "rest", 5 * minute))
    ledger.add("rang", "pomodoro", at: begin + 30 * minute, Self.stepped(3, "work", 25 * minute))
    // Advanced by the user.
    ledger.add("advanced", "pomodoro", at: begin + 40 * minute, Self.stepped(4, "rest", 5 * minute))
    let run = try #require(try ledger.runs(now: begin + 42 * minute).first)
    #expect(Self.times(run) == ["work": 35, "rest": 7])
    #expect(run.breakUsec == 7 * minute && run.workedUsec == 35 * minute && run.rings == 2)
  }

  /// Asleep from 10 min to 70 min, which includes four ends of steps, at 25, 30, 55 and 60.
  @Test
  func `Steps that passed during a sleep count separately, from one event or several`() throws {
    let left = begin + 70 * minute
    var once = Self.started()
    once.hide(["sleep"], from: begin + 10 * minute, to: left)
    var each = once
    once.add(
      "rang", "pomodoro", at: left,
      Self.stepped(5, "work", 25 * minute, missed: 3, late: 10 * minute))
    for (number, late) in [(2, 45), (3, 40), (4, 15), (5, 10)] as [(Int64, Int64)] {
      let isRest = number % 2 == 0
      each.add(
        "rang", "pomodoro", at: left,
        Self.stepped(
          number, isRest ? "rest" : "work", (isRest ? 5 : 25) * minute, late: late * minute))
    }
    for ledger in [once, each] {
      let run = try #require(try ledger.runs(now: left + minute).first)
      #expect(Self.times(run) == ["work": 61, "rest": 10] && run.rings + run.missed == 4)
    }
  }

  @Test func `Time after the last step does not count`() throws {
    var ledger = Self.started()
    let left = begin + 240 * minute
    ledger.hide(["sleep"], from: begin + 10 * minute, to: left)
    ledger.add(
      "rang", "pomodoro", at: left, Self.stepped(8, "rest", nil, missed: 7, late: 120 * minute))
    let run = try #require(try ledger.runs(now: left + hour).first)
    #expect(Self.times(run) == ["work": 100, "rest": 20])
    #expect(run.state == .over && run.missed == 7)
  }

  /// Off for a while from 10 min on. The clock is ahead after the reboot, and corrected a minute
  /// later. According to that clock, steps had ended.
  private static func corrected(
    offUsec: Int64, aheadUsec: Int64, rounds: Int64 = 4,
    _ ends: [(number: Int64, missed: Int64, usec: Int64)]
  ) -> LedgerScript {
    corrected(offUsec: offUsec, aheadUsec: aheadUsec, rounds: rounds) { ledger, left in
      for end in ends {
        let isRest = end.number % 2 == 0
        ledger.add(
          "rang", "pomodoro", at: left,
          stepped(
            end.number, isRest ? "rest" : "work", (isRest ? 5 : 25) * minute, missed: end.missed,
            late: left - begin - end.usec))
      }
    }
  }

  /// The same with other events when the machine is back.
  private static func corrected(
    offUsec: Int64, aheadUsec: Int64, rounds: Int64 = 4,
    _ addEvents: (inout LedgerScript, _ left: Int64) -> Void
  ) -> LedgerScript {
    var ledger = started(rounds: rounds)
    let entered = begin + 10 * minute
    let left = entered + offUsec + aheadUsec
    ledger.hide(["reboot"], from: entered, to: left)
    addEvents(&ledger, left)
    let right = entered + offUsec + minute
    ledger.add("clock_stepped", at: right, ["offset_usec": .integer(-aheadUsec)])
    let span = LedgerScript.span(
      ["reboot"], from: entered, to: left, elapsedUsec: offUsec, isEstimated: true)
    ledger.correct(span, byUsec: -aheadUsec, at: right)
    return ledger
  }

  /// The ends of steps up to 80 min, each as an event of its own.
  private static let fourEnds: [(number: Int64, missed: Int64, usec: Int64)] = [
    (2, 0, 25 * minute), (3, 0, 30 * minute), (4, 0, 55 * minute), (5, 0, 60 * minute),
  ]

  @Test
  func `Steps that passed on a clock that was ahead do not count after its correction`() throws {
    let ledger = Self.corrected(offUsec: 10 * minute, aheadUsec: hour, Self.fourEnds)
    let run = try #require(try ledger.runs(now: begin + 22 * minute).first)
    #expect(Self.times(run).filter { $1 > 0 } == ["work": 22] && run.countedUsec == 22 * minute)
    #expect(run.rings == 4)

    // It stays in its fifth step until the corrected clock reaches the end of that step on the
    // wrong clock.
    var later = ledger
    later.add("rang", "pomodoro", at: begin + 85 * minute, Self.stepped(6, "rest", 5 * minute))
    let next = try #require(try later.runs(now: begin + 87 * minute).first)
    #expect(Self.times(next) == ["work": 85, "rest": 2])

    var interrupted = ledger
    interrupted.add(
      "paused", "pomodoro", at: begin + 23 * minute, ["remaining_usec": .integer(62 * minute)])
    interrupted.add("resumed", "pomodoro", at: begin + 33 * minute)
    interrupted.add(
      "cancelled", "pomodoro", at: begin + 35 * minute, ["remaining_usec": .integer(hour)])
    let ended = try #require(try interrupted.runs().first)
    #expect(ended.countedUsec == 25 * minute && ended.pausedUsec == 10 * minute)
  }

  @Test func `Of steps that passed on a clock that was ahead, the time that truly passed counts`()
    throws
  {
    var once = Self.fourEnds.suffix(1)
    once[once.startIndex].missed = 3
    for ends in [Self.fourEnds, Array(once)] {
      let ledger = Self.corrected(offUsec: 40 * minute, aheadUsec: 30 * minute, ends)
      let run = try #require(try ledger.runs(now: begin + 52 * minute).first)
      #expect(Self.times(run) == ["work": 47, "rest": 5])
    }
  }

  @Test func `A sequence that goes back to its true step counts that step from its beginning`()
    throws
  {
    var ledger = Self.corrected(offUsec: 10 * minute, aheadUsec: hour, Self.fourEnds)
    ledger.add(
      "rescheduled", "pomodoro", at: begin + 21 * minute, Self.stepped(1, "work", 25 * minute))
    let first = try #require(try ledger.runs(now: begin + 22 * minute).first)
    #expect(Self.times(first).filter { $1 > 0 } == ["work": 22])
    ledger.add("rang", "pomodoro", at: begin + 25 * minute, Self.stepped(2, "rest", 5 * minute))
    let next = try #require(try ledger.runs(now: begin + 27 * minute).first)
    #expect(Self.times(next) == ["work": 25, "rest": 2])

    var part = Self.corrected(offUsec: 40 * minute, aheadUsec: 30 * minute, Self.fourEnds)
    part.add(
      "rescheduled", "pomodoro", at: begin + 51 * minute, Self.stepped(3, "work", 25 * minute))
    part.add("rang", "pomodoro", at: begin + 55 * minute, Self.stepped(4, "rest", 5 * minute))
    let run = try #require(try part.runs(now: begin + 57 * minute).first)
    #expect(Self.times(run) == ["work": 50, "rest": 7])
  }

  @Test func `A clock that was a day ahead leaves no time on that day`() throws {
    let ledger = Self.corrected(
      offUsec: 10 * minute, aheadUsec: 24 * hour, rounds: 0, [(97, 95, 24 * hour)])
    let run = try #require(try ledger.runs(now: begin + 22 * minute).first)
    #expect(run.byDay == ["2027-01-15": 22 * minute])
  }

  @Test
  func
    `A run that ended on a clock that was ahead stays ended, and counts the time that truly passed`()
    throws
  {
    let ends = Self.fourEnds.dropLast()
    for (word, state) in [("over", Run.State.over), ("waiting", .waiting)] {
      var ledger = Self.started()
      let left = begin + 80 * minute
      ledger.hide(["reboot"], from: begin + 10 * minute, to: left)
      for end in ends {
        let isRest = end.number % 2 == 0
        ledger.add(
          "rang", "pomodoro", at: left,
          Self.stepped(
            end.number, isRest ? "rest" : "work", (isRest ? 5 : 25) * minute,
            late: left - begin - end.usec))
      }
      ledger.add(
        "rang", "pomodoro", at: left,
        Self.stepped(4, "rest", nil, late: 20 * minute, state: word))
      let span = LedgerScript.span(
        ["reboot"], from: begin + 10 * minute, to: left, elapsedUsec: 10 * minute)
      ledger.correct(span, byUsec: -hour, at: left)
      let run = try #require(try ledger.runs().first)
      #expect(run.state == state && Self.times(run).filter { $1 > 0 } == ["work": 20])
    }
  }

  @Test func `A waiting step counts nothing until the user continues`() throws {
    var ledger = Self.started()
    ledger.add(
      "rang", "pomodoro", at: begin + 25 * minute, Self.stepped(1, "work", nil, state: "waiting"))
    let waiting = try #require(try ledger.runs(now: begin + 35 * minute).first)
    #expect(waiting.state == .waiting && Self.times(waiting) == ["work": 25])
    ledger.add("advanced", "pomodoro", at: begin + 40 * minute, Self.stepped(2, "rest", 5 * minute))
    ledger.add("advanced", "pomodoro", at: begin + 42 * minute, Self.stepped(2, "rest", nil))
    let run = try #require(try ledger.runs(now: begin + 50 * minute).first)
    #expect(run.state == .finished && Self.times(run) == ["work": 25, "rest": 2])
    #expect(run.endedUsec == begin + 42 * minute)
  }

  @Test func `A sleep that pauses a sequence, or restarts its step, does not count`() throws {
    var ledger = Self.started()
    ledger.hide(["sleep"], from: begin + 10 * minute, to: begin + 70 * minute)
    var paused = ledger
    paused.add(
      "paused_after_sleep", "pomodoro", at: begin + 70 * minute,
      ["remaining_usec": .integer(15 * minute), "span_id": 1])
    paused.add("resumed", "pomodoro", at: begin + 80 * minute)
    let interrupted = try #require(try paused.runs(now: begin + 81 * minute).first)
    #expect(interrupted.countedUsec == 11 * minute && interrupted.pausedUsec == 70 * minute)

    var anew = ledger
    anew.add(
      "restarted_after_sleep", "pomodoro", at: begin + 70 * minute,
      ["step_number": 1, "step_name": "work", "duration_usec": .integer(25 * minute), "span_id": 1])
    let run = try #require(try anew.runs(now: begin + 75 * minute).first)
    #expect(Self.times(run) == ["work": 15])
  }

  @Test(arguments: [hour, -9 * minute])
  func `A sequence that a reboot paused is paused since the shutdown, whatever the clock showed`(
    aheadUsec: Int64
  ) throws {
    var ledger = Self.corrected(offUsec: 10 * minute, aheadUsec: aheadUsec) { ledger, left in
      ledger.add(
        "paused_after_sleep", "pomodoro", at: left,
        ["remaining_usec": .integer(15 * minute), "span_id": 1])
    }
    let interrupted = try #require(try ledger.runs(now: begin + 22 * minute).first)
    #expect(interrupted.pausedUsec == 12 * minute && interrupted.countedUsec == 10 * minute)
    ledger.add("resumed", "pomodoro", at: begin + 23 * minute)
    let run = try #require(try ledger.runs(now: begin + 25 * minute).first)
    #expect(run.pausedUsec == 13 * minute && run.countedUsec == 12 * minute)
  }

  @Test func `If the sleep was the break, the break counts to its end`() throws {
    var ledger = Self.started()
    ledger.add("rang", "pomodoro", at: begin + 25 * minute, Self.stepped(2, "rest", 5 * minute))
    ledger.hide(["sleep"], from: begin + 26 * minute, to: begin + 99 * minute)
    ledger.add(
      "restarted_after_sleep", "pomodoro", at: begin + 99 * minute,
      ["step_number": 3, "step_name": "work", "duration_usec": .integer(25 * minute), "span_id": 1])
    let run = try #require(try ledger.runs(now: begin + 100 * minute).first)
    #expect(Self.times(run) == ["work": 26, "rest": 5])
  }

  @Test func `Without the start's data, steps have the names in their events`() throws {
    var ledger = LedgerScript()
    ledger.start("pomodoro", at: begin, for: 25 * minute, kind: "sequence")
    ledger.add("rang", "pomodoro", at: begin + 25 * minute, Self.stepped(2, "rest", 5 * minute))
    ledger.add("rang", "pomodoro", at: begin + 30 * minute, Self.stepped(3, "work", 25 * minute))
    let run = try #require(try ledger.runs(now: begin + 40 * minute).first)
    #expect(run.countedUsec == 40 * minute && Self.times(run) == ["rest": 5, "work": 10])
  }

  @Test func `A year of sleep with the shortest steps is counted, but not step by step`() throws {
    var ledger = LedgerScript()
    let tenth = second / 10
    ledger.start(
      "blink", at: begin, for: tenth, kind: "sequence",
      LedgerScript.sequence([("on", tenth, false), ("off", tenth, true)], rounds: 0))
    let left = begin + 365 * 24 * hour
    ledger.hide(["sleep"], from: begin, to: left)
    let missed = 365 * 24 * hour / tenth - 1
    ledger.add("rang", "blink", at: left, Self.stepped(missed + 2, "on", tenth, missed: missed))
    let run = try #require(try ledger.runs(now: left).first)
    #expect(run.countedUsec == 365 * 24 * hour && run.days.count <= 2 * 366)
  }
}
