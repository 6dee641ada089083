import NightjarTestSupport
import Testing
import Varlink

private let second = LedgerScript.second
private let minute = LedgerScript.minute
private let hour = LedgerScript.hour

/// `nightjar why`: a timer's story, in its exact words.
@Suite(.blocking) struct WhyTests {
  /// All of this happens around noon. Whatever has not ended is hours long, so that the run time of
  /// the test is not visible.
  private let clock = Noon()
  private var noon: Int64 { clock.nowUsec }

  /// The output for a timer called tea.
  private func why(
    _ ledger: LedgerScript, _ entry: FakeTimers.Entry = .init(name: "tea", state: "cancelled"),
    oldestSeq: Int64 = 1, lastSeq: Int64? = nil
  ) throws -> [String] {
    var entry = entry
    entry.seq = Int64(ledger.events.count)
    let fixture = try ledger.fixture([entry], at: clock, oldestSeq: oldestSeq, lastSeq: lastSeq)
    let result = try fixture.run("why", "tea")
    #expect(result.status == 0 && result.errors == "", "\(result)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test
  func
    `A sleep until after the deadline: how much of its time was sleep, how late it rang and why`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 10 * minute, for: 4 * minute, labels: ["kind": "drink"])
    ledger.hide(
      ["sleep", "down"], from: noon - 10 * minute + 48 * second, to: noon - 6 * minute + 2 * second)
    ledger.add(
      "rang", "tea", at: noon - 6 * minute + 2 * second, counted: 4 * minute,
      ["late_usec": .integer(2 * second), "late_cause": "sleep", "span_id": 1])
    let entry = FakeTimers.Entry(
      name: "tea", state: "over", remainingUsec: 0, rangAgoUsec: 6 * minute - 2 * second,
      lateUsec: 2 * second, lateCause: "sleep")
    let lines = try why(ledger, entry)
    #expect(
      lines == [
        "11:50:00  started: 4 min (kind=drink)",
        "11:50:48  the machine slept, the daemon was down, for 3 min 14 s until 11:54:02",
        "11:54:02  rang, 2 s late: the machine slept",
        "In all: 4 min on the clock, of which 3 min 12 s asleep; rang 2 s late, because the "
          + "machine slept", "Now: rang 11:54, unanswered, 2 s late: the machine slept",
      ])
  }

  @Test func `The id of a change by another machine is not printed`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - hour, for: 4 * hour, ["request": "7f3a-1"])
    ledger.add("updated", "tea", at: noon - minute, ["message": "Up", "request": "7f3a-2"])
    let lines = try why(ledger)
    #expect(lines.contains("11:00:00  started: 4 h"), "\(lines)")
    #expect(lines.count { $0.contains("request") || $0.contains("7f3a") } == 0, "\(lines)")
  }

  @Test func `An update is printed with the parts that changed, not those that stayed`() throws {
    var ledger = LedgerScript()
    let start = noon - hour
    let ring: JSONValue = ["sound": "chime", "volume": 40, "insist_usec": 300_000_000]
    ledger.start("tea", at: start, for: 4 * hour, labels: ["kind": "drink"])
    ledger.add(
      "updated", "tea", at: start + minute,
      ["labels": ["kind": "drink"], "data": [:], "message": "Up", "ring": ring])
    ledger.add(
      "updated", "tea", at: start + 2 * minute,
      ["labels": [:], "data": [:], "message": "Up", "ring": ring])
    ledger.add(
      "updated", "tea", at: start + 3 * minute,
      ["labels": [:], "data": [:], "ring": ["sound": "pulse", "volume": 40]])
    ledger.add(
      "updated", "tea", at: start + 4 * minute,
      ["labels": [:], "data": [:], "ring": ["sound": "pulse", "volume": 40]])
    let lines = try why(ledger, .init(name: "tea", durationUsec: 4 * hour, remainingUsec: 3 * hour))
    #expect(
      lines.filter { $0.contains("updated") } == [
        "11:01:00  updated: message: Up, sound chime, volume 40, again 5 min after an unanswered ring",
        "11:02:00  updated: no labels",
        "11:03:00  updated: no message, sound pulse, no ringing again of its own",
        "11:04:00  updated: to what it was before",
      ])
  }

  @Test func `Pauses, extensions, uncounted time and steps, and how far they moved the ring`()
    throws
  {
    var ledger = LedgerScript()
    let start = noon - 3 * hour
    ledger.start("tea", at: start, for: 2 * hour, clock: "awake")
    ledger.add(
      "paused", "tea", at: start + 5 * minute, counted: 5 * minute,
      ["remaining_usec": .integer(115 * minute)])
    ledger.hide(["sleep"], from: start + 6 * minute, to: start + 8 * minute, number: 1)
    ledger.add(
      "resumed", "tea", at: start + 10 * minute, counted: 5 * minute, paused: 5 * minute)
    ledger.add("extended", "tea", at: start + 10 * minute, ["by_usec": .integer(3 * minute)])
    ledger.hide(["stop"], from: start + 11 * minute, to: start + 31 * minute, number: 2)
    ledger.hide(["down"], from: start + 40 * minute, to: start + 41 * minute, number: 3)
    // Measured, so slightly inexact.
    ledger.add("clock_stepped", at: start + 165 * minute, ["offset_usec": .integer(hour - 3)])
    ledger.add("zone_changed", at: start + 166 * minute, ["zone": "Europe/Berlin"])
    let entry = FakeTimers.Entry(
      name: "tea", clock: "awake", durationUsec: 123 * minute, remainingUsec: 28 * minute,
      more: ["paused_usec": .integer(5 * minute)])
    let lines = try why(ledger, entry)
    #expect(
      lines == [
        "09:00:00  started: 2 h, on the awake clock",
        "09:05:00  paused, 01:55:00 left",
        "09:06:00  the machine slept, for 2 min until 09:08:00 (not counted: paused)",
        "09:10:00  resumed after 5 min",
        "09:10:00  extended by 3 min",
        "09:11:00  the daemon was stopped, for 20 min until 09:31:00 (not counted: awake)",
        "09:40:00  the daemon was down, for 1 min until 09:41:00",
        "11:45:00  the clock was set forward by 1 h",
        "11:46:00  the time zone is Europe/Berlin now",
        "In all: 1 h 35 min on the clock so far; rings 1 h 28 min later than first set: 5 min paused, "
          + "3 min added, 20 min not counted (awake) and the clock set forward by 1 h",
        "Now: running, 28:00 left, rings at 12:28:00, if awake until then",
      ])
  }

  @Test func `Of a span in which the machine slept, only the sleep is not counted on awake`() throws
  {
    var ledger = LedgerScript()
    // More than an hour, of which the text shows no seconds: real time passes while the command
    // runs.
    let start = noon - 2 * hour
    ledger.start("tea", at: start, for: 3 * hour, clock: "awake")
    // Down for 10 min, of which the machine slept 7.
    let (from, to) = (start + 10 * minute, start + 20 * minute)
    ledger.hide(["down", "sleep"], from: from, to: to)
    let entry = FakeTimers.Entry(
      name: "tea", clock: "awake", durationUsec: 3 * hour, remainingUsec: 67 * minute)
    #expect(
      try why(ledger, entry).dropFirst().prefix(2) == [
        "10:10:00  the daemon was down, the machine slept, for 10 min until 10:20:00 "
          + "(not counted: awake)",
        "In all: 1 h 53 min on the clock so far; rings 7 min later than first set: 7 min not counted "
          + "(awake)",
      ])
  }

  /// Locked for half an hour, with the lid closed for ten minutes of it.
  private func locked(_ clock: String) -> LedgerScript {
    var ledger = LedgerScript()
    let start = noon - 2 * hour
    ledger.start("tea", at: start, for: 4 * hour, clock: clock)
    func away(to: Int64? = nil) -> JSONValue {
      let from = start + 10 * minute
      return [
        "span": LedgerScript.span(
          ["away"], from: from, to: to, number: 1, elapsedUsec: to.map { $0 - from } ?? 0)
      ]
    }
    ledger.add("did_enter_background", at: start + 10 * minute, away())
    ledger.hide(["sleep"], from: start + 15 * minute, to: start + 25 * minute, number: 2)
    ledger.add("will_enter_foreground", at: start + 40 * minute, away(to: start + 40 * minute))
    return ledger
  }

  @Test func `An absence is printed for a timer on present, and counted once with the sleep in it`()
    throws
  {
    let entry = FakeTimers.Entry(
      name: "tea", clock: "present", durationUsec: 4 * hour, remainingUsec: 150 * minute)
    #expect(
      try why(locked("present"), entry) == [
        "10:00:00  started: 4 h, on the present clock",
        "10:10:00  the session was locked or idle, for 30 min until 10:40:00 (not counted: present)",
        "10:15:00  the machine slept, for 10 min until 10:25:00 (not counted: present)",
        "In all: 1 h 30 min on the clock so far; rings 30 min later than first set: 30 min not "
          + "counted (present)",
        "Now: running, 02:30:00 left, rings at 14:30:00, if the session is in use until then",
      ])
    var away = entry
    away.more = ["away": true]
    #expect(
      try why(locked("present"), away).last
        == "Now: running, 02:30:00 left, stands still: locked or idle")
  }

  @Test func `For a timer on another clock, an absence is not printed`() throws {
    let entry = FakeTimers.Entry(name: "tea", durationUsec: 4 * hour, remainingUsec: 2 * hour)
    #expect(
      try why(locked("elapsed"), entry) == [
        "10:00:00  started: 4 h",
        "10:15:00  the machine slept, for 10 min until 10:25:00",
        "In all: 2 h on the clock so far, of which 10 min asleep",
        "Now: running, 02:00:00 left, rings at 14:00:00",
      ])
  }

  @Test func `Changes that moved nothing are not printed; those that moved it back and forth are`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 4 * hour, for: 10 * hour)
    let entry = FakeTimers.Entry(name: "tea", durationUsec: 10 * hour, remainingUsec: 6 * hour)
    #expect(try why(ledger, entry).dropFirst().first == "In all: 4 h on the clock so far")
    ledger.add(
      "paused", "tea", at: noon - 2 * hour, counted: 2 * hour,
      ["remaining_usec": .integer(8 * hour)])
    ledger.add("resumed", "tea", at: noon - hour, counted: 2 * hour, paused: hour)
    ledger.add("extended", "tea", at: noon - hour, ["by_usec": .integer(-hour)])
    let shortened = FakeTimers.Entry(
      name: "tea", durationUsec: 9 * hour, remainingUsec: 6 * hour,
      more: ["paused_usec": .integer(hour)])
    #expect(
      try why(ledger, shortened).contains(
        "In all: 3 h on the clock so far; rings when first set after all: 1 h paused and "
          + "1 h taken away"))
  }

  @Test func `The effect of a stop on a sequence is not attributed to sleep`() throws {
    var ledger = LedgerScript()
    ledger.start(
      "tea", at: noon - 3 * hour, for: 2 * hour, kind: "sequence",
      LedgerScript.sequence([("work", 2 * hour, false), ("rest", 5 * minute, true)], rounds: 0))
    ledger.hide(["stop"], from: noon - 2 * hour, to: noon - 40 * minute, number: 1)
    ledger.add(
      "paused_after_span", "tea", at: noon - 40 * minute, counted: hour, paused: 80 * minute,
      ["remaining_usec": .integer(hour), "span_id": 1])
    ledger.add("resumed", "tea", at: noon - 20 * minute, counted: hour, paused: 100 * minute)
    ledger.hide(["freeze"], from: noon - 15 * minute, to: noon - 5 * minute, number: 2)
    ledger.add(
      "restarted_after_span", "tea", at: noon - 5 * minute, counted: 65 * minute,
      paused: 100 * minute,
      ["step_number": 1, "step_name": "work", "duration_usec": .integer(2 * hour), "span_id": 2])
    let entry = FakeTimers.Entry(
      name: "tea", durationUsec: 2 * hour, remainingUsec: 115 * minute, kind: "sequence",
      more: [
        "counted_before_usec": .integer(65 * minute), "paused_usec": .integer(100 * minute),
      ])
    let lines = try why(ledger, entry)
    #expect(
      lines == [
        "09:00:00  started a sequence: work 2 h, rest 5 min, without end",
        "10:00:00  the daemon was stopped, for 1 h 20 min until 11:20:00",
        "11:20:00  paused, because the daemon was stopped, 01:00:00 left",
        "11:40:00  resumed after 1 h 40 min",
        "11:45:00  the machine stood still, for 10 min until 11:55:00",
        "11:55:00  work begins anew, because the machine stood still",
        "In all: 1 h 10 min on the clock so far; paused for 1 h 40 min",
        "Now: running, 01:55:00 left, rings at 13:55:00",
      ])
    // The ledger's own command knows only the ledger.
    let fixture = try ledger.fixture(at: clock)
    let events = try fixture.run("events").output
    #expect(events.contains("tea: paused, because the daemon was stopped, 01:00:00 left\n"))
    #expect(events.contains("tea: work begins anew, because the machine stood still\n"))
    #expect(
      try fixture.run("events", "--after", "3").output
        .contains("tea: paused after time was hidden, 01:00:00 left\n"))
  }

  @Test(
    arguments: [
      ("countdown", ["repeat": [:]], "started: every 45 min"),
      ("countdown", ["repeat": ["rounds": 3]], "started: every 45 min, 3 times"),
      ("countdown", ["repeat": ["rounds": 1]], "started: every 45 min, once"),
      ("stopwatch", [:], "started a stopwatch"),
      (
        "alarm", ["alarm": ["calendar": "Mon..Fri 09:30", "zone": "Europe/Berlin", "rounds": 2]],
        "started an alarm: Mon..Fri 09:30 (Europe/Berlin), 2 times, first 11:45"
      ),
      ("alarm", ["alarm": ["calendar": "hourly"]], "started an alarm: hourly, first 11:45"),
      (
        "sequence",
        [
          "sequence": [
            "steps": [
              ["name": "work", "duration_usec": 1_500_000_000],
              ["name": "rest", "duration_usec": 300_000_000, "long_usec": 1_200_000_000],
            ], "rounds": 4, "long_every": 4, "after_sleep": "pause",
          ]
        ],
        "started a sequence: work 25 min, rest 5 min (20 min every 4 rounds), 4 rounds"
      ),
      // As from a daemon that sends no more details.
      ("alarm", [:], "started an alarm: 45 min"), ("sequence", [:], "started a sequence: 45 min"),
    ] as [(String, JSONValue, String)])
  func `Each kind is printed as it was started`(kind: String, what: JSONValue, sentence: String)
    throws
  {
    var ledger = LedgerScript()
    let duration = kind == "stopwatch" ? 0 : 45 * minute
    ledger.start("tea", at: noon - hour, for: duration, kind: kind, what)
    #expect(try why(ledger).first == "11:00:00  \(sentence)")
  }

  @Test func `An alarm for an instant is printed with it; a moved one with the new instant`() throws
  {
    var ledger = LedgerScript()
    ledger.start(
      "tea", at: noon - 2 * hour, for: 3 * hour, kind: "alarm", clock: "wall",
      ["alarm": ["at_usec": .integer(noon + hour)]])
    ledger.add("rescheduled", "tea", at: noon - hour, ["deadline_usec": .integer(noon + 2 * hour)])
    ledger.add("clock_stepped", at: noon - minute, ["offset_usec": .integer(-hour)])
    let lines = try why(ledger)
    #expect(lines[0] == "10:00:00  started an alarm for 13:00")
    #expect(lines[1] == "11:00:00  the calendar changed, rings 14:00")
    #expect(lines[2] == "11:59:00  the clock was set back by 1 h")
    #expect(lines[3] == "Now: cancelled", "an alarm counts nothing, and nothing moved it")
  }

  @Test
  func `A repeating timer: how often it rang, the last time and its reason, and the missed rings`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 5 * hour, for: hour, ["repeat": [:]])
    ledger.add(
      "rang", "tea", at: noon - 4 * hour, counted: hour,
      ["late_usec": 0, "missed": 0, "rung": 1, "duration_usec": .integer(hour)])
    ledger.add("dismissed", "tea", at: noon - 4 * hour + minute, ["answered": 1])
    ledger.hide(["sleep"], from: noon - 210 * minute, to: noon - 110 * minute)
    ledger.add(
      "rang", "tea", at: noon - 110 * minute, counted: 3 * hour,
      [
        "late_usec": .integer(10 * minute), "late_cause": "sleep", "missed": 1, "rung": 3,
        "duration_usec": .integer(hour), "span_id": 1,
      ])
    ledger.add(
      "did_not_ring", "tea", at: noon - hour, counted: 4 * hour,
      ["late_usec": 0, "rung": 4, "duration_usec": .integer(hour)])
    let entry = FakeTimers.Entry(
      name: "tea", durationUsec: hour, remainingUsec: 0,
      more: ["counted_before_usec": .integer(4 * hour)])
    let lines = try why(ledger, entry)
    #expect(
      lines == [
        "07:00:00  started: every 1 h", "08:00:00  rang", "08:01:00  the ring was dismissed",
        "08:30:00  the machine slept, for 1 h 40 min until 10:10:00",
        "10:10:00  rang, 10 min late: the machine slept, and stands for 1 more",
        "11:00:00  did not ring",
        "In all: 5 h on the clock so far, of which 1 h 40 min asleep; rang 2 times, the last 10 "
          + "min late, because the machine slept, 2 missed",
        "Now: running, 00:00 left, rings at 12:00:00",
      ])
  }

  @Test func `A ring that nobody could see or hear is not said to be on time, and that is all`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - hour, for: 4 * minute)
    ledger.add("rang", "tea", at: noon - 56 * minute, counted: 4 * minute, ["late_usec": 0])
    ledger.add(
      "unnoticed", "tea", at: noon - 55 * minute,
      [
        "expiry": 1, "unseen": "paused", "unheard": "paused",
        "reason": "the user has paused the notification server",
      ])
    let entry = FakeTimers.Entry(
      name: "tea", state: "over", remainingUsec: 0, rangAgoUsec: 56 * minute)
    #expect(
      try why(ledger, entry).dropFirst(2).prefix(2) == [
        "11:05:00  the ring was neither seen nor heard: the user has paused the notification server",
        "In all: 4 min on the clock; rang on time, but neither seen nor heard",
      ])
    let fixture = try ledger.fixture([entry], at: clock)
    #expect(try fixture.run("history").output.hasSuffix("\t1 neither seen nor heard\n"))
    let json = try JSONValue.parse(try fixture.run("history", "--json").output)
    #expect(json["unnoticed"] == 1 && json["rings"] == 1)
  }

  @Test func `A sequence: its steps, each with its total`() throws {
    var ledger = LedgerScript()
    ledger.start(
      "tea", at: noon - hour, for: 25 * minute, kind: "sequence",
      LedgerScript.sequence([("work", 25 * minute, false), ("rest", 5 * minute, true)], rounds: 1))
    ledger.add(
      "rang", "tea", at: noon - 35 * minute, counted: 25 * minute,
      [
        "late_usec": 0, "missed": 0, "step_number": 2, "step_name": "rest",
        "duration_usec": .integer(5 * minute),
      ])
    ledger.add(
      "rang", "tea", at: noon - 30 * minute, counted: 30 * minute,
      ["late_usec": 0, "missed": 0, "step_number": 2, "step_name": "rest"])
    #expect(
      try why(ledger).dropLast().last
        == "In all: 30 min on the clock, 25 min of work and 5 min of rest; rang 2 times, the last "
        + "on time")
  }

  @Test func `A stopwatch: its elapsed time, and how much of it was hidden`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - hour, kind: "stopwatch")
    ledger.add("lapped", "tea", at: noon - 50 * minute, ["elapsed_usec": .integer(10 * minute)])
    ledger.hide(["sleep"], from: noon - 45 * minute, to: noon - 40 * minute, number: 1)
    ledger.hide(["stop"], from: noon - 35 * minute, to: noon - 34 * minute, number: 2)
    ledger.add(
      "cancelled", "tea", at: noon - 30 * minute, counted: 30 * minute,
      ["elapsed_usec": .integer(30 * minute)])
    // A span that the timer does not live to see.
    ledger.hide(["sleep"], from: noon - 20 * minute, to: noon - 10 * minute, number: 3)
    #expect(
      try why(ledger).suffix(4) == [
        "11:30:00  cancelled at 30:00.00",
        "11:40:00  the machine slept, for 10 min until 11:50:00",
        "In all: measured 30:00.00, with 1 lap, of which 5 min asleep and 1 min with the daemon "
          + "stopped; stopped", "Now: cancelled",
      ])
  }

  @Test func `The summary is about the last run, and says how it ended`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - hour, for: 10 * minute)
    ledger.add("restarted", "tea", at: noon - 55 * minute)
    ledger.add("extended", "tea", at: noon - 55 * minute, ["by_usec": .integer(-2 * minute)])
    ledger.add(
      "cancelled", "tea", at: noon - 50 * minute, counted: 5 * minute,
      ["remaining_usec": .integer(3 * minute)])
    #expect(
      try why(ledger).dropLast().last
        == "In all: 5 min on the clock; shortened by 2 min; cancelled")
    ledger.add("restarted", "tea", at: noon - 40 * minute)
    ledger.hide(["reboot"], from: noon - 35 * minute, to: noon - 20 * minute)
    ledger.add(
      "did_not_ring", "tea", at: noon - 20 * minute, counted: 10 * minute,
      ["late_usec": .integer(10 * minute), "late_cause": "reboot"])
    #expect(
      try why(ledger).dropLast().last
        == "In all: 10 min on the clock, of which 5 min over a reboot; did not ring, "
        + "10 min late, because the machine was rebooted")
  }

  /// From four hours before noon: a reboot of an hour and ten minutes after which the clock is an
  /// hour slow, a sleep of ten minutes, and the synchronisation that corrects the reboot.
  ///
  /// - Parameters:
  ///   - restarts: tea is restarted between the reboot and the sleep.
  ///   - pauses: it is paused between the sleep and the correction, with this much remaining.
  private func corrected(
    clock: String = "elapsed", restarts: Bool = false, pauses remainingUsec: Int64? = nil
  ) -> LedgerScript {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 4 * hour, for: 5 * hour, clock: clock)
    let reboot = (from: noon - 3 * hour, to: noon - 2 * hour - 50 * minute)
    ledger.hide(["reboot"], from: reboot.from, to: reboot.to, number: 1)
    if restarts { ledger.add("restarted", "tea", at: noon - 2 * hour - 45 * minute) }
    ledger.hide(
      ["sleep"], from: noon - 2 * hour - 40 * minute, to: noon - 2 * hour - 30 * minute, number: 2)
    if let remainingUsec {
      ledger.add(
        "paused", "tea", at: noon - 2 * hour - 25 * minute, counted: 5 * hour - remainingUsec,
        ["remaining_usec": .integer(remainingUsec)])
    }
    let end = noon - hour - 15 * minute
    ledger.add("clock_stepped", at: end, ["offset_usec": .integer(hour)])
    let span = LedgerScript.span(
      ["reboot"], from: reboot.from, to: reboot.to, number: 1, elapsedUsec: hour + 10 * minute)
    ledger.correct(span, byUsec: hour, at: end)
    return ledger
  }

  private func sum(
    _ ledger: LedgerScript, clock: String = "elapsed", counted: Int64, paused: Int64 = 0
  ) throws -> String {
    let entry = FakeTimers.Entry(
      name: "tea", clock: clock, durationUsec: 5 * hour, remainingUsec: 5 * hour - counted,
      more: ["paused_usec": .integer(paused)])
    return try why(ledger, entry).dropLast().last ?? ""
  }

  @Test func `A corrected reboot has its corrected length, and later events are later`() throws {
    let elapsed = try sum(corrected(), counted: 4 * hour)
    #expect(
      elapsed
        == "In all: 4 h on the clock so far, of which 1 h 10 min over a reboot and 10 min asleep")
    let awake = try sum(corrected(clock: "awake"), clock: "awake", counted: 160 * minute)
    #expect(
      awake
        == "In all: 2 h 40 min on the clock so far; rings 1 h 20 min later than first set: 1 h 20 min "
        + "not counted (awake)")
  }

  @Test
  func `A corrected reboot has its corrected length for a timer that was paused meanwhile, too`()
    throws
  {
    var ledger = corrected(pauses: 205 * minute)
    ledger.add("resumed", "tea", at: noon - hour, counted: 155 * minute, paused: 25 * minute)
    ledger.hide(["sleep"], from: noon - 50 * minute, to: noon - 45 * minute, number: 3)
    let sum = try sum(ledger, counted: 215 * minute, paused: 25 * minute)
    #expect(
      sum == "In all: 3 h 35 min on the clock so far, of which 1 h 10 min over a reboot and 15 min "
        + "asleep; rings 25 min later than first set: 25 min paused")
  }

  @Test func `A timer that is started after a corrected reboot slept when the machine slept`()
    throws
  {
    let sum = try sum(corrected(restarts: true), counted: 105 * minute)
    #expect(
      sum == "In all: 1 h 45 min on the clock so far, of which 10 min asleep; rings 1 h later than "
        + "first set: the clock set forward by 1 h")
  }

  @Test func `A ring by an unsynchronised clock is estimated, and early once that is known`() throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 4 * hour, for: 8 * hour)
    let (from, to) = (noon - 3 * hour, noon + 5 * hour)
    ledger.hide(["reboot"], from: from, to: to)
    ledger.add("rang", "tea", at: to, ["late_usec": 0, "late_cause": "reboot", "estimated": true])
    var entry = FakeTimers.Entry(
      name: "tea", state: "over", remainingUsec: 0, more: ["open_ring": ["estimated": true]])
    let estimated = ", estimated: the clock was not set yet"
    let before = try why(ledger, entry)
    #expect(before.contains { $0.contains("rang") && $0.contains(estimated) }, "\(before)")
    #expect(before.contains { $0.hasPrefix("In all") && $0.hasSuffix(estimated) })
    ledger.add("clock_stepped", at: noon - 2 * hour, ["offset_usec": .integer(-7 * hour)])
    let span = LedgerScript.span(["reboot"], from: from, to: noon - 2 * hour, elapsedUsec: hour)
    ledger.correct(span, byUsec: -7 * hour, at: noon - 2 * hour, earlyUsec: 6 * hour)
    entry.more = ["open_ring": ["early_usec": .integer(6 * hour)]]
    let lines = try why(ledger, entry)
    #expect(lines.contains { $0.hasSuffix("; a ring was 6 h early") }, "\(lines)")
    #expect(lines.contains { $0.hasSuffix("rang 6 h early, because the clock was ahead") })
    #expect(lines.last?.contains("6 h early: the clock was ahead") == true)
  }

  @Test
  func `A reboot after which the clock showed 1970 is printed before its correction and after it`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 4 * hour, for: 5 * hour)
    let from = noon - 3 * hour
    // Noon of that day, in the zone in which it is noon now.
    let noonOf1970 = noon % (24 * hour)
    ledger.hide(["reboot"], from: from, to: noonOf1970, elapsedUsec: 20 * second)
    let before = try why(ledger)
    let reboot = "09:00:00  the machine was rebooted, for 20 s until Thu 1 Jan 1970"
    #expect(before.contains { $0.hasPrefix(reboot) }, "\(before)")
    let offUsec = noon - 2 * hour - noonOf1970
    ledger.add("clock_stepped", at: noon - 2 * hour, ["offset_usec": .integer(offUsec)])
    let length = hour - minute
    ledger.correct(
      LedgerScript.span(["reboot"], from: from, to: from + length, elapsedUsec: length),
      byUsec: length - 20 * second, at: noon - 2 * hour)
    let lines = try why(ledger, .init(name: "tea", durationUsec: 5 * hour, remainingUsec: hour))
    #expect(
      lines.contains("09:00:00  the machine was rebooted, for 59 min until 09:59:00"), "\(lines)")
    #expect(
      lines.contains {
        $0.hasSuffix("corrected, the span from 09:00:00 was 59 min: the machine was rebooted")
      })
    #expect(lines.contains { $0.contains("of which 59 min over a reboot") }, "\(lines)")
  }

  private static func started(_ nowUsec: Int64) -> JSONValue {
    var ledger = LedgerScript()
    ledger.start("tea", at: nowUsec - 2 * hour, for: 4 * hour)
    return ledger.events[0]
  }

  @Test
  func `A span that has not ended, and one that begins at the instant of an event, come after it`()
    throws
  {
    // As after a kill -9: nothing is known after the last commit.
    let entry = FakeTimers.Entry(
      name: "tea", durationUsec: 2 * hour + 191_500_000, remainingUsec: 191_500_000)
    let fixture = try Fixture([entry]) {
      request, nowUsec in
      switch request.method {
      case "Status": return [.reply(Samples.status(nowUsec: nowUsec, lastSeq: 1))]
      case "Events": return [.reply(["event": Self.started(nowUsec)], continues: true)]
      case "Why":
        let spans: [JSONValue] = [
          LedgerScript.span(
            ["down"], from: nowUsec - 2 * hour, to: nowUsec - hour, number: 7,
            elapsedUsec: hour, isEstimated: true),
          LedgerScript.span(["stop"], from: nowUsec - second, number: 8, elapsedUsec: second),
        ]
        return [.reply(["spans": .array(spans), "events": [Self.started(nowUsec)]])]
      default: return nil
      }
    }
    let printed = try fixture.run("why", "tea")
    #expect(
      printed
        == .init(
          0,
          """
          10:00:00  started: 4 h
          10:00:00  the daemon was down, for about 1 h until 11:00:00
          11:59:59  the daemon was stopped, and that lasts
          In all: 2 h on the clock so far, of which 1 h with the daemon down
          Now: running, 03:12 left, rings at 12:03:11

          """))
  }

  @Test func `A story that begins in the middle says so, and so does one whose ledger is too long`()
    throws
  {
    var ledger = LedgerScript()
    ledger.add("clock_stepped", at: noon - hour, ["offset_usec": .integer(hour)])
    ledger.add("paused", "tea", at: noon - 50 * minute, ["remaining_usec": .integer(minute)])
    let lines = try why(ledger, .init(name: "tea", state: "paused", id: 0))
    #expect(
      lines.first == "The beginning is not shown: the ledger no longer has it, or it is too long.")
    #expect(lines.contains("11:10:00  paused, 01:00 left"))
    let long = try why(ledger, lastSeq: 300_000)
    #expect(long.contains("Not searched for steps of the clock: the ledger has grown long since."))
  }

  @Test func `The story of a removed timer comes from the ledger, for the last one of that name`()
    throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - 3 * hour, for: hour)
    ledger.add("cancelled", "tea", at: noon - 3 * hour + second)
    ledger.add("removed", "tea", at: noon - 3 * hour + 2 * second)
    ledger.start("tea", at: noon - hour, for: 4 * minute)
    ledger.start("teapot", at: noon - hour, for: hour)
    ledger.hide(["sleep"], from: noon - hour + 3 * minute, to: noon - hour + 10 * minute, number: 1)
    ledger.add(
      "rang", "tea", at: noon - hour + 10 * minute, counted: 4 * minute,
      ["late_usec": .integer(6 * minute), "late_cause": "sleep", "span_id": 1])
    ledger.add("dismissed", "tea", at: noon - hour + 20 * minute, ["removes": true])
    ledger.add("clock_stepped", at: noon - hour + 30 * minute, ["offset_usec": .integer(hour)])
    let fixture = try ledger.fixture([.init(name: "teapot")], at: clock)
    #expect(
      try fixture.run("why", "tea")
        == .init(
          0,
          """
          11:00:00  started: 4 min
          11:03:00  the machine slept, for 7 min until 11:10:00
          11:10:00  rang, 6 min late: the machine slept
          11:20:00  dismissed
          In all: 4 min on the clock, of which 1 min asleep; rang 6 min late, because the machine slept
          Now: gone

          """))
    let json = try JSONValue.parse(try fixture.run("why", "tea", "--json").output)
    let types = json["events"]?.arrayValue?.compactMap { $0["type"]?.stringValue }
    #expect(types == ["started", "rang", "dismissed"])
    #expect(json["spans"]?.arrayValue?.count == 1)
    #expect(try fixture.run("why", "teapto").errors.contains("there is 'teapot'"))
  }

  @Test func `As JSON it is the daemon's own answer, without further calls`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: noon - hour, for: 10 * minute)
    let fixture = try ledger.fixture([.init(name: "tea")], at: clock)
    let json = try JSONValue.parse(try fixture.run("why", "tea", "--json").output)
    #expect(json["events"]?.arrayValue == ledger.events && json["spans"] == [])
    #expect(fixture.methods == ["Why", "Get"])
  }
}
