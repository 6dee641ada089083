/// A duration of systemd.time(7): microseconds, or infinity.
public enum TimeSpan: Equatable, Hashable, Sendable {
  /// A length in microseconds, at most `TimeSpan.longestUsec`.
  case usec(UInt64)
  /// A duration without end.
  case infinity

  /// The longest finite duration in microseconds. systemd uses the next higher value for infinity.
  public static let longestUsec = UInt64.max - 1
}

/// A time span in a clock's notation, such as `1:30`.
public struct ClockNotation: Equatable, Sendable {
  /// What the numbers between the colons mean. The last is always the seconds.
  public enum Layout: String, Sendable {
    /// `1:30`, one minute and a half.
    case minutesSeconds = "minutes:seconds"
    /// `1:30:00`, one hour and a half.
    case hoursMinutesSeconds = "hours:minutes:seconds"
  }

  /// The text as written, without white space around it.
  public let text: String
  public let layout: Layout
}

/// A time span as the user wrote it: its length, and the parts that are easily misread.
public struct ParsedSpan: Equatable, Sendable {
  /// The full words of the units, as people write them after a number: `minutes`.
  public static var unitWords: [String] { SpanUnit.pluralWords }

  public let span: TimeSpan
  /// The first number without a unit, as written; nil: each number has a unit. systemd reads such a
  /// number as seconds.
  public let bareNumber: String?
  /// The first term with the unit `M`, as written; nil: there is none. systemd reads it as months
  /// of 30.44 days, but users often mean minutes. The unit `month` does not count.
  public let monthsTerm: String?
  /// That term, written out as minutes and as months; nil: there is none.
  public var monthsReadings: (minutes: String, months: String)? {
    monthsTerm.map { term in
      (MonthsTerm.written(out: term, as: .minute), MonthsTerm.written(out: term, as: .month))
    }
  }
  /// The clock's notation, if the time span is written in one; nil: it is not. The user may also
  /// mean an hour and a half by `1:30`.
  public let clock: ClockNotation?

  /// Parses a time span exactly as systemd 252 does, or a clock's notation.
  ///
  /// Terms of a number and a unit are added up. Spaces between them are optional. A number may have
  /// a decimal fraction. A number without a unit is in seconds. `infinity` must stand alone. The
  /// source is systemd.time(7), "Parsing Time Spans"; the tests compare the result with
  /// `systemd-analyze timespan`.
  ///
  /// In addition, `M:SS` is minutes and seconds, and `H:MM:SS` is hours, minutes and seconds. The
  /// first number may be of any size. Those after a colon have two digits and are below 60. The
  /// seconds may have a fraction. A clock's notation must stand alone. O(length of the text).
  ///
  /// - Parameter text: the time span as written, such as `1h 30min`, `1.5h`, `90` or `1:30`.
  /// - Throws: `TimeError`, with the position and the remedy.
  public init(_ text: String) throws(TimeError) {
    var parser = SpanParser(text)
    self = try parser.parse()
  }

  init(
    span: TimeSpan, bareNumber: String? = nil, monthsTerm: String? = nil,
    clock: ClockNotation? = nil
  ) {
    self.span = span
    self.bareNumber = bareNumber
    self.monthsTerm = monthsTerm
    self.clock = clock
  }
}
