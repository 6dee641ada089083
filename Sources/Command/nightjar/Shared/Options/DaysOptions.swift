import ArgumentParser
import NightjarClient
import NightjarModel
internal import NightjarParameters
import NightjarTime

/// The options for the days on which a repeating alarm does not ring, and for its last day.
struct DaysOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Days on which the alarm does not ring: 2026-12-24, 24.12.2026..1.1.2027. "
        + "Separate several with commas, or repeat the option.", valueName: "days"))
  var except: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file of such days: one date or range on a line, or the all-day events of an iCalendar file.",
      valueName: "file"), completion: .file())
  var exceptFile: [String] = []

  @Option(help: ArgumentHelp("The last day on which the alarm rings.", valueName: "day"))
  var until: String?

  /// The examples of these options, for the error of an `update` without options.
  static let examples = "--except DAYS, --except-file FILE, --no-except, --until DAY, --no-until"

  var hasDays: Bool { !except.isEmpty || !exceptFile.isEmpty }

  /// The days on which the alarm does not ring, in order.
  ///
  /// - Throws: `CommandError` if a value is not valid, or a file cannot be read.
  func days(at wall: WallClock) throws(CommandError) -> [DayRange] {
    var ranges: [DayRange] = []
    for text in except { ranges += try ExceptDays.ranges(text, at: wall) }
    for path in exceptFile {
      let days = try ExceptDays.file(path, at: wall)
      // A file without days causes only a warning, because the alarm is more important than its
      // exceptions.
      if days.isEmpty, !Terminal.hasScreen {
        Output.complain(
          "no day to come was found in \(path); a line has a date such as 2026-12-24, and of an iCalendar "
            + "file the all-day events count")
      }
      ranges += days
    }
    return try ExceptDays.checked(DayRange.merged(ranges))
  }

  /// The last day on which the alarm rings; nil: the user gave none.
  ///
  /// - Throws: `CommandError` if the value is not a day, or is a day in the past.
  func lastDay(at wall: WallClock) throws(CommandError) -> CivilDate? {
    try until.map { (text) throws(CommandError) in
      try ExceptDays.lastDay(text, at: wall, option: "--until")
    }
  }

  /// Adds the days to a timer. A single time on one of the days is an error.
  ///
  /// - Parameters:
  ///   - text: the time, as the user typed it.
  ///   - zone: the zone in which days are counted.
  func apply(
    to timer: inout Wire.Start, _ text: String, in zone: ZoneRules, at wall: WallClock
  ) throws(CommandError) {
    let (days, last) = (try days(at: wall), try lastDay(at: wall))
    guard let usec = timer.alarm?.atUsec else {
      timer.alarm?.except = days.isEmpty ? nil : days.map(\.text)
      timer.alarm?.until = last?.text
      return
    }
    guard last == nil else {
      throw .usage(
        "'\(text)' rings only once, and --until is for an alarm that repeats; leave out --until")
    }
    try ExceptDays.check(usec, text, isOn: days, in: zone)
  }
}
