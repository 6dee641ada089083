import NightjarClient

/// The background spans of the ledger, as stretches of the wall clock.
struct HiddenTime {
  private(set) var spans: [Wire.Span] = []

  /// Adds a span that has ended.
  mutating func add(_ span: Wire.Span) {
    if span.leftUsec != nil { spans.append(span) }
  }

  /// Replaces a reboot by what it was. The wall clock was wrong since then.
  mutating func correct(_ reboot: Wire.Span, byUsec: Int64) {
    for index in spans.indices.reversed() {
      guard spans[index].span > reboot.span else {
        if spans[index].span == reboot.span { spans[index] = reboot }
        return
      }
      spans[index].enteredUsec += byUsec
    }
  }

  /// When a span began; nil: unknown.
  func enteredUsec(_ span: Int64?) -> Int64? {
    span.flatMap { number in spans.last { $0.span == number }?.enteredUsec }
  }

  /// The stretches in which a clock stands still, in order and without overlaps.
  /// O(spans × log spans).
  func stopping(_ clock: Wire.Clock) -> [Range<Int64>] { merged { $0.stops(clock) } }

  /// The stretches in which the machine was asleep, off or frozen, as by `stopping`.
  var asleep: [Range<Int64>] {
    merged { !Set($0.causes).isDisjoint(with: [.sleep, .reboot, .freeze]) }
  }

  private func merged(_ isIncluded: (Wire.Span) -> Bool) -> [Range<Int64>] {
    var merged: [Range<Int64>] = []
    let all = spans.filter(isIncluded).map(\.range)
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}

extension Wire.Span {
  /// Whether the span is an absence of the user. An absence stops only timers on the clock
  /// `present`, and may overlap other spans.
  package var isAbsence: Bool { causes == [.away] }

  /// Whether a timer's clock stands still in the span. While only the daemon is down, all clocks
  /// continue.
  func stops(_ clock: Wire.Clock) -> Bool {
    switch clock {
    case .awake: !causes.allSatisfy { $0 == .down || $0 == .away }
    case .present: !causes.allSatisfy { $0 == .down }
    case .elapsed, .wall, .other: false
    }
  }

  /// The span on the wall clock, if nobody set that.
  var range: Range<Int64> { enteredUsec..<enteredUsec + max(0, elapsedUsec) }
}

extension Range<Int64> {
  /// The length of the part that lies in one of these stretches.
  func usec(in others: [Range<Int64>]) -> Int64 {
    others.reduce(0) { $0 + Int64($1.clamped(to: self).count) }
  }
}

extension [Range<Int64>] {
  /// Places counted time: it lies directly before its end, and leaves out these stretches, which
  /// are in order. O(log stretches + parts).
  ///
  /// - Returns: the parts, the last one first.
  func placing(_ usec: Int64, before end: Int64) -> [Range<Int64>] {
    var (left, cursor, parts) = (usec, end, [Range<Int64>]())
    var index = lastIndex(before: end)
    while left > 0 {
      while index >= 0, self[index].upperBound >= cursor {
        cursor = Swift.min(cursor, self[index].lowerBound)
        index -= 1
      }
      let earliest = index >= 0 ? self[index].upperBound : .min
      let from = Swift.max(earliest, cursor - left)
      parts.append(from..<cursor)
      left -= cursor - from
      cursor = from
    }
    return parts
  }

  /// The index of the last stretch that begins before `end`; -1: there is none.
  private func lastIndex(before end: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].lowerBound < end { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}
