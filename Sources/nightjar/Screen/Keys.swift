/// A key press or a mouse action.
enum Key: Equatable {
  case character(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case enter, backspace, delete, escape
  /// With Ctrl, such as `u`.
  case control(Character)
  /// The left button of the mouse; the first line and the first column are 0.
  case click(line: Int, column: Int)
  /// The wheel, by this many notches; negative is up.
  case wheel(Int)
}

/// Converts the bytes that a terminal sends to keys: UTF-8, and xterm's sequences.
struct KeyReader {
  private var pending: [UInt8] = []

  /// Whether the bytes end in an escape: it may be a key, or the beginning of a sequence.
  static func mayGoOn(_ bytes: some BidirectionalCollection<UInt8>) -> Bool { bytes.last == 0x1B }

  /// - Returns: the complete keys; an incomplete one waits for its rest.
  mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, length) = next() {
      pending.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// - Returns: nil if the first key is incomplete; no key for an unknown sequence.
  private func next() -> (key: Key?, length: Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return sequence()
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(UnicodeScalar(first + 0x60))), 1)
    case 0..<0x20: return (nil, 1)
    default: return character(first)
    }
  }

  /// An escape without another byte right after it is the Escape key, because terminals send a
  /// sequence in one piece.
  private func sequence() -> (key: Key?, length: Int)? {
    guard pending.count > 1 else { return (.escape, 1) }
    guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
      // A key pressed with Alt.
      return (nil, 2)
    }
    guard let end = pending[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return pending.count > 24 ? (nil, pending.count) : nil
    }
    let text = String(decoding: pending[2...end], as: UTF8.self)
    let key: Key? =
      switch text {
      case "A": .up
      case "B": .down
      case "C": .right
      case "D": .left
      case "H", "1~", "7~": .home
      case "F", "4~", "8~": .end
      case "3~": .delete
      case "5~": .pageUp
      case "6~": .pageDown
      default: Self.mouse(text)
      }
    return (key, end + 1)
  }

  /// Mode 1006 of xterm: `<BUTTON;COLUMN;LINE`, then `M` for a press and `m` for a release. 64 and
  /// 65 are the wheel.
  private static func mouse(_ text: String) -> Key? {
    guard text.hasPrefix("<"), text.hasSuffix("M") else { return nil }
    let numbers = text.dropFirst().dropLast().split(separator: ";").map { Int($0) ?? 0 }
    guard numbers.count == 3 else { return nil }
    switch numbers[0] {
    case 0: return .click(line: numbers[2] - 1, column: numbers[1] - 1)
    case 64: return .wheel(-1)
    case 65: return .wheel(1)
    default: return nil
    }
  }

  private func character(_ first: UInt8) -> (key: Key?, length: Int)? {
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    // Skip the first byte of an invalid character; the next byte begins another key.
    let rest = pending.prefix(length).dropFirst()
    guard rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (nil, 1) }
    guard pending.count >= length else { return nil }
    let text = String(validating: pending[..<length], as: UTF8.self)
    return (text?.first.map(Key.character), text == nil ? 1 : length)
  }
}
