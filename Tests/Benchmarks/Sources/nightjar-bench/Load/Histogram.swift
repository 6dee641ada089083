/// A histogram of durations, in nanoseconds. A bucket is at most 1/32 of its values wide; values
/// below 32 are exact.
struct Histogram {
  private static let subBits = 5
  private var counts = [UInt32](repeating: 0, count: 60 << subBits)
  /// How many were added.
  private(set) var total = 0
  private(set) var longestNsec: Int64 = 0

  /// Adds one. O(1).
  mutating func add(_ nsec: Int64) {
    counts[Self.bucket(of: nsec)] += 1
    total += 1
    longestNsec = max(longestNsec, nsec)
  }

  /// The duration that a share of all durations (0 to 1) does not exceed, accurate to 1/32.
  /// O(buckets).
  func quantile(_ share: Double) -> Int64 {
    let rank = Int((Double(total) * share).rounded(.up))
    var seen = 0
    for (bucket, count) in counts.enumerated() where count > 0 {
      seen += Int(count)
      if seen >= rank { return min(Self.upperEnd(of: bucket), longestNsec) }
    }
    return longestNsec
  }

  private static func bucket(of nsec: Int64) -> Int {
    let value = UInt64(max(0, nsec))
    guard value >= 1 << subBits else { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - subBits
    return (shift + 1) << subBits | Int(value >> UInt64(shift)) & (1 << subBits - 1)
  }

  private static func upperEnd(of bucket: Int) -> Int64 {
    guard bucket >= 1 << subBits else { return Int64(bucket) }
    let shift = bucket >> subBits - 1
    let top = Int64(1 << subBits | bucket & (1 << subBits - 1))
    return (top + 1) << Int64(shift) - 1
  }
}
