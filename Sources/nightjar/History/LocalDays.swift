import NightjarTime

/// The days of a zone's calendar, as far as they lie in a range of time.
struct LocalDays {
  /// Time that belongs to one day, or to none.
  struct Stretch: Equatable {
    /// Days since 1970-01-01; nil: it is outside the range.
    let day: Int?
    /// Where it begins, in microseconds since the epoch.
    let fromUsec: Int64
    /// Where it ends, likewise.
    let untilUsec: Int64
  }

  /// Before and behind every point in time there is, and far enough from the ends of the numbers to
  /// be added to.
  static let always: Range<Int64> = -(1 << 60)..<(1 << 60)

  let zone: ZoneRules
  /// In microseconds since the epoch.
  let range: Range<Int64>

  /// - Parameter range: no further than `always`.
  init(zone: ZoneRules, range: Range<Int64> = always) {
    self.zone = zone
    self.range = range
  }

  /// The first instant of a day. Where clocks are put forward past midnight, the day begins when
  /// they are; where they show it twice, with the first. O(log transitions).
  func midnight(_ day: Int) -> Int64 {
    switch zone.read(CivilTime(date: CivilDate(daysSinceEpoch: day), usecOfDay: 0)) {
    case .once(let usec): usec
    case .never(let end): end
    case .twice(let first, _): first
    }
  }

  /// What an instant is part of. O(log transitions).
  func stretch(at usec: Int64) -> Stretch {
    guard usec >= range.lowerBound else {
      return Stretch(day: nil, fromUsec: Self.always.lowerBound, untilUsec: range.lowerBound)
    }
    guard usec < range.upperBound else {
      return Stretch(day: nil, fromUsec: range.upperBound, untilUsec: Self.always.upperBound)
    }
    // Clocks that are put back over midnight show the day before once more; a day that a zone leaves
    // out has no instant. Midnights are what counts.
    var day = zone.civil(atUsec: usec).date.daysSinceEpoch
    while midnight(day + 1) <= usec { day += 1 }
    return Stretch(
      day: day, fromUsec: max(midnight(day), range.lowerBound),
      untilUsec: min(midnight(day + 1), range.upperBound))
  }
}
