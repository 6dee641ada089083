/// A length of time, as systemd.time(7) knows it: microseconds, or forever.
public enum TimeSpan: Equatable, Hashable, Sendable {
  /// A length in microseconds, at most `TimeSpan.longestUsec`.
  case usec(UInt64)
  /// No end.
  case infinity

  /// The longest finite length in microseconds: systemd keeps the value above it for infinity.
  public static let longestUsec = UInt64.max - 1
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

  /// Reads a time span exactly as systemd 252 does.
  ///
  /// Terms of a number and a unit add up; spaces between them are free; a number may have a decimal
  /// fraction; a number without a unit is seconds; `infinity` stands alone. The source is
  /// systemd.time(7), "Parsing Time Spans", and the behaviour of `systemd-analyze timespan`, which
  /// the tests compare this with. O(length of the text).
  ///
  /// - Parameter text: what was written, such as `1h 30min`, `1.5h` or `90`.
  /// - Throws: `TimeError`, with the position and what would be right.
  public init(_ text: String) throws(TimeError) {
    var parser = SpanParser(text)
    self = try parser.parse()
  }

  init(span: TimeSpan, bareNumber: String?, monthsTerm: String?) {
    self.span = span
    self.bareNumber = bareNumber
    self.monthsTerm = monthsTerm
  }
}
