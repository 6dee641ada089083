/// The width of a text on a terminal, in columns.
enum DisplayWidth {
  /// The characters that take two columns. They are emoji, and the characters with East Asian Width
  /// W or F in Unicode 15 (UAX 11). Neighbouring ranges are merged.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x26A1...0x26A1, 0x26BD...0x26BE,
    0x26C4...0x26C5, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797, 0x2B1B...0x2B1C,
    0x2B50...0x2B50, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF,
    0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F64F,
    0x1F680...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F90C...0x1FAFF, 0x20000...0x3FFFD,
  ]

  /// The number of columns of a text, as most terminals show it. O(characters).
  static func of(_ text: some StringProtocol) -> Int {
    // Nearly all text is ASCII, or the bars and boxes of the screen (U+2500 to U+257F).
    let scalars = text.unicodeScalars
    return scalars.allSatisfy {
      (0x20..<0x7F).contains($0.value) || (0x2500..<0x2580).contains($0.value)
    } ? scalars.count : text.reduce(0) { $0 + of($1) }
  }

  private static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // The selector makes the character an emoji, which takes two columns.
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The text in exactly `width` columns. A longer text is cut and ends in an ellipsis, and a
  /// shorter one is padded with blanks.
  static func fitted(_ text: String, to width: Int) -> String {
    let columns = of(text)
    guard columns > width else { return text + String(repeating: " ", count: width - columns) }
    guard width > 0 else { return "" }
    var (cut, used) = ("", 0)
    for character in text {
      guard used + of(character) < width else { break }
      cut.append(character)
      used += of(character)
    }
    return cut + "…" + String(repeating: " ", count: width - used - 1)
  }
}
