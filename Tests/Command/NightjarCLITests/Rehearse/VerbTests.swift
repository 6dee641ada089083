import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// The effect of each verb for the machine.
@Suite(.blocking) struct VerbTests {
  /// At the margin is what a script shows. Below are its commands, and behind `>` the events.
  private static let scripts = PlayedScript.table(
    """
    wait: time passes, for a span or until the clock shows something
      wait 90s; start a 1s; wait until 12:30; start b 1h; wait until tomorrow 9:00; start c 1h
      > +0:01:30 a: started: 1 s
      > +0:01:31 a: rang
      > +0:30:00 b: started: 1 h
      > +1:30:00 b: rang
      > +21:00:00 c: started: 1 h
    wait: time passes, for a span or until the clock shows something (2)
      wait until 11:00; start a 1h
      > +23:00:00 a: started: 1 h
    wait: time passes, for a span or until the clock shows something (3)
      wait until Wed 6:00; start a 1h
      > +1d 18:00:00 a: started: 1 h
    A start is printed to the second
      start a 1h 30; start b 1d 5s --repeat
      > +0:00:00 a: started: 1 h 30 s
      > +0:00:00 b: started: every 1 d 5 s
    sleep: a deadline within a sleep rings late, with the reason
      start tea 10min; start nap 10min --clock awake; sleep 2h; run
      > +0:00:00 tea: started: 10 min
      > +0:00:00 nap: started: 10 min, on the awake clock
      > +0:00:00 -- the machine goes to sleep for 2 h
      > +0:00:00 went into the background: the machine slept
      > +2:00:00 back in the foreground after 2 h: the machine slept
      > +2:00:00 expired in the background: tea
      > +2:00:00 tea: rang, 1 h 50 min late: the machine slept
      > +2:10:00 nap: rang
    Lock and unlock: a focus sequence stops, and a sleep in between is subtracted once
      sequence focus work=25min rest=5min --clock present; start tea 40min; wait 20min; lock
      sleep 10min; wait 5min; unlock; run
      > +0:00:00 focus: started a sequence: work 25 min, rest 5 min, on the present clock
      > +0:00:00 tea: started: 40 min
      > +0:20:00 -- the screen is locked
      > +0:20:00 the session is locked or idle: the clock present stands still
      > +0:20:00 -- the machine goes to sleep for 10 min
      > +0:20:00 went into the background: the machine slept
      > +0:30:00 back in the foreground after 10 min: the machine slept
      > +0:35:00 -- the screen is unlocked
      > +0:35:00 the session is in use again after 15 min
      > +0:40:00 tea: rang
      > +0:40:00 focus: rang; rest begins
      > +0:45:00 focus: rang, 2 expiries since 12:40:00
    Lock and unlock: a focus sequence stops, and a sleep in between is subtracted once (2)
      start a 1h --clock present; lock; run
      > +0:00:00 a: started: 1 h, on the present clock
      > +0:00:00 -- the screen is locked
      > +0:00:00 the session is locked or idle: the clock present stands still
    Lock and unlock: a focus sequence stops, and a sleep in between is subtracted once (3)
      start a 1s; lock; unlock; run
      > +0:00:00 a: started: 1 s
      > +0:00:00 -- the screen is locked
      > +0:00:00 -- the screen is unlocked
      > +0:00:01 a: rang
    sleep: a timer that wakes the machine ends it, and the machine stays awake
      alarm up 13:00 --wake; start nap 2h --clock awake; sleep until 15:00; start a 1h
      > +0:00:00 up: started an alarm for 13:00
      > +0:00:00 nap: started: 2 h, on the awake clock
      > +0:00:00 -- the machine goes to sleep for 3 h
      > +0:00:00 went into the background: the machine slept
      > +1:00:00 -- a timer wakes the machine after 1 h, and it stays awake
      > +1:00:00 back in the foreground after 1 h: the machine slept
      > +1:00:00 expired in the background: up
      > +1:00:00 up: rang
      > +3:00:00 nap: rang
      > +3:00:00 a: started: 1 h
    stop: time after SIGTSTP is subtracted, and expired timers ring at SIGCONT
      start tea 4min; stop 5min
      > +0:00:00 tea: started: 4 min
      > +0:00:00 -- SIGTSTP stops the daemon for 5 min
      > +0:00:00 went into the background: the daemon was stopped
      > +0:05:00 back in the foreground after 5 min: the daemon was stopped
      > +0:05:00 expired in the background: tea
      > +0:05:00 tea: rang, 1 min late: the daemon was stopped
    Stop NAME ends a timer, as on the command line; nightjar stop 10 ends the timer called 10
      start tea 4min; stop tea; start 10 4h; nightjar stop 10
      > +0:00:00 tea: started: 4 min
      > +0:00:00 tea: cancelled, 04:00 left
      > +0:00:00 10: started: 4 h
      > +0:00:00 10: cancelled, 04:00:00 left
    Down and crash: no timer is lost, and expired timers ring at the start
      start tea 4min; start egg 20min; down 5min; crash 1s; run
      > +0:00:00 tea: started: 4 min
      > +0:00:00 egg: started: 20 min
      > +0:00:00 -- the daemon is ended, and started again after 5 min
      > +0:00:00 went into the background: the daemon was down
      > +0:05:00 back in the foreground after 5 min: the daemon was down
      > +0:05:00 expired in the background: tea
      > +0:05:00 tea: rang, 1 min late: the daemon was down
      > +0:05:00 -- the daemon is killed, and started again after 1 s
      > +0:05:01 went into the background: the daemon was down
      > +0:05:01 back in the foreground after 1 s: the daemon was down
      > +0:20:00 egg: rang
    freeze: only a deadline that passed unnoticed proves it
      start tea 4min; freeze 1min; wait 1min; freeze 5min
      > +0:00:00 tea: started: 4 min
      > +0:00:00 -- everything stands still for 1 min
      > +0:02:00 -- everything stands still for 5 min
      > +0:07:00 went into the background: the machine stood still
      > +0:07:00 back in the foreground after 3 min: the machine stood still
      > +0:07:00 expired in the background: tea
      > +0:07:00 tea: rang, 3 min late: the machine stood still
    step: alarms follow the wall clock, countdowns do not
      alarm lunch 14:00; start tea 30min; step +3h; wait 30min; step -3h; alarm again 14:00; run
      > +0:00:00 lunch: started an alarm for 14:00
      > +0:00:00 tea: started: 30 min
      > +0:00:00 the clock was set forward by 3 h
      > +0:00:00 lunch: rang, 1 h late: the clock was set
      > +0:30:00 tea: rang
      > +0:30:00 the clock was set back by 3 h
      > +0:30:00 again: started an alarm for 14:00
      > +2:00:00 again: rang
    zone: a repeating alarm follows the machine's zone, unless it has its own
      alarm here 14:00 --repeat; alarm there 14:00 --repeat --zone Europe/Berlin
      zone America/New_York; wait 7h
      > +0:00:00 here: started an alarm: daily 14:00, first 14:00
      > +0:00:00 there: started an alarm: daily 14:00 (Europe/Berlin), first Tue 2 Jun 12:00
      > +0:00:00 the time zone is America/New_York now
      > +0:00:00 here: the calendar changed, rings 14:00
      > +6:00:00 here: rang
    A time is read at the time and in the zone in which its line is reached
      wait 3h; alarm up 14:00; zone Asia/Tokyo; alarm there 1:00
      > +3:00:00 up: started an alarm for Tue 2 Jun 14:00
      > +3:00:00 the time zone is Asia/Tokyo now
      > +3:00:00 there: started an alarm for 01:00
    run: time passes until timers with an end have ended, and endless ones have expired once
      alarm pills daily 13:00; start tea 26h; start held 1h; pause held; run
      > +0:00:00 pills: started an alarm: daily 13:00, first 13:00
      > +0:00:00 tea: started: 1 d 2 h
      > +0:00:00 held: started: 1 h
      > +0:00:00 held: paused, 01:00:00 left
      > +1:00:00 pills: rang
      > +1d 01:00:00 pills: rang, 2 expiries since Mon 1 Jun 13:00:00
      > +1d 02:00:00 tea: rang
    run: time passes until timers with an end have ended, and endless ones have expired once (2)
      start tick 10s --repeat; stopwatch run; run; run
      > +0:00:00 tick: started: every 10 s
      > +0:00:00 run: started a stopwatch
      > +0:00:10 tick: rang
      > +0:00:20 tick: rang, 2 expiries since 12:00:10
    reboot: its length comes from the wall clock, and sync corrects a wrong one
      start tea 4h; reboot 2min --clock-off -3h; wait 30s; sync; run
      > +0:00:00 tea: started: 4 h
      > +0:00:00 -- the machine is rebooted, which takes 2 min; its clock comes back 3 h behind
      > +0:00:00 went into the background: the daemon was down
      > +0:02:00 back in the foreground after about 10 s: the machine was rebooted
      > +0:02:30 -- the network sets the clock right
      > +0:02:30 the clock was set forward by 3 h
      > +0:02:30 corrected, the span from 12:00:00 was about 2 min: the machine was rebooted
      > +4:00:00 tea: rang
    rename: the timer rings under its new name, and undo gives it the old one
      start tea 2min; rename tea egg; wait 1min; rename egg bread; undo; run
      > +0:00:00 tea: started: 2 min
      > +0:00:00 tea: has another name now: egg
      > +0:00:00 egg: renamed; it was tea
      > +0:01:00 egg: has another name now: bread
      > +0:01:00 bread: renamed; it was egg
      > +0:01:00 bread: has another name now: egg
      > +0:01:00 egg: renamed; it was bread
      > egg: the new name was taken back; running, 01:00 left, rings at 12:02:00
      > +0:02:00 egg: rang
    undo: the last change is reverted, and the time since then counts
      start tea 10min; start egg 1h; wait 4min; remove --all; wait 59s; undo; run
      > +0:00:00 tea: started: 10 min
      > +0:00:00 egg: started: 1 h
      > +0:04:00 egg: removed
      > +0:04:00 tea: removed
      > +0:04:59 tea: undone: the removal was taken back
      > +0:04:59 egg: undone: the removal was taken back
      > egg is back: running, 55:01 left, rings at 13:00:00
      > tea is back: running, 05:01 left, rings at 12:10:00
      > +0:10:00 tea: rang
      > +1:00:00 egg: rang
    """)

