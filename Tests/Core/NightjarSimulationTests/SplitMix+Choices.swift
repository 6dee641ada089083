import NightjarTestSupport

extension SplitMix {
  /// A number in `range`.
  mutating func usec(_ range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// True with a probability of `percent`.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
