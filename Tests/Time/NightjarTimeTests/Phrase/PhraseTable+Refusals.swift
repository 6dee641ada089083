extension PhraseTable {
  /// What is no time, or has two readings, on the Monday at 10:00: at the margin what was written,
  /// behind it the sentence.
  static let refusedTimes = """
    # A length, and no time.
    90min
      '90min' is a time span, not a time; write in 90min, or nightjar start 90min
    5 minutes
      '5 minutes' is a time span, not a time; write in 5 minutes, or nightjar start 5 minutes
    an hour
      'an hour' is a time span, not a time; write in an hour, or nightjar start an hour
    half an hour
      'half an hour' is a time span, not a time; write in half an hour, or nightjar start half an hour
    30s
      '30s' is a time span, not a time; write in 30s, or nightjar start 30s
    2d
      '2d' is a time span, not a time; write in 2d, or nightjar start 2d
    9h30m
      '9h30m' is a time span, not a time; write in 9h30m, or nightjar start 9h30m

    # Two readings, and both are spelled out.
    9h
      '9h' has two readings; write 9:00 (a time of day), or in 9h (from now)
    21h
      '21h' has two readings; write 21:00 (a time of day), or in 21h (from now)
    930
      '930' has two readings; write 9:30 (a time of day), or in 930s (from now)
    tomorrow 930
      '930' is not a time of day; write 9:30
    in 5
      'in 5' has two readings; write in 5min (minutes), or in 5s (seconds)
    5 from now
      '5 from now' has two readings; write in 5min (minutes), or in 5s (seconds)
    in 8:00
      'in 8:00' has three readings; write in 8min (minutes), or in 8h (hours), or 8:00 (a time of
      day)
    in 1:30
      'in 1:30' has three readings; write in 1min 30s (minutes and seconds), or in 1h 30min (hours
      and minutes), or 1:30 (a time of day)
    0:45 from now
      '0:45 from now' has three readings; write in 45s (seconds), or in 45min (minutes), or 0:45
      (a time of day)
    in 90:00
      'in 90:00' has two readings; write in 1h 30min (minutes), or in 3d 18h (hours)
    in 5M
      'in 5M' has two readings; write in 5min (minutes), or in 5month (months)
    in 1h 5 M
      'in 1h 5 M' has two readings; write in 1h 5min (minutes), or in 1h 5month (months)
    +5M
      '+5M' has two readings; write +5min (minutes), or +5month (months)
    5M left
      '5M left' has two readings; write 5min left (minutes), or 5month left (months)
    5M from now
      '5M from now' has two readings; write in 5min (minutes), or in 5month (months)
    25M
      '25M' has two readings; write in 25min (minutes), or in 25month (months)
    every 5M
      'every 5M' has two readings; write nightjar start 5min --repeat (minutes), or nightjar
      start 5month --repeat (months)
    tonight 8
      'tonight 8' has no am or pm; write today 20:00
    tonight at 3
      'tonight at 3' has no am or pm; write tomorrow 3:00
    quarter to twelve tonight
      'quarter to twelve tonight' has no am or pm; write today 23:45
    tomorrow night at 12
      'tomorrow night at 12' has two readings; write tomorrow 0:00 (as the day begins), or in 2 days
      at 0:00 (as it ends)
    1 at night on fridays
      '1 at night on fridays' has two readings; write fri 1:00 (as the day begins), or sat 1:00 (as
      it ends)
    in 3 months at midnight
      in 'in 3 months at midnight', midnight may be the beginning or the end of the day; write the
      date, such as 24 Dec 0:00
    next mon 1 at night
      in 'next mon 1 at night', 1:00 may be the beginning or the end of Monday; write the date, such
      as 24 Dec 1:00
    8:00,20:00
      '8:00,20:00' has two readings; write 8,20:00 (8:00 and 20:00), or *-*-* 8:00,20:00 (8:00 and
      8:20)
    9:30,17:30
      '9:30,17:30' has two readings; write 9,17:30 (9:30 and 17:30), or *-*-* 9:30,17:30 (9:17:30 and
      9:30:30)
    Mon,Wed 8:00,20:00 Europe/Berlin
      'Mon,Wed 8:00,20:00 Europe/Berlin' has two readings; write Mon,Wed 8,20:00 Europe/Berlin (8:00
      and 20:00), or Mon,Wed *-*-* 8:00,20:00 Europe/Berlin (8:00 and 8:20)
    8:00,20:30
      '8:00,20:30' has several times; start one alarm for each; write *-*-* 8:00,20:30 (8:00:30 and
      8:20:30)
    8:00,12:15,18:30
      '8:00,12:15,18:30' has several times; start one alarm for each
    weekdays 8:00,20:30
      'weekdays 8:00,20:30' has several times; start one alarm for each
    every hour
      'every hour' has two readings; write hourly (on the hour), or nightjar start 1h --repeat
      (from now on)
    tomorrow midnight
      'tomorrow midnight' has two readings; write tomorrow 0:00 (as the day begins), or in 2 days
      at 0:00 (as it ends)
    friday midnight
      'friday midnight' has two readings; write fri 0:00 (as the day begins), or sat 0:00 (as it
      ends)
    midnight on sundays
      'midnight on sundays' has two readings; write sun 0:00 (as the day begins), or mon 0:00 (as
      it ends)
    24 Dec midnight
      '24 Dec midnight' has two readings; write 24 Dec 0:00 (as the day begins), or 25 Dec 0:00
      (as it ends)
    next mon midnight
      in 'next mon midnight', midnight may be the beginning or the end of Monday; write the date,
      such as 24 Dec 0:00

    # Hours and minutes that there are not.
    24
      '24' is not a time of day; the hour is from 0 to 23
    weekdays 25:00
      '25:00' is not a time of day; the hour is from 0 to 23
    tomorrow 9:60
      '9:60' is not a time of day; the minute is from 0 to 59
    9:00:75 on mondays
      '9:00:75' is not a time of day; the second is from 0 to 59
    24:00
      '24:00' is no time: the hour at 1 is from 0 to 23
    25:00
      '25:00' is no time: the hour at 1 is from 0 to 23
    9:60
      '9:60' is no time: the minute at 3 is from 0 to 59
    13pm
      '13pm' is not a time of day; with am or pm the hour is from 1 to 12
    0am
      '0am' is not a time of day; with am or pm the hour is from 1 to 12
    9.60
      '9.60' is not a time of day; the minute is from 0 to 59
    9h60
      '9h60' is not a time of day; the minute is from 0 to 59
    2460
      '2460' is not a time of day; the hour is from 0 to 23
    960pm
      '960pm' is not a time of day; the minute is from 0 to 59
    9.5
      '9.5' is not a time of day; minutes have two digits, as in 9.30
    24.12
      '24.12' is not a time of day; write 24.12. (a date)
    24.12 18:00
      '24.12' is not a time of day; write 24.12. 18:00 (a date)
    18:00 24.12
      '24.12' is not a time of day; write 18:00 24.12. (a date)
    5.12 18:00
      '5.12 18:00' has two times; write 5.12. 18:00 (a date)
    18:00 5.12
      '18:00 5.12' has two times; write 18:00 5.12. (a date)
    9.5 18:00
      '9.5' is not a time of day; write 9.5. 18:00 (a date)
    9.30 10:00
      '9.30 10:00' has two times; start one alarm for each
    9.10 10.10
      '9.10 10.10' has two times; start one alarm for each
    9:00 10:00
      '9:00 10:00' has two times; start one alarm for each
    9:00 and 17:00
      '9:00 and 17:00' has two times; start one alarm for each
    9am pm
      'pm' stands behind an hour, as in 9pm
    half past
      'half past' lacks an hour; write one such as half past 9
    10 past
      '10 past' lacks an hour; write one such as 10 past 9
    60 past 9
      '60' is no number of minutes past an hour; write one such as 10 past 9
    10 past noon
      '10 past noon' lacks an hour; write one such as 10 past 9
    7 to 9
      'to' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    quarter to noon
      'quarter to noon' lacks an hour; write one such as quarter to 10

    # Days.
    next week
      'next week' is no day; write one such as next monday
    next month
      'next month' is no day; write one such as next monday
    next
      'next' lacks a day; write one such as next monday
    next weekdays 9:00
      'next weekdays' is no day; write one such as next monday
    every
      'every' lacks a day; write one such as every monday
    every other monday 9:00
      'every other' is not supported; write the dates, or every monday
    every 5 minutes
      'every 5 minutes' is not a time of day; write nightjar start 5 minutes --repeat
    every month
      'every month' lacks a day; write monthly, or one such as *-*-15 9:00
    every year
      'every year' lacks a day; write one such as *-12-24 18:00
    tomorrow night
      'night' is not a time of day; write one such as 22:00
    tomorrow morning
      'morning' is not a time of day; write one such as 9:00
    monday evening
      'evening' is not a time of day; write one such as 21:00
    this evening
      'evening' is not a time of day; write one such as 21:00
    tomorrow in the morning
      'morning' is not a time of day; write one such as 9:00
    every evening
      'evening' is not a time of day; write one such as 21:00
    9pm in the morning
      21:00 is not in the morning; write a time alone, such as 9:00
    9am in the evening
      9:00 is not in the evening; write a time alone, such as 21:00
    quarter to 1 in the evening
      12:45 is not in the evening; write a time alone, such as 21:00
    1 in the evening
      13:00 is not in the evening; write a time alone, such as 21:00
    quarter to 12 in the afternoon
      23:45 is not in the afternoon; write a time alone, such as 15:00
    noon tonight
      12:00 is not at night; write a time alone, such as 22:00
    3pm at night
      15:00 is not at night; write a time alone, such as 22:00
    12 in the evening
      12:00 is not in the evening; write a time alone, such as 21:00
    9 in the evening in the morning
      '9 in the evening in the morning' has two parts of a day; write one of them
    tonight
      'tonight' lacks a time; write one such as today 20:00
    tomorrow monday 9:00
      'tomorrow monday 9:00' has two days; write one of them
    24 Dec tomorrow
      '24 Dec tomorrow' has two days; write one of them
    24 Dec 25 Dec
      '24 Dec 25 Dec' has two days; write one of them
    daily monday 9:00
      'daily monday 9:00' has two days; write one of them
    the 9:00
      'the' may stand only in front of a date, such as the 24th of December
    at the 9
      'the' may stand only in front of a date, such as the 24th of December
    nightly 22:00
      'nightly' is not supported; write daily 22:00
    22:00 nights
      'nights' is not supported; write 22:00 daily
    nightly
      'nightly' is not supported; write daily 22:00
    mornings 7:00
      'mornings' is not supported; write daily 7:00 in the morning
    evenings at 9
      'evenings' is not supported; write daily at 9 in the evening
    monday evenings 7
      'evenings' is not supported; write monday 7 in the evening
    weeknights 22:00
      'weeknights' is not supported; write weekdays 22:00
    m,t,w 8:00
      'm,t,w' is no list of days; write three letters of each, such as mon,tue,wed
    mo-fr 8:00
      'mo-fr' is no list of days; write three letters of each, such as mon,tue,wed
    mondey 9:00
      'mondey' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    tomorow 9am
      'tomorow' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    Mon..Fry 9:30
      'Mon..Fry 9:30' is no time: 'Fry' at 6 is no day of the week; they are Mon Tue Wed Thu Fri
      Sat Sun
    Mon..
      'Mon..' is no time: expected a day of the week at 6, such as Mon or Monday
    ..Fri
      '..Fri' is no time: expected a hour such as 9..17 at 1
    Mon.. 9:00
      'Mon.. 9:00' is no time: expected a day of the week at 6, such as Mon or Monday
    Mon..Fri.. 9:00
      'Mon..Fri.. 9:00' is no time: unexpected '.' at 9; write one such as Mon..Fri 9:30 or *-*-1
      12:00
    Mon...Fri 9:00
      'Mon...Fri 9:00' is no time: expected a day of the week at 6, such as Mon or Monday
    Mon.Fri 9:00
      'Mon.Fri' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    Mon- 9:00
      'Mon-' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    ,Mon 9:00
      ',Mon' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    Mon,,Wed 9:00
      'Mon,,Wed' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    Fri-Mon 9:00
      'fri-mon' goes over the weekend; the week begins on Monday: write fri..sun,mon..mon
    friday to monday 9:00
      'friday to monday' goes over the weekend; the week begins on Monday: write fri..sun,mon..mon

    # Dates.
    30 Feb 9:00
      there is no 30 Feb
    31.4. 9:00
      there is no 31 Apr
    32 Dec
      there is no 32 Dec
    24.13.
      '24.13.' is no date; the month is from 1 to 12
    24/13
      '24/13' is no date; the month is from 1 to 12
    29.2.2027 9:00
      there is no 29 Feb 2027
    Fri 24 Dec 18:00
      24 Dec 2026 is a Thursday, not a Friday
    Mon 23 Nov 7:00
      'Mon 23 Nov 7:00' is in the past: it was 07:00:00; write a time in the future
    Sunday, 22 Nov 7:00
      'Sunday, 22 Nov 7:00' is in the past: it was Sun 2026-11-22 07:00:00; write a time in the future
    Fri 2026-12-24 18:00
      'Fri 2026-12-24 18:00' is no time: 2026-12-24 is a Thursday, not a Friday (at 1)
    every 24 Dec 2026
      'every 24 Dec 2026' is one day, because it has a year; leave out the year
    dec 9:00
      'dec 9:00' lacks a day of the month; write one such as 24 Dec
    24 Foo 9:00
      'Foo' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30

    # Past.
    24 Dec 2020 18:00
      '24 Dec 2020 18:00' is in the past: it was Thu 2020-12-24 18:00:00; write a time in the future
    2020-01-01
      '2020-01-01' is in the past: it was Wed 2020-01-01 00:00:00; write a time in the future
    yesterday 9:00
      'yesterday 9:00' is in the past: it was Sun 2026-11-22 09:00:00; write a time in the future
    today 7:00
      'today 7:00' is in the past: it was 07:00:00; write tomorrow 7:00
    today
      'today' is in the past: it was 00:00:00; write a time after it, such as today 17:30
    now
      'now' is in the past: it was 10:00:00; write a time in the future
    5min ago
      '5min ago' is in the past: it was 09:55:00; write a time in the future
    2026-02-30
      '2026-02-30' never comes again; see nightjar analyze calendar '2026-02-30'

    # Zones and offsets.
    9:00 Europe/Nowhere
      '9:00 Europe/Nowhere' is no time: there is no zone 'Europe/Nowhere'; they are spelled like
      Europe/Berlin (at 6)
    tomorrow at 9 Mars/Olympus
      'tomorrow at 9 Mars/Olympus' is no time: there is no zone 'Mars/Olympus'; they are spelled
      like Europe/Berlin (at 15)
    2026-12-24T18:00+25:00
      '2026-12-24T18:00+25:00' is no time: the hour of the offset at 18 is from 0 to 23
    2026-W52-4
      '2026-W52-4' is no time: expected a month at 6

    # What comes too often, and what is no time at all.
    00:00:00.0..00.9
      '00:00:00.0..00.9' is no time: the range at 7 is shorter than a second; write one value,
      or a step such as 0..0.9/0.1
    tea
      'tea' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    9 bananas
      'bananas' is not understood; write a time such as 17:30, tomorrow 9:00 or Mon 9:30
    in 1,5h
      'in 1,5h' is no time: ',' at 5 is no decimal point; use 1.5h
    in tea
      'in tea' is no time: expected a number at 4, not 'tea'; write a span such as 4min or 1h 30min
    in 1.5 months
      'in 1.5 months' has a part of a month; write days, such as in 45 days
    in a month and a half
      'in a month and a half' has a part of a month; write days, such as in 45 days
    in an hour at 9
      'in an hour at 9' says how long and when; write in an hour, or at 9
    in 2 hours 30min at 9:30
      'in 2 hours 30min at 9:30' says how long and when; write in 2 hours 30min, or at 9:30
    in
      'in' lacks a time span; write one such as in 5 minutes
    at
      'at' lacks a time of day; write one such as 17:30
    monday at
      'at' lacks a time of day; write one such as 17:30
    """

  /// What is no length of time, in the United States.
  static let refusedLengths = """
    1,5h
      ',' at 2 is no decimal point; use 1.5h
    5 parsecs
      unknown unit 'parsecs' at 3; the units are us ms s min h d w month y
    -5min
      a time span cannot be negative ('-' at 1)
    an
      expected a number at 1, not 'an'; write a span such as 4min or 1h 30min
    half
      expected a number at 1, not 'half'; write a span such as 4min or 1h 30min
    1h and
      expected a number at 4, not 'and'; write a span such as 4min or 1h 30min
    9am
      '9am' is a time, not a time span; write nightjar alarm 9am
    tomorrow 9am
      'tomorrow 9am' is a time, not a time span; write nightjar alarm tomorrow 9am
    Mon 9:30
      'Mon 9:30' is a time, not a time span; write nightjar alarm Mon 9:30
    1h90x
      unknown unit 'x' at 5; the units are us ms s min h d w month y
    tea
      expected a number at 1, not 'tea'; write a span such as 4min or 1h 30min
    """

  /// What --repeat and --once cannot mean: at the margin the option and what was written.
  static let refusedDecisions = """
    --repeat tomorrow 9am
      'tomorrow 9am' is a single time; leave out --repeat, or write daily 9:00
    --repeat next monday 9am
      'next monday 9am' is a single time; leave out --repeat, or write mon 9:00
    --repeat in 5 minutes
      'in 5 minutes' is a single time; for every 5 min write nightjar start 5 minutes --repeat
    --repeat in a month
      'in a month' is a single time; leave out --repeat
    --repeat 5 minutes from now
      '5 minutes from now' is a single time; for every 5 min write nightjar start 5 minutes --repeat
    --repeat 2026-12-24 18:00
      '2026-12-24 18:00' is a single time; leave out --repeat, or write *-12-24 18:00
    --repeat 24 Dec 2026 18:00
      '24 Dec 2026 18:00' is a single time; leave out --repeat, or write *-12-24 18:00
    --repeat @1800000000
      '@1800000000' is a single time; leave out --repeat
    --once Mon 2020-01-06
      'Mon 2020-01-06' is in the past: it was Mon 2020-01-06 00:00:00; write a time in the future
    """

  /// What --repeat and --once decide, on the Monday at 10:00.
  static let decided = """
    --repeat 9:30 = *-*-* 09:30:00
    --repeat noon = *-*-* 12:00:00
    --repeat 9am = *-*-* 09:00:00
    --repeat 24 Dec 18:00 = *-12-24 18:00:00
    --repeat 24.12. = *-12-24 00:00:00
    --repeat Mon 9:30 = Mon *-*-* 09:30:00
    --once Mon 9:30 = once 11-30 09:30
    --once friday 5pm = once 11-27 17:00
    --once weekdays 7:00 = once 11-24 07:00
    --once daily 9:00 = once 11-24 09:00
    --once every day at noon = once 11-23 12:00
    --once hourly = once 11-23 11:00
    --once *:0/15 = once 11-23 10:15
    --once 9:30 = once 11-24 09:30
    --once next monday 9am = once 11-30 09:00
    """
}
