/// How many levels the dotted keys of a document go down: toml++ calls itself for each of them, and has a
/// limit for values within values only.
enum KeyDepth {
  /// The most levels of one key, as in `[presets.tea]`, which has two.
  static let maximum = 64

  private enum Place {
    /// Keys, values and what is between them.
    case open
    case comment
    /// Within quotes, one or three of them.
    case text(quote: UInt8, isLong: Bool)
  }

  /// The line of the first key that has more; nil if none has. O(bytes).
  ///
  /// It tells texts and comments from all else, and no more: what is no TOML is refused afterwards.
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
      // Neither a comment nor a text in single quotes goes on in the next line.
      if byte == UInt8(ascii: "\n") {
        line += 1
        if case .text(_, isLong: true) = place {} else { (place, levels) = (.open, 1) }
      }
      index += length
    }
    return nil
  }
}
