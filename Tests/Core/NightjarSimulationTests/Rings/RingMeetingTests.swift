import Testing

/// Scripts in which several rules of section 10 meet.
@Suite struct RingMeetingTests {
  private static let tea = "10:00, start tea 4min"
  private static let snoozedTea = "wait 5min, snooze tea 10min"
  private static let teaRang = "Mon 10:04 tea rings | Mon 10:05 tea goes quiet"

  private static func check(_ row: RingCase) {
    row.check(on: RingModelStage.init)
    row.check(on: RingEngineStage.init)
  }

  // MARK: A snooze that passes in the background (rules 8 and 9)

  static let snoozedCountdowns = RingCase.table(
    first: teaRang,
    """
    \(tea), \(snoozedTea), sleep until 10:20, list tea
      Mon 10:20 tea rings again, due Mon 10:15, 5 min late by sleep
      tea: over; ringing, due Mon 10:04
    \(tea) --late skip, \(snoozedTea), sleep until 10:20, list tea
      Mon 10:20 tea stays quiet, due Mon 10:15, 5 min late by sleep
      tea: over; unanswered, due Mon 10:04
    \(tea) --late 5min, \(snoozedTea), sleep until 10:20
      Mon 10:20 tea rings again, due Mon 10:15, 5 min late by sleep
    \(tea) --late 4min, \(snoozedTea), sleep until 10:20
      Mon 10:20 tea stays quiet, due Mon 10:15, 5 min late by sleep
    \(tea), \(snoozedTea), tstp 20min
      Mon 10:25 tea rings again, due Mon 10:15, 10 min late by stop
    \(tea), \(snoozedTea), down 20min
      Mon 10:25 tea rings again, due Mon 10:15, 10 min late by down
    \(tea), \(snoozedTea), crash 20min
      Mon 10:25 tea rings again, due Mon 10:15, 10 min late by down
    \(tea), \(snoozedTea), reboot 20min
      Mon 10:25 tea rings again, due Mon 10:15, 10 min late by reboot
    \(tea), \(snoozedTea), freeze 20min
      Mon 10:25 tea rings again, due Mon 10:15, 10 min late by freeze
    \(tea) --clock awake, \(snoozedTea), sleep until 10:20
      Mon 10:20 tea rings again, due Mon 10:15, 5 min late by sleep
    # What stayed quiet may be snoozed again, and is then judged again.
    \(tea) --late skip, \(snoozedTea), sleep until 10:20, snooze tea 5min, wait 5min
      Mon 10:20 tea stays quiet, due Mon 10:15, 5 min late by sleep | Mon 10:25 tea rings again
    """)

  @Test(arguments: snoozedCountdowns)
  func `The snooze of a countdown is judged by its own lateness`(_ row: RingCase) {
    Self.check(row)
  }

  private static let r = "wait 11min, snooze r 5min"

