extension PhraseTable {
  /// Lengths of time as people say them: at the margin what is meant, as systemd writes it.
  static let lengths = """
    4min
      4min; 4 min; 4mins; 4 mins; 4 minutes; 4m; four minutes; 4 Minutes; 4MIN; 240s; 240 secs;
      0:04:00; 4:00; 4Mins
    # A number right behind hours is minutes, behind minutes it is seconds.
    1h 30min
      1h30; 1H30; 1h30m; 1h30min; 1h 30min; 1h 30m; 1.5h; 90 min; 90min; 90mins; 90m; 1:30:00;
      an hour and a half; one and a half hours; 1 and a half hours; 1 hour 30 minutes; 1hr30;
      1 hour and 30 minutes; one hour and thirty minutes; an hour and thirty minutes; 1 hr 30 mins
    1min 30s
      1m30; 1m30s; 1min30; 1min 30s; 1:30; 90s; 90 secs; 90 sec; 90; a minute and a half; 1.5min
    9h 30min
      9h30; 9h30m; 9h 30m; 9.5h; nine hours and thirty minutes
    1h 5min
      1h5; 1h05; 1h 5min; 1h05m; 65 mins
    30min
      half an hour; half hour; a half hour; 30 min; 30mins; 0.5h; thirty minutes; 0.5 hours;
      1/2 hour; 1/2 an hour; 1/2 of an hour
    15min
      a quarter of an hour; quarter of an hour; a quarter hour; 15 minutes; fifteen minutes;
      1/4 hour
    45min
      3/4 hour; 3/4 of an hour; 45 minutes; forty five minutes; forty-five minutes
    1h 25min
      1h 25min; an hour and twenty five minutes; one hour twenty-five minutes
    1h
      an hour; one hour; 1 hour; 1 Hour; 1hr; 60min; 1 hrs; 3600
    2h
      two hours; 2 hrs; 2hrs; 2 Hours
    2h 30min
      two and a half hours; 2 and a half hours; 2.5 hours; 2h30; two hours and a half;
      2 1/2 hours; two 1/2 hours; 2 1/2 hrs
    30s
      half a minute; 30 secs; 30; 30s; thirty seconds
    500ms
      half a second; 500 msec; 0.5s; 500ms
    1d
      a day; 1 day; one day; 24h; 24 hrs
    1d 12h
      a day and a half; 1d 12h; 36 hours; 1.5 days
    2w
      two weeks; 2 wks; 2 weeks; 14 days
    1y
      a year; 1 yr; 1 year
    1month
      a month; one month; 1 month

    # What systemd has, as systemd has it: a number behind a space, or behind days, is seconds.
    1h 30s
      1h 30
    1d 12s
      1d12
    3month 1w
      3months 1week
    infinity
      infinity
    """

  /// What depends on where people are from. At the margin the locale and the reading, at the three
  /// moments.
  static let places = """
    # The comma is a decimal point where the locale writes it so; the point is one everywhere.
    de_DE | once | 11-23 09:30 | 11-23 11:30 | 11-24 13:30
      in 1,5h; in 1,5 hours; +1,5h
    en_US | refused
      in 1,5h; in 1,5 hours; +1,5h
    de_DE | 1h 30min
      1,5h; 1,5 h; 1,5 hours; 90,0min; 1.5h
    en_US | refused
      1,5h; 1,5 h; 1,5 hours; 90,0min
    de_DE | 500ms
      0,5s; 0,5 seconds
    # A date with strokes goes by the locale where it has two readings. With points it is a day and
    # a month everywhere.
    de_DE | once | 2027-06-05 18:00 | 2027-06-05 18:00 | 2027-06-05 18:00
      5/6 18:00; 5/6/2027 18:00; 5.6. 18:00
    en_US | once | 2027-05-06 18:00 | 2027-05-06 18:00 | 2027-05-06 18:00
      5/6 18:00; 5/6/2027 18:00; 6.5. 18:00
    en_GB | once | 2027-06-05 18:00 | 2027-06-05 18:00 | 2027-06-05 18:00
      5/6 18:00; 6pm 5/6
    C | refused
      5/6 18:00; 5/6/2027 18:00
    C | once | 12-24 18:00 | 12-24 18:00 | 12-24 18:00
      24/12 18:00; 12/24 18:00; 24.12. 18:00
    """

  /// Moments at which a day, a year or the clocks change. At the margin a moment by the clocks of
  /// Berlin; behind each phrase what is meant, by UTC.
  static let edges = """
    # Half a minute before midnight, on a Saturday.
    2026-11-28 23:59:30
      midnight = 11-28 23:00; 0:00 = 11-28 23:00; 23:59 = 11-29 22:59; 0 = 11-28 23:00;
      tomorrow 0:30 = 11-28 23:30; tomorrow = 11-28 23:00; in 1min = 11-28 23:00:30;
      today 23:59:45 = 11-28 22:59:45; next sunday 9:00 = 11-29 08:00;
      next saturday 9:00 = 12-05 08:00; sun 0:00 = 11-28 23:00; sat 23:59 = 12-05 22:59;
      weekends 0:00 = 11-28 23:00; daily = 11-28 23:00; 29 Nov = 11-28 23:00
    # The last half hour of a year, a Thursday.
    2026-12-31 23:30:00
      1 Jan 9:00 = 2027-01-01 08:00; tomorrow 9 = 2027-01-01 08:00;
      31 Dec 9:00 = 2027-12-31 08:00; 31.12. 23:45 = 12-31 22:45; fri 9:00 = 2027-01-01 08:00;
      next thu 9:00 = 2027-01-07 08:00; 29 Feb noon = 2028-02-29 11:00
    # Clocks are put back at 3:00 in the night: 2:30 is the first of the two, an hour stays an hour.
    2026-10-24 22:00:00
      2:30 = 10-25 00:30; 2h30 = 10-25 00:30; tomorrow 2.30 = 10-25 00:30;
      sun 2:30 = 10-25 00:30; daily 2:30 = 10-25 00:30; 25 Oct 2:30 = 10-25 00:30;
      in 6 hours = 10-25 02:00; tomorrow 9am = 10-25 08:00; next sunday 3:30 = 10-25 02:30
    # Clocks are put forward at 2:00 in the night: 2:30 is when they are.
    2027-03-27 22:00:00
      2:30 = 2027-03-28 01:00; 2h30 = 2027-03-28 01:00; tomorrow 2.30 = 2027-03-28 01:00;
      sun 2:30 = 2027-03-28 01:00; daily 2:30 = 2027-03-28 01:00; 28.3. 2:30 = 2027-03-28 01:00;
      in 6 hours = 2027-03-28 03:00; tomorrow 9am = 2027-03-28 07:00
    # It is tomorrow in Tokyo already, and still yesterday in Honolulu.
    2026-11-24 01:00:00
      tomorrow 0:30 Asia/Tokyo = 11-24 15:30; next tue 9:00 Asia/Tokyo = 12-01 00:00;
      tomorrow 9:00 Pacific/Honolulu = 11-24 19:00; mon 20:00 Pacific/Honolulu = 11-24 06:00
    """
}
