import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

private let minute = 60 * second
/// 2027-01-15 08:00 UTC.
private let begin = 1_800_000_000 * second

/// Runs from events that no daemon of this version sends, or only after years. For all others see
/// HistoryRunTests.
@Suite(.blocking) struct RunFoldTests {
  private func timer(
    _ id: Int64, _ state: String, _ kind: String, elapsed: Int64 = 0, before: Int64 = 0,
    paused: Int64 = 0
  ) throws -> Wire.Timer {
    try Wire.Timer(
      [
        "id": .integer(id), "seq": 9, "name": .string("old\(id)"), "kind": .string(kind),
        "state": .string(state), "clock": "elapsed", "duration_usec": 0, "remaining_usec": 0,
        "elapsed_usec": .integer(elapsed), "counted_before_usec": .integer(before),
        "paused_usec": .integer(paused), "progress": 0, "started_usec": .integer(begin - 90 * hour),
        "next_expiry": 1, "labels": ["project": "site"], "data": [:],
      ] as JSONValue)
  }

  @Test func `A run that is older than the ledger is built from the daemon's timer`() throws {
    // The kind of the timer that rang is unknown.
    let ledger = try LedgerScript(
      on: begin, "00:00 - zone_changed zone=UTC\n01:00 gone rang counted=1h late=0")
    let runs = try ledger.runs(
      now: begin + 3 * hour,
      present: [
        try timer(-1, "running", "stopwatch", elapsed: 3 * hour),
        try timer(-2, "running", "countdown", elapsed: 2 * hour, before: hour, paused: hour),
        try timer(-3, "running", "alarm", elapsed: hour),
        try timer(-4, "paused", "countdown", elapsed: hour),
        try timer(-5, "cancelled", "countdown"),
      ]
    ).sorted { $0.id > $1.id }
    #expect(runs.map(\.state) == [.running, .running, .running, .paused, .cancelled])
    #expect(runs.map { $0.countedUsec / hour } == [3, 3, 0, 1, 0])
    #expect(runs.map { $0.pausedUsec / hour } == [0, 1, 0, 0, 0])
    #expect(runs.allSatisfy { $0.startsBeforeLedger && $0.startedUsec == begin - 90 * hour })
    #expect(runs[0].byDay == ["2027-01-15": 3 * hour])
  }

  @Test func `Its first event in the ledger may be a resumption`() throws {
    let events = try LedgerScript(on: begin, "01:00 old-2 resumed counted=1h paused=5h")
    var fold = RunFold(present: [try timer(-2, "running", "countdown", elapsed: 2 * hour)])
    let event = events.events[0].objectValue?.filter { $0.key != "id" } ?? []
    fold.take(try Wire.Event(.object(event + [.init("id", -2)])))
    var runs: [Run] = []
    fold.finish(nowUsec: begin + 2 * hour, days: LocalDays(zone: .utc)) { runs.append($0) }
    #expect(runs.map(\.countedUsec) == [2 * hour] && runs.map(\.state) == [.running])
  }

  @Test func `Unknown events of a newer daemon are ignored`() throws {
    let ledger = try LedgerScript(
      on: begin,
      """
      00:00 tea started kind=hourglass for=4min
      00:01 tea turned
      00:02 - aligned
      00:04 tea rang late=0
      """)
    let run = try #require(try ledger.runs().first)
    #expect(run.state == .over && run.countedUsec == 0 && run.kind == .other("hourglass"))
  }

  @Test func `Without the start's data, steps have the names in their events`() throws {
    let ledger = try LedgerScript(
      on: begin,
      """
      00:00 pomodoro started kind=sequence for=25min
      00:25 pomodoro rang counted=25min late=0 step_number=2 step_name=rest for=5min
      00:30 pomodoro rang counted=30min late=0 step_number=3 step_name=work for=5min
      00:40 pomodoro cancelled counted=40min
      """)
    let run = try #require(try ledger.runs().first)
    #expect(run.countedUsec == 40 * minute)
    #expect(
      run.steps.map { [$0.name, "\($0.countedUsec / minute)"] } == [
        ["rest", "5"], ["work", "10"],
      ])
  }

  @Test func `A year of sleep with the shortest steps is counted, but not step by step`() throws {
    let year = 365 * 24 * hour
    let steps = year / (100 * millisecond)
    let ledger = try LedgerScript(
      on: begin,
      """
      00:00 blink started kind=sequence for=100ms steps=on:100ms,off:100ms
      00:00..00:00+365d sleep
      00:00+365d blink rang counted=365d late=0 missed=\(steps - 1) step_number=\(steps + 1) \
      step_name=on for=100ms
      """)
    let run = try #require(try ledger.runs().first)
    #expect(run.countedUsec == year && run.days.count <= 2 * 366)
  }

  @Test func `Times that no clock can show are accepted`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: LocalDays.always.lowerBound, [:])
    ledger.add("cancelled", "tea", at: 1 << 59, ["counted_usec": 1_152_921_504_606_846_976])
    // The days at both ends; twenty million days lie between them.
    let (first, last) = (LocalDays.always.lowerBound, LocalDays.always.upperBound)
    for range in [first..<first + 240 * hour, (1 << 59) - 240 * hour..<last] {
      #expect(try ledger.runs(range: range).count == 1)
    }
  }

  // MARK: Where counted time lies

  @Test(
    arguments: [
      (10, 100, [90..<100]), (25, 100, [90..<100, 65..<80]),
      (50, 100, [90..<100, 50..<80, 20..<30]),
      (5, 85, [75..<80]), (5, 80, [75..<80]), (5, 90, [75..<80]), (60, 30, [-30..<30]),
      (0, 100, []), (5, 45, [25..<30]),
    ] as [(Int64, Int64, [Range<Int64>])])
  func `It lies directly before its end, and leaves out when the clock stood still`(
    usec: Int64, end: Int64, parts: [Range<Int64>]
  ) {
    let hidden: [Range<Int64>] = [30..<50, 80..<90]
    #expect(hidden.placing(usec, before: end) == parts)
  }
}
