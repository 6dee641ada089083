import NightjarTestSupport

/// The seed of a round: that of the run, and the round's number.
func seedOfRound(_ number: Int, run seed: UInt64) -> UInt64 {
  var random = SplitMix(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
  return random.next() >> 16
}

extension SplitMix {
  /// True once in `count` times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
