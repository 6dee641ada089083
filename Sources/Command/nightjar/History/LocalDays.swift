import NightjarTime

/// The days of a zone's calendar, within a range of time.
struct LocalDays {
  /// A stretch of time that belongs to one day, or that is outside the range.
  struct Stretch: Equatable {
    /// The number of days since 1970-01-01; nil if the stretch is outside the range.
    let day: Int?
    /// Its beginning, in microseconds since the epoch.
    let fromUsec: Int64
    /// Its end, in microseconds since the epoch.
    let untilUsec: Int64
  }

  /// The range of all instants. Its bounds are far enough from the limits of Int64 that no addition
  /// overflows.
  static let always: Range<Int64> = -(1 << 60)..<(1 << 60)

  let zone: ZoneRules
  /// The range, in microseconds since the epoch.
  let range: Range<Int64>

  /// - Parameter range: a range within `always`.
  init(zone: ZoneRules, range: Range<Int64> = always) {
    self.zone = zone
    self.range = range
  }

  /// - Parameter days: the days of the range, as days since 1970-01-01.
  init(zone: ZoneRules, days: Range<Int>) {
    let all = LocalDays(zone: zone)
    self.init(zone: zone, range: all.midnight(days.lowerBound)..<all.midnight(days.upperBound))
  }

  /// The first instant of a day. If the zone's clocks skip midnight, the day begins when they jump.
  /// If they show midnight twice, the day begins at the first of the two.
  func midnight(_ day: Int) -> Int64 {
    switch zone.read(CivilTime(date: CivilDate(daysSinceEpoch: day), usecOfDay: 0)) {
    case .once(let usec): usec
    case .never(let end): end
    case .twice(let first, _): first
    }
  }

  /// The stretch of time of the day to which an instant belongs. O(log transitions).
  func stretch(at usec: Int64) -> Stretch {
    guard usec >= range.lowerBound else {
      return Stretch(day: nil, fromUsec: Self.always.lowerBound, untilUsec: range.lowerBound)
    }
    guard usec < range.upperBound else {
      return Stretch(day: nil, fromUsec: range.upperBound, untilUsec: Self.always.upperBound)
    }
    // The date that the clock shows does not always decide the day. A clock that is set back over
    // midnight shows the day before again, and a zone may skip a whole day. So the midnights
    // decide.
    var day = zone.civil(atUsec: usec).date.daysSinceEpoch
    while midnight(day + 1) <= usec { day += 1 }
    return Stretch(
      day: day, fromUsec: max(midnight(day), range.lowerBound),
      untilUsec: min(midnight(day + 1), range.upperBound))
  }
  /// The parts of a time that are within the range, each in one day. O(days × log transitions).
  func split(_ time: Range<Int64>) -> [(day: Int, range: Range<Int64>)] {
    var parts: [(day: Int, range: Range<Int64>)] = []
    var usec = time.lowerBound
    while usec < time.upperBound {
      let stretch = stretch(at: usec)
      let end = min(stretch.untilUsec, time.upperBound)
      if let day = stretch.day { parts.append((day, usec..<end)) }
      usec = end
    }
    return parts
  }
}
