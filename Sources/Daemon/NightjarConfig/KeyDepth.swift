/// Limits the depth of dotted keys. toml++ calls itself for each level of a key, and its own limit
/// is only about nested values.
enum KeyDepth {
  /// The most levels of one key. `[presets.tea]` has two.
  static let maximum = 64

  private enum Place {
    /// Outside of quotes and comments: keys, values, and the text between them.
    case open
    case comment
    /// In a text with one or three quotes.
    case text(quote: UInt8, isLong: Bool)
  }

  /// The line of the first key with more levels than `maximum`; nil: there is none. O(bytes).
  ///
  /// This function only distinguishes texts and comments from the rest; the parser rejects invalid
  /// TOML afterwards.
  static func lineBeyondMaximum(_ bytes: [UInt8]) -> Int? {
    var (place, line, levels, index) = (Place.open, 1, 1, 0)
    while index < bytes.count {
      let byte = bytes[index]
      let isTripled = bytes[index...].starts(with: [byte, byte, byte])
      var length = 1
      switch place {
      case .open:
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          place = .text(quote: byte, isLong: isTripled)
          if isTripled { length = 3 }
        case UInt8(ascii: "#"): place = .comment
        case UInt8(ascii: "."):
          levels += 1
          if levels > maximum { return line }
        case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"),
          UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\n"):
          levels = 1
        default: break
        }
      case .comment: break
      case .text(let quote, let isLong):
        if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
          length = 2
        } else if byte == quote, !isLong || isTripled {
          place = .open
          if isLong { length = 3 }
        }
      }
      // A comment or a one-line text ends with its line.
      if byte == UInt8(ascii: "\n") {
        line += 1
        if case .text(_, isLong: true) = place {} else { (place, levels) = (.open, 1) }
      }
      index += length
    }
    return nil
  }
}
