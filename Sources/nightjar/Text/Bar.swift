/// Bars of characters.
enum Bar {
  /// A bar of this many eighths of a column. O(columns).
  static func blocks(eighths: Int) -> String {
    let (full, rest) = (eighths / 8, eighths % 8)
    // From ▉, seven eighths, to ▏, one.
    let end = rest == 0 ? "" : String(UnicodeScalar(0x2590 - UInt32(rest)) ?? " ")
    return String(repeating: "█", count: full) + end
  }

  /// For terminals without block characters. O(columns).
  static func ascii(columns: Int) -> String { String(repeating: "#", count: columns) }
}