  @Test(arguments: scripts) func `A verb has its effect`(_ script: PlayedScript) throws {
    let said = try RehearsedScript().sentences(script.text(at: "2026-06-01 12:00 UTC"))
    #expect(said.filter { !$0.isEmpty && !$0.contains("\t") } == script.events.map(String.init))
  }

  @Test func `Without sync a timer rings by a wrong clock, and says so`() throws {
    let late = try RehearsedScript().sentences(
      "at 2026-06-01 12:00 UTC\nstart tea 4h\nreboot 2min --clock-off=-3h\nrun\n")
    #expect(late.contains("+4:01:50 tea: rang, estimated: the clock was not set yet"))
  }

  @Test(
    arguments: Row.table(
      """
      start bread 1h; remove bread; alarm lst 'Mon 13:00'; skip lst; undo; undo; undo => 7: nothing \
      to undo: the last change started 'lst', and an undo never removes a timer: nightjar remove \
      'lst' does, and another undo takes back the change before it => bread: undone: the removal \
      was taken back
      start tea 10min; wait 4min; remove tea; wait 61s; undo; start egg 1min => 6: nothing to undo: \
      no change by a person within the last minute is left to undo; a restart of the daemon forgets \
      them all => egg: started: 1 min
      """))
  func `undo: where nothing can be undone, it says why, and the script continues`(row: Row) throws {
    let lines = row[0].replacing("; ", with: "\n")
    let result = try RehearsedScript().run("at 2026-06-01 12:00 UTC\n\(lines)\n")
    #expect(result.status == 1 && result.output.contains("\t\(row[2])\n"), "\(result)")
    #expect(result.errors == "nightjar: script:\(row[1])\n", "\(result)")
    #expect(!result.output.contains("lst: removed"), "\(result)")
  }

