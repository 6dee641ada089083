import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// `nightjar why`: a timer's story, in its exact words.
@Suite(.blocking) struct WhyTests {
  /// All of this happens around noon. Whatever has not ended is hours long, so that the run time of
  /// the test is not visible.
  private let clock = Noon()

  /// The output for a timer called tea.
  private func why(
    _ ledger: LedgerScript, _ entry: FakeTimers.Entry, lastSeq: Int64? = nil
  ) throws -> [Substring] {
    var entry = entry
    entry.seq = Int64(ledger.events.count)
    let fixture = try ledger.fixture([entry], at: clock, lastSeq: lastSeq)
    let result = try fixture.run("why", "tea")
    #expect(result.status == 0 && result.errors == "", "\(result)")
    return result.output.split(separator: "\n")
  }

  private func ledger(_ lines: String) throws -> LedgerScript {
    try LedgerScript(on: clock.midnightUsec, lines)
  }

  /// Below a story's name are the ledger, the timer at noon if it is not cancelled, and the output,
  /// in which `…` stands for any lines, or for a part of its line.
  static let stories = PlayedScript.table(
    """
    a sleep until after the deadline: how late it rang, and why
      11:50 tea started for=4min labels.kind=drink
      11:50:48..11:54:02 sleep,down
      11:54:02 tea rang counted=4min late=2s cause=sleep span_id=1
      now over left=0 rang=11:54:02 late=2s cause=sleep
      > 11:50:00  started: 4 min (kind=drink)
      > 11:50:48  the machine slept, the daemon was down, for 3 min 14 s until 11:54:02
      > 11:54:02  rang, 2 s late: the machine slept
      > In all: 4 min on the clock, of which 3 min 12 s asleep; rang 2 s late, because the machine slept
      > Now: rang 11:54, unanswered, 2 s late: the machine slept
    an update is printed with the parts that changed, not those that stayed, nor its request
      11:00 tea started for=4h labels.kind=drink request=7f3a-1
      11:01 tea updated labels.kind=drink data={} message=Up ring.sound=chime ring.volume=40 \
    ring.insist_usec=300000000
      11:02 tea updated labels={} data={} message=Up ring.sound=chime ring.volume=40 \
    ring.insist_usec=300000000
      11:03 tea updated labels={} data={} ring.sound=pulse ring.volume=40 request=7f3a-2
      11:04 tea updated labels={} data={} ring.sound=pulse ring.volume=40
      now running left=3h of=4h
      > 11:00:00  started: 4 h (kind=drink)
      > 11:01:00  updated: message: Up, sound chime, volume 40, again 5 min after an unanswered ring
      > 11:02:00  updated: no labels
      > 11:03:00  updated: no message, sound pulse, no ringing again of its own
      > 11:04:00  updated: to what it was before
      > …
    pauses, uncounted time and steps (which are slightly inexact), and how far they moved the ring
      09:00 tea started for=2h clock=awake
      09:05 tea paused counted=5min remaining=115min
      09:06..09:08 sleep
      09:10 tea resumed counted=5min paused=5min
      09:10 tea extended by=3min
      09:11..09:31 stop
      09:40..09:41 down
      11:45 - clock_stepped offset=3599999997us
      11:46 - zone_changed zone=Europe/Berlin
      now running left=28min of=123min clock=awake paused=5min
      > 09:00:00  started: 2 h, on the awake clock
      > 09:05:00  paused, 01:55:00 left
      > 09:06:00  the machine slept, for 2 min until 09:08:00 (not counted: paused)
      > 09:10:00  resumed after 5 min
      > 09:10:00  extended by 3 min
      > 09:11:00  the daemon was stopped, for 20 min until 09:31:00 (not counted: awake)
      > 09:40:00  the daemon was down, for 1 min until 09:41:00
      > 11:45:00  the clock was set forward by 1 h
      > 11:46:00  the time zone is Europe/Berlin now
      > In all: 1 h 35 min on the clock so far; rings 1 h 28 min later than first set: 5 min \
    paused, 3 min added, 20 min not counted (awake) and the clock set forward by 1 h
      > Now: running, 28:00 left, rings at 12:28:00, if awake until then
    of ten minutes in which the daemon was down, only the seven of sleep are not counted on awake
      10:00 tea started for=3h clock=awake
      10:10..10:20 down,sleep
      now running left=67min of=3h clock=awake
      > …
      > 10:10:00  the daemon was down, the machine slept, for 10 min until 10:20:00 (not counted: awake)
      > In all: 1 h 53 min on the clock so far; rings 7 min later than first set: 7 min not \
    counted (awake)
      > …
    an absence is printed for a timer on present, and counted once with the sleep in it
      10:00 tea started for=4h clock=present
      10:10.. away
      10:15..10:25 sleep
      ..10:40 away
      now running left=150min of=4h clock=present
      > 10:00:00  started: 4 h, on the present clock
      > 10:10:00  the session was locked or idle, for 30 min until 10:40:00 (not counted: present)
      > 10:15:00  the machine slept, for 10 min until 10:25:00 (not counted: present)
      > In all: 1 h 30 min on the clock so far; rings 30 min later than first set: 30 min not \
    counted (present)
      > Now: running, 02:30:00 left, rings at 14:30:00, if the session is in use until then
    while it is away, a timer on present stands still
      10:00 tea started for=4h clock=present
      now running left=150min of=4h clock=present away=true
      > …
      > Now: running, 02:30:00 left, stands still: locked or idle
    for a timer on another clock, an absence is not printed
      10:00 tea started for=4h
      10:10.. away
      10:15..10:25 sleep
      ..10:40 away
      now running left=2h of=4h
      > 10:00:00  started: 4 h
      > 10:15:00  the machine slept, for 10 min until 10:25:00
      > In all: 2 h on the clock so far, of which 10 min asleep
      > Now: running, 02:00:00 left, rings at 14:00:00
    changes that moved it back and forth are printed
      08:00 tea started for=10h
      10:00 tea paused counted=2h remaining=8h
      11:00 tea resumed counted=2h paused=1h
      11:00 tea extended by=-1h
      now running left=6h of=9h paused=1h
      > …
      > In all: 3 h on the clock so far; rings when first set after all: 1 h paused and 1 h taken away
      > …
    the effect of a stop on a sequence is not attributed to sleep
      09:00 tea started kind=sequence for=2h steps=work:2h,rest:5min
      10:00..11:20 stop
      11:20 tea paused_after_span counted=1h paused=80min remaining=1h span_id=1
      11:40 tea resumed counted=1h paused=100min
      11:45..11:55 freeze
      11:55 tea restarted_after_span counted=65min paused=100min step_number=1 step_name=work \
    for=2h span_id=2
      now running left=115min of=2h kind=sequence counted_before_usec=3900000000 paused=100min
      > 09:00:00  started a sequence: work 2 h, rest 5 min, without end
      > 10:00:00  the daemon was stopped, for 1 h 20 min until 11:20:00
      > 11:20:00  paused, because the daemon was stopped, 01:00:00 left
      > 11:40:00  resumed after 1 h 40 min
      > 11:45:00  the machine stood still, for 10 min until 11:55:00
      > 11:55:00  work begins anew, because the machine stood still
      > In all: 1 h 10 min on the clock so far; paused for 1 h 40 min
      > Now: running, 01:55:00 left, rings at 13:55:00
    an alarm for an instant is printed with it, and counts nothing, so nothing moved it
      10:00 tea started kind=alarm clock=wall for=3h alarm.at=13:00
      11:00 tea rescheduled deadline=14:00
      11:59 - clock_stepped offset=-1h
      > 10:00:00  started an alarm for 13:00
      > 11:00:00  the calendar changed, rings 14:00
      > 11:59:00  the clock was set back by 1 h
      > Now: cancelled
    a repeating timer: how often it rang, the last time and its reason, and the missed rings
      07:00 tea started for=1h repeat={}
      08:00 tea rang counted=1h late=0 missed=0 rung=1 for=1h
      08:01 tea dismissed answered=1
      08:30..10:10 sleep
      10:10 tea rang counted=3h late=10min cause=sleep missed=1 rung=3 for=1h span_id=1
      11:00 tea did_not_ring counted=4h late=0 rung=4 for=1h
      now running left=0 of=1h counted_before_usec=14400000000
      > 07:00:00  started: every 1 h
      > 08:00:00  rang
      > 08:01:00  the ring was dismissed
      > 08:30:00  the machine slept, for 1 h 40 min until 10:10:00
      > 10:10:00  rang, 10 min late: the machine slept, and stands for 1 more
      > 11:00:00  did not ring
      > In all: 5 h on the clock so far, of which 1 h 40 min asleep; rang 2 times, the last 10 \
    min late, because the machine slept, 2 missed
      > Now: running, 00:00 left, rings at 12:00:00
    a ring that nobody could see or hear is not said to be on time
      11:00 tea started for=4min
      11:04 tea rang counted=4min late=0
      11:05 tea unnoticed expiry=1 unseen=paused unheard=paused \
    reason='the user has paused the notification server'
      now over left=0 rang=11:04
      > …
      > 11:05:00  the ring was neither seen nor heard: the user has paused the notification server
      > In all: 4 min on the clock; rang on time, but neither seen nor heard
      > …
    a sequence: its steps, each with its total
      11:00 tea started kind=sequence for=25min steps=work:25min,rest:5min sequence.rounds=1
      11:25 tea rang counted=25min late=0 missed=0 step_number=2 step_name=rest for=5min
      11:30 tea rang counted=30min late=0 missed=0 step_number=2 step_name=rest
      > …
      > In all: 30 min on the clock, 25 min of work and 5 min of rest; rang 2 times, the last on time
      > Now: cancelled
    a stopwatch: its elapsed time, how much of it was hidden, and a span that it did not live to see
      11:00 tea started kind=stopwatch
      11:10 tea lapped elapsed=10min
      11:15..11:20 sleep
      11:25..11:26 stop
      11:30 tea cancelled counted=30min elapsed=30min
      11:40..11:50 sleep
      > …
      > 11:30:00  cancelled at 30:00.00
      > 11:40:00  the machine slept, for 10 min until 11:50:00
      > In all: measured 30:00.00, with 1 lap, of which 5 min asleep and 1 min with the daemon \
    stopped; stopped
      > Now: cancelled
    the summary is about the last run
      11:00 tea started for=10min
      11:05 tea restarted
      11:05 tea extended by=-2min
      11:10 tea cancelled counted=5min remaining=3min
      > …
      > In all: 5 min on the clock; shortened by 2 min; cancelled
      > Now: cancelled
    the summary is about the last run, and says how it ended
      11:00 tea started for=10min
      11:10 tea cancelled counted=5min remaining=3min
      11:20 tea restarted
      11:25..11:40 reboot
      11:40 tea did_not_ring counted=10min late=10min cause=reboot
      > …
      > In all: 10 min on the clock, of which 5 min over a reboot; did not ring, 10 min late, \
    because the machine was rebooted
      > …
    a corrected reboot has its corrected length
      08:00 tea started for=5h
      09:00..09:10 reboot
      09:20..09:30 sleep
      10:45 - clock_stepped offset=1h
      10:45 - corrected from=09:00 to=09:10 elapsed=70min by=1h
      now running left=1h of=5h
      > …
      > In all: 4 h on the clock so far, of which 1 h 10 min over a reboot and 10 min asleep
      > …
    a corrected reboot has its corrected length on awake, too
      08:00 tea started for=5h clock=awake
      09:00..09:10 reboot
      09:20..09:30 sleep
      10:45 - clock_stepped offset=1h
      10:45 - corrected from=09:00 to=09:10 elapsed=70min by=1h
      now running left=140min of=5h clock=awake
      > …
      > In all: 2 h 40 min on the clock so far; rings 1 h 20 min later than first set: 1 h 20 \
    min not counted (awake)
      > …
    a corrected reboot has its corrected length for a timer that was paused meanwhile, too
      08:00 tea started for=5h
      09:00..09:10 reboot
      09:20..09:30 sleep
      09:35 tea paused counted=95min remaining=205min
      10:45 - clock_stepped offset=1h
      10:45 - corrected from=09:00 to=09:10 elapsed=70min by=1h
      11:00 tea resumed counted=155min paused=25min
      11:10..11:15 sleep
      now running left=85min of=5h paused=25min
      > …
      > In all: 3 h 35 min on the clock so far, of which 1 h 10 min over a reboot and 15 min \
    asleep; rings 25 min later than first set: 25 min paused
      > …
    a timer that is started after a corrected reboot slept when the machine slept
      08:00 tea started for=5h
      09:00..09:10 reboot
      09:15 tea restarted
      09:20..09:30 sleep
      10:45 - clock_stepped offset=1h
      10:45 - corrected from=09:00 to=09:10 elapsed=70min by=1h
      now running left=195min of=5h
      > …
      > In all: 1 h 45 min on the clock so far, of which 10 min asleep; rings 1 h later than \
    first set: the clock set forward by 1 h
      > …
    a ring by an unsynchronised clock is estimated
      08:00 tea started for=8h
      09:00..17:00 reboot
      17:00 tea rang late=0 cause=reboot estimated=true
      now over left=0 open_ring.estimated=true
      > …
      > 17:00:00  rang…, estimated: the clock was not set yet
      > In all: …, estimated: the clock was not set yet
      > …
    a ring by an unsynchronised clock was early once that is known
      08:00 tea started for=8h
      09:00..17:00 reboot
      17:00 tea rang late=0 cause=reboot estimated=true
      10:00 - clock_stepped offset=-7h
      10:00 - corrected from=09:00 to=10:00 by=-7h early=6h
      now over left=0 open_ring.early_usec=21600000000
      > …
      > …; a ring was 6 h early
      > In all: …rang 6 h early, because the clock was ahead
      > Now: …6 h early: the clock was ahead
    a story that begins in the middle says so
      11:00 - clock_stepped offset=1h
      11:10 tea paused remaining=1min
      now paused left=4min of=4min id=0
      > The beginning is not shown: the ledger no longer has it, or it is too long.
      > …
      > 11:10:00  paused, 01:00 left
      > …
    """)

