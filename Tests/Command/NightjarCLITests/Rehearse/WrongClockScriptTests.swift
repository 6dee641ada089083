import NightjarTestSupport
import Testing

/// Scripts with wrong clocks: a table of the rules for them. They begin on a Monday at 10:00 with a
/// right clock.
@Suite(.blocking) struct WrongClockScriptTests {
  static let scripts = PlayedScript.table(
    """
    two boots behind, started between them
      reboot 1min --clock-off -3d; start cd 8h; wait 5min; reboot 1min --clock-off -3d; sync
      wait 6h
      rings 0: cd\trunning\t01:54:50
    two boots whose errors cancel out, and a step
      reboot 4h --clock-off -2h; step +1d; start cd 8h; reboot 1h --clock-off +2h; sync
      rings 0: cd\trunning\t07:59:50
    a boot ahead, set right after two hours
      start cd 8h; reboot 1min --clock-off +2d; wait 2h; sync
      rings 1: cd\tover\t00:00\t\trang 18:00, unanswered, 7 h 58 min early: the clock was ahead
    a boot behind, set right by hand and vouched for later
      start cd 8h; reboot 2h --clock-off -3d; wait 1min; step +3d; wait 3h; sync
      rings 0: cd\trunning\t02:59:00
    set by hand before a boot
      start cd 8h; step +1d; reboot 1min; sync
      rings 0: cd\trunning\t07:59:00
    a snooze over two boots
      start cd 1s; wait 1s; snooze cd 8h; reboot 1min --clock-off +2h; reboot 1min --clock-off -2h
      sync
      rings 1: cd\tover\t07:58:00\t\tsnoozed until 18:00
    a stopwatch over two boots
      stopwatch sw; reboot 1min --clock-off +2d; reboot 1min --clock-off -2d; sync
      rings 0: sw\trunning\t02:00
    a countdown on the wall clock
      start cd 8h --clock wall; reboot 1min --clock-off +2d; sync
      rings 0: cd\trunning\t07:59:00
    an alarm, and a boot ahead of it
      alarm al 11:30; reboot 1min --clock-off +2h; wait 20s; sync; wait until 11:30:01
      rings 1: al\tover\t00:00\t\tringing, due 11:30
    an alarm of each day, set by hand for months and back
      alarm al '*-*-* 9:30'; step +100d; wait 3d; step -103d
      rings 4: al\trunning\t23:30:00\tTue 24 Nov 09:30:00\trang Mar 2027, unanswered, 4 expiries \
    since Mar 2027
    a repetition that rang by a clock that was months ahead
      start cd 45min --repeat; reboot 2min --clock-off +300d; wait 3min; sync
      rings 1: cd\trunning\t40:00
    each missed ring of a week, and a boot years behind
      alarm al 'Mon *-*-* 9:30' --missed each; reboot 1min --clock-off -3000d; wait 1h; sync
      rings 0: al\trunning\t166:29:00\tMon 30 Nov 09:30:00
    rings by a clock that is ahead, with others passed over between them
      reboot 1min --clock-off +19h; alarm al '*-*-* 6:00' --missed each; wait 2h; step +3d
      step -3d; sync
      rings 2: al\trunning\t17:59:00\tTue 24 Nov 06:00:00
    due while its band waits for the clock
      start cd 3h --clock wall --band 1h=soon; reboot 1min --clock-off +100min
      crash until 12:59:30; wait 70s
      rings 1: cd\tover\t00:00\t\tringing, due 13:00, 30 s late: the machine was rebooted, \
    estimated: the clock was not set yet
    shortened while it waits for the clock
      start cd 8h; reboot 1min --clock-off +2d; wait 10s; shorten cd 10min; wait 10s; sync
      rings 0: cd\trunning\t07:48:40
    extended while it waits for the clock
      start cd 8h; reboot 1min --clock-off +2d; wait 10s; extend cd 5min; wait 10s; sync
      rings 0: cd\trunning\t08:03:40
    overdue by the clock, with a band to come
      start cd 60s --clock wall --band 59s=soon; reboot 1s --clock-off +1h; wait 45s
      rings 0: cd\trunning\t00:00\tdue by a clock that may be wrong
    missed before a boot behind, and dealt with
      alarm al '*-*-* 9:30'; sleep 5d; reboot 1min --clock-off -4d; sync
      rings 1: al\trunning\t23:29:00\tSun 29 Nov 09:30:00\tringing, due 09:30, 30 min late: the \
    machine slept
    begun anew by a clock that is ahead
      start cd 8h; reboot 1min --clock-off +2d; restart cd; wait 20s; sync
      rings 0: cd\trunning\t07:59:40
    rounds that a clock ahead counted come back behind a snooze
      start cd 45min --repeat; reboot 2min --clock-off +300d; wait 3min; snooze cd 10min; sync
      wait 11min; show cd
      rings 2: Repeats:   every 45 min; 0 rounds over
    started by a clock ahead, and its time passes before the clock is right
      reboot 1min --clock-off +2h; alarm al '*-*-* 10:20'; wait 40min; sync
      rings 1: al\trunning\t23:39:00\tTue 24 Nov 10:20:00\tringing, due 10:20, 21 min late: the \
    clock was set
    set right by hand while an alarm waits
      alarm al 11:30; reboot 1min --clock-off +2h; step -2h
      rings 0: al\trunning\t01:29:00\t11:30:00
    a repetition in a snooze, started by a clock that is ahead
      reboot 1min --clock-off +2h; start cd 45min --repeat; wait 45min; snooze cd 10min; sync
      wait 10min
      rings 2: cd\trunning\t35:00
    set a year ahead by hand, and back
      alarm al '*-*-* 9:30'; step +365d; step -365d
      rings 1: al\trunning\t23:30:00\tTue 24 Nov 09:30:00\tringing, due Nov 2027, 30 min late: \
    the clock was set
    paused in doubt, and set right meanwhile
      start cd 8h; reboot 1min --clock-off +2d; wait 10s; pause cd; wait 10s; sync; resume cd
      rings 0: cd\trunning\t07:58:50
    paused in doubt, and resumed before the clock is set right
      start cd 8h; reboot 1min --clock-off +2d; wait 10s; pause cd; wait 10s; resume cd; sync
      rings 0: cd\trunning\t07:58:50
    paused by a clock that is behind
      start cd 8h; reboot 2h --clock-off -3d; wait 10s; pause cd; wait 1h; sync
      rings 0: cd\tpaused\t05:59:50
    a repetition, paused in a round that a clock ahead had begun
      start cd 45min --repeat; reboot 1min --clock-off +2d; wait 2min; pause cd; sync; resume cd
      rings 1: cd\trunning\t42:00
    a stopwatch, paused in doubt
      stopwatch sw; reboot 1min --clock-off +2d; wait 10s; pause sw; sync
      rings 0: sw\tpaused\t01:10
    a countdown on the wall clock, paused in doubt
      start cd 8h --clock wall; reboot 1min --clock-off +2d; wait 10s; pause cd; sync; resume cd
      rings 0: cd\trunning\t07:58:50
    paused between two boots behind, and not early
      start cd 8h; reboot 1min --clock-off -3d; wait 5min; pause cd; reboot 2h --clock-off -3d
      resume cd; sync
      rings 0: cd\trunning\t07:54:50
    a repetition on the wall clock, and a boot years ahead
      start cd 45min --clock wall --repeat; reboot 1min --clock-off +1800d; wait 2min; sync
      rings 1: cd\trunning\t42:00
    a repetition on the wall clock, set a year ahead by hand and back
      start cd 45min --clock wall --repeat; step +365d; wait 5min; step -365d; wait 41min
      rings 2: cd\trunning\t44:00
    a sequence on the wall clock, set a year ahead by hand and back
      sequence cd a=25min b=5min --loop forever --clock wall; step +365d; wait 5min; step -365d
      rings 1: cd\trunning\t20:00
    a repetition on the wall clock that rang, and the clock is set back
      start cd 45min --clock wall --repeat; wait 100min; step -1h
      rings 2: cd\trunning\t01:35:00
    set right by hand before the clock is vouched for
      start cd 3h --band 1h=soon; reboot 1min --clock-off +130min; wait 10s; step -130min
      wait 10s; sync
      rings 0: cd\trunning\t02:58:40
    a countdown on the wall clock, paused in doubt, and the clock comes right by a boot
      start cd 8h --clock wall; reboot 1min --clock-off +2d; wait 10s; pause cd
      reboot 1min --clock-off -2d; resume cd; wait 10s; sync
      rings 0: cd\trunning\t07:59:30
    a countdown on the wall clock stays as it is paused
      start cd 8h --clock wall; reboot 1min --clock-off -2h; wait 10s; pause cd; sync; wait 1h
      reboot 1min --clock-off -10h; sync; resume cd
      rings 0: cd\trunning\t07:58:50
    a countdown on the wall clock, paused, and the clock is set by hand
      start cd 8h --clock wall; reboot 1min --clock-off -2h; wait 10s; pause cd; sync; step +1d
      resume cd
      rings 0: cd\trunning\t07:58:50
    a countdown on the wall clock, set and paused in the same boot
      reboot 1min --clock-off -3d; start cd 8h --clock wall; wait 10s; pause cd; sync; resume cd
      rings 0: cd\trunning\t07:59:50
    an alarm, paused and resumed while it is due in doubt
      alarm al 11:30 --late skip; reboot 1min --clock-off +2h; wait 5s; pause al; wait 5s
      resume al; wait 5s; sync; wait until 11:31
      rings 1: al\tover\t00:00\t\tringing, due 11:30
    a repetition, paused between two boots, and snoozed
      start cd 7h --repeat; reboot 1min --clock-off -3d; wait 5min; pause cd
      reboot 1h --clock-off -3d; resume cd; wait 7h; snooze cd 10min; wait 11min; sync
      rings 2: cd\trunning\t06:43:50
    a sequence that a sleep pauses behind a boot in doubt
      sequence cd a=25min b=5min --after-sleep pause; reboot 1min --clock-off +3min; wait 10s
      sleep 1h; sync; resume cd
      rings 0: cd\trunning\t23:50
    a step on the wall clock that waited, and the clock is set back a little
      sequence cd a=25min b=5min --wait-after a --clock wall; wait 30min; advance cd; wait 1s
      step -2s; wait 10s
      rings 1: cd\trunning\t04:51
    a step on the wall clock that the user began, and the clock is set back a little
      sequence cd a=25min b=5min --clock wall; wait 5min; advance cd; wait 1s; step -2s; wait 10s
      rings 0: cd\trunning\t04:51
    a round on the wall clock, resumed at its beginning, and the clock is set back a little
      start cd 5min --repeat --clock wall; wait 5min; pause cd; wait 1min; resume cd; step -2s
      wait 10s
      rings 1: cd\trunning\t04:52
    a round on the wall clock behind a snooze, and the clock is set back a little
      start cd 5min --repeat --clock wall; wait 5min; snooze cd 5min; wait 5min; wait 1s; step -2s
      wait 10s
      rings 2: cd\trunning\t04:51
    short rounds on the wall clock do not ring twice
      start cd 500ms --clock wall --repeat; wait 10s; step -5s; wait 4s
      rings 20: cd\trunning\t00:02
    paused between a boot ahead and another, and resumed before the clock is set right
      start cd 8h; reboot 1min --clock-off +2h; wait 10s; pause cd; reboot 2h; resume cd; sync
      rings 0: cd\trunning\t07:59:40
    a stopwatch, paused between two boots
      stopwatch sw; reboot 1min --clock-off -2d; wait 10s; pause sw; reboot 1h --clock-off +1d
      resume sw; wait 10s; sync
      rings 0: sw\trunning\t00:30
    boots in doubt long after such a pause are corrected to the second
      start cd 30d; reboot 1min --clock-off -3d; wait 5min; pause cd; reboot 1min --clock-off -3d
      sync; resume cd; wait 1h; reboot 2h --clock-off -3d; reboot 2h --clock-off -3d; sync
      rings 0: cd\trunning\t714:54:50
    no ring is early that was counted over a pause between two boots
      start cd 10min; reboot 1min --clock-off -3d; wait 5min; pause cd
      reboot 1min --clock-off +2d; wait 2min; resume cd; wait 10min; sync
      rings 1: cd\tover\t00:00\t\trang 10:13, unanswered, estimated: the clock was not set yet
    a band in doubt, and a pause
      start cd 3h --band 1h=soon; reboot 1min --clock-off +130min; wait 10s; pause cd; sync
      rings 0: cd\tpaused\t02:58:50
    overdue when it is resumed, because the boot was longer than was counted
      start cd 30min; reboot 1h --clock-off -3d; wait 10s; pause cd; sync; resume cd
      rings 1: cd\tover\t00:00\t\tringing, due 10:30, 30 min 10 s late: the machine was rebooted
    more boots than are kept apart, and a pause among them
      reboot 1min --clock-off -1d; start cd 8h; reboot 1min --clock-off +2d; wait 10s; pause cd
      reboot 1min; reboot 1min; reboot 1min; reboot 1min; reboot 1min; reboot 1min; reboot 1min
      reboot 1min; reboot 1min; reboot 1min; reboot 1min; reboot 1min; reboot 1min; reboot 1min
      reboot 1min; resume cd; wait 1s; sync
      rings 0: cd\trunning\t07:59:
    a repetition on the wall clock, paused and resumed by a clock that is behind
      start cd 45min --repeat --clock wall; reboot 3h --clock-off -1h; wait 61s; pause cd
      resume cd; sync; wait 50min
      rings 3: cd\trunning\t38:59
    a repetition on the wall clock, paused and resumed by a clock that is ahead
      start cd 45min --repeat --clock wall; reboot 1min --clock-off +2d; wait 61s; pause cd
      resume cd; sync
      rings 1: cd\trunning\t42:59
    a sequence on the wall clock, paused and resumed by a clock that is ahead
      sequence cd a=25min b=5min --clock wall; reboot 1min --clock-off +20min; wait 5min; pause cd
      resume cd; sync
      rings 1: cd\trunning\t24:00
    a countdown on the wall clock, paused and resumed by a clock that is set by hand
      start cd 8h --clock wall; reboot 1min --clock-off +2d; wait 1s; pause cd; resume cd
      step -2d; sync
      rings 0: cd\trunning\t07:58:59
    an extended round on the wall clock, and a boot behind
      start cd 45min --repeat --clock wall; wait 46min; extend cd 10min
      reboot 1min --clock-off -3d; sync
      rings 1: cd\trunning\t53:00
    an extended round on the wall clock, and the clock is set back a little
      start cd 5min --repeat --clock wall; wait 5min; wait 1s; extend cd 1min; step -5s; wait 20s
      rings 1: cd\trunning\t05:44
    an alarm that is due in doubt, paused and resumed behind the wait
      alarm al 11:30; reboot 1min --clock-off +2h; pause al; wait 61s; resume al
      rings 1: al\tover\t00:00\t\tringing, due 11:30, 32 min 1 s late: the machine was rebooted, \
    estimated: the clock was not set yet
    """)

