import NightjarTestSupport
import Testing

/// Scripts with wrong clocks: a table of the rules for them. They begin on a Monday at 10:00 with a
/// right clock.
@Suite(.blocking) struct WrongClockScriptTests {
  struct Script: CustomStringConvertible, Sendable {
    var description: String
    var lines: String
    /// A part of the last output of `list` for the timer.
    var end: String
    /// The total number of rings.
    var rings = 0

    func check() throws {
      let lines = try RehearsedScript().sentences("at 2026-11-23 10:00 UTC\n\(self.lines)\nlist\n")
      #expect(lines.contains { $0.hasPrefix(end) }, "\(lines.joined(separator: "\n"))")
      #expect(lines.count { $0.contains(": rang") } == rings, "\(lines.joined(separator: "\n"))")
    }
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
      description: "two boots whose errors cancel out, and a step",
      lines: """
        reboot 4h --clock-off -2h
        step +1d
        start cd 8h
        reboot 1h --clock-off +2h
        sync
        """, end: "cd\trunning\t07:59:50"),
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
      end: "al\tringing\t23:30:00\tTue 24 Nov 09:30:00", rings: 4),
    Script(
      description: "a repetition that rang by a clock that was months ahead",
      lines: "start cd 45min --repeat\nreboot 2min --clock-off +300d\nwait 3min\nsync",
      end: "cd\tringing\t40:00", rings: 1),
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
      description: "rings by a clock that is ahead, with others passed over between them",
      lines: """
        reboot 1min --clock-off +19h
        alarm al '*-*-* 6:00' --missed each
        wait 2h
        step +3d
        step -3d
        sync
        """,
      end: "al\tringing\t17:59:00\tTue 24 Nov 06:00:00", rings: 2),
    Script(
      description: "due while its band waits for the clock",
      lines: """
        start cd 3h --clock wall --band 1h=soon
        reboot 1min --clock-off +100min
        crash until 12:59:30
        wait 70s
        """,
      end: "cd\tfired\t00:00\trang 10 s ago, 30 s late: the machine was rebooted", rings: 1),
    Script(
      description: "shortened while it waits for the clock",
      lines: """
        start cd 8h
        reboot 1min --clock-off +2d
        wait 10s
        shorten cd 10min
        wait 10s
        sync
        """,
      end: "cd\trunning\t07:48:40"),
    Script(
      description: "extended while it waits for the clock",
      lines: """
        start cd 8h
        reboot 1min --clock-off +2d
        wait 10s
        extend cd 5min
        wait 10s
        sync
        """,
      end: "cd\trunning\t08:03:40"),
    Script(
      description: "overdue by the clock, with a band to come",
      lines: """
        start cd 60s --clock wall --band 59s=soon
        reboot 1s --clock-off +1h
        wait 45s
        """,
      end: "cd\trunning\t00:00\tdue by a clock that may be wrong"),
    Script(
      description: "missed before a boot behind, and dealt with",
      lines: "alarm al '*-*-* 9:30'\nsleep 5d\nreboot 1min --clock-off -4d\nsync",
      end: "al\tringing\t23:29:00\tSun 29 Nov 09:30:00", rings: 1),
    Script(
      description: "begun anew by a clock that is ahead",
      lines: "start cd 8h\nreboot 1min --clock-off +2d\nrestart cd\nwait 20s\nsync",
      end: "cd\trunning\t07:59:40"),
    Script(
      description: "rounds that a clock ahead counted come back behind a snooze",
      lines: """
        start cd 45min --repeat
        reboot 2min --clock-off +300d
        wait 3min
        snooze cd 10min
        sync
        wait 11min
        show cd
        """,
      end: "Repeats:   every 45 min; 0 rounds over", rings: 2),
    Script(
      description: "started by a clock ahead, and its time passes before the clock is right",
      lines: "reboot 1min --clock-off +2h\nalarm al '*-*-* 10:20'\nwait 40min\nsync",
      end: "al\tringing\t23:39:00\tTue 24 Nov 10:20:00", rings: 1),
    Script(
      description: "set right by hand while an alarm waits",
      lines: "alarm al 11:30\nreboot 1min --clock-off +2h\nstep -2h",
      end: "al\trunning\t01:29:00\t11:30:00"),
    Script(
      description: "a repetition in a snooze, started by a clock that is ahead",
      lines: """
        reboot 1min --clock-off +2h
        start cd 45min --repeat
        wait 45min
        snooze cd 10min
        sync
        wait 10min
        """,
      end: "cd\tringing\t35:00", rings: 2),
    Script(
      description: "set a year ahead by hand, and back",
      lines: "alarm al '*-*-* 9:30'\nstep +365d\nstep -365d",
      end: "al\tringing\t23:30:00\tTue 24 Nov 09:30:00", rings: 1),
    Script(
      description: "paused in doubt, and set right meanwhile",
      lines:
        "start cd 8h\nreboot 1min --clock-off +2d\nwait 10s\npause cd\nwait 10s\nsync\nresume cd",
      end: "cd\trunning\t07:58:50"),
    Script(
      description: "paused in doubt, and resumed before the clock is set right",
      lines:
        "start cd 8h\nreboot 1min --clock-off +2d\nwait 10s\npause cd\nwait 10s\nresume cd\nsync",
      end: "cd\trunning\t07:58:50"),
    Script(
      description: "paused by a clock that is behind",
      lines: "start cd 8h\nreboot 2h --clock-off -3d\nwait 10s\npause cd\nwait 1h\nsync",
      end: "cd\tpaused\t05:59:50"),
    Script(
      description: "a snooze, paused in doubt",
      lines: """
        start cd 1s
        wait 1s
        snooze cd 8h
        reboot 1min --clock-off +2d
        wait 10s
        pause cd
        sync
        resume cd
        """, end: "cd\trunning\t07:58:50", rings: 1),
    Script(
      description: "a repetition, paused in doubt",
      lines: """
        start cd 45min --repeat
        reboot 1min --clock-off +2d
        wait 10s
        pause cd
        sync
        resume cd
        """, end: "cd\trunning\t43:50"),
    Script(
      description: "a sequence, paused in doubt",
      lines: """
        sequence cd a=25min b=5min
        reboot 1min --clock-off +2d
        wait 10s
        pause cd
        sync
        resume cd
        """, end: "cd\trunning\t23:50"),
    Script(
      description: "a repetition, paused in a round that a clock ahead had begun",
      lines: """
        start cd 45min --repeat
        reboot 1min --clock-off +2d
        wait 2min
        pause cd
        sync
        resume cd
        """, end: "cd\trunning\t42:00", rings: 1),
    Script(
      description: "a stopwatch, paused in doubt",
      lines: "stopwatch sw\nreboot 1min --clock-off +2d\nwait 10s\npause sw\nsync",
      end: "sw\tpaused\t01:10"),
    Script(
      description: "a countdown on the wall clock, paused in doubt",
      lines: """
        start cd 8h --clock wall
        reboot 1min --clock-off +2d
        wait 10s
        pause cd
        sync
        resume cd
        """, end: "cd\trunning\t07:58:50"),
    Script(
      description: "paused between two boots behind, and not early",
      lines: """
        start cd 8h
        reboot 1min --clock-off -3d
        wait 5min
        pause cd
        reboot 2h --clock-off -3d
        resume cd
        sync
        """, end: "cd\trunning\t07:54:50"),
    Script(
      description: "a repetition on the wall clock, and a boot years ahead",
      lines:
        "start cd 45min --clock wall --repeat\nreboot 1min --clock-off +1800d\nwait 2min\nsync",
      end: "cd\tringing\t42:00", rings: 1),
    Script(
      description: "a repetition on the wall clock, set a year ahead by hand and back",
      lines: "start cd 45min --clock wall --repeat\nstep +365d\nwait 5min\nstep -365d\nwait 41min",
      end: "cd\tringing\t44:00", rings: 2),
    Script(
      description: "a sequence on the wall clock, set a year ahead by hand and back",
      lines: """
        sequence cd a=25min b=5min --loop forever --clock wall
        step +365d
        wait 5min
        step -365d
        """, end: "cd\tringing\t20:00"),
    Script(
      description: "a repetition on the wall clock that rang, and the clock is set back",
      lines: "start cd 45min --clock wall --repeat\nwait 100min\nstep -1h",
      end: "cd\tringing\t01:35:00", rings: 2),
    Script(
      description: "set right by hand before the clock is vouched for",
      lines: """
        start cd 3h --band 1h=soon
        reboot 1min --clock-off +130min
        wait 10s
        step -130min
        wait 10s
        sync
        """, end: "cd\trunning\t02:58:40"),
    Script(
      description:
        "a countdown on the wall clock, paused in doubt, and the clock comes right by a boot",
      lines: """
        start cd 8h --clock wall
        reboot 1min --clock-off +2d
        wait 10s
        pause cd
        reboot 1min --clock-off -2d
        resume cd
        wait 10s
        sync
        """,
      end: "cd\trunning\t07:59:30"),
    Script(
      description: "a countdown on the wall clock stays as it is paused",
      lines: """
        start cd 8h --clock wall
        reboot 1min --clock-off -2h
        wait 10s
        pause cd
        sync
        wait 1h
        reboot 1min --clock-off -10h
        sync
        resume cd
        """,
      end: "cd\trunning\t07:58:50"),
    Script(
      description: "a countdown on the wall clock, paused, and the clock is set by hand",
      lines: """
        start cd 8h --clock wall
        reboot 1min --clock-off -2h
        wait 10s
        pause cd
        sync
        step +1d
        resume cd
        """,
      end: "cd\trunning\t07:58:50"),
    Script(
      description: "a countdown on the wall clock, set and paused in the same boot",
      lines: """
        reboot 1min --clock-off -3d
        start cd 8h --clock wall
        wait 10s
        pause cd
        sync
        resume cd
        """,
      end: "cd\trunning\t07:59:50"),
    Script(
      description: "an alarm, paused and resumed while it is due in doubt",
      lines: """
        alarm al 11:30 --late skip
        reboot 1min --clock-off +2h
        wait 5s
        pause al
        wait 5s
        resume al
        wait 5s
        sync
        wait until 11:31
        """,
      end: "al\tfired\t00:00\trang ", rings: 1),
    Script(
      description: "a repetition, paused between two boots, and snoozed",
      lines: """
        start cd 7h --repeat
        reboot 1min --clock-off -3d
        wait 5min
        pause cd
        reboot 1h --clock-off -3d
        resume cd
        wait 7h
        snooze cd 10min
        wait 11min
        sync
        """,
      end: "cd\tringing\t06:43:50", rings: 2),
    Script(
      description: "a sequence that a sleep pauses behind a boot in doubt",
      lines: """
        sequence cd a=25min b=5min --after-sleep pause
        reboot 1min --clock-off +3min
        wait 10s
        sleep 1h
        sync
        resume cd
        """,
      end: "cd\trunning\t23:50"),
    Script(
      description: "a step on the wall clock that waited, and the clock is set back a little",
      lines: """
        sequence cd a=25min b=5min --wait-after a --clock wall
        wait 30min
        advance cd
        wait 1s
        step -2s
        wait 10s
        """,
      end: "cd\trunning\t04:51"),
    Script(
      description:
        "a step on the wall clock that the user began, and the clock is set back a little",
      lines: """
        sequence cd a=25min b=5min --clock wall
        wait 5min
        advance cd
        wait 1s
        step -2s
        wait 10s
        """,
      end: "cd\trunning\t04:51"),
    Script(
      description:
        "a round on the wall clock, resumed at its beginning, and the clock is set back a little",
      lines: """
        start cd 5min --repeat --clock wall
        wait 5min
        pause cd
        wait 1min
        resume cd
        step -2s
        wait 10s
        """,
      end: "cd\trunning\t04:52", rings: 1),
    Script(
      description: "a round on the wall clock behind a snooze, and the clock is set back a little",
      lines: """
        start cd 5min --repeat --clock wall
        wait 5min
        snooze cd 5min
        wait 5min
        wait 1s
        step -2s
        wait 10s
        """,
      end: "cd\tringing\t04:51", rings: 2),
    Script(
      description: "short rounds on the wall clock do not ring twice",
      lines: """
        start cd 500ms --clock wall --repeat
        wait 10s
        step -5s
        wait 4s
        """,
      end: "cd\tringing\t00:02", rings: 20),
    Script(
      description:
        "paused between a boot ahead and another, and resumed before the clock is set right",
      lines: """
        start cd 8h
        reboot 1min --clock-off +2h
        wait 10s
        pause cd
        reboot 2h
        resume cd
        sync
        """,
      end: "cd\trunning\t07:59:40"),
    Script(
      description: "a stopwatch, paused between two boots",
      lines: """
        stopwatch sw
        reboot 1min --clock-off -2d
        wait 10s
        pause sw
        reboot 1h --clock-off +1d
        resume sw
        wait 10s
        sync
        """,
      end: "sw\trunning\t00:30"),
    Script(
      description: "boots in doubt long after such a pause are corrected to the second",
      lines: """
        start cd 30d
        reboot 1min --clock-off -3d
        wait 5min
        pause cd
        reboot 1min --clock-off -3d
        sync
        resume cd
        wait 1h
        reboot 2h --clock-off -3d
        reboot 2h --clock-off -3d
        sync
        """,
      end: "cd\trunning\t714:54:50"),
    Script(
      description: "no ring is early that was counted over a pause between two boots",
      lines: """
        start cd 10min
        reboot 1min --clock-off -3d
        wait 5min
        pause cd
        reboot 1min --clock-off +2d
        wait 2min
        resume cd
        wait 10min
        sync
        """,
      end: "cd\tfired\t00:00\trang 5 min ago", rings: 1),
    Script(
      description: "a band in doubt, and a pause",
      lines: """
        start cd 3h --band 1h=soon
        reboot 1min --clock-off +130min
        wait 10s
        pause cd
        sync
        """,
      end: "cd\tpaused\t02:58:50"),
    Script(
      description: "overdue when it is resumed, because the boot was longer than was counted",
      lines: """
        start cd 30min
        reboot 1h --clock-off -3d
        wait 10s
        pause cd
        sync
        resume cd
        """,
      end: "cd\tfired\t00:00\trang just now, 30 min 10 s late: the machine was rebooted", rings: 1),
    Script(
      description: "more boots than are kept apart, and a pause among them",
      lines: """
        reboot 1min --clock-off -1d
        start cd 8h
        reboot 1min --clock-off +2d
        wait 10s
        pause cd
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        reboot 1min
        resume cd
        wait 1s
        sync
        """,
      end: "cd\trunning\t07:59:"),
    Script(
      description: "a repetition on the wall clock, paused and resumed by a clock that is behind",
      lines: """
        start cd 45min --repeat --clock wall
        reboot 3h --clock-off -1h
        wait 61s
        pause cd
        resume cd
        sync
        wait 50min
        """,
      end: "cd\tringing\t38:59", rings: 3),
    Script(
      description: "a repetition on the wall clock, paused and resumed by a clock that is ahead",
      lines: """
        start cd 45min --repeat --clock wall
        reboot 1min --clock-off +2d
        wait 61s
        pause cd
        resume cd
        sync
        """,
      end: "cd\trunning\t42:59", rings: 1),
    Script(
      description: "a sequence on the wall clock, paused and resumed by a clock that is ahead",
      lines: """
        sequence cd a=25min b=5min --clock wall
        reboot 1min --clock-off +20min
        wait 5min
        pause cd
        resume cd
        sync
        """,
      end: "cd\trunning\t24:00"),
    Script(
      description:
        "a countdown on the wall clock, paused and resumed by a clock that is set by hand",
      lines: """
        start cd 8h --clock wall
        reboot 1min --clock-off +2d
        wait 1s
        pause cd
        resume cd
        step -2d
        sync
        """,
      end: "cd\trunning\t07:58:59"),
    Script(
      description: "an extended round on the wall clock, and a boot behind",
      lines: """
        start cd 45min --repeat --clock wall
        wait 46min
        extend cd 10min
        reboot 1min --clock-off -3d
        sync
        """,
      end: "cd\tringing\t53:00", rings: 1),
    Script(
      description: "an extended round on the wall clock, and the clock is set back a little",
      lines: """
        start cd 5min --repeat --clock wall
        wait 5min
        wait 1s
        extend cd 1min
        step -5s
        wait 20s
        """,
      end: "cd\tringing\t05:44", rings: 1),
    Script(
      description: "an alarm that is due in doubt, paused and resumed behind the wait",
      lines: """
        alarm al 11:30
        reboot 1min --clock-off +2h
        pause al
        wait 61s
        resume al
        """,
      end: "al\tfired\t00:00\trang just now, 32 min 1 s late: the machine was rebooted", rings: 1),
  ]

  /// `--after-sleep` takes effect when the length of the reboot is known.
  static let sequences = [
    Script(
      description: "a sequence that a reboot pauses, and a clock that is behind",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 2h --clock-off -3d
        wait 20s
        sync
        """, end: "cd\tpaused\t15:00"),
    Script(
      description: "a sequence whose step begins anew, and a clock that is behind",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep restart
        wait 10min
        reboot 2h --clock-off -3d
        wait 20s
        sync
        wait 1min
        """, end: "cd\trunning\t24:00"),
    Script(
      description: "a sequence that a short reboot does not pause, and a clock that is ahead",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 1min --clock-off +2h
        wait 20s
        sync
        """, end: "cd\trunning\t13:40"),
    Script(
      description: "a sequence that a short reboot does not begin anew, and a clock that is ahead",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep restart
        wait 10min
        reboot 1min --clock-off +2h
        wait 20s
        sync
        """, end: "cd\trunning\t13:40"),
    Script(
      description: "a step that would be over while it is not known whether it was paused",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 24min
        reboot 2h --clock-off -3d
        wait 50s
        sync
        """, end: "cd\tpaused\t01:00"),
    Script(
      description: "a sequence that waits for the clock while the daemon is restarted twice",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 2h --clock-off -3d
        wait 40s
        crash 5s
        wait 40s
        crash 5s
        wait 40s
        sync
        """, end: "cd\tpaused\t15:00"),
    Script(
      description: "a sequence that waits for the clock over a second boot",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 2h --clock-off -3d
        wait 10s
        reboot 1min --clock-off -3d
        wait 10s
        sync
        """, end: "cd\tpaused\t15:00"),
    Script(
      description: "a sequence that was set anew while it waited for the clock",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 2h --clock-off -3d
        wait 10s
        restart cd
        wait 10s
        sync
        """, end: "cd\trunning\t24:50"),
    Script(
      description: "a sequence that a sleep pauses which ends the wait for the clock",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 1min --clock-off -3d
        wait 10s
        sleep 1h
        sync
        """, end: "cd\tpaused\t13:50"),
    Script(
      description: "a sequence that goes by a clock that is ahead once that was waited for",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        reboot 1min --clock-off +2h
        wait 61s
        """, end: "cd\tpaused\t15:00"),
    Script(
      description: "a sequence on the wall clock, and a clock that is behind",
      lines: """
        sequence cd work=25min rest=5min --loop 4 --after-sleep pause --clock wall
        wait 10min
        reboot 2h --clock-off -3d
        wait 20s
        sync
        """, end: "cd\tpaused\t15:00"),
  ]

  /// The rings that an alarm passed over while the clock was ahead.
  static let passedOver = [
    Script(
      description: "an instant that was only counted by a clock that was ahead",
      lines: """
        alarm al "*-*-* 10:45"
        reboot 1min --clock-off +30d5h
        wait 1h
        sync
        """,
      end:
        "al\tringing\t23:44:00\tTue 24 Nov 10:45:00\tdaily 10:45, rang just now, 16 min late: the clock was set",
      rings: 2),
    Script(
      description: "an instant that was passed over by a step, and back",
      lines: """
        alarm al "*-*-* 10:45"
        step +365d5h
        wait 1h
        step -365d5h
        """,
      end:
        "al\tringing\t23:45:00\tTue 24 Nov 10:45:00\tdaily 10:45, rang just now, 15 min late: the clock was set",
      rings: 2),
    Script(
      description: "an instant that rang at its time, by a clock that was ahead by whole days",
      lines: """
        alarm al "*-*-* 10:45"
        step +365d
        wait 1h
        step -365d
        """, end: "al\tringing\t23:45:00\tTue 24 Nov 10:45:00\tdaily 10:45, rang 15 min ago",
      rings: 2),
    Script(
      description: "an instant that was passed over, with a policy not to ring",
      lines: """
        alarm al "*-*-* 10:45" --missed skip
        reboot 1min --clock-off +30d5h
        wait 1h
        sync
        """, end: "al\trunning\t23:44:00", rings: 0),
    Script(
      description: "an instant that was passed over by a step, and a reboot",
      lines: """
        alarm al "*-*-* 11:30"
        step +2d5h
        reboot 4h
        sync
        """,
      end:
        "al\tringing\t21:30:00\tTue 24 Nov 11:30:00\tdaily 11:30, rang just now, 2 h 30 min late: the clock was set",
      rings: 2),
    Script(
      description: "an instant passed over twice rings once",
      lines: """
        alarm al "*-*-* 10:45"
        step +365d5h
        wait 1h
        step -365d5h
        wait 10min
        step +365d5h
        wait 10min
        step -365d5h
        """, end: "al\tringing\t23:25:00\tTue 24 Nov 10:45:00\tdaily 10:45, rang 10 min ago",
      rings: 3),
    Script(
      description: "a zone that changes long after rings nothing",
      lines: """
        alarm al "*-*-* 10:45"
        step +365d5h
        step -365d5h
        wait 3h
        zone America/New_York
        """, end: "al\tringing\t02:45:00\t10:45:00\tdaily 10:45, rang 2 h ago", rings: 2),
    Script(
      description: "how late a ring was that a sleep proved to be due is corrected",
      lines: """
        start cd 1h
        reboot 2h --clock-off +1d
        wait 20s
        sleep 2h
        wait 50s
        sync
        """, end: "cd\tfired\t00:00\trang 50 s ago, 3 h late: the machine was rebooted", rings: 1),
    Script(
      description: "what is skipped while the clock is ahead was no early ring",
      lines: """
        start cd 8h --late skip
        reboot 1min --clock-off +2d
        wait 2h
        sync
        """, end: "cd\tskipped\t00:00\tdid not ring, due 1 h ago", rings: 0),
  ]

  /// What the correction reports about a ring that was answered before.
  static let answered =
    [
      ("snoozed", "start cd 8h", "snooze cd 5min"),
      ("dismissed", "start cd 8h", "dismiss cd"),
      ("begun anew", "start cd 8h", "restart cd"),
      ("replaced", "start cd 8h", "start cd 3min"),
      ("removed", "start cd 8h", "remove cd"),
      ("updated", "start cd 8h", "update cd --label a=b"),
      ("paused", "start cd 47h --repeat", "pause cd"),
      ("dismissed as it repeats", "start cd 47h --repeat", "dismiss cd"),
      ("cancelled", "start cd 47h --repeat", "cancel cd"),
      ("advanced", "sequence cd a=47h b=50h", "advance cd"),
      ("on the wall clock", "start cd 8h --clock wall", "snooze cd 5min"),
      ("answered before a crash", "start cd 8h", "dismiss cd\ncrash 5s"),
      ("of an alarm", "alarm cd 18:00", "dismiss cd"),
    ].map { what, start, answer in
      Script(
        description: "an early ring that is \(what) before the clock is set right",
        lines: """
          \(start)
          reboot 1min --clock-off +2d
          wait 2min
          \(answer)
          sync
          """,
        end:
          "corrected, the span from 10:00:00 was about 1 min: the machine was rebooted; a ring was "
          + (start.contains("47h") ? "1 d 22 h 58 min early" : "7 h 58 min early"))
    }

  @Test
  func `An early ring is reported even if a clock that was ahead removed its timer after a day`()
    throws
  {
    let lines = try RehearsedScript().sentences(
      """
      at 2026-11-23 10:00 UTC
      start cd 8h
      reboot 1min --clock-off +2d
      wait 2min
      reboot 1min --clock-off +1d
      wait 5min
      sync
      """)
    #expect(lines.contains { $0.hasSuffix("cd: removed after a day") })
    #expect(lines.contains { $0.hasSuffix("; a ring was 7 h 57 min 10 s early") }, "\(lines)")
  }

  @Test func `The correction of a later boot does not repeat an early ring that was reported`()
    throws
  {
    let lines = try RehearsedScript().sentences(
      """
      at 2026-11-23 10:00 UTC
      start cd 8h
      reboot 1min --clock-off +2d
      wait 2min
      sync
      wait 1h
      reboot 1min --clock-off -3d
      sync
      """)
    let corrections = lines.filter { $0.contains("corrected, ") }
    #expect(corrections.count == 2)
    #expect(corrections.first?.hasSuffix("; a ring was 7 h 58 min early") == true)
    #expect(corrections.last?.hasSuffix("about 1 min: the machine was rebooted") == true)
  }

  @Test(arguments: ["", "update cd --label a=b", "update cd --label a=b\ncrash 5s\ncrash 5s"])
  func `An update after a second wrong boot does not change how early a ring was`(
    _ lines: String
  ) throws {
    let lines = try RehearsedScript().sentences(
      """
      at 2026-11-23 10:00 UTC
      start cd 8h
      reboot 1min --clock-off +2d
      wait 2min
      reboot 1min --clock-off +5h
      \(lines)
      sync
      list
      """)
    #expect(lines.contains { $0.hasSuffix("; a ring was 7 h 57 min 10 s early") }, "\(lines)")
    #expect(lines.contains { $0.contains("\t7 h 57 min") || $0.contains("7 h 57 min 10 s early:") })
  }

  @Test(arguments: answered)
  func `A ring that turns out to have been early is reported, even if it was answered`(
    _ script: Script
  ) throws {
    let lines = try RehearsedScript().sentences("at 2026-11-23 10:00 UTC\n\(script.lines)\n")
    #expect(lines.contains { $0.hasSuffix(script.end) }, "\(lines.joined(separator: "\n"))")
  }

  @Test(arguments: scripts + sequences + passedOver)
  func `A wrong clock at a boot neither rings early nor loses time`(_ script: Script) throws {
    try script.check()
  }
}
