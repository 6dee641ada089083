/// Text that others wrote, on its way to a terminal, a log or a status bar: none of it may break a line,
/// steer the terminal, or change the order in which the text around it is read.
///
/// This is the one list of such code points, and the one spelling of each, for all that people read.
public enum VisibleText {
  /// Whether a code point has to be spelled out. O(1), without Unicode's tables.
  public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // The control characters of both sets, with DEL between them (ECMA-48).
    case 0x00...0x1F, 0x7F...0x9F: true
    // LINE SEPARATOR and PARAGRAPH SEPARATOR: some terminals and editors begin a line there.
    case 0x2028, 0x2029: true
    // All that have the property Bidi_Control (UAX 9): marks, embeddings, overrides and isolates.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Whether a text has any of them. O(bytes).
  public static func hasUnsafe(_ text: String) -> Bool {
    // Most text is ASCII, and its bytes say so at once.
    !text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
      && text.unicodeScalars.contains(where: isUnsafe)
  }

  /// A text for people: `\n` and the like, `\u{202E}` for what has no short form. O(bytes).
  ///
  /// It is not to be read back: a backslash of the text itself stays as it is.
  ///
  /// - Parameter keepsTabs: whether tabs stay as they are, where they stand between fields.
  public static func visible(_ text: String, keepsTabs: Bool = false) -> String {
    replaced(text) { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": keepsTabs ? "\t" : "\\t"
      default: "\\u{\(hexadecimal(scalar, digits: 2).uppercased())}"
      }
    }
  }

  /// A text of JSON that means the same, with escapes in its strings (RFC 8259 section 7). O(bytes).
  ///
  /// - Parameter json: JSON without line breaks. Outside of strings it is ASCII, so that all that is
  ///   replaced stands in one.
  public static func visibleJSON(_ json: String) -> String {
    replaced(json) { "\\u\(hexadecimal($0, digits: 4))" }
  }

  /// A text with something else for each of them. O(bytes).
  public static func replaced(_ text: String, _ spelling: (Unicode.Scalar) -> String) -> String {
    guard hasUnsafe(text) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        result += spelling(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar, digits: Int) -> String {
    let text = String(scalar.value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
