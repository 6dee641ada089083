import NightjarTestSupport
import Testing

/// Scripts about rings that nobody has answered, and about snoozes. They begin on a Monday at 6:55.
@Suite(.blocking) struct OpenRingTests {
  /// Rows of the contract (SEMANTICS, 10), all of which RingScriptTests have, and a few more. The
  /// events are in the output in this order, each at the beginning of a line, and nothing rings
  /// behind the last.
  static let scripts = PlayedScript.table(
    """
    Tuesday's alarm rings after Monday's snooze was slept over
      alarm up daily 7:00 --late 1h; wait until 7:01; snooze up 10min
      sleep until tomorrow 7:20; list
      > +1d 00:25:00 up: rang, 20 min late: the machine slept, 2 expiries since Mon 23 Nov 07:00:00
      > up\trunning\t23:40:00\tWed 25 Nov 07:00:00\tringing, due 07:00, 20 min late: the \
    machine slept, 2 expiries since Mon 07:00\tdaily 07:00
    with skip, two expiries do not ring
      alarm up daily 7:00 --missed skip; wait until 7:01; snooze up 10min
      sleep until Wed 7:20; list
      > up\trunning\t23:40:00\tThu 26 Nov 07:00:00\trang Mon 07:00, unanswered; did not ring 2 \
    times, last due 07:00, 20 min late: the machine slept
    with each, Tuesday's and Wednesday's ring, each with its own lateness
      alarm up daily 7:00 --missed each; wait until 7:01; snooze up 10min; sleep until Wed 7:20
      > +2d 00:25:00 up: rang, 1 d late: the machine slept
      > +2d 00:25:00 up: rang, 20 min late: the machine slept
    with once, Wednesday's stands for Tuesday's
      alarm up daily 7:00; wait until 7:01; snooze up 10min; sleep until Wed 7:20
      > +2d 00:25:00 up: rang, 20 min late: the machine slept, and stands for 1 more
    a snooze that alone was slept over is judged by its own lateness
      alarm up daily 7:00 --late 1h; wait until 7:01; snooze up 10min; sleep until 9:00; list
      show up
      > +2:05:00 up: did not ring at the end of the snooze, 1 h 49 min late: the machine slept
      > up\trunning\t22:00:00\tTue 24 Nov 07:00:00\trang 07:00, unanswered\tdaily 07:00
      > Rang:      07:00:00, 2 h ago
    an expiry that did not ring is shown apart from the ring before it
      wait 1h; alarm c daily 8:00 --late 1min; wait 10min; sleep until tomorrow 8:05; list
      > +1d 01:10:00 c: did not ring, 5 min late: the machine slept
      > c\trunning\t23:55:00\tWed 25 Nov 08:00:00\trang Mon 08:00, unanswered; did not ring, \
    due 08:00, 5 min late: the machine slept\tdaily 08:00
    expiries before the end of a snooze are silent
      start r 10min --repeat; wait 11min; snooze r 25min; wait 30min
      > +0:20:00 r: expired, and joined the snoozed ring
      > +0:30:00 r: expired, and joined the snoozed ring
      > +0:36:00 r: the snooze is over, and it rang, 3 expiries since 07:05:00
      > +0:40:00 r: rang, 4 expiries since 07:05:00
    with each, they are silent, too, if the snooze was slept over
      start r 10min --repeat --missed each; wait 11min; snooze r 25min; sleep 27min
      > +0:38:00 r: the snooze is over, and it rang, 2 min late: the machine slept, 3 expiries \
    since 07:05:00
    stop ends a ring, and without a ring the timer
      start r 1h --repeat; wait 61min; list; stop r; list; stop r; list
      > r\trunning\t59:00\t08:55:00\trang 07:55, unanswered\tevery 1 h
      > +1:01:00 r: the ring was stopped
      > r\trunning\t59:00\t08:55:00\t\tevery 1 h
      > +1:01:00 r: cancelled, 59:00 left
      > r\tcancelled\t\t\t\tevery 1 h
    one stop reaches each timer once
      start p/a 1h --repeat; wait 61min; stop p/a p/…; list
      > +1:01:00 p/a: the ring was stopped
      > p/a\trunning\t59:00
    a snoozed countdown is snoozed again, and rings once
      start tea 4min; wait 5min; snooze tea 5min; snooze tea 10min; list; wait 11min
      > +0:05:00 tea: snoozed for 10 min
      > tea\tover\t10:00\t\tsnoozed until 07:10
      > +0:15:00 tea: the snooze is over, and it rang
    a pause changes nothing about a ring
      alarm a daily 7:00 --insist 5min; wait 6min; pause a; wait 30min; resume a; wait 1min
      > +0:05:00 a: rang
      > +0:20:00 a: rang again, for the second time
      > +0:35:00 a: rang again, for the third time
      > +0:36:00 a: resumed
    the next step ends the ring of the step before it
      sequence s work=25min rest=5min --wait; wait 26min; snooze s 5min; wait 1min; advance s
      wait 6min
      > +0:27:00 s: continued with rest
      > +0:32:00 s: rang
    an undo brings a snooze back
      start tea 4min; wait 5min; snooze tea 5min; stop tea; undo; wait 5min
      > tea is back: snoozed until 07:05
      > +0:10:00 tea: the snooze is over, and it rang
    a snoozed timer that is over can be dismissed
      start tea 4min; wait 5min; snooze tea 5min; dismiss tea; wait 10min; list
      > +0:05:00 tea: the ring was dismissed
    """)

  @Test(arguments: scripts)
  func `A ring is open until somebody answers it`(_ script: PlayedScript) throws {
    try script.check(at: "2026-11-23 6:55 UTC")
  }
}
