import NightjarTestSupport
import Testing

/// Scripts in which an alarm or a repetition skips rings, leaves out days or has a last day,
/// through reboots and wrong clocks. They begin on a Monday at 10:00 with a right clock.
@Suite(.blocking) struct SkipScriptTests {
  private static let skips = PlayedScript.table(
    """
    skipped, and a boot ahead that is set right within the minute
      alarm al '*-*-* 9:30'; skip al; reboot 1min --clock-off +2d; wait 20s; sync
      wait until 2026-11-24 12:00
      rings 0: al\trunning\t21:30:00\tWed 25 Nov 09:30:00
    skipped, and a boot ahead by whose clock the ring behind it rang
      alarm al '*-*-* 9:30'; skip al; reboot 1min --clock-off +2d; wait 2h; sync
      rings 1: al\trunning\t69:29:00\tThu 26 Nov 09:30:00\trang Wed 09:30, unanswered, 1 d 23 h \
    28 min early: the clock was ahead
    skipped, and a boot behind
      alarm al '*-*-* 9:30'; skip al; reboot 1min --clock-off -3d; wait 1h; sync
      wait until 2026-11-24 12:00
      rings 0: al\trunning\t21:30:00\tWed 25 Nov 09:30:00
    skipped, and the clock set past it and back by hand
      alarm al '*-*-* 9:30'; skip al; step +1d; step -1d
      rings 0: al\trunning\t47:30:00\tWed 25 Nov 09:30:00
    skipped twice, and one of them taken back behind a reboot
      alarm al '*-*-* 9:30'; skip al; skip al; reboot 1min; skip al --undo
      rings 0: al\trunning\t47:29:00\tWed 25 Nov 09:30:00
    skipped, and the machine is taken to the west
      zone Europe/Berlin; alarm al '*-*-* 9:30'; skip al; zone Europe/London
      rings 0: al\trunning\t47:30:00\tWed 25 Nov 09:30:00
    skipped, and the machine is taken to the east
      alarm al '*-*-* 9:30'; skip al; zone Asia/Tokyo
      rings 0: al\trunning\t38:30:00\tWed 25 Nov 09:30:00
    skipped, and taken back in another zone
      alarm al '*-*-* 9:30'; skip al; zone Asia/Tokyo; skip al --undo
      rings 0: al\trunning\t14:30:00\tTue 24 Nov 09:30:00
    skipped in a zone of its own
      alarm al '*-*-* 9:30' --zone Asia/Tokyo; skip al; zone Europe/London
      rings 0: al\trunning\t38:30:00\tWed 25 Nov 00:30:00
    skipped, and its calendar gets another zone
      alarm al '*-*-* 9:30 Asia/Tokyo'; skip al; edit al '*-*-* 9:30 Europe/Berlin'
      rings 0: al\trunning\t46:30:00\tWed 25 Nov 08:30:00
    skipped and slept through
      alarm al '*-*-* 9:30'; skip al; crash 5s; sleep until 2026-11-24 12:00
      rings 0: al\trunning\t21:30:00\tWed 25 Nov 09:30:00
    skipped, the first of three of which each is to ring, while the machine is off
      alarm al '*-*-* 9:30' --missed each; skip al; reboot 3d
      rings 2: al\trunning\t23:30:00\tFri 27 Nov 09:30:00\tringing, due 09:30, 30 min late: the \
    machine was rebooted, 2 expiries since Wed 09:30
    a round of a repetition skipped, and a boot ahead of it
      start cd 45min --repeat; skip cd; reboot 2min --clock-off +2h; sync
      rings 0: cd\trunning\t01:28:00
    a round of a repetition skipped, which rang by a clock that was ahead
      start cd 45min --repeat; skip cd; reboot 2min --clock-off +2h; wait 2min; sync
      wait until 11:29
      rings 1: cd\trunning\t01:00
    """)

  private static let days = PlayedScript.table(
    """
    days that are left out, and a boot that shows the last of them
      alarm al '*-*-* 9:30' --except 2026-11-24..2026-11-26; reboot 1min --clock-off +3d
      wait 2min; sync; wait until 2026-11-25 12:00
      rings 0: al\trunning\t45:30:00\tFri 27 Nov 09:30:00
    days that are left out, and a boot that shows one behind them
      alarm al '*-*-* 9:30' --except 2026-11-24..2026-11-26; reboot 1min --clock-off +5d
      wait 2min; sync
      rings 1: al\trunning\t95:27:00\tFri 27 Nov 09:30:00\tringing, due Sat 09:30, 4 d 23 h 28 \
    min early: the clock was ahead
    days that are left out while the clock is ahead
      alarm al '*-*-* 9:30'; reboot 1min --clock-off +2d; wait 10s; update al --except 2026-11-24
      sync
      rings 0: al\trunning\t47:28:50\tWed 25 Nov 09:30:00
    days that are left out where the machine is then
      alarm al '*-*-* 9:30' --except 2026-11-24; zone Asia/Tokyo
      rings 0: al\trunning\t38:30:00\tWed 25 Nov 09:30:00
    a last day that a clock was behind, and is ahead of again within the minute
      alarm al '*-*-* 9:30' --until 2026-11-25; reboot 1min --clock-off +10d; wait 20s; sync
      rings 0: al\trunning\t23:28:40\tTue 24 Nov 09:30:00
    a last day that a clock was behind for longer: what has ended stays so
      alarm al '*-*-* 9:30' --until 2026-11-25; reboot 1min --clock-off +10d; wait 2min; sync
      rings 1: al\tover\t00:00\t\tringing, due Wed 09:30, 1 d 23 h 28 min early: the clock was ahead
    a last day, with the clock right
      alarm al '*-*-* 9:30' --until 2026-11-25; reboot 1d; wait 30h
      rings 2: al\tover\t00:00\t\trang 09:30, unanswered, 2 expiries since Tue 09:30
    """)

  @Test(arguments: skips + days)
  private func `Skipped rings do not ring, whatever the clock shows`(script: PlayedScript) throws {
    try script.check(at: "2026-11-23 10:00 UTC")
  }

  @Test(
    arguments: PlayedScript.table(
      """
      an hour that occurs twice
        zone Europe/Berlin; alarm al '*:00'; skip al; step -5min
        rings 0: al\trunning\t01:20:00\t
      """))
  func `A skip applies to the occurrence that was skipped`(script: PlayedScript) throws {
    try script.check(at: "2026-10-24 23:45 UTC")
  }

  @Test func `A day for update is read in the script's time, and printed with the event`() throws {
    let lines = try RehearsedScript().sentences(
      """
      at 2026-11-23 10:00 UTC
      alarm al '*-*-* 9:30' --except 2026-12-24,2026-12-26
      wait 3d
      update al --until tomorrow
      edit al --without except
      """)
    let days = "except 2026-12-24, 2026-12-26"
    #expect(
      lines.filter { $0.contains("started") || $0.contains("updated") } == [
        "+0:00:00 al: started an alarm: daily 09:30, \(days), first Tue 24 Nov 09:30",
        "+3d 00:00:00 al: updated: daily 09:30 until 2026-11-27, \(days)",
        "+3d 00:00:00 al: updated: daily 09:30 until 2026-11-27",
      ], "\(lines.joined(separator: "\n"))")
  }
}