  static let snoozedRepetitions = RingCase.table(
    first: "Mon 10:10 r rings",
    """
    10:00, start r 10min --repeat --late skip, \(r), sleep until 10:25, list r
      Mon 10:25 r does not ring, due Mon 10:20, 5 min late by sleep
      r: running; next Mon 10:30; unanswered, due Mon 10:10; missed, due Mon 10:20, 5 min late
    10:00, start r 10min --repeat --late 3min --missed each, \(r), sleep until 10:42
      Mon 10:42 r does not ring, due Mon 10:30, 12 min late by sleep, 1 more
      Mon 10:42 r rings, due Mon 10:40, 2 min late by sleep, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat --late 15min --missed once, \(r), sleep until 10:42
      Mon 10:42 r does not ring, due Mon 10:20, 22 min late by sleep
      Mon 10:42 r rings, due Mon 10:40, 2 min late by sleep, 1 more, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat --late 15min --missed skip, \(r), sleep until 10:42, list r
      Mon 10:42 r does not ring, due Mon 10:40, 2 min late by sleep, 2 more
      r: running; next Mon 10:50; unanswered, due Mon 10:10; 3 misses, due Mon 10:40, 2 min late
    10:00, start r 10min --repeat --late 3min --missed skip, \(r), sleep until 10:42
      Mon 10:42 r does not ring, due Mon 10:30, 12 min late by sleep, 1 more
      Mon 10:42 r rings, due Mon 10:40, 2 min late by sleep, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat, \(r), sleep until 10:42
      Mon 10:42 r rings, due Mon 10:40, 2 min late by sleep, 2 more, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat --missed each, \(r), sleep until 10:42
      Mon 10:42 r rings, due Mon 10:20, 22 min late by sleep, 2 expiries since Mon 10:10
      Mon 10:42 r rings, due Mon 10:30, 12 min late by sleep, 3 expiries since Mon 10:10
      Mon 10:42 r rings, due Mon 10:40, 2 min late by sleep, 4 expiries since Mon 10:10
    10:00, start r 10min --repeat --rounds 2, wait 11min, snooze r 15min, wait 20min, list r
      Mon 10:20 r joins | Mon 10:26 r rings again, 2 expiries since Mon 10:10
      Mon 10:27 r goes quiet | r: over; unanswered, due Mon 10:20; 2 expiries since Mon 10:10
    10:00, start r 10min --repeat --rounds 2 --late 5min, wait 11min, snooze r 15min, \
    sleep until 10:30
      Mon 10:30 r joins, due Mon 10:20, 10 min late by sleep
      Mon 10:30 r rings again, due Mon 10:26, 4 min late by sleep, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat --rounds 2 --late 5min, \(r), sleep until 10:30, list r
      Mon 10:30 r does not ring, due Mon 10:20, 10 min late by sleep
      r: over; unanswered, due Mon 10:10; missed, due Mon 10:20, 10 min late
    # An expiry at the very end of the snooze joins it: one sound, not two.
    10:00, start r 10min --repeat, wait 11min, snooze r 9min, wait 10min
      Mon 10:20 r joins | Mon 10:20 r rings again, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat, wait 11min, snooze r 5min, wait 20min, snooze r 5min, \
    wait 5min
      Mon 10:16 r rings again | Mon 10:20 r rings, 2 expiries since Mon 10:10
      Mon 10:30 r rings, 3 expiries since Mon 10:10
      Mon 10:36 r rings again, 3 expiries since Mon 10:10
    """)

  @Test(arguments: snoozedRepetitions)
  func `The schedule of a repeating countdown runs on under a snooze`(_ row: RingCase) {
    Self.check(row)
  }

  private static let up = "wait 6min, snooze up 10min"

  static let snoozedAlarms = RingCase.table(
    first: "Mon 7:00 up rings",
    """
    6:55, alarm up 7:00 --late 5min, wait 6min, snooze up 10min, sleep until 7:30, list up
      Mon 7:30 up stays quiet, due Mon 7:11, 19 min late by sleep
      up: over; unanswered, due Mon 7:00
    6:55, alarm up 7:00, wait 6min, snooze up 10min, sleep until 7:30
      Mon 7:30 up rings again, due Mon 7:11, 19 min late by sleep
    6:55, alarm up daily 7:00, \(up), sleep until Wed 7:20
      Wed 7:20 up rings, due Wed 7:00, 20 min late by sleep, 1 more, 2 expiries since Mon 7:00
    6:55, alarm up daily 7:00 --late 30min --missed each, \(up), sleep until Wed 7:20
      Wed 7:20 up does not ring, due Tue 7:00, 1 d 20 min late by sleep
      Wed 7:20 up rings, due Wed 7:00, 20 min late by sleep, 2 expiries since Mon 7:00
    6:55, alarm up daily 7:00, wait 6min, snooze up 2d, sleep until Thu 7:20
      Thu 7:20 up joins, due Wed 7:00, 1 d 20 min late by sleep
      Thu 7:20 up rings, due Thu 7:00, 20 min late by sleep, 4 expiries since Mon 7:00
    6:55, alarm up daily 7:00 --late skip, wait 6min, snooze up 2d, sleep until Wed 7:05, \
    list up
      Wed 7:05 up joins, due Wed 7:00, 5 min late by sleep
      Wed 7:05 up stays quiet, due Wed 7:01, 4 min late by sleep
      up: running; next Thu 7:00; unanswered, due Wed 7:00; 3 expiries since Mon 7:00
    6:55, alarm up daily 7:00 --rounds 2 --late 1min, wait 6min, snooze up 1d, \
    wait until tomorrow 7:02, list up
      Tue 7:00 up joins | Tue 7:01 up rings again, 2 expiries since Mon 7:00
      up: over; ringing, due Tue 7:00; 2 expiries since Mon 7:00
    # A miss is shown beside the ring until the timer rings again (rule 3).
    6:55, alarm up daily 7:00 --late 1min, wait 6min, sleep until tomorrow 7:05, \
    wait until tomorrow 7:01, list up
      Tue 7:05 up goes quiet | Tue 7:05 up does not ring, due Tue 7:00, 5 min late by sleep
      Wed 7:00 up rings, 2 expiries since Mon 7:00
      up: running; next Thu 7:00; ringing, due Wed 7:00; 2 expiries since Mon 7:00
    """)