  /// The timer that a line describes.
  private func timer(_ line: Substring) throws -> FakeTimers.Entry {
    let words = line.split(separator: " ").map(String.init)
    var entry = FakeTimers.Entry(name: "tea", state: words[1])
    for word in words.dropFirst(2) {
      let (path, value) = try LedgerScript.member(word, on: clock.midnightUsec)
      switch (path[0], value.integerValue, value.stringValue) {
      case ("left_usec", let usec?, _): entry.remainingUsec = usec
      case ("of_usec", let usec?, _): entry.durationUsec = usec
      case ("rang_usec", let usec?, _): entry.rangAgoUsec = clock.nowUsec - usec
      case ("late_usec", let usec?, _): entry.lateUsec = usec
      case ("late_cause", _, let cause): entry.lateCause = cause
      case ("id", let id?, _): entry.id = id
      case ("clock", _, let clock?): entry.clock = clock
      case ("kind", _, let kind?): entry.kind = kind
      default: entry.more = entry.more.setting(path, value)
      }
    }
    return entry
  }

  /// Whether lines are those of a story. `…` in it stands for a part of a line, or for any lines.
  private static func fits(_ said: ArraySlice<Substring>, _ told: ArraySlice<Substring>) -> Bool {
    guard let line = told.first else { return said.isEmpty }
    guard line != "…" else {
      return (0...said.count).contains { fits(said.dropFirst($0), told.dropFirst()) }
    }
    let parts = line.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = said.first, first.hasPrefix(parts[0]), first.hasSuffix(parts[parts.count - 1])
    else { return false }
    return (parts.count > 1 || first == line) && fits(said.dropFirst(), told.dropFirst())
  }

