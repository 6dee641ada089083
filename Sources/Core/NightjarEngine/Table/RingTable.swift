import NightjarModel

/// The rings that timers use. Equal rings are stored once.
struct RingTable {
  private var counts: [EncodedRing: Int] = [:]

  /// The number of different rings.
  var count: Int { counts.count }

  /// Counts one more use of `ring` and returns the shared copy of it. O(1) expected.
  mutating func retain(_ ring: EncodedRing) -> EncodedRing {
    guard let index = counts.index(forKey: ring) else {
      counts[ring] = 1
      return ring
    }
    counts.values[index] += 1
    return counts[index].key
  }

  /// Counts one use of `ring` less, and forgets the ring after the last use.
  mutating func release(_ ring: EncodedRing) {
    guard let index = counts.index(forKey: ring) else {
      preconditionFailure("a ring is given back twice")
    }
    guard counts.values[index] == 1 else {
      counts.values[index] -= 1
      return
    }
    counts.remove(at: index)
  }
}