  @Test(arguments: [
    ("", "fire The timer rings at once.", true), ("--late fire", "fire The timer rings at", true),
    ("--late 30s", "SPAN The timer rings at once if it is at most SPAN late;", true),
    ("--late 10s", "late; otherwise it does not ring.", false),
    ("--late skip", "skip The timer does not ring.", false),
  ])
  func `A timer that an undo brings back after its time rings as the page says`(
    late: String, words: String, rings: Bool
  ) throws {
    #expect(try ManualPage("nightjar-undo.1").text().contains(words))
    // The undo comes 20 s after the time of a timer with this policy.
    for (start, change) in [
      ("start tea 4min", "extend tea 5min"), ("alarm tea daily 12:04", "skip tea"),
      ("sequence tea work=4min rest=5min", "pause tea"),
    ] {
      let sentences = try RehearsedScript().sentences(
        "at 2026-06-01 12:00 UTC\n\(start) \(late)\nwait 230s\n\(change)\nwait 30s\nundo\n"
      ).filter { $0.hasPrefix("+0:04:20 tea: ") && !$0.contains(": undone: ") }
      #expect(sentences.count == 1, "\(start) \(late): \(sentences)")
      #expect(
        sentences.first?.contains(rings ? "rang" : "tea: did not ring, 20 s late") == true
          && sentences.first?.contains(", 20 s late: a change was undone") == true, "\(sentences)")
    }
  }

  @Test func `undo: the script acts for a person, even if a timer's command plays it`() throws {
    var script = try RehearsedScript()
    script.runner.environment["NIGHTJAR_SEQ"] = "7"
    #expect(
      try script.sentences("at 2026-06-01 12:00 UTC\nstart tea 10min\npause tea\nundo\n")
        .contains("tea: the pause was taken back; running, 10:00 left, rings at 12:10:00"))
  }

  @Test func `undo: with --json it prints the daemon's own answer`() throws {
    let result = try RehearsedScript().run(
      "at 2026-06-01 12:00 UTC\nstart tea 10min\npause tea\nundo\n", "--json")
    let answers = try result.output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
      .filter { $0["ago_usec"] != nil }
    #expect(answers.map { $0["type"] } == ["paused"], "\(result)")
    #expect(answers.first?["timers"]?.arrayValue?.first?["state"] == "running")
  }

  @Test(
    arguments: Row.table(
      """
      2026-03-28 => +3:00:00 Sun 2026-03-29 03:00:00 CEST => +1d 02:30:00 Mon 2026-03-30 02:30:00 CEST
      2026-10-24 => +3:30:00 Sun 2026-10-25 02:30:00 CEST => +1d 04:30:00 Mon 2026-10-26 02:30:00 CET
      """))
  func
    `DST: an hour that is left out is when clocks are put forward, one that comes twice the first`(
      row: Row
    ) throws
  {
    let result = try RehearsedScript().run(
      "at \(row[0]) 23:00 Europe/Berlin\nalarm night 2:30 --repeat\nsleep 2h\nwait 1d\nrun\n")
    let rings = result.output.split(separator: "\n").filter { $0.contains("\tnight: rang") }
      .map { $0.split(separator: "\t") }
    #expect(rings.prefix(2).map { "\($0[1]) \($0[0])" } == [row[1], row[2]])
  }
}