  @Test(arguments: stories)
  func `A story has the words of its events, and a summary`(story: PlayedScript) throws {
    let now = story.lines.first { $0.hasPrefix("now ") }
    let ledger = try ledger(story.lines.filter { $0 != now }.joined(separator: "\n"))
    let said = try why(ledger, timer(now ?? "now cancelled"))
    #expect(Self.fits(said[...], story.events[...]), "\(said.joined(separator: "\n"))")
  }

  @Test(
    arguments: Row.table(
      """
      for=45min repeat={} => started: every 45 min
      for=45min repeat.rounds=3 => started: every 45 min, 3 times
      for=45min repeat.rounds=1 => started: every 45 min, once
      kind=stopwatch => started a stopwatch
      kind=alarm for=45min alarm.calendar='Mon..Fri 09:30' alarm.zone=Europe/Berlin alarm.rounds=2 => \
      started an alarm: Mon..Fri 09:30 (Europe/Berlin), 2 times, first 11:45
      kind=alarm for=45min alarm.calendar=hourly => started an alarm: hourly, first 11:45
      kind=sequence for=45min sequence='{"steps":[{"name":"work","duration_usec":1500000000},\
      {"name":"rest","duration_usec":300000000,"long_usec":1200000000}],"rounds":4,"long_every":4,\
      "after_sleep":"pause"}' => started a sequence: work 25 min, rest 5 min (20 min every 4 rounds), \
      4 rounds
      // As from a daemon that sends no more details.
      kind=alarm for=45min => started an alarm: 45 min
      kind=sequence for=45min => started a sequence: 45 min
      """))
  func `Each kind is printed as it was started`(row: Row) throws {
    let lines = try why(ledger("11:00 tea started \(row[0])"), timer("now cancelled"))
    #expect(lines.first == "11:00:00  \(row[1])")
  }