  @Test(arguments: snoozedAlarms)
  func `A snoozed alarm swallows no other day`(_ row: RingCase) { Self.check(row) }

  static let sequences = RingCase.table(
    """
    10:00, sequence s work=10min rest=5min --loop 0, wait 11min, snooze s 20min, wait 21min
      Mon 10:10 s rings | Mon 10:15 s joins | Mon 10:25 s joins | Mon 10:30 s joins
      Mon 10:31 s rings again, 4 expiries since Mon 10:10
    10:00, sequence s work=25min rest=5min --wait, wait 26min, snooze s 10min, sleep until 11:00, \
    list s
      Mon 10:25 s rings | Mon 10:26 s goes quiet
      Mon 11:00 s rings again, due Mon 10:36, 24 min late by sleep
      s: waiting; ringing, due Mon 10:25
    10:00, sequence s work=25min rest=5min --wait, wait 26min, stop s, list s, stop s, list s
      Mon 10:25 s rings | Mon 10:26 s goes quiet | s: waiting | s: cancelled
    10:00, sequence s work=10min rest=5min --loop 0 --after-sleep pause, wait 11min, sleep 10min, \
    list s
      Mon 10:10 s rings | s: paused; unanswered, due Mon 10:10
    10:00, sequence s work=10min rest=5min --loop 0 --missed each --late 6min, sleep until 10:21
      Mon 10:21 s does not ring, due Mon 10:10, 11 min late by sleep
      Mon 10:21 s rings, due Mon 10:15, 6 min late by sleep
    """)

  @Test(arguments: sequences)
  func `The ring of a sequence does not hold up its steps`(_ row: RingCase) { Self.check(row) }

  // MARK: Zones, clocks, restarts

