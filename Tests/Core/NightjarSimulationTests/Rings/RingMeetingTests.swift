import Testing

/// Scripts in which several rules of section 10 meet. `DifferentialTests` has the model and the
/// engine do the same where others meet.
@Suite struct RingMeetingTests {
  private static let tea = "10:00, start tea 4min"
  private static let snoozedTea = "wait 5min, snooze tea 10min"
  private static let teaRang = "Mon 10:04 tea rings | Mon 10:05 tea goes quiet"
  private static let r = "wait 11min, snooze r 5min"

  // Rules 7 to 10.
  static let snoozes = RingCase.table(
    """
    \(tea) --late 5min, \(snoozedTea), sleep until 10:20, list tea
      \(teaRang) | Mon 10:20 tea rings again, due Mon 10:15, 5 min late by sleep
      tea: over; ringing, due Mon 10:04
    \(tea) --clock awake, \(snoozedTea), sleep until 10:20
      \(teaRang) | Mon 10:20 tea rings again, due Mon 10:15, 5 min late by sleep
    # What stayed quiet may be snoozed again, and is then judged again.
    \(tea) --late skip, \(snoozedTea), sleep until 10:20, snooze tea 5min, wait 5min
      \(teaRang) | Mon 10:20 tea stays quiet, due Mon 10:15, 5 min late by sleep
      Mon 10:25 tea rings again
    10:00, start r 10min --repeat --late 15min --missed skip, \(r), sleep until 10:42, list r
      Mon 10:10 r rings | Mon 10:42 r does not ring, due Mon 10:40, 2 min late by sleep, 2 more
      r: running; next Mon 10:50; unanswered, due Mon 10:10; 3 misses, due Mon 10:40, 2 min late
    10:00, start r 10min --repeat --late 3min --missed skip, \(r), sleep until 10:42
      Mon 10:10 r rings | Mon 10:42 r does not ring, due Mon 10:30, 12 min late by sleep, 1 more
      Mon 10:42 r rings, due Mon 10:40, 2 min late by sleep, 2 expiries since Mon 10:10
    10:00, start r 10min --repeat --rounds 2, wait 11min, snooze r 15min, wait 20min, list r
      Mon 10:10 r rings | Mon 10:20 r joins | Mon 10:26 r rings again, 2 expiries since Mon 10:10
      Mon 10:27 r goes quiet | r: over; unanswered, due Mon 10:20; 2 expiries since Mon 10:10
    # An expiry at the very end of the snooze joins it: one sound, not two.
    10:00, start r 10min --repeat, wait 11min, snooze r 9min, wait 10min
      Mon 10:10 r rings | Mon 10:20 r joins | Mon 10:20 r rings again, 2 expiries since Mon 10:10
    6:55, alarm up 7:00, wait 6min, snooze up 10min, sleep until 7:30
      Mon 7:00 up rings | Mon 7:30 up rings again, due Mon 7:11, 19 min late by sleep
    6:55, alarm up daily 7:00, wait 6min, snooze up 10min, sleep until Wed 7:20
      Mon 7:00 up rings
      Wed 7:20 up rings, due Wed 7:00, 20 min late by sleep, 1 more, 2 expiries since Mon 7:00
    6:55, alarm up daily 7:00, wait 6min, snooze up 2d, sleep until Thu 7:20
      Mon 7:00 up rings | Thu 7:20 up joins, due Wed 7:00, 1 d 20 min late by sleep
      Thu 7:20 up rings, due Thu 7:00, 20 min late by sleep, 4 expiries since Mon 7:00
    # What joins a ring is not judged, and the end of its snooze is.
    6:55, alarm up daily 7:00 --late skip, wait 6min, snooze up 2d, sleep until Wed 7:05, \
    list up
      Mon 7:00 up rings | Wed 7:05 up joins, due Wed 7:00, 5 min late by sleep
      Wed 7:05 up stays quiet, due Wed 7:01, 4 min late by sleep
      up: running; next Thu 7:00; unanswered, due Wed 7:00; 3 expiries since Mon 7:00
    10:00, sequence s work=10min rest=5min --loop 0, wait 11min, snooze s 20min, wait 21min
      Mon 10:10 s rings | Mon 10:15 s joins | Mon 10:25 s joins | Mon 10:30 s joins
      Mon 10:31 s rings again, 4 expiries since Mon 10:10
    """)