  @Test
  func `A reboot after which the clock showed 1970 is printed before its correction and after it`()
    throws
  {
    // Noon of that day.
    let days = clock.nowUsec / (24 * hour)
    let lines = "08:00 tea started for=5h\n09:00..12:00-\(days)d reboot elapsed=20s\n"
    let before = try why(ledger(lines), timer("now cancelled"))
    let reboot = "09:00:00  the machine was rebooted, for 20 s until Thu 1 Jan 1970"
    #expect(before.contains { $0.hasPrefix(reboot) }, "\(before)")
    let corrected = try ledger(
      """
      \(lines)10:00 - clock_stepped offset=\(days * 24 - 2)h
      10:00 - corrected from=09:00 to=09:59 by=3520s
      """)
    let after = try why(corrected, timer("now running left=1h of=5h"))
    let told = after.joined(separator: "\n")
    for line in [
      "\n09:00:00  the machine was rebooted, for 59 min until 09:59:00\n",
      "corrected, the span from 09:00:00 was 59 min: the machine was rebooted\n",
      "of which 59 min over a reboot",
    ] { #expect(told.contains(line), "\(told)") }
  }

  @Test
  func `A span that has not ended, and one that begins at the instant of an event, come after it`()
    throws
  {
    // As after a kill -9: nothing is known after the last commit.
    let started = try ledger("10:00 tea started for=4h").events[0]
    let fixture = try Fixture([timer("now running left=191500ms of=7391500ms")]) {
      request, nowUsec in
      switch request.method {
      case "Status": return [.reply(Samples.status(nowUsec: nowUsec, lastSeq: 1))]
      case "Events": return [.reply(["event": started], continues: true)]
      case "Why":
        let spans: [JSONValue] = [
          LedgerScript.span(
            ["down"], from: nowUsec - 2 * hour, to: nowUsec - hour, number: 7,
            elapsedUsec: hour, isEstimated: true),
          LedgerScript.span(["stop"], from: nowUsec - second, number: 8, elapsedUsec: second),
        ]
        return [.reply(["spans": .array(spans), "events": [started]])]
      default: return nil
      }
    }
    try fixture.check(
      """
      $ why tea
      10:00:00  started: 4 h
      10:00:00  the daemon was down, for about 1 h until 11:00:00
      11:59:59  the daemon was stopped, and that lasts
      In all: 2 h on the clock so far, of which 1 h with the daemon down
      Now: running, 03:12 left, rings at 12:03:11
      """)
  }

  @Test func `A story whose ledger is too long says so`() throws {
    let ledger = try ledger("11:00 tea started for=4h")
    let long = try why(ledger, timer("now cancelled"), lastSeq: 300_000)
    #expect(long.contains("Not searched for steps of the clock: the ledger has grown long since."))
  }

  @Test func `The events and the history say the same as far as the ledger tells`() throws {
    let stopped = try ledger(
      """
      09:00 tea started kind=sequence for=2h steps=work:2h,rest:5min
      10:00..11:20 stop
      11:20 tea paused_after_span counted=1h paused=80min remaining=1h span_id=1
      11:55 tea restarted_after_span counted=65min step_number=1 step_name=work for=2h span_id=1
      """
    ).fixture(at: clock)
    let events = try stopped.run("events").output
    #expect(events.contains("tea: paused, because the daemon was stopped, 01:00:00 left\n"))
    #expect(events.contains("tea: work begins anew, because the daemon was stopped\n"))
    #expect(
      try stopped.run("events", "--after", "3").output
        .contains("tea: paused after time was hidden, 01:00:00 left\n"))
    let unnoticed = try ledger(
      """
      11:00 tea started for=4min
      11:04 tea rang counted=4min late=0
      11:05 tea unnoticed expiry=1 unseen=paused unheard=paused reason=paused
      """
    ).fixture(at: clock)
    #expect(try unnoticed.run("history").output.hasSuffix("\t1 neither seen nor heard\n"))
    let json = try JSONValue.parse(try unnoticed.run("history", "--json").output)
    #expect(json["unnoticed"] == 1 && json["rings"] == 1)
  }

