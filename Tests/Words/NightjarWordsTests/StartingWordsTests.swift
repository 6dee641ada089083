import NightjarInterface
import NightjarTestSupport
import NightjarTime
import Testing

@testable import NightjarWords

/// The words after `start` and `alarm`, and those without a verb.
@Suite struct StartingWordsTests {
  // Wednesday, 2026-11-25, 12:00.
  private static let wall = WallClock(
    nowUsec: 1_795_608_000_000_000, zone: .utc, locale: .neutral)

  @Test(
    arguments: Row.table(
      #"""
      4min => start 4min
      tea 4min => start tea 4min
      4min tea => start 4min tea
      1h 30min => start 1h 30min
      tea half an hour => start tea half an hour
      tea for 5 minutes => start tea 5 minutes
      in 5 minutes => start 5 minutes
      every 2 hours => start 2 hours --repeat
      drink each 45min => start drink 45min --repeat
      7am => alarm 7am
      wake 7am => alarm wake 7am
      7am wake => alarm 7am wake
      gym friday 6pm => alarm gym friday 6pm
      rent 2027-01-03 => alarm rent 2027-01-03
      mon 9:30 => alarm mon 9:30
      wake weekdays 7:00 => alarm wake weekdays 7:00
      17:30 => alarm 17:30, start 17:30
      tea 17:30 => alarm tea 17:30, start tea 17:30
      90:00 => start 90:00
      5 => start 5s, start 5min
      tea 5 => start tea 5s, start tea 5min
      5 tea => start 5s tea, start 5min tea
      tea => start tea
      pomodoro => start pomodoro
      parking 2h "Mill Street 3" => start parking 2h 'Mill Street 3'
      wake 7am "get up now" => alarm wake 7am 'get up now'
      1h 30min "my tea" => start 1h 30min 'my tea'
      strat =>
      pasue tea =>
      strat tea 5min =>
      a//b =>
      green tea =>
      strat 5min => start 5min, start strat 5min
      extnd 5min => extend 5min, start extnd 5min
      alram 7am => alarm 7am, alarm alram 7am
      s 5min => start s 5min
      1:30 5s => start '1:30 5s'
      10 1:30 => start '10 1:30'
      -1:30 => start -1:30
      for 5 minutes => start for 5 minutes
      green tea 4min => start green tea 4min
      tea 25:70 => start tea 25:70
      5 minuts => start 5 minuts
      """#))
  func `A span starts a countdown, a time an alarm, and what is left open is asked`(row: Row) throws
  {
    let readings = FirstWords(try FirstWords.words(of: row[0]), at: Self.wall, verbs: Self.verbs)
      .readings.map { $0.arguments.map(Quoting.quoted).joined(separator: " ") }
    #expect(readings.joined(separator: ", ") == row[1])
  }

  private static let verbs = FirstWords.verbsOfTimes + ["pause"]

  /// What the words of a command line mean: a name, a space, and a time span or a calendar.
  private func meaning(of line: String) throws(WordsProblem) -> String {
    let words =
      try line.contains("\"")
      ? FirstWords.words(of: line) : line.split(separator: " ").map(String.init)
    let meant =
      FirstWords.startingVerbs.contains(words.first ?? "")
      ? words : try FirstWords(words, at: Self.wall).command() ?? []
    let rest = Array(meant.dropFirst())
    guard meant.first == "alarm" else {
      let (name, duration) = try StartArguments(at: Self.wall).parsed(rest)
      let usec = try TypedSpan(duration, at: Self.wall).withoutMonths().usec
      return "\(name.map { "\($0) " } ?? "")\(SpanFormat.text(usec: usec))"
    }
    let time = AlarmTime(wall: Self.wall)
    let said = try AlarmWords(rest, time)
    let alarm = try time.alarm(said.text, name: said.name)
    return "\(said.name ?? "") \(alarm.calendar ?? "\(alarm.atUsec ?? 0)")"
  }

  @Test(
    arguments: Row.table(
      #"""
      start 4min tea => tea 4 min
      4min tea => tea 4 min
      start 1h 30min "my tea" => my tea 1 h 30 min
      start 1h 30min => 1 h 30 min
      start focus 1h 30min => focus 1 h 30 min
      start tea half an hour => tea 30 min
      start half an hour tea => tea 30 min
      an hour => 1 h
      start tea 1h30 => tea 1 h 30 min
      start x13 for 5 minutes => x13 5 min
      start 5 minutes for tea => tea 5 min
      start tea 2 1/2 hours => tea 2 h 30 min
      start tea 90 min => tea 1 h 30 min
      5Mins => 5 min
      start 1:30 tea => tea 1 min 30 s
      start 10 1:30:00 => 10 1 h 30 min
      start 4711 5min => 4711 5 min
      alarm standup Mon..Fri 9:30 => standup Mon..Fri *-*-* 09:30:00
      alarm weekdays at 7 up => up Mon..Fri *-*-* 07:00:00
      alarm x weekdays 6:45 in the morning => x Mon..Fri *-*-* 06:45:00
      alarm x daily 9 in the evening => x *-*-* 21:00:00
      wake mon 9:30 => wake Mon *-*-* 09:30:00
      """#))
  func `The name stands before the time or behind it, and both may be written in words`(row: Row)
    throws
  {
    #expect(try meaning(of: row[0]) == row[1])
  }

  private static let refusals = Row.table(
    #"""
    start => say how long: nightjar start tea 4min
    start tea 9am => '9am' is a time, not a time span; write nightjar alarm tea 9am
    start Mon 9:30 => 'Mon 9:30' is a time, not a time span; write nightjar alarm Mon 9:30, or \#
    nightjar start --name Mon 9:30
    start tea => how long? no last duration of 'tea' is known; write nightjar start tea 4min
    start tea 5Mni => in '5Mni': unknown unit 'Mni' at 2; the units are us ms s min h d w month y
    start tea 1,5h => in '1,5h': ',' at 2 is no decimal point; use 1.5h
    start tea 1:5 => in '1:5': expected two digits from 00 to 59 at 3, not '5'
    1:60 => in '1:60': expected two digits from 00 to 59 at 3, not '60'
    :30 => expected a number before ':' at 1, such as 0:30
    start tea "1:30 5s" => in '1:30 5s': unexpected '5' at 6; 1:30 stands alone, without units \#
    and other terms
    start 1:30 5s => in '1:30 5s': unexpected '5' at 6; 1:30 stands alone, without units and \#
    other terms
    1:30 5s => in '1:30 5s': unexpected '5' at 6; 1:30 stands alone, without units and other terms
    10 1:30 => in '10 1:30': unexpected ':' at 5; a clock's notation stands alone and begins \#
    with a whole number, such as 1:30 or 1:30:00
    start tea -1:30 => a time span cannot be negative: '-1:30'; to take time away write \#
    nightjar extend NAME -1:30
    -1:30 => a time span cannot be negative: '-1:30'; to take time away write nightjar extend \#
    NAME -1:30
    start tea -:30 => a time span cannot be negative: '-:30'; to take time away write nightjar \#
    extend NAME -:30
    start tea 0:00 => '0:00' is no time at all; write one such as 4min
    start tea 876601:00:00 => '876601:00:00' is too long; the longest is 100 years
    start tea -5s => a time span cannot be negative: '-5s'; to take time away write nightjar \#
    extend NAME -5s
    start tea infinity => a timer cannot run forever; write a time span such as 5min
    start tea 0 => '0' is no time at all; write one such as 4min
    start tea 101y => '101y' is too long; the longest is 100 years
    start tea 600000y => '600000y' at 1 is too long; the longest span is about 584542 years
    start tea 25M => 25M is months; for minutes write 25min, for months 25month
    start tea3 => how long? no last duration of 'tea3' is known; write nightjar start tea3 4min
    start min 4 => 'min' is a word of time; write nightjar start 4min, or for a timer called \#
    'min' nightjar start --name min 4
    start day 8h => 'day' is a word of time; write nightjar start 8h, or for a timer called \#
    'day' nightjar start --name day 8h
    start every 5min => 'every' is a word of time; write nightjar start 5min --repeat, or for a \#
    timer called 'every' nightjar start --name every 5min
    start 5min tomorrow => 'tomorrow' is a word of time; write nightjar start 5min, or for a \#
    timer called 'tomorrow' nightjar start --name tomorrow 5min
    start for 5 minutes => 'for' is a word of time; write nightjar start 5 minutes, or for a \#
    timer called 'for' nightjar start --name for 5 minutes
    for 5 minutes => 'for' is a word of time; write nightjar start 5 minutes, or for a timer \#
    called 'for' nightjar start --name for 5 minutes
    start green tea 4min => a name of several words stands in quotes: nightjar start 'green \#
    tea' 4min
    start 5 minuts => 'minuts' is no unit; did you mean 5 minutes? For a timer called 'minuts' \#
    write nightjar start minuts 5s
    start 40minn tea => in '40minn': unknown unit 'minn' at 3; did you mean 'min'?
    start monday => how long? no last duration of 'monday' is known; write nightjar start \#
    --name monday 4min
    alarm next 9am => 'next 9am' is no day; write one such as next monday; for a timer called \#
    'next' write nightjar alarm --name next 9am
    alarm noon 14:00 => 'noon 14:00' has two times; start one alarm for each; for a timer \#
    called 'noon' write nightjar alarm --name noon 14:00
    alarm tomorow 9am => did you mean tomorrow? for a timer called 'tomorow' write nightjar \#
    alarm --name tomorow 9am
    alarm x in 5M => 'in 5M' has two readings; write nightjar alarm x in 5min (minutes), or \#
    nightjar alarm x in 5month (months)
    alarm x in 8:00 => 'in 8:00' has three readings; write nightjar alarm x in 8min (minutes), \#
    or nightjar alarm x in 8h (hours), or nightjar alarm x 8:00 (a time of day)
    alarm x weekdays 25:00 => '25:00' is not a time of day; the hour is from 0 to 23
    alarm weekdays 25:00 => '25:00' is not a time of day; the hour is from 0 to 23
    alarm x 12 in the evening => 12:00 is not in the evening; write a time alone, such as 21:00
    alarm x +5M => '+5M' has two readings; write nightjar alarm x +5min (minutes), or nightjar \#
    alarm x +5month (months)
    alarm x 24.12 18:00 => '24.12' is not a time of day; write nightjar alarm x 24.12. 18:00 (a \#
    date)
    alarm for 9:00 => 'for' is a word of time; for a timer called 'for' write nightjar alarm \#
    --name for 9:00
    alarm until 9:00 => 'until' is a word of time; for a timer called 'until' write nightjar \#
    alarm --name until 9:00
    alarm once 9:00 => 'once' is a word of time; for a timer called 'once' write nightjar alarm \#
    --name once 9:00
    alarm morning 7:00 => 'morning' may be part of the time or the name; write nightjar alarm \#
    7:00 in the morning, or for a timer called 'morning' nightjar alarm --name morning 7:00
    alarm Evening daily 9 => 'Evening' may be part of the time or the name; write nightjar \#
    alarm daily 9 in the evening, or for a timer called 'Evening' nightjar alarm --name Evening \#
    daily 9
    alarm the 9:00 => 'the' may stand only in front of a date, such as the 24th of December; \#
    for a timer called 'the' write nightjar alarm --name the 9:00
    alarm m9 nightly 22:00 => 'nightly' is not supported; write nightjar alarm m9 daily 22:00
    alarm m,t,w 8:00 => 'm,t,w' is no list of days; write three letters of each, such as \#
    mon,tue,wed; for a timer called 'm,t,w' write nightjar alarm --name m,t,w 8:00
    alarm x m,t,w 8:00 => 'm,t,w' is no list of days; write three letters of each, such as \#
    mon,tue,wed
    alarm seven thirty => 'thirty' is not a time of day; the hour is from 0 to 23; for a timer \#
    called 'thirty' write nightjar alarm --name thirty seven
    alarm eight fifteen => 'eight fifteen' has two times; start one alarm for each; for a timer \#
    called 'eight' write nightjar alarm --name eight fifteen
    alarm first monday 9 => 'first' is a word of time; for a timer called 'first' write \#
    nightjar alarm --name first monday 9
    alarm 7 tommorrow => did you mean tomorrow? for a timer called 'tommorrow' write nightjar \#
    alarm --name tommorrow 7
    alarm wake me up 9am => a name of several words stands in quotes: nightjar alarm 'wake me \#
    up' 9am
    alarm tea tomorow 9am => 'tomorow' is not understood; did you mean tomorrow?
    alarm tea tomorow => 'tomorow' is not understood; did you mean tomorrow?
    alarm tea 9h => '9h' has two readings; write nightjar alarm tea 9:00 (a time of day), or \#
    nightjar alarm tea in 9h (from now)
    alarm 90min tea => '90min' is a time span, not a time; write nightjar alarm tea in 90min, \#
    or nightjar start tea 90min
    alarm x 5/6 18:00 => '5/6 18:00' has two readings; write nightjar alarm x 5 Jun 18:00 (day \#
    first), or nightjar alarm x 6 May 18:00 (month first)
    alarm nap 1h30 => '1h30' has two readings; write nightjar alarm nap 1:30 (a time of day), \#
    or nightjar alarm nap in 1h30 (from now)
    alarm 0H45 => '0H45' has two readings; write nightjar alarm 0:45 (a time of day), or \#
    nightjar alarm in 0H45 (from now)
    """#)

  @Test(
    arguments: refusals
      + ["next", "tomorrow", "monday", "at", "half", "noon", "hour", "until", "once"].flatMap {
        Row.table(
          "start \($0) 5min => '\($0)' is a word of time; write nightjar start 5min, or for a timer "
            + "called '\($0)' nightjar start --name \($0) 5min")
      })
  func `No word of a time is read as a name: the error has whole commands to type`(row: Row) {
    let problem = #expect(throws: WordsProblem.self) { try meaning(of: row[0]) }
    #expect(problem?.sentence == row[1])
  }
}
