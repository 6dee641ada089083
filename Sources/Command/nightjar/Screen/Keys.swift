/// A key press or a mouse action.
enum Key: Equatable {
  case character(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case enter, backspace, delete, escape
  /// A key that is pressed with Ctrl, such as `u`.
  case control(Character)
  /// A click with the left button of the mouse. The first line and the first column are 0.
  case click(line: Int, column: Int)
  /// A turn of the mouse wheel, in notches. A negative number is a turn up.
  case wheel(Int)

  /// The key with a label such as `space`, `esc` or `d`. Of `+ -` the first is meant. Nil: the
  /// label is no single key.
  init?(label: String) {
    let first = label.prefix { $0 != " " }
    switch first {
    case "space": self = .character(" ")
    case "esc": self = .escape
    case "enter": self = .enter
    default:
      guard first.count == 1, let character = first.first else { return nil }
      self = .character(character)
    }
  }
}

/// Converts the bytes that a terminal sends to keys. The bytes are UTF-8 and the sequences of
/// xterm.
struct KeyReader {
  private var pending: [UInt8] = []

  /// Whether the bytes end in an escape, which may be the Escape key or the beginning of a
  /// sequence.
  static func mayContinue(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
    bytes.last == 0x1B
  }

  /// - Returns: the complete keys. The bytes of an incomplete key are stored until its other bytes
  ///   arrive.
  mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, length) = next() {
      pending.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// - Returns: the first key and the number of its bytes. Nil if the key is incomplete. `key` is
  ///   nil if the sequence is unknown.
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

  /// The key of a sequence that begins with an escape. If no byte follows the escape, the key is
  /// Escape, because terminals send a sequence in one piece.
  private func sequence() -> (key: Key?, length: Int)? {
    guard pending.count > 1 else { return (.escape, 1) }
    guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
      // The sequence is that of a key pressed with Alt, which has no function here.
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

  /// The key for a mouse sequence, in mode 1006 of xterm: `<BUTTON;COLUMN;LINE`, then `M` for a
  /// press or `m` for a release. The buttons 64 and 65 are the wheel.
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
    // If the character is invalid, its first byte is skipped, and the next byte begins another key.
    let rest = pending.prefix(length).dropFirst()
    guard rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (nil, 1) }
    guard pending.count >= length else { return nil }
    let text = String(validating: pending[..<length], as: UTF8.self)
    return (text?.first.map(Key.character), text == nil ? 1 : length)
  }
}
