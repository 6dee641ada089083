enum Bar {
  /// A bar of block characters, with a length in eighths of a column. O(columns).
  static func blocks(eighths: Int) -> String {
    let (full, rest) = (eighths / 8, eighths % 8)
    // The block characters from ▉ (seven eighths) to ▏ (one eighth) have consecutive numbers.
    let end = rest == 0 ? "" : String(UnicodeScalar(0x2590 - UInt32(rest)) ?? " ")
    return String(repeating: "█", count: full) + end
  }

  /// A bar for terminals without block characters. O(columns).
  static func ascii(columns: Int) -> String { String(repeating: "#", count: columns) }
}