  /// `--after-sleep` takes effect when the length of the reboot is known.
  static let sequences = PlayedScript.table(
    """
    a sequence that a reboot pauses, and a clock that is behind
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 2h --clock-off -3d; wait 20s; sync
      rings 0: cd\tpaused\t15:00
    a sequence whose step begins anew, and a clock that is behind
      sequence cd work=25min rest=5min --loop 4 --after-sleep restart; wait 10min
      reboot 2h --clock-off -3d; wait 20s; sync; wait 1min
      rings 0: cd\trunning\t24:00
    a sequence that a short reboot does not pause, and a clock that is ahead
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 1min --clock-off +2h; wait 20s; sync
      rings 0: cd\trunning\t13:40
    a sequence that a short reboot does not begin anew, and a clock that is ahead
      sequence cd work=25min rest=5min --loop 4 --after-sleep restart; wait 10min
      reboot 1min --clock-off +2h; wait 20s; sync
      rings 0: cd\trunning\t13:40
    a step that would be over while it is not known whether it was paused
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 24min
      reboot 2h --clock-off -3d; wait 50s; sync
      rings 0: cd\tpaused\t01:00
    a sequence that waits for the clock while the daemon is restarted twice
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 2h --clock-off -3d; wait 40s; crash 5s; wait 40s; crash 5s; wait 40s; sync
      rings 0: cd\tpaused\t15:00
    a sequence that waits for the clock over a second boot
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 2h --clock-off -3d; wait 10s; reboot 1min --clock-off -3d; wait 10s; sync
      rings 0: cd\tpaused\t15:00
    a sequence that was set anew while it waited for the clock
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 2h --clock-off -3d; wait 10s; restart cd; wait 10s; sync
      rings 0: cd\trunning\t24:50
    a sequence that a sleep pauses which ends the wait for the clock
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 1min --clock-off -3d; wait 10s; sleep 1h; sync
      rings 0: cd\tpaused\t13:50
    a sequence that goes by a clock that is ahead once that was waited for
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause; wait 10min
      reboot 1min --clock-off +2h; wait 61s
      rings 0: cd\tpaused\t15:00
    a sequence on the wall clock, and a clock that is behind
      sequence cd work=25min rest=5min --loop 4 --after-sleep pause --clock wall; wait 10min
      reboot 2h --clock-off -3d; wait 20s; sync
      rings 0: cd\tpaused\t15:00
    """)

