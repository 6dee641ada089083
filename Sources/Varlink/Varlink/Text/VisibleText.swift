/// Makes text from other programs safe for a terminal, a log or a status bar. Such text must not
/// break lines, control the terminal, or change the reading order of the text around it.
///
/// All code that shows such text to people uses this list of unsafe code points and these
/// replacements.
public enum VisibleText {
  /// Whether a code point must be replaced. O(1); uses no Unicode tables.
  public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // The control characters of the sets C0 and C1 (ECMA-48), and DEL between the two sets.
    case 0x00...0x1F, 0x7F...0x9F: true
    // LINE SEPARATOR and PARAGRAPH SEPARATOR: some terminals and editors start a new line at them.
    case 0x2028, 0x2029: true
    // All code points with the property Bidi_Control (UAX 9): marks, embeddings, overrides and
    // isolates.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Whether a text has unsafe code points. O(bytes).
  public static func hasUnsafe(_ text: String) -> Bool {
    // Most text is ASCII, and checking its bytes is fast.
    !text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
      && text.unicodeScalars.contains(where: isUnsafe)
  }

  /// A text for people to read. Unsafe code points are written as escapes such as `\n` or
  /// `\u{202E}`. O(bytes).
  ///
  /// The result cannot be parsed back into the text, because a backslash in the text is not
  /// escaped.
  ///
  /// - Parameter keepsTabs: whether tabs are kept as they are, as separators of fields.
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

  /// JSON with the same meaning, in which unsafe code points in strings are escaped (RFC 8259
  /// section 7). O(bytes).
  ///
  /// - Parameter json: JSON without line breaks. Outside of strings, JSON has only ASCII, so all
  ///   unsafe code points are in strings.
  public static func visibleJSON(_ json: String) -> String {
    replaced(json) { "\\u\(hexadecimal($0, digits: 4))" }
  }

  /// A text in which `spelling` replaces each unsafe code point. O(bytes).
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
