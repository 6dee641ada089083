package import NightjarModel
package import NightjarTime

// Days as the interface writes them: `2026-12-24`, and `2026-12-24..2027-01-01`.

extension DayRange {
  package init(day: Int32) { self.init(first: day, last: day) }

  /// The days from one date to another, both included.
  package init(_ first: CivilDate, _ last: CivilDate) {
    self.init(first: Int32(first.daysSinceEpoch), last: Int32(last.daysSinceEpoch))
  }

  /// Parses a date, or two with `..` between them; nil if the text is neither, or the first date is
  /// after the last.
  package init?(_ text: String) {
    let dots = text.firstPlace(of: "..")
    guard let first = CivilDate(iso: text[..<(dots?.lowerBound ?? text.endIndex)]),
      let last = CivilDate(iso: text[(dots?.upperBound ?? text.startIndex)...])
    else { return nil }
    self.init(first, last)
    guard self.first <= self.last else { return nil }
  }

  /// The range in the form that `init(_:)` parses.
  package var text: String {
    let start = CivilDate(daysSinceEpoch: Int(first)).text
    return first == last ? start : "\(start)..\(CivilDate(daysSinceEpoch: Int(last)).text)"
  }
}

extension [DayRange] {
  /// The text of each range; nil if there are no ranges.
  package var texts: [String]? { isEmpty ? nil : map(\.text) }
}

extension Schedule {
  /// The first instant after `afterUsec` on a day that is not excluded; nil if there is none before
  /// the last possible day. An excluded range is skipped in one step, even if the calendar
  /// expression has many instants in it: O(ranges).
  ///
  /// - Parameters:
  ///   - rules: the rules of the schedule's zone.
  ///   - find: returns the first instant of the calendar expression after the instant that it is
  ///     given.
  package func next(
    afterUsec: Int64, in rules: ZoneRules, _ find: (Int64) -> Int64?
  ) -> Int64? {
    var after = afterUsec
    while let next = find(after) {
      guard until != nil || !except.isEmpty else { return next }
      let day = Int32(clamping: rules.civil(atUsec: next).date.daysSinceEpoch)
      if let until, day > until { return nil }
      guard let range = except.range(around: day) else { return next }
      let behind = CivilDate(daysSinceEpoch: Int(range.last) + 1)
      after = max(next, rules.begin(of: behind) - 1)
    }
    return nil
  }
}
