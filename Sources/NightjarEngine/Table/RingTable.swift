import NightjarModel

/// The rings in use, each once.
struct RingTable {
  private var counts: [SealedRing: Int] = [:]

  /// How many differ.
  var count: Int { counts.count }

  /// The one that stands for all rings like this, in use once more. O(1) expected.
  mutating func retain(_ ring: SealedRing) -> SealedRing {
    guard let index = counts.index(forKey: ring) else {
      counts[ring] = 1
      return ring
    }
    counts.values[index] += 1
    return counts[index].key
  }

  /// A ring is in use once less.
  mutating func release(_ ring: SealedRing) {
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
