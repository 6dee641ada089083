/// Times as people say them, and what is meant by each: on Monday, 23 November 2026, at 8:00 and at
/// 10:00, and on Tuesday at 12:00, by the clocks of Berlin, for people from the United States and
/// from Germany.
///
/// A line at the margin is a reading: `once` and when it rings, or a calendar expression and when
/// it comes next, at each of the three moments. The lines behind it are phrases that are read so,
/// with semicolons between them. A line with `#` is a remark.
enum PhraseTable {
  static let times = """
    # A bare time is once: today, or tomorrow where it is past. Without am or pm it is one of 24
    # hours.
    once | 11-23 09:00 | 11-24 09:00 | 11-25 09:00
      9; 09; 9am; 9 am; 9AM; 9 a.m.; 9:00; 09:00; 9.00; 9h00; 0900; 900am; at 9; at 9am;
      9 o'clock; 9:00am; 9.00 am; 9:00:00; 9 o’clock; 9 O’Clock; 9 oʼclock; 9 o`clock;
      9 o´clock

    # Half past nine
    once | 11-23 09:30 | 11-24 09:30 | 11-25 09:30
      9:30; 9.30; 9h30; 9H30; 0930; 930am; 0930am; 9:30am; 9.30am; 9:30 AM; at 9:30;
      half past 9; half past nine; 930 am; 0930 am; 30 past 9; thirty past nine

    # Evening
    once | 11-23 21:30 | 11-23 21:30 | 11-24 21:30
      930pm; 9:30pm; 9.30pm; 9:30 pm; 21:30; 21.30; 21h30; 2130; half past 9pm; at 9:30 p.m.;
      930 pm; 0930 pm; 930 PM; at 930 p.m.

    # Noon and midnight
    once | 11-23 12:00 | 11-23 12:00 | 11-25 12:00
      noon; 12; 12pm; 12:00; 12.00; 12:00pm; at noon; 1200

    # Midnight
    once | 11-24 00:00 | 11-24 00:00 | 11-25 00:00
      midnight; 0; 0:00; 00:00; 12am; 12:00 am; at midnight; 0h00; 0000

    # Other times
    once | 11-23 17:30:15 | 11-23 17:30:15 | 11-24 17:30:15
      17:30:15

    # Quarters
    once | 11-23 09:15 | 11-24 09:15 | 11-25 09:15
      quarter past 9; a quarter past nine; 9:15; 9h15

    # Quarter to
    once | 11-23 09:45 | 11-24 09:45 | 11-25 09:45
      quarter to 10; a quarter to ten; 9:45; 945am

    # Minutes past an hour, and to one
    once | 11-23 09:10 | 11-24 09:10 | 11-25 09:10
      10 past 9; ten past nine; 10 minutes past 9; ten minutes past 9am; at 10 past 9
    once | 11-23 09:25 | 11-24 09:25 | 11-25 09:25
      25 past 9; twenty five past nine; twenty-five past 9; twenty five minutes past 9
    once | 11-23 08:40 | 11-24 08:40 | 11-25 08:40
      20 to 9; twenty to nine; twenty minutes to 9; at 20 to 9
    once | 11-23 21:20 | 11-23 21:20 | 11-24 21:20
      20 past 9pm; twenty past 9 pm; twenty past 21

    # Half past midnight
    once | 11-24 00:30 | 11-24 00:30 | 11-25 00:30
      12:30am; 0:30; 0.30; 1230am

    # Past noon
    once | 11-23 12:30 | 11-23 12:30 | 11-24 12:30
      12:30; 12.30; 1230pm; 12:30pm

    # Five in the afternoon
    once | 11-23 17:00 | 11-23 17:00 | 11-24 17:00
      5pm; 17; 17:00; 1700; 17h00; 5 pm

    # Tomorrow and today are days; behind or in front of the time
    once | 11-24 09:00 | 11-24 09:00 | 11-25 09:00
      tomorrow 9am; 9am tomorrow; tomorrow at 9; tomorrow, 9:00; 9:00 tomorrow; at 9 tomorrow;
      tomorrow 9; Tomorrow 9.00; tomorrow 0900
    once | 11-24 00:00 | 11-24 00:00 | 11-25 00:00
      tomorrow; tomorrow 0:00
    once | 11-24 12:00 | 11-24 12:00 | 11-25 12:00
      tomorrow noon; noon tomorrow; tomorrow at noon; tomorrow 12pm
    once | 11-23 17:30 | 11-23 17:30 | 11-24 17:30
      today 17:30; 17:30 today; today at 5:30pm; today 17h30
    once | 11-23 20:00 | 11-23 20:00 | 11-24 20:00
      tonight 8pm; 8pm tonight; tonight at 20:00; today 20.00; tonight 8:00pm

    # The coming night: twelve is its midnight
    once | 11-24 00:00 | 11-24 00:00 | 11-25 00:00
      tonight at 12; 12 tonight; twelve tonight; tonight 12; tonight at twelve; tonight 12am;
      tonight at midnight; midnight tonight; tonight 0:00; 12 at night; twelve at night;
      12 in the night; today at 12 at night; tonight at 12 o'clock; 12 o’clock at night;
      this night at 12; today at midnight
    once | 11-24 00:30 | 11-24 00:30 | 11-25 00:30
      tonight 12:30; tonight 00:30; 0:30 tonight; half past 12 tonight; tonight 12:30am;
      12:30 at night; half past twelve at night
    once | 11-24 00:45 | 11-24 00:45 | 11-25 00:45
      quarter to 1 tonight; quarter to 1 at night; a quarter to one at night; tonight 0:45
    once | 11-24 02:00 | 11-24 02:00 | 11-25 02:00
      2 at night; tonight 2am; 2am tonight; this night at 2
    once | 11-23 23:45 | 11-23 23:45 | 11-24 23:45
      quarter to 12 at night; quarter to 12 in the evening; tonight 23:45
    once | 11-23 21:00 | 11-23 21:00 | 11-24 21:00
      9 at night; 9:00 at night; 21:00 at night; nine in the night; tonight at 9 in the evening
    once | 11-24 21:00 | 11-24 21:00 | 11-25 21:00
      tomorrow night at 9; 9 tomorrow night; tomorrow at 9 at night
    Fri *-*-* 21:00:00 | 11-27 21:00 | 11-27 21:00 | 11-27 21:00
      friday night at 9; every friday at 9 at night; fridays 9pm at night
    *-*-* 00:00:00 | 11-24 00:00 | 11-24 00:00 | 11-25 00:00
      every night at 12; every night at midnight; daily at 12 at night

    # By the part of the day
    once | 11-24 06:45 | 11-24 06:45 | 11-25 06:45
      6:45 in the morning; 6.45 in the morning; in the morning at 6:45; 6:45am in the morning;
      quarter to 7 in the morning
    once | 11-23 15:00 | 11-23 15:00 | 11-24 15:00
      3 in the afternoon; 15:00 in the afternoon; 3pm in the afternoon; three in the afternoon
    once | 11-23 21:00 | 11-23 21:00 | 11-24 21:00
      9 in the evening; 9:00 in the evening; 21:00 in the evening; nine in the evening;
      this evening at 9; today evening 9
    once | 11-23 12:30 | 11-23 12:30 | 11-24 12:30
      12:30 in the afternoon; 12:30pm in the afternoon
    once | 11-24 07:00 | 11-24 07:00 | 11-25 07:00
      tomorrow morning at 7; tomorrow 7:00 in the morning; 7 tomorrow morning;
      tomorrow in the morning at 7
    once | 11-25 07:00 | 11-25 07:00 | 11-26 07:00
      the day after tomorrow 7am; day after tomorrow at 7; 7am the day after tomorrow;
      7 in the morning the day after tomorrow

    # From now on: so long, in any of the ways to write a time span
    once | 11-23 08:05 | 11-23 10:05 | 11-24 12:05
      in 5 minutes; in 5min; in 5 mins; in five minutes; in 5m; +5min; 5min left;
      5 minutes from now; five mins from now; 5min from now; 5 Minutes From Now
    once | 11-23 09:00 | 11-23 11:00 | 11-24 13:00
      in an hour; in 1 hour; in 1h; in one hour; +1h; in 60 min; 1h left; in 60 minutes;
      in 1:00:00; an hour from now
    once | 11-23 08:30 | 11-23 10:30 | 11-24 12:30
      in half an hour; in half hour; in 30 mins; in a half hour
    once | 11-23 09:30 | 11-23 11:30 | 11-24 13:30
      in 1h30; in 1h 30min; in an hour and a half; in 1.5h; in 1 hour and 30 minutes;
      in one and a half hours; +1h30
    once | 11-23 08:15 | 11-23 10:15 | 11-24 12:15
      in a quarter of an hour; in 15 minutes; in a quarter hour
    once | 11-23 08:01:30 | 11-23 10:01:30 | 11-24 12:01:30
      in 90 seconds; in 90s; in 90 sec
    once | 11-23 08:25 | 11-23 10:25 | 11-24 12:25
      in twenty five minutes; in twenty-five minutes; in 25 minutes;
      twenty five minutes from now
    once | 11-23 10:30 | 11-23 12:30 | 11-24 14:30
      in 2 1/2 hours; in 2.5 hours; in two and a half hours; 2 1/2 hours from now
    once | 11-25 08:00 | 11-25 10:00 | 11-26 12:00
      in 2 days; in 48 hours; +2d

    once | 11-25 11:00 | 11-25 13:00 | 11-26 15:00
      in 2 days 3 hours; in 2 days and 3 hours

    # A month is one of the calendar: the same day and the same time by the clock
    once | 12-23 08:00 | 12-23 10:00 | 12-24 12:00
      in a month; in 1 month; in one month; in 1month; a month from now
    once | 12-26 08:00 | 12-26 10:00 | 12-27 12:00
      in a month and 3 days; in 1 month 3 days
    once | 2027-05-23 08:00 | 2027-05-23 10:00 | 2027-05-24 12:00
      in half a year; in 6 months; in half a year
    once | 2028-05-23 08:00 | 2028-05-23 10:00 | 2028-05-24 12:00
      in 1.5 years; in 18 months; in a year and a half
    once | 2027-11-23 08:00 | 2027-11-23 10:00 | 2027-11-24 12:00
      in a year; in 12 months; in 1y; a year from now
    once | 2028-01-23 08:00 | 2028-01-23 10:00 | 2028-01-24 12:00
      in a year and 2 months; in 14 months
    once | 2027-02-23 09:00 | 2027-02-23 09:00 | 2027-02-24 09:00
      in 3 months at 9:00; 9am in 3 months; in three months at 9
    once | 2027-11-23 09:00 | 2027-11-23 09:00 | 2027-11-24 09:00
      in a year at 9:00; 9:00 in a year

    # Days, weeks from now, at a time
    once | 11-26 09:00 | 11-26 09:00 | 11-27 09:00
      in 3 days at 9am; in 3 days 9:00; in 3 days 9; 9am in 3 days; in three days at 9
    once | 11-30 09:00 | 11-30 09:00 | 12-01 09:00
      in 1 week at 9am; in a week at 9:00; in 7 days at 9am

    # Next and this: once, the first such day behind today; this one may be today
    once | 11-30 09:00 | 11-30 09:00 | 11-30 09:00
      next monday 9am; next Mon 9:00; next monday at 9; 9am next monday; at 9am next Monday;
      on next monday 9:00; next mon 9
    once | 11-24 17:30 | 11-24 17:30 | 12-01 17:30
      next tuesday 17:30; next Tue 17.30; next tues 5:30pm
    once | 11-27 17:00 | 11-27 17:00 | 11-27 17:00
      next friday 5pm; 17:00 next fri; next friday at 17h00
    once | 11-29 00:00 | 11-29 00:00 | 11-29 00:00
      next sunday; next Sun
    once | 11-27 17:00 | 11-27 17:00 | 11-27 17:00
      this friday 5pm; coming friday 17:00; 5pm this fri
    once | 11-23 09:30 | 11-30 09:30 | 11-30 09:30
      this monday 9:30

    # A date is once; without a year it is the next one
    once | 12-24 18:00 | 12-24 18:00 | 12-24 18:00
      24.12.2026 18:00; 24.12.26 18:00; 24.12. 18:00; 24 Dec 18:00; 24 December 18:00;
      24. Dec 18:00; Dec 24 18:00; December 24, 18:00; 24th Dec 18:00; Dec 24th 6pm;
      24 Dec 2026 18:00; Dec 24, 2026 6pm; 18:00 24 Dec; 6pm on 24 December; on 24 Dec at 18:00;
      24th of December 6pm; Thu 24 Dec 18:00; Thursday, 24 December 2026 18:00;
      Thu 24.12. 18:00; 2026-12-24 18:00; 2026-12-24 6pm; 6pm 2026-12-24; 24 dec 18h00;
      24 Dec 18.00; 24 Dec at 18; 24/12 18:00; 24/12/2026 18:00; 12/24/2026 6pm; 12/24 18:00;
      the 24th of December at 18:00; 2026-12-24 18
    once | 12-24 00:00 | 12-24 00:00 | 12-24 00:00
      24 Dec; 24.12.; 24.12.2026; Dec 24; 2026-12-24; on 24 Dec; Thu 2026-12-24
    once | 2027-01-03 09:00 | 2027-01-03 09:00 | 2027-01-03 09:00
      3 Jan 9:00; 3.1. 9:00; Jan 3 9am; 3.1.2027 9:00; 3 Jan 2027 9am

    # A date that is past is that of another year
    once | 11-23 09:00 | 2027-11-23 09:00 | 2027-11-23 09:00
      23 Nov 9:00; 23.11. 9:00; Nov 23 9am

    # The next leap day
    once | 2028-02-29 12:00 | 2028-02-29 12:00 | 2028-02-29 12:00
      29 Feb 12:00; 29.2. noon; Feb 29 noon

    # ISO 8601, with an offset or without, with T or a space; 18:00 in Berlin is 17:00 UTC
    once | 12-24 18:00 | 12-24 18:00 | 12-24 18:00
      2026-12-24T18:00; 2026-12-24T18:00:00; 2026-12-24T18:00+01:00; 2026-12-24 18:00+01:00;
      2026-12-24 18:00 +01:00; 2026-12-24T17:00Z; 2026-12-24 17:00Z; 2026-12-24 17:00 Z;
      2026-12-24T11:00-0600; 2026-12-24 11:00-0600; 2026-12-24 11:00 -0600;
      2026-12-24T19:00:00+02:00; 2026-12-24 19:00 +02:00; 2026-12-24T19+02;
      2026-12-24T22:30:00.000+05:30; 2026-12-24t17:00:00z

    # A time zone behind it
    once | 12-24 18:00 | 12-24 18:00 | 12-24 18:00
      2026-12-24 17:00 UTC; 24 Dec 17:00 UTC; 24.12. 12:00 America/New_York;
      Dec 24 noon America/New_York; 2026-12-24 18:00 CET; 24 Dec 18:00 Europe/Berlin
    once | 11-24 10:00 | 11-24 10:00 | 11-25 10:00
      tomorrow 9am Europe/London; 9am tomorrow Europe/London; tomorrow 9:00 UTC;
      tomorrow 4am EST5EDT

    # Seconds since 1970
    once | 2027-01-15 09:00 | 2027-01-15 09:00 | 2027-01-15 09:00
      @1800000000

    # A weekday, or a set of days, repeats, whatever day it is
    Mon *-*-* 09:30:00 | 11-23 09:30 | 11-30 09:30 | 11-30 09:30
      Mon 9:30; monday 9:30; Monday 9.30; mon 9h30; mondays 9:30; Mondays at 9:30;
      on monday 9:30; on mondays at 9:30 am; every monday 9:30; every Monday at 9.30;
      each monday 9:30am; 9:30 monday; 9:30 every monday; 9:30 on mondays; mon 0930;
      monday, 9:30; Mon *-*-* 9:30; monday at half past nine; Mon. 9:30
    Fri *-*-* 17:00:00 | 11-27 17:00 | 11-27 17:00 | 11-27 17:00
      friday 5pm; on friday 17:00; fri 17:00; fridays 5 pm; every friday at 17; 5pm friday;
      17:00 on fridays; Fri 17.00; fri 5pm; friday 17
    Fri *-*-* 00:00:00 | 11-27 00:00 | 11-27 00:00 | 11-27 00:00
      fri; friday; every friday; fridays; Fri 0:00
    Tue *-*-* 09:00:00 | 11-24 09:00 | 11-24 09:00 | 12-01 09:00
      tues 9am; tuesday 9am
    Wed *-*-* 12:00:00 | 11-25 12:00 | 11-25 12:00 | 11-25 12:00
      wed noon; weds 12pm; wednesday at noon
    Thu *-*-* 09:00:00 | 11-26 09:00 | 11-26 09:00 | 11-26 09:00
      thu 9am; thurs 9am; thur 9:00
    Mon..Fri *-*-* 07:00:00 | 11-24 07:00 | 11-24 07:00 | 11-25 07:00
      weekdays 7:00; weekdays at 7; weekdays 7am; every weekday 7:00; on weekdays 7.00;
      7am weekdays; 7:00 on weekdays; workdays 7:00; Mon..Fri 7:00; mon-fri 7:00; mon-fri 7am;
      monday to friday 7:00; Mon to Fri at 7; monday through friday 7am; Mon-Fri 7.00;
      Mon..Fri 7h00
    Sat,Sun *-*-* 10:00:00 | 11-28 10:00 | 11-28 10:00 | 11-28 10:00
      weekends 10:00; weekends at 10; every weekend 10am; on weekends 10:00; weekend 10:00;
      10am on weekends; sat,sun 10:00; sat and sun 10:00; saturday and sunday 10am;
      Sat, Sun 10:00; saturdays and sundays at 10; sat & sun 10am; sat-sun 10:00
    Mon,Wed,Fri *-*-* 06:45:00 | 11-25 06:45 | 11-25 06:45 | 11-25 06:45
      mon,wed,fri 6:45; mon, wed, fri 6:45; mon wed fri 6:45;
      monday, wednesday and friday at 6:45; 6:45 mon,wed,fri; every mon, wed and fri 6.45
    *-*-* 09:00:00 | 11-23 09:00 | 11-24 09:00 | 11-25 09:00
      daily 9:00; daily 9am; every day 9:00; every day at 9; each day 9am; 9:00 daily;
      9am every day; everyday 9:00; daily at 9.00; daily at 9; every day at 0900
    *-*-* 21:00:00 | 11-23 21:00 | 11-23 21:00 | 11-24 21:00
      daily 9 in the evening; every evening at 9; every day at 9 in the evening
    *-*-* 00:00:00 | 11-24 00:00 | 11-24 00:00 | 11-25 00:00
      daily; every day; every day at midnight
    *-*-* 12:00:00 | 11-23 12:00 | 11-23 12:00 | 11-25 12:00
      daily noon; noon daily; every day at noon; daily 12pm

    # With a time zone
    Mon *-*-* 09:30:00 Europe/Berlin | 11-23 09:30 | 11-30 09:30 | 11-30 09:30
      Mon 9:30 Europe/Berlin; monday 9.30 Europe/Berlin; every monday at 9:30 Europe/Berlin
    Mon..Fri *-*-* 06:00:00 UTC | 11-24 07:00 | 11-24 07:00 | 11-25 07:00
      weekdays 6:00 UTC; Mon..Fri 6:00 UTC

    # What systemd has, as systemd has it
    *-*-* *:00:00 | 11-23 09:00 | 11-23 11:00 | 11-24 13:00
      hourly; *:00
    Mon *-*-* 00:00:00 | 11-30 00:00 | 11-30 00:00 | 11-30 00:00
      weekly; Mon
    *-*-01 00:00:00 | 12-01 00:00 | 12-01 00:00 | 12-01 00:00
      monthly; *-*-1
    *-*-01 12:00:00 | 12-01 12:00 | 12-01 12:00 | 12-01 12:00
      *-*-01 12:00
    *-*~01 12:00:00 | 11-30 12:00 | 11-30 12:00 | 11-30 12:00
      *-*~1 12:00
    *-12-24 18:00:00 | 12-24 18:00 | 12-24 18:00 | 12-24 18:00
      12-24 18:00; *-12-24 18:00
    *-01-01 00:00:00 | 2027-01-01 00:00 | 2027-01-01 00:00 | 2027-01-01 00:00
      yearly
    *-*-* 09,17:30:00 | 11-23 09:30 | 11-23 17:30 | 11-24 17:30
      9,17:30
    *-*-* 08,20:00:00 | 11-23 20:00 | 11-23 20:00 | 11-24 20:00
      8,20:00
    *-*-* 08:00,20:00 | 11-23 08:20 | 11-24 08:00 | 11-25 08:00
      *-*-* 8:00,20:00; 8:00,20
    Mon..Fri *-*-* 09..17:00:00 | 11-23 09:00 | 11-23 11:00 | 11-24 13:00
      Mon..Fri 9..17:00
    *-*-* *:00/15:00 | 11-23 08:15 | 11-23 10:15 | 11-24 12:15
      *:0/15
    """
}
