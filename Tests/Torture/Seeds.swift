import NightjarTestSupport

/// The seed of a round: that of the run, and the round's number.
func seedOfRound(_ number: Int, run seed: UInt64) -> UInt64 {
  var random = SplitMix(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
  return random.next() >> 16
}

extension SplitMix {
  /// A number below `end`.
  mutating func below(_ end: Int) -> Int { Int(next() % UInt64(max(end, 1))) }

  /// True once in `count` times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// One of several.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
