package import Varlink

/// Checks numbers that another machine sent. All numbers that a daemon sends are in `range`. Larger
/// numbers could overflow in additions.
package enum ForeignNumber {
  /// The numbers from 0 to 2^53, the integers on which JSON readers agree (RFC 8259 section 6). As
  /// an instant, the upper end is in the year 2255.
  package static let range: ClosedRange<Int64> = 0...(1 << 53)

  /// The number in a member of an object; nil if the member is missing, or the number is outside
  /// the range.
  package static func read(_ value: JSONValue?) -> Int64? {
    value?.integerValue.flatMap { range.contains($0) ? $0 : nil }
  }

  /// Whether a member of an object is missing, or is a number in the range.
  package static func isUsual(_ value: JSONValue?) -> Bool {
    value.map { $0.isNull || read($0) != nil } ?? true
  }
}