  static let clocks = RingCase.table(
    """
    # In the new zone, 7:00 comes again ten minutes later: another instant.
    6:55, alarm a daily 7:00, wait 6min, snooze a 10min, zone +1, wait 15min, list a
      Mon 7:00 a rings | Mon 7:10 a joins | Mon 7:11 a rings again, 2 expiries since Mon 7:00
      a: running; next Tue 7:10; ringing, due Mon 7:10; 2 expiries since Mon 7:00
    6:55, alarm a daily 7:00, wait 6min, snooze a 10min, zone -1, wait 15min, list a
      Mon 7:00 a rings | Mon 7:11 a rings again | a: running; next Tue 6:50; ringing, due Mon 7:00
    \(tea), wait 5min, snooze tea 5min, step +1h, list tea, wait 5min
      \(teaRang) | tea: over; snoozed until Mon 11:10, due Mon 10:04 | Mon 11:10 tea rings again
    \(tea), wait 5min, snooze tea 5min, step -1h, list tea, wait 5min
      \(teaRang) | tea: over; snoozed until Mon 9:10, due Mon 10:04 | Mon 9:10 tea rings again
    # Tuesday's instant sounded with the snooze, so it does not come again (rule 10).
    6:55, alarm a daily 7:00, wait 10min, snooze a 5min, step +1d, wait 6min, list a, step -1d, \
    wait until tomorrow 7:05, list a
      Mon 7:00 a rings | Tue 7:05 a joins, due Tue 7:00, 5 min late by step
      Tue 7:10 a rings again, 2 expiries since Mon 7:00
      a: running; next Wed 7:00; ringing, due Tue 7:00; 2 expiries since Mon 7:00
      Mon 7:20 a goes quiet
      a: running; next Wed 7:00; unanswered, due Tue 7:00; 2 expiries since Mon 7:00
    6:55, alarm a daily 7:00, wait 10min, step +1d
      Mon 7:00 a rings
      Tue 7:05 a rings, due Tue 7:00, 5 min late by step, 2 expiries since Mon 7:00
    # Dismissed before it sounded, it comes again, too.
    6:55, alarm a daily 7:00, wait 10min, snooze a 5min, step +1d, dismiss a, step -1d, \
    wait until tomorrow 7:05
      Mon 7:00 a rings | Tue 7:05 a joins, due Tue 7:00, 5 min late by step | Tue 7:00 a rings
    10:00, start r 10min --repeat --clock wall, wait 11min, snooze r 30min, step +12min, \
    step -12min, wait 15min
      Mon 10:10 r rings | Mon 10:23 r joins, due Mon 10:20, 3 min late by step
      Mon 10:11 r leaves | Mon 10:20 r joins
    # A round that sounded does not come again, either.
    10:00, start r 10min --repeat --clock wall, wait 11min, snooze r 10min, step +12min, \
    wait 11min, step -12min, list r, wait 15min
      Mon 10:10 r rings | Mon 10:23 r joins, due Mon 10:20, 3 min late by step | Mon 10:30 r joins
      Mon 10:33 r rings again, 3 expiries since Mon 10:10
      r: running; next Mon 10:40; unanswered, due Mon 10:30; 3 expiries since Mon 10:10
    10:00, start r 10min --repeat, wait 11min, snooze r 25min, down 5min, wait 25min
      Mon 10:10 r rings | Mon 10:20 r joins | Mon 10:30 r joins
      Mon 10:36 r rings again, 3 expiries since Mon 10:10
      Mon 10:40 r rings, 4 expiries since Mon 10:10
    10:00, start r 10min --repeat, wait 11min, snooze r 25min, wait 10min, crash 1min, wait 20min
      Mon 10:10 r rings | Mon 10:20 r joins | Mon 10:30 r joins
      Mon 10:36 r rings again, 3 expiries since Mon 10:10
      Mon 10:40 r rings, 4 expiries since Mon 10:10
    6:55, alarm a daily 7:00, wait 6min, crash 1min, wait 10min, list a
      Mon 7:00 a rings | Mon 7:10 a goes quiet
      a: running; next Tue 7:00; unanswered, due Mon 7:00
    # The Nth ring is at the start plus N periods to the microsecond, through a crash and a reboot.
    10:00, start r 10min --repeat, wait 14min, crash 6000000001us, wait 10min, reboot 17h, \
    wait 10min
      Mon 10:10 r rings
      Mon 11:54 and 1 µs r rings, due Mon 11:50, 4 min 1 µs late by down, 9 more, \
    2 expiries since Mon 10:10
      Mon 12:00 r rings, 3 expiries since Mon 10:10
      Tue 5:04 and 1 µs r rings, due Tue 5:00, 4 min 1 µs late by reboot, 101 more, \
    4 expiries since Mon 10:10
      Tue 5:10 r rings, 5 expiries since Mon 10:10
    """)

  @Test(arguments: clocks)
  func `A snooze outlives clocks, zones and restarts`(_ row: RingCase) { Self.check(row) }

  // MARK: Insists (rules 5 and 9)

  static let insists = RingCase.table(
    """
    6:55, alarm a daily 7:00 --insist 5min, wait 6min, reboot 1h, list a
      Mon 7:00 a rings | Mon 8:01 a goes quiet
      Mon 8:01 a insists, due Mon 7:15, 46 min late by reboot
      a: running; next Tue 7:00; ringing, due Mon 7:00
    6:55, alarm a daily 7:00 --insist 5min --late 10min, wait 6min, reboot 1h, wait 2h, list a
      Mon 7:00 a rings | Mon 8:01 a goes quiet
      Mon 8:01 a stays quiet, due Mon 7:15, 46 min late by reboot
      a: running; next Tue 7:00; unanswered, due Mon 7:00
    6:55, alarm a daily 7:00 --insist 5min, wait 16min, sleep until tomorrow 7:20
      Mon 7:00 a rings | Mon 7:10 a goes quiet
      Tue 7:20 a rings, due Tue 7:00, 20 min late by sleep, 2 expiries since Mon 7:00
    10:00, start t 4min --insist 5min, wait 10min, snooze t 10min, wait 20min
      Mon 10:04 t rings | Mon 10:05 t goes quiet | Mon 10:10 t insists | Mon 10:20 t rings again
      Mon 10:21 t goes quiet | Mon 10:26 t insists | Mon 10:27 t goes quiet
    10:00, start t 4min --ring-for 0s, wait 5min, list t
      Mon 10:04 t rings | t: over; unanswered, due Mon 10:04
    10:00, start t 4min --insist 5min, wait 6min, dismiss t, wait 1h
      Mon 10:04 t rings | Mon 10:05 t goes quiet
    """)