  /// The rings that an alarm passed over while the clock was ahead.
  static let passedOver = PlayedScript.table(
    """
    an instant that was only counted by a clock that was ahead
      alarm al "*-*-* 10:45"; reboot 1min --clock-off +30d5h; wait 1h; sync
      rings 2: al\trunning\t23:44:00\tTue 24 Nov 10:45:00\tringing, due 10:45, 16 min late: the \
    clock was set, 2 expiries since 23 Dec
    an instant that was passed over by a step, and back
      alarm al "*-*-* 10:45"; step +365d5h; wait 1h; step -365d5h
      rings 2: al\trunning\t23:45:00\tTue 24 Nov 10:45:00\tringing, due 10:45, 15 min late: the \
    clock was set, 2 expiries since Nov 2027
    an instant that rang at its time, by a clock that was ahead by whole days
      alarm al "*-*-* 10:45"; step +365d; wait 1h; step -365d
      rings 2: al\trunning\t23:45:00\tTue 24 Nov 10:45:00\trang Nov 2027, unanswered, 2 expiries \
    since Nov 2027
    an instant that was passed over, with a policy not to ring
      alarm al "*-*-* 10:45" --missed skip; reboot 1min --clock-off +30d5h; wait 1h; sync
      rings 1: al\trunning\t23:44:00
    an instant that was passed over by a step, and a reboot
      alarm al "*-*-* 11:30"; step +2d5h; reboot 4h; sync
      rings 2: al\trunning\t21:30:00\tTue 24 Nov 11:30:00\tringing, due 11:30, 2 h 30 min late: \
    the clock was set, 2 expiries since Wed 11:30
    an instant passed over twice rings once
      alarm al "*-*-* 10:45"; step +365d5h; wait 1h; step -365d5h; wait 10min; step +365d5h
      wait 10min; step -365d5h
      rings 3: al\trunning\t23:25:00\tTue 24 Nov 10:45:00\trang Nov 2027, unanswered, 5 h 25 min \
    late: the clock was set, 3 expiries since Nov 2027
    a zone that changes long after rings nothing
      alarm al "*-*-* 10:45"; step +365d5h; step -365d5h; wait 3h; zone America/New_York
      rings 2: al\trunning\t02:45:00\t10:45:00\trang 05:45, unanswered, 2 expiries since Nov 2027
    how late a ring was that a sleep proved to be due is corrected
      start cd 1h; reboot 2h --clock-off +1d; wait 20s; sleep 2h; wait 50s; sync
      rings 1: cd\tover\t00:00\t\tringing, due 11:00, 3 h late: the machine was rebooted, \
    estimated: the clock was not set yet
    what is skipped while the clock is ahead was no early ring
      start cd 8h --late skip; reboot 1min --clock-off +2d; wait 2h; sync
      rings 0: cd\tover\t00:00\t\tdid not ring, due 18:00, estimated: the clock was not set yet
    """)

