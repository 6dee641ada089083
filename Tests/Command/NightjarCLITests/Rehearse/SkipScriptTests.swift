import Testing

/// Scripts in which an alarm or a repetition skips rings, leaves out days or has a last day,
/// through reboots and wrong clocks. They begin on a Monday at 10:00 with a right clock.
@Suite struct SkipScriptTests {
  private typealias Script = WrongClockScriptTests.Script

  private static let skips = [
    Script(
      description: "skipped, and a boot ahead that is set right within the minute",
      lines: """
        alarm al '*-*-* 9:30'
        skip al
        reboot 1min --clock-off +2d
        wait 20s
        sync
        wait until 2026-11-24 12:00
        """, end: "al\trunning\t21:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped, and a boot ahead by whose clock the ring behind it rang",
      lines: """
        alarm al '*-*-* 9:30'
        skip al
        reboot 1min --clock-off +2d
        wait 2h
        sync
        """, end: "al\tringing\t69:29:00\tThu 26 Nov 09:30:00", rings: 1),
    Script(
      description: "skipped, and a boot behind",
      lines: """
        alarm al '*-*-* 9:30'
        skip al
        reboot 1min --clock-off -3d
        wait 1h
        sync
        wait until 2026-11-24 12:00
        """, end: "al\trunning\t21:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped, and the clock set past it and back by hand",
      lines: "alarm al '*-*-* 9:30'\nskip al\nstep +1d\nstep -1d",
      end: "al\trunning\t47:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped twice, and one of them taken back behind a reboot",
      lines: "alarm al '*-*-* 9:30'\nskip al\nskip al\nreboot 1min\nskip al --undo",
      end: "al\trunning\t47:29:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped, and the machine is taken to the west",
      lines: "zone Europe/Berlin\nalarm al '*-*-* 9:30'\nskip al\nzone Europe/London",
      end: "al\trunning\t47:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped, and the machine is taken to the east",
      lines: "alarm al '*-*-* 9:30'\nskip al\nzone Asia/Tokyo",
      end: "al\trunning\t38:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped, and taken back in another zone",
      lines: "alarm al '*-*-* 9:30'\nskip al\nzone Asia/Tokyo\nskip al --undo",
      end: "al\trunning\t14:30:00\tTue 24 Nov 09:30:00"),
    Script(
      description: "skipped in a zone of its own",
      lines: "alarm al '*-*-* 9:30' --zone Asia/Tokyo\nskip al\nzone Europe/London",
      end: "al\trunning\t38:30:00\tWed 25 Nov 00:30:00"),
    Script(
      description: "skipped, and its calendar gets another zone",
      lines: """
        alarm al '*-*-* 9:30 Asia/Tokyo'
        skip al
        update al --calendar '*-*-* 9:30 Europe/Berlin'
        """, end: "al\trunning\t46:30:00\tWed 25 Nov 08:30:00"),
    Script(
      description: "skipped and slept through",
      lines: "alarm al '*-*-* 9:30'\nskip al\ncrash 5s\nsleep until 2026-11-24 12:00",
      end: "al\trunning\t21:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "skipped, the first of three of which each is to ring, while the machine is off",
      lines: "alarm al '*-*-* 9:30' --missed each\nskip al\nreboot 3d",
      end: "al\tringing\t23:30:00\tFri 27 Nov 09:30:00", rings: 2),
    Script(
      description: "a round of a repetition skipped, and a boot ahead of it",
      lines: "start cd 45min --repeat\nskip cd\nreboot 2min --clock-off +2h\nsync",
      end: "cd\trunning\t01:28:00"),
    Script(
      description: "a round of a repetition skipped, which rang by a clock that was ahead",
      lines: """
        start cd 45min --repeat
        skip cd
        reboot 2min --clock-off +2h
        wait 2min
        sync
        wait until 11:29
        """, end: "cd\tringing\t01:00", rings: 1),
  ]

  private static let days = [
    Script(
      description: "days that are left out, and a boot that shows the last of them",
      lines: """
        alarm al '*-*-* 9:30' --except 2026-11-24..2026-11-26
        reboot 1min --clock-off +3d
        wait 2min
        sync
        wait until 2026-11-25 12:00
        """, end: "al\trunning\t45:30:00\tFri 27 Nov 09:30:00"),
    Script(
      description: "days that are left out, and a boot that shows one behind them",
      lines: """
        alarm al '*-*-* 9:30' --except 2026-11-24..2026-11-26
        reboot 1min --clock-off +5d
        wait 2min
        sync
        """, end: "al\tringing\t95:27:00\tFri 27 Nov 09:30:00", rings: 1),
    Script(
      description: "days that are left out while the clock is ahead",
      lines: """
        alarm al '*-*-* 9:30'
        reboot 1min --clock-off +2d
        wait 10s
        update al --except 2026-11-24
        sync
        """, end: "al\trunning\t47:28:50\tWed 25 Nov 09:30:00"),
    Script(
      description: "days that are left out where the machine is then",
      lines: "alarm al '*-*-* 9:30' --except 2026-11-24\nzone Asia/Tokyo",
      end: "al\trunning\t38:30:00\tWed 25 Nov 09:30:00"),
    Script(
      description: "a last day that a clock was behind, and is ahead of again within the minute",
      lines: """
        alarm al '*-*-* 9:30' --until 2026-11-25
        reboot 1min --clock-off +10d
        wait 20s
        sync
        """, end: "al\trunning\t23:28:40\tTue 24 Nov 09:30:00"),
    Script(
      description: "a last day that a clock was behind for longer: what has ended stays so",
      lines: """
        alarm al '*-*-* 9:30' --until 2026-11-25
        reboot 1min --clock-off +10d
        wait 2min
        sync
        """, end: "al\tfired\t", rings: 1),
    Script(
      description: "a last day, with the clock right",
      lines: "alarm al '*-*-* 9:30' --until 2026-11-25\nreboot 1d\nwait 30h",
      end: "al\tfired\t", rings: 2),
  ]

  @Test(arguments: skips + days)
  private func `Skipped rings do not ring, whatever the clock shows`(
    _ script: WrongClockScriptTests.Script
  ) throws {
    try script.check()
  }

  @Test func `If an hour occurs twice, a skip applies to the occurrence that was skipped`() throws {
    let lines = try RehearsedScript().sentences(
      "at 2026-10-24 23:45 UTC\nzone Europe/Berlin\nalarm al '*:00'\nskip al\nstep -5min\nlist\n")
    #expect(
      lines.contains { $0.hasPrefix("al\trunning\t01:20:00\t") }, "\(lines.joined(separator: "\n"))"
    )
  }

  @Test func `A day for update is read in the script's time, and printed with the event`() throws {
    let lines = try RehearsedScript().sentences(
      """
      at 2026-11-23 10:00 UTC
      alarm al '*-*-* 9:30' --except 2026-12-24,2026-12-26
      wait 3d
      update al --until tomorrow
      update al --no-except
      """)
    let days = "except 2026-12-24, 2026-12-26"
    #expect(
      lines.filter { $0.contains("started") || $0.contains("updated") } == [
        "+0:00:00 al: started an alarm: daily 09:30, \(days), first Tue 24 Nov 09:30:00",
        "+3d 00:00:00 al: updated: daily 09:30 until 2026-11-27, \(days)",
        "+3d 00:00:00 al: updated: daily 09:30 until 2026-11-27",
      ], "\(lines.joined(separator: "\n"))")
  }
}