  @Test(arguments: insists)
  func `An insist is judged like a snooze`(_ row: RingCase) { Self.check(row) }

  @Test func `A ring insists eleven times`() {
    var row = RingCase("10:00, start t 1min --ring-for 1min --insist 1min, wait 2h")
    row.outcome = (0...11).flatMap { number in
      let at = RingScript.mondayUsec + Int64(36_060 + 120 * number) * 1_000_000
      return [
        "\(RingScript.time(at)) t \(number == 0 ? "rings" : "insists")",
        "\(RingScript.time(at + 60_000_000)) t goes quiet",
      ]
    }
    Self.check(row)
  }

  // MARK: Pauses and other verbs (rules 5, 6, 7, 11)

  static let verbs = RingCase.table(
    """
    10:00, start r 10min --repeat, wait 11min, snooze r 5min, pause r, wait 10min, list r, \
    resume r, wait 10min
      Mon 10:10 r rings | Mon 10:16 r rings again | Mon 10:17 r goes quiet
      r: paused; unanswered, due Mon 10:10 | Mon 10:30 r rings, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat, wait 11min, extend r 5min, update r, list r
      Mon 10:10 r rings | r: running; next Mon 10:25; unanswered, due Mon 10:10
    6:55, alarm a daily 7:00, wait 6min, snooze a 2d, pause a, wait until tomorrow 7:05, \
    resume a
      Mon 7:00 a rings | Tue 7:05 a joins, due Tue 7:00, 5 min late by paused
    6:55, alarm a daily 7:00 --late 1min, wait 6min, snooze a 1d, pause a, \
    wait until tomorrow 7:05, resume a, list a
      Mon 7:00 a rings | Tue 7:01 a rings again
      Tue 7:05 a does not ring, due Tue 7:00, 5 min late by paused
      a: running; next Wed 7:00; ringing, due Mon 7:00; missed, due Tue 7:00, 5 min late
    10:00, start tea 4min --late 1min, sleep 10min, list tea, snooze tea 5min, dismiss tea, \
    list tea
      Mon 10:10 tea does not ring, due Mon 10:04, 6 min late by sleep
      tea: over; missed, due Mon 10:04, 6 min late | Mon 10:10 refused: snooze tea 5min
      tea: is not there
    7:55, alarm c daily 8:00 --late 1min, wait 10min, sleep until tomorrow 8:05, dismiss c, \
    list c
      Mon 8:00 c rings | Tue 8:05 c goes quiet
      Tue 8:05 c does not ring, due Tue 8:00, 5 min late by sleep | c: running; next Wed 8:00
    10:00, start a 1min, start b 1min, wait 2min, snooze a 10min, dismiss --all, list a, list b
      Mon 10:01 a rings | Mon 10:01 b rings | Mon 10:02 a goes quiet | Mon 10:02 b goes quiet
      a: over; snoozed until Mon 10:12, due Mon 10:01 | b: is not there
    10:00, start a 1min, start b 1min, wait 2min, snooze a 10min, snooze --all 3min, list a, \
    list b
      Mon 10:01 a rings | Mon 10:01 b rings | Mon 10:02 a goes quiet | Mon 10:02 b goes quiet
      a: over; snoozed until Mon 10:12, due Mon 10:01
      b: over; snoozed until Mon 10:05, due Mon 10:01
    \(tea), wait 6min, start tea 4min, list tea
      \(teaRang) | tea: running; next Mon 10:10
    \(tea), wait 5min, snooze tea 5min, start tea 10min --replace, list tea, wait 6min
      \(teaRang) | tea: running; next Mon 10:15
    """)

  @Test(arguments: verbs)
  func `A ring ends only by the verbs that end it`(_ row: RingCase) { Self.check(row) }