  @Test(arguments: snoozes)
  func `A snooze is judged by its own lateness, and swallows no expiry`(_ row: RingCase) {
    row.check()
  }

  static let clocks = RingCase.table(
    """
    # In the new zone, 7:00 comes again ten minutes later: another instant.
    6:55, alarm a daily 7:00, wait 6min, snooze a 10min, zone +1, wait 15min, list a
      Mon 7:00 a rings | Mon 7:10 a joins | Mon 7:11 a rings again, 2 expiries since Mon 7:00
      a: running; next Tue 7:10; ringing, due Mon 7:10; 2 expiries since Mon 7:00
    \(tea), wait 5min, snooze tea 5min, step +1h, list tea, wait 5min
      \(teaRang) | tea: over; snoozed until Mon 11:10, due Mon 10:04 | Mon 11:10 tea rings again
    # Tuesday's instant sounded with the snooze, so it does not come again (rule 10).
    6:55, alarm a daily 7:00, wait 6min, snooze a 24h, wait until tomorrow 7:02, step -10min, \
    wait 15min
      Mon 7:00 a rings | Tue 7:00 a joins | Tue 7:01 a rings again, 2 expiries since Mon 7:00
      Tue 7:01 a goes quiet
    # Dismissed before it sounded, it comes again.
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
    10:00, start r 10min --repeat, wait 11min, snooze r 25min, wait 10min, crash 1min, wait 20min
      Mon 10:10 r rings | Mon 10:20 r joins | Mon 10:30 r joins
      Mon 10:36 r rings again, 3 expiries since Mon 10:10
      Mon 10:40 r rings, 4 expiries since Mon 10:10
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
  func `A ring outlives clocks, zones and restarts`(_ row: RingCase) { row.check() }

  // Rules 3, 5 to 7, 9, 11 and 12.
  static let answers = RingCase.table(
    """
    6:55, alarm a daily 7:00 --insist 5min, wait 6min, reboot 1h, list a
      Mon 7:00 a rings | Mon 8:01 a goes quiet
      Mon 8:01 a insists, due Mon 7:15, 46 min late by reboot
      a: running; next Tue 7:00; ringing, due Mon 7:00
    6:55, alarm a daily 7:00 --insist 5min, wait 16min, sleep until tomorrow 7:20
      Mon 7:00 a rings | Mon 7:10 a goes quiet
      Tue 7:20 a rings, due Tue 7:00, 20 min late by sleep, 2 expiries since Mon 7:00
    10:00, start tea 4min --insist 1d --late 2min, wait 6min, sleep until tomorrow 11:00, \
    list tea
      \(teaRang) | Tue 11:00 tea stays quiet, due Tue 10:05, 55 min late by sleep
      tea: over; unanswered, due Mon 10:04
    10:00, start t 4min --ring-for 0s, wait 5min, list t
      Mon 10:04 t rings | t: over; unanswered, due Mon 10:04
    6:55, alarm a daily 7:00, wait 6min, snooze a 2d, pause a, wait until tomorrow 7:05, \
    resume a
      Mon 7:00 a rings | Tue 7:05 a joins, due Tue 7:00, 5 min late by paused
    \(tea), wait 5min, snooze tea 5min, start tea 10min --replace, list tea, wait 6min
      \(teaRang) | tea: running; next Mon 10:15
    # A miss is shown beside the ring until the timer rings again, or somebody dismisses both.
    6:55, alarm up daily 7:00 --late 1min, wait 6min, sleep until tomorrow 7:05, \
    wait until tomorrow 7:01, list up
      Mon 7:00 up rings | Tue 7:05 up goes quiet
      Tue 7:05 up does not ring, due Tue 7:00, 5 min late by sleep
      Wed 7:00 up rings, 2 expiries since Mon 7:00
      up: running; next Thu 7:00; ringing, due Wed 7:00; 2 expiries since Mon 7:00
    7:55, alarm c daily 8:00 --late 1min, wait 10min, sleep until tomorrow 8:05, dismiss c, \
    list c
      Mon 8:00 c rings | Tue 8:05 c goes quiet
      Tue 8:05 c does not ring, due Tue 8:00, 5 min late by sleep | c: running; next Wed 8:00
    6:55, alarm a daily 7:00 --rounds 2 --late 1min, wait 10min, sleep until tomorrow 9:00, \
    list a
      Mon 7:00 a rings | Tue 9:00 a goes quiet
      Tue 9:00 a does not ring, due Tue 7:00, 2 h late by sleep
      a: over; unanswered, due Mon 7:00; missed, due Tue 7:00, 2 h late
    6:55, alarm a daily 7:00 --late skip, pause a, wait until 8:00, step +1h, wait until 9:05, \
    resume a, wait until tomorrow 7:01
      Mon 9:05 a does not ring, due Mon 7:00, 2 h 5 min late by paused | Tue 7:00 a rings
    # A timer that is over stays while it is snoozed or insists, and a day after it last rang.
    \(tea), wait 5min, snooze tea 2d, wait 30h, list tea
      \(teaRang) | tea: over; snoozed until Wed 10:05, due Mon 10:04
    \(tea) --insist 1d, wait 25h, list tea
      \(teaRang)
      Tue 10:05 tea insists | Tue 10:06 tea goes quiet | tea: over; unanswered, due Mon 10:04
    \(tea), wait 5min, snooze tea 20h, wait until Wed 6:00, list tea, wait 10min, list tea
      \(teaRang)
      Tue 6:05 tea rings again | Tue 6:06 tea goes quiet | tea: over; unanswered, due Mon 10:04
      tea: is not there
    # An answer by number ends the ring that it saw, or nothing.
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
  func `A ring ends only by what ends it`(_ row: RingCase) { row.check() }

  // Rule 13.
  static let undos = RingCase.table(
    """
    6:55, alarm a daily 7:00, wait 6min, dismiss a, list a, undo, list a, wait 20min
      Mon 7:00 a rings | a: running; next Tue 7:00
      a: running; next Tue 7:00; unanswered, due Mon 7:00
    10:00, start tea 4min --late skip, wait 4min, snooze tea 30s, dismiss tea, wait 50s, undo
      Mon 10:04 tea rings | Mon 10:04:50 tea rings again, due Mon 10:04:30, 20 s late by undone
    10:00, start r 30s --repeat, wait 31s, dismiss r, wait 30s, undo
      Mon 10:00:30 r rings | Mon 10:01 r rings | Mon 10:01:01 refused: undo
    # While it sounds, the insist is still to be counted from the end of the sound.
    6:55, alarm a daily 7:00 --insist 5min, wait 6min, stop a, undo, wait 15min, list a
      Mon 7:00 a rings | Mon 7:15 a insists | a: running; next Tue 7:00; ringing, due Mon 7:00
    # A pause does not change the ring, so its undo does not, either.
    10:00, start r 10min --repeat, wait 10min, snooze r 20s, pause r, wait 30s, undo, list r
      Mon 10:10 r rings | Mon 10:10:20 r rings again
      r: running; next Mon 10:20; ringing, due Mon 10:10
    6:55, alarm a daily 7:00, wait 6min, dismiss a, restart a, undo, step -10min, wait 15min
      Mon 7:00 a rings
    # The skipped expiry keeps the number 2, so the answer is not about the expiry of 10:20.
    10:00, start r 10min --repeat, wait 10min, dismiss r, skip r, undo, undo, wait 10min, \
    answer stop r 2, list r
      Mon 10:10 r rings | Mon 10:20 r rings, 2 expiries since Mon 10:10
      r: running; next Mon 10:30; unanswered, due Mon 10:20; 2 expiries since Mon 10:10
    """)

  @Test(arguments: undos)
  func `Undo brings back a ring as it was, without its sound`(_ row: RingCase) { row.check() }

  /// The model shares `Limits.joined` with the engine, so only this has the number.
  @Test func `A ring remembers the last 64 expiries that can leave it`() throws {
    let script = RingScript("10:00, start r 1s --repeat, wait 2s, snooze r 5min, wait 100s")
    let stage = RingModelStage(startUsec: script.startUsec)
    _ = script.play(on: stage)
    let ring = try #require(stage.model.world.timers.all.first?.ring)
    #expect(ring.expiries == 102)
    #expect(ring.joined.map(\.number) == Array(39...102))
  }
}
