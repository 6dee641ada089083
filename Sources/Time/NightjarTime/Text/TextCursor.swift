/// A text that is parsed from left to right, with the present position.
struct TextCursor {
  private(set) var bytes: [UInt8]
  var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index == bytes.count }

  /// The next byte; nil at the end.
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// The bytes that are not parsed yet.
  var rest: ArraySlice<UInt8> { bytes[index...] }

  /// Consumes `token` if it comes next.
  mutating func take(_ token: String) -> Bool {
    guard rest.starts(with: token.utf8) else { return false }
    index += token.utf8.count
    return true
  }

  mutating func skipSpaces() {
    while next == UInt8(ascii: " ") { index += 1 }
  }

  /// Consumes letters and returns them; there may be none.
  mutating func takeWord() -> String {
    let word = rest.prefix(while: isLetter)
    index += word.count
    return String(decoding: word, as: UTF8.self)
  }

  /// Consumes digits and returns their number; nil: there are no digits. A number above 2^40 is
  /// returned as 2^40, which is above every limit.
  mutating func takeNumber() -> Int? {
    let digits = rest.prefix(while: isDigit)
    index += digits.count
    guard !digits.isEmpty else { return nil }
    return digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
  }

  /// Consumes a decimal point and the digits after it, if there are digits. Returns the fraction of
  /// a second in microseconds, rounded.
  mutating func takeFraction() -> Int? {
    let digits = rest.dropFirst().prefix(while: isDigit)
    guard next == UInt8(ascii: "."), !digits.isEmpty else { return nil }
    index += 1 + digits.count
    var (usec, unit) = (0, 1_000_000)
    for digit in digits.map({ Int($0 - UInt8(ascii: "0")) }) {
      if unit == 1, digit >= 5 { usec += 1 }
      unit /= 10
      usec += digit * unit
    }
    return usec
  }

  /// Removes the last word if it begins with a letter and is not the only word. Returns the word
  /// with its position in characters.
  mutating func takeLastWord() -> (word: String, position: Int)? {
    guard let space = bytes.lastIndex(of: UInt8(ascii: " ")), space > index,
      space + 1 < bytes.count, isLetter(bytes[space + 1])
    else { return nil }
    let word = String(decoding: bytes[(space + 1)...], as: UTF8.self)
    let place = position(space + 1)
    bytes.removeSubrange(space...)
    return (word, place)
  }

  /// The number of the character at byte `index`, counted from 1.
  func position(_ index: Int) -> Int {
    String(decoding: bytes[..<min(index, bytes.count)], as: UTF8.self).unicodeScalars.count + 1
  }

  /// The number of the next character, counted from 1.
  var position: Int { position(index) }

  /// Makes the error for a character that is not allowed here.
  func unexpected(in what: String, such example: String) -> TimeError {
    guard !isAtEnd else {
      return TimeError(.unexpected, at: position, "the \(what) ends too soon, at \(position)")
    }
    let character = String(decoding: rest, as: UTF8.self).first ?? " "
    return TimeError(
      .unexpected, at: position,
      "unexpected '\(character)' at \(position); write \(example)")
  }
}

/// Whether a byte is an ASCII letter.
func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
}
