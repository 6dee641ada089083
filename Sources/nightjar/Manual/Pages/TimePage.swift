extension ManualPage {
  /// nightjar.time(7).
  static let time = ManualPage(
    "nightjar.time", section: 7, summary: "how Nightjar reads spans, points in time and calendars",
    """
    # DESCRIPTION

    Nightjar reads lengths of time, points in time and calendar expressions as systemd does, and \
    besides what people write. This page is about what there is; systemd.time(7) has all of its \
    corners. nightjar-analyze(1) says how a text is understood, and where it stops making sense.

    # TIME SPANS

    Numbers with units, which add up: `4min`, `1h 30min`, `1h30min`, `2 days`. A number may have a \
    fraction, as in `1.5h`; the point is a point, and no comma. A number without a unit is \
    seconds, so that `1h 30` is an hour and half a minute; the answer says so.

    `us`, `usec`, `µs`  microseconds
    `ms`, `msec`  milliseconds
    `s`, `sec`, `second`, `seconds`  seconds
    `m`, `min`, `minute`, `minutes`  minutes
    `h`, `hr`, `hour`, `hours`  hours
    `d`, `day`, `days`  days
    `w`, `week`, `weeks`  weeks
    `M`, `month`, `months`  months of 30.44 days
    `y`, `year`, `years`  years of 365.25 days

    M is months, and who writes `25M` often means minutes: on a terminal the command asks, \
    elsewhere it refuses and says what to write. `infinity` is a span, and no timer is that long: \
    the longest is 100 years.

    Beyond systemd, a clock's notation is read. It stands alone:

    `1:30`  One minute and a half: minutes and seconds.
    `1:30:00`  One hour and a half: hours, minutes and seconds.
    `90:00.5`  The first number may be any, the last may have a fraction. Those behind a colon \
    have two digits.

    # POINTS IN TIME

    A date, a time, or both, with a day of the week in front and a time zone behind if they are \
    wanted. A date without a time is midnight, a time without a date is today; for \
    nightjar-alarm(1) it is tomorrow where it is past.

    `17:30`, `17:30:15.5`  A time of day.
    `9am`, `9:30 pm`  The same by a clock of twelve hours. (Beyond systemd.)
    `2026-12-24`  A day, at midnight.
    `Thu 2026-12-24 18:00`  A time on a day. A weekday that is another is refused.
    `2026-12-24T18:00:00Z`  As RFC 3339 has it; for Z there may be +01:00. (Beyond systemd 252.)
    `today`, `yesterday`  A day, counted from this one, at midnight.
    `tomorrow 9:00`  A time on such a day. (Beyond systemd.)
    `now`  This moment.
    `+1h`, `1h left`  From now on; a span has units here.
    `-5min`, `5min ago`  The same, back.
    `@1800000000`  Seconds since 1970, in UTC.

    Years are from 1970 to 9999; a day that its month does not have is refused.

    # CALENDAR EXPRESSIONS

    What comes again and again: days of the week, a date and a time, each of which may be left \
    out: `Mon..Fri *-*-* 09:30:00`. A date that is left out is every day, a time that is left out \
    is midnight.

    `*`  Every value.
    `1,15`  One or the other.
    `9..17`  From one to the other; of days of the week, too: `Mon..Wed,Sat`.
    `0/15`  From there on in steps: at 0, 15, 30 and 45.
    `*-*~1`  Counted from the end of the month: its last day.

    `minutely`  `*-*-* *:*:00`
    `hourly`  `*-*-* *:00:00`
    `daily`  `*-*-* 00:00:00`
    `weekly`  `Mon *-*-* 00:00:00`
    `monthly`  `*-*-01 00:00:00`
    `quarterly`  `*-01,04,07,10-01 00:00:00`
    `semiannually`  `*-01,07-01 00:00:00`
    `yearly`, `annually`  `*-01-01 00:00:00`

    Years are from 1970 to 2199. Between one time of an alarm and the next lie at least 100 ms.

    # TIME ZONES

    A point in time and an expression may end in a zone of the database, such as `Europe/Berlin`, \
    spelled as it is there, in `UTC`, or in the local zone's own word, such as `CET`. Without one \
    they go by the local zone: TZ where it is set, else the machine's. An alarm that repeats, and \
    has no zone, goes with the machine to another one.

    # WHEN CLOCKS ARE CHANGED

    Where clocks are put forward, an hour is missing. What is said to be in it is when they were \
    put forward: in Berlin, 2:30 on the last Sunday in March is 3:00.

    Where clocks are put back, an hour comes twice. What is said to be in it is the first of the \
    two, and it is once: an alarm at 2:30 does not ring a second time.

    What has `*` for the hour, such as `hourly` or `*:0/15`, goes on through both as if only the \
    numbers on the clocks had changed: each hour is an hour.

    Spans are not touched by any of this: `1d` is 24 hours.

    When somebody sets the clock, or takes the machine to another zone, the next time of an alarm \
    is worked out anew. A time that has rung never rings again.

    # EXAMPLES

      $ nightjar analyze timespan '1h 30' 1:30 2days
      1h 30   3630000000 µs     1h 30s
      1:30    90000000 µs       1min 30s
      2days   172800000000 µs   2d
      $ nightjar analyze timestamp --base-time '2026-12-24 UTC' \\
          'tomorrow 9am UTC'
      tomorrow 9am UTC
        means  Fri 2026-12-25 09:00:00 UTC, in 1 d 9 h
        in UTC 2026-12-25T09:00:00Z
      $ nightjar analyze calendar --base-time '2026-12-24 UTC' \\
          'Mon..Fri 9..17:0/30 UTC'
      Mon..Fri 9..17:0/30 UTC
        means  Mon..Fri *-*-* 09..17:00/30:00 UTC
        comes  Thu 2026-12-24 09:00:00 UTC, in 9 h

    The two nights of Berlin's year 2026:

      $ nightjar analyze calendar --base-time '2026-03-28 20:00 UTC' \\
          '2:30 Europe/Berlin'
      2:30 Europe/Berlin
        means  *-*-* 02:30:00 Europe/Berlin
        comes  Sun 2026-03-29 01:00:00 UTC, in 5 h
      $ nightjar analyze calendar --base-time '2026-10-24 20:00 UTC' \\
          '2:30 Europe/Berlin'
      2:30 Europe/Berlin
        means  *-*-* 02:30:00 Europe/Berlin
        comes  Sun 2026-10-25 00:30:00 UTC, in 4 h 30 min

    # SEE ALSO

    nightjar(1), nightjar-alarm(1), nightjar-analyze(1), nightjar-start(1), nightjar.toml(5), \
    systemd.time(7)
    """)
}
