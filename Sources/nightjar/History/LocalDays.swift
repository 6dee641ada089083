import NightjarTime

/// The days of a zone's calendar that lie in a range of time.
struct LocalDays {
  /// A stretch of time that belongs to one day, or to none.
  struct Stretch: Equatable {
    /// Days since 1970-01-01; nil: outside the range.
    let day: Int?
    /// Its beginning, in microseconds since the epoch.
    let fromUsec: Int64
    /// Its end, in microseconds since the epoch.
    let untilUsec: Int64
  }

  /// All instants. The bounds leave room to add to them without overflow.
  static let always: Range<Int64> = -(1 << 60)..<(1 << 60)

  let zone: ZoneRules
  /// In microseconds since the epoch.
  let range: Range<Int64>

  /// - Parameter range: no further than `always`.
  init(zone: ZoneRules, range: Range<Int64> = always) {
    self.zone = zone
    self.range = range
  }

  /// The first instant of a day. If clocks skip midnight, the day begins when they jump. If they
  /// show midnight twice, it begins at the first. O(log transitions).
  func midnight(_ day: Int) -> Int64 {
    switch zone.read(CivilTime(date: CivilDate(daysSinceEpoch: day), usecOfDay: 0)) {
    case .once(let usec): usec
    case .never(let end): end
    case .twice(let first, _): first
    }
  }

  /// The day of an instant. O(log transitions).
  func stretch(at usec: Int64) -> Stretch {
    guard usec >= range.lowerBound else {
      return Stretch(day: nil, fromUsec: Self.always.lowerBound, untilUsec: range.lowerBound)
    }
    guard usec < range.upperBound else {
      return Stretch(day: nil, fromUsec: range.upperBound, untilUsec: Self.always.upperBound)
    }
    // The date that the clock shows is not enough. After a clock is set back over midnight, it
    // shows the day before again, and a zone may skip a whole day. So the midnights decide.
    var day = zone.civil(atUsec: usec).date.daysSinceEpoch
    while midnight(day + 1) <= usec { day += 1 }
    return Stretch(
      day: day, fromUsec: max(midnight(day), range.lowerBound),
      untilUsec: min(midnight(day + 1), range.upperBound))
  }
}
