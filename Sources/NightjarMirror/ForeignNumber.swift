package import NightjarVarlink

/// Numbers that another machine sent. All that a daemon sends is in this range; what is beyond it would overflow where it
/// is added to another.
package enum ForeignNumber {
  /// From 0 to 2^53, which JSON readers agree on (RFC 8259 section 6); as a point in time, the year 2255.
  package static let range: ClosedRange<Int64> = 0...(1 << 53)

  /// The number of a member; nil if there is none, or one that no daemon sends.
  package static func read(_ value: JSONValue?) -> Int64? {
    value?.integerValue.flatMap { range.contains($0) ? $0 : nil }
  }

  /// Whether a member is absent or such a number.
  package static func isUsual(_ value: JSONValue?) -> Bool {
    value.map { $0.isNull || read($0) != nil } ?? true
  }
}
