package import NightjarVarlink

/// Numbers that another machine sent. All numbers that a daemon sends are in this range. Larger
/// numbers could overflow in additions.
package enum ForeignNumber {
  /// From 0 to 2^53, the integers on which JSON readers agree (RFC 8259 section 6); as an instant,
  /// the year 2255.
  package static let range: ClosedRange<Int64> = 0...(1 << 53)

  /// The number of a member; nil if it is missing or outside the range.
  package static func read(_ value: JSONValue?) -> Int64? {
    value?.integerValue.flatMap { range.contains($0) ? $0 : nil }
  }

  /// Whether a member is missing, or a number in the range.
  package static func isUsual(_ value: JSONValue?) -> Bool {
    value.map { $0.isNull || read($0) != nil } ?? true
  }
}