  @Test func `The story of a removed timer comes from the ledger, for the last one of that name`()
    throws
  {
    let ledger = try ledger(
      """
      09:00 tea started for=1h
      09:00:01 tea cancelled
      09:00:02 tea removed
      11:00 tea started for=4min
      11:00 teapot started for=1h
      11:03..11:10 sleep
      11:10 tea rang counted=4min late=6min cause=sleep span_id=1
      11:20 tea dismissed removes=true
      11:30 - clock_stepped offset=1h
      """)
    let fixture = try ledger.fixture([.init(name: "teapot")], at: clock)
    try fixture.check(
      """
      $ why tea
      11:00:00  started: 4 min
      11:03:00  the machine slept, for 7 min until 11:10:00
      11:10:00  rang, 6 min late: the machine slept
      11:20:00  dismissed
      In all: 4 min on the clock, of which 1 min asleep; rang 6 min late, because the machine slept
      Now: gone
      """)
    let json = try JSONValue.parse(try fixture.run("why", "tea", "--json").output)
    let types = json["events"]?.arrayValue?.compactMap { $0["type"]?.stringValue }
    #expect(types == ["started", "rang", "dismissed"])
    #expect(json["spans"]?.arrayValue?.count == 1)
    #expect(try fixture.run("why", "teapto").errors.contains("there is 'teapot'"))
  }

  @Test func `As JSON it is the daemon's own answer, without further calls`() throws {
    let ledger = try ledger("11:00 tea started for=10min")
    let fixture = try ledger.fixture([.init(name: "tea")], at: clock)
    let json = try JSONValue.parse(try fixture.run("why", "tea", "--json").output)
    #expect(json["events"]?.arrayValue == ledger.events && json["spans"] == [])
    #expect(fixture.methods == ["Why", "Get"])
  }
}
