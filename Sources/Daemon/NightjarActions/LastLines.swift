internal import NightjarModel
internal import Varlink

/// The last lines of a command's output, as a terminal would show them at the end: without escape
/// sequences (ECMA-48), and without text that was overwritten. Control characters are escaped. The
/// size is bounded.
struct LastLines {
  /// Where in an escape sequence the next byte is.
  private enum Escape {
    case none
    /// Directly after ESC.
    case begun
    /// In a control sequence, which ends with a byte from 0x40 to 0x7E.
    case control
    /// In a string, such as a title, which ends with BEL or ESC \.
    case string
  }

  private var lines: [String] = []
  private var line: [UInt8] = []
  private var isTruncated = false
  /// Whether the last byte was a carriage return. Then the next byte overwrites the line, unless it
  /// is a newline.
  private var isReturned = false
  private var escape = Escape.none

  /// The lines, including a last one that has no newline yet.
  var all: [String] {
    var copy = self
    copy.end()
    return copy.lines
  }

  /// Adds the next bytes of the output. O(bytes).
  mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

  private mutating func add(_ byte: UInt8) {
    switch (escape, byte) {
    case (_, 0x1B): return escape = .begun
    case (.begun, UInt8(ascii: "[")): return escape = .control
    case (.begun, UInt8(ascii: "]")), (.begun, UInt8(ascii: "P")), (.begun, UInt8(ascii: "X")),
      (.begun, UInt8(ascii: "^")), (.begun, UInt8(ascii: "_")):
      return escape = .string
    // Intermediate bytes, as in ESC ( B.
    case (.begun, 0x20...0x2F): return
    case (.begun, 0x30...0x7E), (.control, 0x40...0x7E), (.string, 0x07): return escape = .none
    case (.control, 0x20...0x3F): return
    // A newline ends any sequence: an unterminated string must not hide all that follows.
    case (.string, _) where byte != UInt8(ascii: "\n"): return
    case (.none, _), (.begun, _), (.control, _), (.string, _): escape = .none
    }
    switch byte {
    case UInt8(ascii: "\n"): end()
    case UInt8(ascii: "\r"): isReturned = true
    default:
      if isReturned { (line, isTruncated, isReturned) = ([], false, false) }
      guard line.count < Limits.lastLineBytes else { return isTruncated = true }
      line.append(byte == UInt8(ascii: "\t") ? UInt8(ascii: " ") : byte)
    }
  }

  /// Forgets all lines, because a part of the output was left out.
  mutating func skip() { self = LastLines() }

  private mutating func end() {
    defer { (line, isTruncated, isReturned) = ([], false, false) }
    let text = VisibleText.visible(String(decoding: line, as: UTF8.self))
    guard !text.allSatisfy(\.isWhitespace) else { return }
    lines.append(isTruncated || text.utf8.count > Limits.lastLineBytes ? Self.cut(text) : text)
    if lines.count > Limits.lastLines { lines.removeFirst() }
  }

  /// The beginning of a line that is too long, followed by an ellipsis. No character is cut in two.
  private static func cut(_ text: String) -> String {
    let ellipsis = "…"
    var cut = String.UnicodeScalarView()
    var room = Limits.lastLineBytes - ellipsis.utf8.count
    for scalar in text.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      cut.append(scalar)
    }
    return String(cut) + ellipsis
  }
}