  /// The last line of each is of the correction.
  static let early = PlayedScript.table(
    """
    an early ring that a clock that was ahead removed after a day is reported
      start cd 8h; reboot 1min --clock-off +2d; wait 2min; reboot 1min --clock-off +1d; wait 5min
      sync
      > …cd: removed after a day
      > …; a ring was 7 h 57 min 10 s early
    a second wrong boot does not change how early a ring was
      start cd 8h; reboot 1min --clock-off +2d; wait 2min; reboot 1min --clock-off +5h; sync
      > …; a ring was 7 h 57 min 10 s early
      > cd\tover\t00:00\t\trang 12:59, unanswered, 7 h 57 min 10 s early:
    an update after a second wrong boot does not change how early a ring was
      start cd 8h; reboot 1min --clock-off +2d; wait 2min; reboot 1min --clock-off +5h
      update cd --label a=b; sync
      > …; a ring was 7 h 57 min 10 s early
      > cd\tover\t00:00\t\trang 12:59, unanswered, 7 h 57 min 10 s early:
    an update and two crashes after a second wrong boot do not change how early a ring was
      start cd 8h; reboot 1min --clock-off +2d; wait 2min; reboot 1min --clock-off +5h
      update cd --label a=b; crash 5s; crash 5s; sync
      > …; a ring was 7 h 57 min 10 s early
      > cd\tover\t00:00\t\trang 12:59, unanswered, 7 h 57 min 10 s early:
    """)

