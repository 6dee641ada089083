/// A length of time, as systemd.time(7) knows it: microseconds, or forever.
public enum TimeSpan: Equatable, Hashable, Sendable {
  /// A length in microseconds, at most `TimeSpan.longestUsec`.
  case usec(UInt64)
  /// No end.
  case infinity

  /// The longest finite length in microseconds: systemd keeps the value above it for infinity.
  public static let longestUsec = UInt64.max - 1
}

/// A clock's notation that somebody wrote for a time span, such as `1:30`.
public struct ClockNotation: Equatable, Sendable {
  /// What the numbers between the colons are, the seconds always last.
  public enum Layout: String, Sendable {
    /// `1:30`, one minute and a half.
    case minutesSeconds = "minutes:seconds"
    /// `1:30:00`, one hour and a half.
    case hoursMinutesSeconds = "hours:minutes:seconds"
  }

  /// As it was written, without the space around it.
  public let text: String
  /// What its numbers are.
  public let layout: Layout
}

/// A time span as somebody wrote it: its length, and what in the writing is easily misread.
public struct ParsedSpan: Equatable, Sendable {
  /// How long it is.
  public let span: TimeSpan
  /// The first number without a unit, as written; systemd takes it for seconds. Nil if each number
  /// has its unit.
  public let bareNumber: String?
  /// The first term that uses `M`, as written: systemd takes it for months of 30.44 days, and who
  /// writes it often means minutes. Nil if there is none; `month` written out is none.
  public let monthsTerm: String?
  /// The same, written out in both ways in which it may be meant. Nil if there is none.
  public var monthsReadings: (minutes: String, months: String)? {
    monthsTerm.map { term in
      (MonthsTerm.written(out: term, as: .minute), MonthsTerm.written(out: term, as: .month))
    }
  }
  /// The clock's notation, if it is written in one: `1:30` may be read as an hour and a half, too.
  public let clock: ClockNotation?

  /// Reads a time span exactly as systemd 252 does, and a clock's notation.
  ///
  /// Terms of a number and a unit add up; spaces between them are free; a number may have a decimal
  /// fraction; a number without a unit is seconds; `infinity` stands alone. The source is
  /// systemd.time(7), "Parsing Time Spans", and the behaviour of `systemd-analyze timespan`, which
  /// the tests compare this with.
  ///
  /// Beyond it, `M:SS` is minutes and seconds, `H:MM:SS` hours, minutes and seconds. The first
  /// number has no limit of its own; those behind a colon have two digits and are below 60; the
  /// seconds may have a fraction. A clock's notation stands alone. O(length of the text).
  ///
  /// - Parameter text: what was written, such as `1h 30min`, `1.5h`, `90` or `1:30`.
  /// - Throws: `TimeError`, with the position and what would be right.
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