  static let retentions = RingCase.table(
    """
    \(tea), wait 1d, list tea, wait 5min, list tea
      \(teaRang) | tea: over; unanswered, due Mon 10:04 | tea: is not there
    \(tea), wait 5min, snooze tea 2d, wait 30h, list tea
      \(teaRang) | tea: over; snoozed until Wed 10:05, due Mon 10:04
    \(tea), wait 5min, snooze tea 20h, wait until Wed 6:00, list tea, wait 10min, list tea
      \(teaRang)
      Tue 6:05 tea rings again | Tue 6:06 tea goes quiet | tea: over; unanswered, due Mon 10:04
      tea: is not there
    10:00, start r 10min --repeat --rounds 1, wait 2d, list r
      Mon 10:10 r rings | Mon 10:11 r goes quiet | r: is not there
    6:55, alarm a daily 7:00, wait 6min, stop a, wait 5min, list a
      Mon 7:00 a rings | a: running; next Tue 7:00
    # A day after it rang last, this one still insists.
    \(tea) --insist 1d, wait 25h, list tea
      \(teaRang)
      Tue 10:05 tea insists | Tue 10:06 tea goes quiet | tea: over; unanswered, due Mon 10:04
    """)

  @Test(arguments: retentions)
  func `A timer that is over stays a day after it last rang`(_ row: RingCase) { Self.check(row) }

  // MARK: Answers by number (rule 12)

  static let answers = RingCase.table(
    """
    10:00, start r 10min --repeat, wait 21min, answer dismiss r 1, list r, answer dismiss r 2, \
    list r, answer dismiss r 2, list r
      Mon 10:10 r rings | Mon 10:20 r rings, 2 expiries since Mon 10:10
      r: running; next Mon 10:30; unanswered, due Mon 10:20; 2 expiries since Mon 10:10
      r: running; next Mon 10:30 | r: running; next Mon 10:30
    # An expiry that joined in silence is newer, too.
    10:00, start r 10min --repeat, wait 11min, snooze r 15min, wait 10min, answer dismiss r 1, \
    list r
      Mon 10:10 r rings | Mon 10:20 r joins
      r: running; next Mon 10:30; snoozed until Mon 10:26, due Mon 10:20; 2 expiries since Mon 10:10
    \(tea), wait 6min, answer snooze tea 1 5min 1min, list tea
      \(teaRang) | tea: over; snoozed until Mon 10:10, due Mon 10:04
    \(tea), wait 6min, answer snooze tea 1 1min 90s, list tea
      \(teaRang) | Mon 10:06 tea rings again, due Mon 10:05:30, 30 s late by busy
      tea: over; ringing, due Mon 10:04
    10:00, start r 10min --repeat, wait 11min, answer stop r 1, list r, answer stop r 1, list r
      Mon 10:10 r rings | r: running; next Mon 10:20 | r: running; next Mon 10:20
    """)

  @Test(arguments: answers)
  func `An answer ends the ring that it saw, or nothing`(_ row: RingCase) { Self.check(row) }

  // MARK: Undo (rule 13)

  static let undos = RingCase.table(
    """
    6:55, alarm a daily 7:00, wait 6min, dismiss a, list a, undo, list a, wait 20min
      Mon 7:00 a rings | a: running; next Tue 7:00
      a: running; next Tue 7:00; unanswered, due Mon 7:00
    10:00, start tea 4min, wait 4min, dismiss tea, undo, list tea
      Mon 10:04 tea rings | tea: over; unanswered, due Mon 10:04
    10:00, start tea 4min, wait 4min, snooze tea 5min, undo, list tea, wait 10min
      Mon 10:04 tea rings | tea: over; unanswered, due Mon 10:04
    10:00, start tea 4min, wait 4min, snooze tea 5min, snooze tea 20min, undo, list tea, \
    wait 5min
      Mon 10:04 tea rings | tea: over; snoozed until Mon 10:09, due Mon 10:04
      Mon 10:09 tea rings again
    10:00, start tea 4min --late skip, wait 4min, snooze tea 30s, dismiss tea, wait 50s, undo
      Mon 10:04 tea rings | Mon 10:04:50 tea rings again, due Mon 10:04:30, 20 s late by undone
    10:00, start r 30s --repeat, wait 31s, dismiss r, wait 30s, undo
      Mon 10:00:30 r rings | Mon 10:01 r rings | Mon 10:01:01 refused: undo
    10:00, start r 30s --repeat, wait 31s, snooze r 5min, wait 30s, undo
      Mon 10:00:30 r rings | Mon 10:01 r joins | Mon 10:01:01 refused: undo
    6:55, alarm a daily 7:00 --insist 5min --ring-for 30s, wait 6min, dismiss a, undo, list a, \
    wait 5min
      Mon 7:00 a rings | Mon 7:00:30 a goes quiet
      a: running; next Tue 7:00; unanswered, due Mon 7:00 | Mon 7:05:30 a insists
      Mon 7:06 a goes quiet
    # While it sounds, the insist is still to be counted from the end of the sound.
    6:55, alarm a daily 7:00 --insist 5min, wait 6min, stop a, undo, wait 15min, list a
      Mon 7:00 a rings | Mon 7:15 a insists | a: running; next Tue 7:00; ringing, due Mon 7:00
    10:00, start r 10min --repeat, wait 11min, cancel r, list r, undo, list r
      Mon 10:10 r rings | r: cancelled | r: running; next Mon 10:20; unanswered, due Mon 10:10
    # A pause does not change the ring, so its undo does not, either.
    10:00, start r 10min --repeat, wait 10min, snooze r 20s, pause r, wait 30s, undo, list r
      Mon 10:10 r rings | Mon 10:10:20 r rings again
      r: running; next Mon 10:20; ringing, due Mon 10:10
    """)