  /// How a ring was answered before its clock was set right.
  static let answered = Row.table(
    """
    snoozed => start cd 8h => snooze cd 5min => 7 h
    dismissed => start cd 8h => dismiss cd => 7 h
    begun anew => start cd 8h => restart cd => 7 h
    replaced => start cd 8h => start cd 3min => 7 h
    removed => start cd 8h => remove cd => 7 h
    updated => start cd 8h => update cd --label a=b => 7 h
    paused => start cd 47h --repeat => pause cd => 1 d 22 h
    dismissed as it repeats => start cd 47h --repeat => dismiss cd => 1 d 22 h
    cancelled => start cd 47h --repeat => cancel cd => 1 d 22 h
    advanced => sequence cd a=47h b=50h => advance cd => 1 d 22 h
    on the wall clock => start cd 8h --clock wall => snooze cd 5min => 7 h
    answered before a crash => start cd 8h => dismiss cd; crash 5s => 7 h
    of an alarm => alarm cd 18:00 => dismiss cd => 7 h
    """
  ).flatMap { row in
    PlayedScript.table(
      """
      an early ring that is \(row[0]) before the clock is set right
        \(row[1]); reboot 1min --clock-off +2d; wait 2min; \(row[2]); sync
        > …corrected, the span from 10:00:00 was about 1 min: the machine was rebooted; a ring was \
      \(row[3]) 58 min early
      """)
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

  @Test(arguments: early + answered)
  func `A ring that turns out to have been early is reported, even if it was answered`(
    _ script: PlayedScript
  ) throws {
    try script.check(at: "2026-11-23 10:00 UTC")
  }

  @Test(arguments: scripts + sequences + passedOver)
  func `A wrong clock at a boot neither rings early nor loses time`(_ script: PlayedScript) throws {
    try script.check(at: "2026-11-23 10:00 UTC")
  }
}
