import Testing

/// What scripts with wrong clocks come to: the table of the rules for them, from a Monday at 10:00 at which
/// the clock is right.
@Suite struct WrongClockScriptTests {
  struct Script: CustomStringConvertible, Sendable {
    var description: String
    var lines: String
    /// Part of what `list` prints of the timer in the end.
    var end: String
    /// How often it rings in all.
    var rings = 0
  }

  static let scripts = [
    Script(
      description: "two boots behind, started before both",
      lines: """
        start cd 8h
        reboot 1min --clock-off -3d
        wait 5min
        reboot 1min --clock-off -3d
        sync
        wait 6h
        """, end: "cd\trunning\t01:53:00"),
    Script(
      description: "two boots behind, started between them",
      lines: """
        reboot 1min --clock-off -3d
        start cd 8h
        wait 5min
        reboot 1min --clock-off -3d
        sync
        wait 6h
        """, end: "cd\trunning\t01:54:50"),
    Script(
      description: "a boot ahead, set right within the minute",
      lines: "start cd 8h\nreboot 1min --clock-off +2d\nwait 20s\nsync",
      end: "cd\trunning\t07:58:40"),
    Script(
      description: "a boot ahead, set right after two hours",
      lines: "start cd 8h\nreboot 1min --clock-off +2d\nwait 2h\nsync",
      end: "cd\tfired\t00:00\trang 1 h ago, 7 h 58 min early", rings: 1),
    Script(
      description: "a boot behind, set right by hand and vouched for later",
      lines: """
        start cd 8h
        reboot 2h --clock-off -3d
        wait 1min
        step +3d
        wait 3h
        sync
        """, end: "cd\trunning\t02:59:00"),
    Script(
      description: "two boots with a clock that is right",
      lines: "reboot 12h\nstart cd 20h\nwait 1h\nreboot 12h\nsync", end: "cd\trunning\t07:00:00"),
    Script(
      description: "set by hand before a boot",
      lines: "start cd 8h\nstep +1d\nreboot 1min\nsync", end: "cd\trunning\t07:59:00"),
    Script(
      description: "a snooze over two boots",
      lines: """
        start cd 1s
        wait 1s
        snooze cd 8h
        reboot 1min --clock-off +2h
        reboot 1min --clock-off -2h
        sync
        """, end: "cd\trunning\t07:58:00", rings: 1),
    Script(
      description: "a stopwatch over two boots",
      lines: "stopwatch sw\nreboot 1min --clock-off +2d\nreboot 1min --clock-off -2d\nsync",
      end: "sw\trunning\t02:00"),
    Script(
      description: "a countdown on the wall clock",
      lines: "start cd 8h --clock wall\nreboot 1min --clock-off +2d\nsync",
      end: "cd\trunning\t07:59:00"),
    Script(
      description: "an alarm, and a boot ahead of it",
      lines: "alarm al 11:30\nreboot 1min --clock-off +2h\nwait 20s\nsync\nwait until 11:30:01",
      end: "al\tfired\t00:00\trang ", rings: 1),
    Script(
      description: "an alarm of each week, and a boot years behind",
      lines: "alarm al 'Mon *-*-* 9:30'\nreboot 1min --clock-off -3000d\nsync",
      end: "al\trunning\t167:29:00\tMon 30 Nov 09:30:00"),
    Script(
      description: "a repetition, and a boot ahead",
      lines: "start cd 45min --repeat\nreboot 2min --clock-off +2h\nsync",
      end: "cd\trunning\t43:00"),
    Script(
      description: "a sequence, and a boot ahead",
      lines: "sequence cd a=25min b=5min\nreboot 2min --clock-off +2h\nsync",
      end: "cd\trunning\t23:00"),
    Script(
      description: "an alarm of each day, set by hand for months and back",
      lines: "alarm al '*-*-* 9:30'\nstep +100d\nwait 3d\nstep -103d",
      end: "al\trunning\t23:30:00\tTue 24 Nov 09:30:00", rings: 4),
    Script(
      description: "a repetition that rang by a clock that was months ahead",
      lines: "start cd 45min --repeat\nreboot 2min --clock-off +300d\nwait 3min\nsync",
      end: "cd\trunning\t40:00", rings: 1),
    Script(
      description: "each missed ring of a week, and a boot years behind",
      lines: """
        alarm al 'Mon *-*-* 9:30' --missed each
        reboot 1min --clock-off -3000d
        wait 1h
        sync
        """,
      end: "al\trunning\t166:29:00\tMon 30 Nov 09:30:00"),
    Script(
      description: "set a year ahead by hand, and back",
      lines: "alarm al '*-*-* 9:30'\nstep +365d\nstep -365d",
      end: "al\trunning\t23:30:00\tTue 24 Nov 09:30:00", rings: 1),
  ]

  @Test(arguments: scripts)
  func `A wrong clock at a boot neither rings early nor loses time`(_ script: Script) throws {
    let lines = try RehearsedScript().sentences(
      "at 2026-11-23 10:00 UTC\n\(script.lines)\nlist\n")
    #expect(lines.contains { $0.hasPrefix(script.end) }, "\(lines.joined(separator: "\n"))")
    #expect(lines.count { $0.contains(": rang") } == script.rings)
  }
}