  @Test(arguments: undos)
  func `Undo brings back a ring as it was, without its sound`(_ row: RingCase) { Self.check(row) }

  private static let reviewed = RingCase.table(
    """
    10:00, start r 10min --repeat --missed skip, sleep until 10:12
      Mon 10:12 r rings, due Mon 10:10, 2 min late by sleep
    6:55, alarm a daily 7:00, wait 6min, dismiss a, restart a, undo, step -10min, wait 15min
      Mon 7:00 a rings
    6:55, alarm a daily 7:00 --rounds 2 --late 1min, wait 10min, sleep until tomorrow 9:00, \
    list a
      Mon 7:00 a rings | Tue 9:00 a goes quiet
      Tue 9:00 a does not ring, due Tue 7:00, 2 h late by sleep
      a: over; unanswered, due Mon 7:00; missed, due Tue 7:00, 2 h late
    6:55, alarm a daily 7:00 --late skip, pause a, wait until 8:00, step +1h, wait until 9:05, \
    resume a, wait until tomorrow 7:01
      Mon 9:05 a does not ring, due Mon 7:00, 2 h 5 min late by paused | Tue 7:00 a rings
    10:00, start tea 4min --insist 1d --late 2min, wait 6min, sleep until tomorrow 11:00, \
    list tea
      Mon 10:04 tea rings | Mon 10:05 tea goes quiet
      Tue 11:00 tea stays quiet, due Tue 10:05, 55 min late by sleep
      tea: over; unanswered, due Mon 10:04
    # The skipped expiry keeps the number 2, so the answer is not about the expiry of 10:20.
    10:00, start r 10min --repeat, wait 10min, dismiss r, skip r, undo, undo, wait 10min, \
    answer stop r 2, list r
      Mon 10:10 r rings | Mon 10:20 r rings, 2 expiries since Mon 10:10
      r: running; next Mon 10:30; unanswered, due Mon 10:20; 2 expiries since Mon 10:10
    # The alarm of Tuesday has rung together with Monday's, so it does not ring again.
    6:55, alarm a daily 7:00, wait 6min, snooze a 24h, wait until tomorrow 7:02, step -10min, \
    wait 15min
      Mon 7:00 a rings | Tue 7:00 a joins | Tue 7:01 a rings again, 2 expiries since Mon 7:00
      Tue 7:01 a goes quiet
    """)

  @Test(arguments: reviewed)
  func `What a reader of the engine found`(_ row: RingCase) { Self.check(row) }
}

extension RingCase {
  /// The cases in a text. What is said is indented below its script and divided by `|`, after
  /// `first`, which is said first in each case; `#` begins a comment.
  fileprivate static func table(first: String = "", _ text: String) -> [RingCase] {
    func said(_ line: Substring) -> [String] {
      line.split(separator: " | ").map { String($0.drop { $0 == " " }) }
    }
    var rows: [RingCase] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("  ") {
        rows[rows.count - 1].outcome += said(line)
      } else {
        rows.append(RingCase(String(line)))
        rows[rows.count - 1].outcome = said(first[...])
      }
    }
    for row in rows {
      precondition(row.outcome.count > said(first[...]).count, "\(row.script): nothing is said")
    }
    return rows
  }
}
