import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

private let second = LedgerScript.second
private let minute = LedgerScript.minute
private let hour = LedgerScript.hour
/// 2027-01-15 08:00 UTC.
private let begin = 1_800_000_000 * second

@Suite(.blocking) struct RunFoldTests {
  @Test func `A countdown that rings counted its duration, however late it rings`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: begin, for: 4 * minute, labels: ["kind": "drink"])
    ledger.hide(["sleep"], from: begin + minute, to: begin + 3 * hour)
    ledger.add(
      "rang", "tea", at: begin + 3 * hour,
      ["late_usec": .integer(3 * hour - 4 * minute), "late_cause": "sleep", "span_id": 1])
    let run = try #require(try ledger.runs(now: begin + 9 * hour).first)
    #expect(run.state == .over && run.endedUsec == begin + 3 * hour)
    #expect(run.countedUsec == 4 * minute && run.byDay == ["2027-01-15": 4 * minute])
    #expect(run.late?.usec == 3 * hour - 4 * minute && run.late?.cause == "sleep" && run.rings == 1)
    #expect(run.labels == ["kind": "drink"] && run.kind == .countdown)
  }

  @Test func `A pause does not count, nor does a span within it; an extension does`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: begin, for: 10 * minute)
    ledger.add("paused", "tea", at: begin + 4 * minute, ["remaining_usec": .integer(6 * minute)])
    ledger.add("extended", "tea", at: begin + 5 * minute, ["by_usec": .integer(2 * minute)])
    ledger.hide(["sleep"], from: begin + 10 * minute, to: begin + 30 * minute)
    ledger.add("resumed", "tea", at: begin + 34 * minute)
    ledger.add("extended", "tea", at: begin + 35 * minute, ["by_usec": .integer(-minute)])
    ledger.add("rang", "tea", at: begin + 41 * minute, ["late_usec": 0])
    let run = try #require(try ledger.runs().first)
    #expect(run.countedUsec == 11 * minute && run.pausedUsec == 30 * minute)
    #expect(run.extendedUsec == minute && run.state == .over)
  }

  @Test func `A sleep counts on elapsed and not on awake; time without a daemon counts`() throws {
    for (clock, cause, counted) in [
      ("elapsed", "sleep", 60), ("awake", "sleep", 20), ("awake", "stop", 20),
      ("awake", "down", 60), ("elapsed", "reboot", 60), ("awake", "reboot", 20),
    ] {
      var ledger = LedgerScript()
      ledger.start("work", at: begin, for: 2 * hour, clock: clock)
      ledger.hide([cause], from: begin + 10 * minute, to: begin + 50 * minute)
      let run = try #require(try ledger.runs(now: begin + hour).first)
      #expect(run.state == .running && run.endedUsec == nil)
      #expect(run.countedUsec == Int64(counted) * minute, "\(clock), \(cause)")
    }
  }

  @Test func `On present an absence does not count, and a sleep within it is subtracted once`()
    throws
  {
    for (clock, counted) in [("present", 25), ("awake", 50), ("elapsed", 60)] {
      var ledger = LedgerScript()
      ledger.start("work", at: begin, for: 2 * hour, clock: clock)
      let away = LedgerScript.span(["away"], from: begin + 5 * minute, number: 1)
      ledger.add("did_enter_background", at: begin + 5 * minute, ["span": away])
      ledger.hide(["sleep"], from: begin + 10 * minute, to: begin + 20 * minute, number: 2)
      let back = LedgerScript.span(
        ["away"], from: begin + 5 * minute, to: begin + 30 * minute, number: 1,
        elapsedUsec: 25 * minute)
      ledger.add("will_enter_foreground", at: begin + 30 * minute, ["span": back])
      // Away again, without an end.
      let again = LedgerScript.span(["away"], from: begin + 50 * minute, number: 3)
      ledger.add("did_enter_background", at: begin + 50 * minute, ["span": again])
      let run = try #require(try ledger.runs(now: begin + hour).first)
      #expect(run.countedUsec == Int64(counted) * minute, "\(clock)")
      #expect(run.byDay == ["2027-01-15": Int64(counted) * minute])
    }
  }

  @Test
  func `Setting the clock makes no run longer or shorter, on any clock of the timer`() throws {
    for clock in ["elapsed", "awake", "wall"] {
      var ledger = LedgerScript()
      ledger.start("work", at: begin, for: 2 * hour, clock: clock)
      ledger.add("clock_stepped", at: begin + 90 * minute, ["offset_usec": .integer(hour)])
      ledger.add(
        "paused", "work", at: begin + 100 * minute, ["remaining_usec": .integer(80 * minute)])
      ledger.add("clock_stepped", at: begin + 10 * minute, ["offset_usec": .integer(-2 * hour)])
      ledger.add("resumed", "work", at: begin + 20 * minute)
      let run = try #require(try ledger.runs(now: begin + 30 * minute).first)
      #expect(run.countedUsec == 50 * minute && run.pausedUsec == 40 * minute)
    }
  }

  @Test func `A timer on the wall clock that expires by a step is not longer for it`() throws {
    var ledger = LedgerScript()
    ledger.start("work", at: begin, for: 2 * hour, clock: "wall")
    ledger.add("clock_stepped", at: begin + 4 * hour, ["offset_usec": .integer(3 * hour)])
    ledger.add(
      "rang", "work", at: begin + 4 * hour,
      ["late_usec": .integer(2 * hour), "late_cause": "step"])
    #expect(try ledger.runs().first?.countedUsec == hour)
  }

  @Test
  func
    `A run ends when its timer is cancelled, removed, restarted or replaced, and has that state`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: begin, for: 10 * minute)
    ledger.add("restarted", "tea", at: begin + 1 * minute)
    ledger.start("tea", at: begin + 3 * minute, for: 10 * minute)
    ledger.add("cancelled", "tea", at: begin + 6 * minute, ["remaining_usec": .integer(7 * minute)])
    ledger.add("restarted", "tea", at: begin + 8 * minute)
    ledger.add("removed", "tea", at: begin + 12 * minute)
    ledger.start("tea", at: begin + 13 * minute, for: minute)
    ledger.add("rang", "tea", at: begin + 14 * minute, ["late_usec": 0])
    ledger.add("dismissed", "tea", at: begin + 15 * minute)
    ledger.start("tea", at: begin + 16 * minute, for: minute)
    ledger.add("did_not_ring", "tea", at: begin + 17 * minute, ["late_usec": 0])
    ledger.start("tea", at: begin + 18 * minute, for: minute)
    let runs = try ledger.runs(now: begin + 18 * minute + 1)
    #expect(
      runs.map(\.state) == [
        .restarted, .replaced, .cancelled, .removed, .over, .missed, .running,
      ])
    #expect(runs.map { $0.countedUsec / second } == [60, 120, 180, 240, 60, 60, 0])
    #expect(runs.map(\.startSeq) == [1, 2, 3, 5, 7, 10, 12])
    #expect(runs.dropLast().allSatisfy { $0.endedUsec != nil } && runs[6].endedUsec == nil)
  }

  @Test func `An undone change is no end, no pause and no new run`() throws {
    var ledger = LedgerScript()
    func counters(_ at: Int64) -> JSONValue {
      ["counters": ["elapsed_usec": .integer(at), "awake_usec": .integer(at)]]
    }
    func undo(_ seq: Int64, _ type: String, at usec: Int64) {
      var more = counters(usec).objectValue ?? []
      more += [.init("undone_seq", .integer(seq)), .init("undone_type", .string(type))]
      ledger.add("undone", "tea", at: begin + usec, .object(more))
    }
    ledger.start("tea", at: begin, for: 10 * minute, counters(0))
    ledger.add("paused", "tea", at: begin + minute, counters(minute))
    undo(2, "paused", at: minute + 20 * second)
    ledger.add("removed", "tea", at: begin + 2 * minute, counters(2 * minute))
    undo(4, "removed", at: 2 * minute + 30 * second)
    ledger.add("restarted", "tea", at: begin + 3 * minute, counters(3 * minute))
    undo(6, "restarted", at: 3 * minute + 40 * second)
    var rang = counters(10 * minute).objectValue ?? []
    rang.append(.init("late_usec", 0))
    ledger.add("rang", "tea", at: begin + 10 * minute, .object(rang))
    let runs = try ledger.runs()
    #expect(runs.map(\.state) == [.over])
    #expect(runs.map(\.countedUsec) == [10 * minute] && runs.map(\.pausedUsec) == [0])
  }

  @Test func `A run keeps its counted time when its timer is renamed`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: begin, for: 10 * minute)
    ledger.add("renamed_to", "tea", at: begin + 4 * minute, ["new_name": "egg"])
    ledger.add("renamed_from", "egg", at: begin + 4 * minute, ["old_name": "tea"])
    ledger.add("rang", "egg", at: begin + 10 * minute, ["late_usec": 0])
    let runs = try ledger.runs()
    #expect(runs.map(\.name) == ["egg"] && runs.map(\.state) == [.over])
    #expect(runs.map(\.countedUsec) == [10 * minute])
  }

  @Test func `The end of a snooze is one more ring of the run, and a snooze counts no time`() throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: begin, for: 10 * minute, clock: "awake")
    ledger.add("rang", "tea", at: begin + 10 * minute, ["late_usec": 0])
    ledger.add("snoozed", "tea", at: begin + 12 * minute, ["by_usec": .integer(5 * minute)])
    ledger.hide(["sleep"], from: begin + 13 * minute, to: begin + 20 * minute)
    ledger.add(
      "rang", "tea", at: begin + 20 * minute,
      ["late_usec": .integer(3 * minute), "late_cause": "sleep", "snoozed": true])
    let run = try #require(try ledger.runs().first)
    #expect(run.countedUsec == 10 * minute && run.rings == 2 && run.state == .over)
    #expect(run.endedUsec == begin + 10 * minute && run.late?.cause == "sleep")
  }

  @Test func `A stopwatch's run counts its elapsed time`() throws {
    var ledger = LedgerScript()
    ledger.start("run", at: begin, kind: "stopwatch")
    ledger.add("lapped", "run", at: begin + 3 * minute, ["elapsed_usec": .integer(3 * minute)])
    ledger.add("paused", "run", at: begin + 5 * minute, ["elapsed_usec": .integer(5 * minute)])
    ledger.add("resumed", "run", at: begin + 9 * minute)
    ledger.add("cancelled", "run", at: begin + 11 * minute, ["elapsed_usec": .integer(7 * minute)])
    let run = try #require(try ledger.runs().first)
    #expect(run.countedUsec == 7 * minute && run.pausedUsec == 4 * minute && run.laps == 1)
    #expect(run.state == .cancelled)
  }

  @Test func `A repeating timer is one run, until its last ring`() throws {
    var ledger = LedgerScript()
    ledger.start("stretch", at: begin, for: 45 * minute, ["repeat": ["rounds": 4]])
    ledger.add(
      "rang", "stretch", at: begin + 45 * minute,
      ["late_usec": 0, "missed": 0, "rung": 1, "duration_usec": .integer(45 * minute)])
    ledger.add("snoozed", "stretch", at: begin + 50 * minute, ["by_usec": .integer(minute)])
    ledger.add("paused", "stretch", at: begin + 60 * minute, ["remaining_usec": .integer(minute)])
    ledger.add("resumed", "stretch", at: begin + 70 * minute)
    // The end of the snooze.
    ledger.add("rang", "stretch", at: begin + 71 * minute, ["late_usec": 0, "snoozed": true])
    ledger.hide(["sleep"], from: begin + 80 * minute, to: begin + 200 * minute)
    ledger.add(
      "rang", "stretch", at: begin + 200 * minute,
      ["late_usec": .integer(10 * minute), "late_cause": "sleep", "missed": 2, "rung": 4])
    let run = try #require(try ledger.runs(now: begin + 300 * minute).first)
    #expect(run.rings == 3 && run.missed == 2 && run.state == .over)
    #expect(run.countedUsec == 180 * minute && run.pausedUsec == 10 * minute)
  }

  @Test func `An alarm counts nothing, and its run ends with the last time of its calendar`() throws
  {
    var ledger = LedgerScript()
    ledger.start(
      "standup", at: begin, for: hour, kind: "alarm", clock: "wall",
      ["alarm": ["calendar": "2027-01-15 9,10:00"]])
    ledger.add(
      "rang", "standup", at: begin + hour,
      ["late_usec": 0, "missed": 0, "rung": 1, "duration_usec": .integer(hour)])
    let running = try #require(try ledger.runs(now: begin + hour + minute).first)
    #expect(running.state == .running && running.rings == 1)
    ledger.add("rang", "standup", at: begin + 2 * hour, ["late_usec": 0, "missed": 0, "rung": 2])
    ledger.add("forgotten", "standup", at: begin + 26 * hour)
    let run = try #require(try ledger.runs().first)
    #expect(run.state == .over && run.endedUsec == begin + 2 * hour && run.rings == 2)
    #expect(run.countedUsec == 0 && run.days.isEmpty)
  }

  @Test func `A repeating timer that is paused while overdue counts no more than its round`() throws
  {
    var ledger = LedgerScript()
    ledger.start("stretch", at: begin, for: 45 * minute, ["repeat": [:]])
    ledger.add(
      "rang", "stretch", at: begin + 50 * minute,
      [
        "late_usec": .integer(5 * minute), "missed": 0, "rung": 1,
        "duration_usec": .integer(45 * minute),
      ])
    // The pause comes within a span that has not ended, so no ring has happened.
    ledger.add("paused", "stretch", at: begin + 200 * minute, ["remaining_usec": 0])
    #expect(try ledger.runs().first?.countedUsec == 90 * minute)
  }

  @Test
  func `A reboot's correction moves later stints, and lengthens those that ran through it`() throws
  {
    var ledger = LedgerScript()
    ledger.start("through", at: begin, for: 100 * hour)
    ledger.start("held", at: begin, for: 100 * hour)
    ledger.add("paused", "held", at: begin, ["remaining_usec": .integer(100 * hour)])
    // The machine's clock is an hour slow after the reboot.
    ledger.hide(["reboot"], from: begin + hour, to: begin + 2 * hour)
    ledger.start("since", at: begin + 2 * hour, for: 2 * minute)
    ledger.add("clock_stepped", at: begin + 3 * hour + minute, ["offset_usec": .integer(hour)])
    ledger.correct(
      LedgerScript.span(
        ["reboot"], from: begin + hour, to: begin + 2 * hour, elapsedUsec: 2 * hour),
      byUsec: hour, at: begin + 3 * hour + minute)
    ledger.add("rang", "since", at: begin + 3 * hour + 2 * minute, ["late_usec": 0])
    let runs = try ledger.runs(now: begin + 4 * hour)
    #expect(runs.map(\.name) == ["through", "held", "since"])
    #expect(runs.map { $0.countedUsec / minute } == [240, 0, 2])
    #expect(runs[1].pausedUsec == 4 * hour)
  }

  @Test func `A correction at the end of a later span still belongs to the reboot`() throws {
    var ledger = LedgerScript()
    ledger.start("through", at: begin, for: 100 * hour)
    ledger.hide(["reboot"], from: begin + hour, to: begin + 2 * hour, number: 1)
    ledger.hide(["sleep"], from: begin + 2 * hour, to: begin + 3 * hour, number: 2)
    ledger.start("since", at: begin + 3 * hour, for: 100 * hour)
    let down = LedgerScript.span(["down"], from: begin + 4 * hour, number: 3)
    ledger.add("did_enter_background", at: begin + 4 * hour, ["span": down])
    ledger.add("clock_stepped", at: begin + 6 * hour, ["offset_usec": .integer(hour)])
    ledger.correct(
      LedgerScript.span(
        ["reboot"], from: begin + hour, to: begin + 2 * hour, elapsedUsec: 2 * hour),
      byUsec: hour, at: begin + 6 * hour)
    ledger.add(
      "will_enter_foreground", at: begin + 6 * hour,
      [
        "span": LedgerScript.span(
          ["down"], from: begin + 4 * hour, to: begin + 6 * hour, number: 3, elapsedUsec: hour)
      ])
    let runs = try ledger.runs(now: begin + 7 * hour)
    #expect(runs.map(\.name) == ["through", "since"])
    #expect(runs.map { $0.countedUsec / minute } == [7 * 60, 3 * 60])
  }

  @Test
  func `Each reboot since the clock was right is corrected separately, and moves later stints`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("before", at: begin, for: 100 * hour)
    // The clock is an hour slower after each of two reboots, of 2 h and 3 h.
    let first = (from: begin + hour, to: begin + 2 * hour)
    ledger.hide(["reboot"], from: first.from, to: first.to, number: 1)
    ledger.start("between", at: first.to, for: 100 * hour)
    let second = (from: first.to + hour, to: first.to + 3 * hour)
    ledger.hide(["reboot"], from: second.from, to: second.to, number: 2)
    ledger.start("since", at: second.to, for: 100 * hour)
    let set = second.to + hour
    ledger.add("clock_stepped", at: set + 2 * hour, ["offset_usec": .integer(2 * hour)])
    ledger.correct(
      LedgerScript.span(
        ["reboot"], from: first.from, to: first.to + hour, number: 1, elapsedUsec: 2 * hour),
      byUsec: hour, at: set + 2 * hour)
    ledger.correct(
      LedgerScript.span(
        ["reboot"], from: second.from + hour, to: second.to + 2 * hour, number: 2,
        elapsedUsec: 3 * hour), byUsec: hour, at: set + 2 * hour)
    let runs = try ledger.runs(now: set + 3 * hour)
    #expect(runs.map(\.name) == ["before", "between", "since"])
    #expect(runs.map { $0.countedUsec / hour } == [9, 6, 2])
    for run in runs { #expect(run.days.reduce(0) { $0 + $1.usec } == run.countedUsec) }
  }

  @Test func `A countdown that goes back to an earlier round is due at the end of that round`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("stretch", at: begin, for: 45 * minute, ["repeat": [:]])
    // Ten minutes that looked like two hours and ten.
    let left = begin + 140 * minute
    ledger.hide(["reboot"], from: begin + 10 * minute, to: left)
    ledger.add(
      "rang", "stretch", at: left,
      [
        "late_usec": .integer(5 * minute), "missed": 2, "rung": 3,
        "duration_usec": .integer(45 * minute),
      ])
    let right = begin + 20 * minute
    ledger.add("clock_stepped", at: right, ["offset_usec": .integer(-120 * minute)])
    ledger.correct(
      LedgerScript.span(["reboot"], from: begin + 10 * minute, to: right, elapsedUsec: 10 * minute),
      byUsec: -120 * minute, at: right)
    ledger.add(
      "rescheduled", "stretch", at: right, ["rung": 0, "duration_usec": .integer(45 * minute)])
    ledger.add(
      "rang", "stretch", at: begin + 45 * minute,
      ["late_usec": 0, "missed": 0, "rung": 1, "duration_usec": .integer(45 * minute)])
    // It is cancelled in a span that has not ended: it counts until it was due.
    ledger.add("paused", "stretch", at: begin + 200 * minute, ["remaining_usec": 0])
    #expect(try ledger.runs().first?.countedUsec == 90 * minute)
  }

  @Test func `A ledger may begin with a step of the clock, or in the middle of a span`() throws {
    var stepped = LedgerScript()
    stepped.add("clock_stepped", at: begin, ["offset_usec": .integer(hour)])
    stepped.start("tea", at: begin, for: 10 * hour)
    #expect(try stepped.runs(now: begin + 30 * minute).first?.countedUsec == 30 * minute)
    var hidden = LedgerScript()
    hidden.add(
      "will_enter_foreground", at: begin,
      [
        "span": LedgerScript.span(
          ["sleep"], from: begin - 9 * hour, to: begin, elapsedUsec: 9 * hour)
      ])
    hidden.start("tea", at: begin, for: 10 * hour)
    #expect(try hidden.runs(now: begin + 30 * minute).first?.countedUsec == 30 * minute)
  }

  @Test func `A run that is older than the ledger is built from the daemon's timer`() throws {
    func timer(_ id: Int64, _ state: String, _ kind: String) throws -> Wire.Timer {
      try Wire.Timer(
        [
          "id": .integer(id), "seq": .integer(id), "name": .string("old\(id)"),
          "kind": .string(kind),
          "state": .string(state), "clock": "elapsed", "duration_usec": 0, "remaining_usec": 0,
          "elapsed_usec": 0, "progress": 0, "started_usec": .integer(begin - 90 * hour),
          "next_expiry": 1, "labels": ["project": "site"], "data": [:],
        ] as JSONValue)
    }
    var ledger = LedgerScript()
    ledger.add("zone_changed", at: begin, ["zone": "UTC"])
    ledger.add("resumed", "old-2", at: begin + hour)
    // The kind of this timer is unknown.
    ledger.add("rang", "gone", at: begin + hour, ["late_usec": 0])
    var events = ledger.events
    events[1] = [
      "seq": 2, "time_usec": .integer(begin + hour), "type": "resumed", "name": "old-2", "id": -2,
    ]
    var runs: [Run] = []
    var fold = RunFold(
      known: [
        try timer(-1, "running", "stopwatch"), try timer(-2, "running", "countdown"),
        try timer(-3, "running", "alarm"), try timer(-4, "paused", "countdown"),
        try timer(-5, "cancelled", "countdown"),
      ])
    for event in events { fold.take(try Wire.Event(event)) }
    fold.finish(nowUsec: begin + 3 * hour, days: LocalDays(zone: .utc)) { runs.append($0) }
    runs.sort { $0.id > $1.id }
    #expect(runs.map(\.state) == [.running, .running, .running, .paused, .cancelled])
    #expect(runs.map { $0.countedUsec / hour } == [3, 2, 0, 0, 0])
    #expect(runs.map { $0.pausedUsec / hour } == [0, 1, 0, 3, 0])
    #expect(runs.allSatisfy { $0.startsBeforeLedger && $0.startedUsec == begin - 90 * hour })
    #expect(runs[0].byDay == ["2027-01-15": 3 * hour])
  }

  @Test func `Unknown events of a newer daemon are ignored`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: begin, for: 4 * minute, kind: "hourglass")
    ledger.add("turned", "tea", at: begin + 1)
    ledger.add("aligned", at: begin + 2)
    ledger.add("rang", "tea", at: begin + 4 * minute, ["late_usec": 0])
    let run = try #require(try ledger.runs().first)
    #expect(run.state == .over && run.countedUsec == 0 && run.kind == .other("hourglass"))
  }
}
