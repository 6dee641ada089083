extension JSONGrammar {
  /// The offset of a string's closing quote, and whether the string contains an escape.
  @usableFromInline
  struct StringEnd {
    @usableFromInline let quote: Int
    @usableFromInline let hasEscapes: Bool

    @inlinable
    @inline(__always)
    init(quote: Int, hasEscapes: Bool) { (self.quote, self.hasEscapes) = (quote, hasEscapes) }
  }

  /// Finds the closing quote of a string. `start` is the offset after the opening quote.
  @inlinable
  @inline(__always)
  func stringEnd(_ start: Int) throws(JSONError) -> StringEnd {
    // Most strings are short. Often the first eight bytes contain the closing quote, and before it
    // no escape and no byte outside ASCII.
    guard end &- start >= 8 else { return try longStringEnd(start) }
    let marks = Words.stops(Words.load(base + start))
    let at = start &+ Words.first(marks)
    guard marks != 0, base[at] == UInt8(ascii: "\"") else { return try longStringEnd(at) }
    return StringEnd(quote: at, hasEscapes: false)
  }

  /// Finds the closing quote from `start` on. All bytes of the string before `start` are plain
  /// ASCII.
  @usableFromInline
  func longStringEnd(_ start: Int) throws(JSONError) -> StringEnd {
    let at = plainEnd(start)
    guard self[at] == UInt8(ascii: "\"") else { return try unplainEnd(at) }
    return StringEnd(quote: at, hasEscapes: false)
  }

  /// Finds the closing quote from `start` on, where a byte is not plain ASCII.
  private func unplainEnd(_ start: Int) throws(JSONError) -> StringEnd {
    var at = start
    var hasEscapes = false
    while at < end {
      let byte = base[at]
      if byte == UInt8(ascii: "\"") {
        return StringEnd(quote: at, hasEscapes: hasEscapes)
      } else if byte >= 0x80 {
        at = try sequenceEnd(at)
      } else if byte == UInt8(ascii: "\\") {
        at = try escapeEnd(at)
        hasEscapes = true
      } else if byte < 0x20 {
        throw JSONError(.controlCharacter, at: at)
      } else {
        at = plainEnd(at)
      }
    }
    throw unexpected(end)
  }

  /// The offset after the plain ASCII bytes at `start`; there may be no such bytes.
  @inline(__always)
  private func plainEnd(_ start: Int) -> Int {
    var at = start
    while end &- at >= 8 {
      let marks = Words.stops(Words.load(base + at))
      if marks != 0 { return at &+ Words.first(marks) }
      at &+= 8
    }
    let rest = end &- at
    guard rest > 0 else { return at }
    // Load the last bytes of the buffer, with zeros after them. A zero counts as a byte that is not
    // plain, so the end of the buffer is found. If the buffer has eight bytes or more, load its
    // last eight bytes and shift out those before `at`.
    let word =
      end >= 8
      ? Words.load(base + (end &- 8)) &>> UInt64(64 &- 8 &* rest)
      : Words.loadShort(base + at, count: rest)
    return at &+ Words.first(Words.stops(word))
  }

  /// The offset after the escape at `start` (RFC 8259 section 7).
  private func escapeEnd(_ start: Int) throws(JSONError) -> Int {
    switch self[start &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start &+ 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit(start)
      guard unit & 0xf800 == 0xd800 else { return start &+ 6 }
      // Two surrogates make one scalar. A single surrogate is not a scalar, and cannot be written
      // in UTF-8.
      guard unit < 0xdc00 else { throw JSONError(.badEscape, at: start) }
      try expect(UInt8(ascii: "\\"), start &+ 6, in: start)
      try expect(UInt8(ascii: "u"), start &+ 7, in: start)
      guard try codeUnit(start &+ 6) & 0xfc00 == 0xdc00 else {
        throw JSONError(.badEscape, at: start)
      }
      return start &+ 12
    default: throw badEscape(start, at: start &+ 1)
    }
  }

  /// The code unit of the escape at `start`, from the four digits after `\u`.
  private func codeUnit(_ start: Int) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for at in start &+ 2..<start &+ 6 {
      guard let digit = Hexadecimal.digit(self[at]) else { throw badEscape(start, at: at) }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  private func expect(_ byte: UInt8, _ at: Int, in escape: Int) throws(JSONError) {
    guard self[at] == byte else { throw badEscape(escape, at: at) }
  }

  /// The error for the escape at `start`: the byte at `at` is wrong, or the text ends before `at`.
  private func badEscape(_ start: Int, at: Int) -> JSONError {
    at < end ? JSONError(.badEscape, at: start) : unexpected(at)
  }

  /// The offset after the sequence of two to four bytes at `start` (the table of RFC 3629 section
  /// 4).
  private func sequenceEnd(_ start: Int) throws(JSONError) -> Int {
    let second: ClosedRange<UInt8>
    let length: Int
    switch base[start] {
    case 0xc2...0xdf: (second, length) = (0x80...0xbf, 2)
    case 0xe0: (second, length) = (0xa0...0xbf, 3)
    case 0xe1...0xec, 0xee...0xef: (second, length) = (0x80...0xbf, 3)
    case 0xed: (second, length) = (0x80...0x9f, 3)
    case 0xf0: (second, length) = (0x90...0xbf, 4)
    case 0xf1...0xf3: (second, length) = (0x80...0xbf, 4)
    case 0xf4: (second, length) = (0x80...0x8f, 4)
    default: throw JSONError(.badUTF8, at: start)
    }
    for index in 1..<length {
      let allowed = index == 1 ? second : 0x80...0xbf
      let at = start &+ index
      guard allowed ~= self[at] else {
        throw at < end ? JSONError(.badUTF8, at: start) : unexpected(at)
      }
    }
    return start &+ length
  }
}

/// Reads hexadecimal digits in `\u` escapes.
enum Hexadecimal {
  /// The value of a digit in upper or lower case; nil: it is not a hexadecimal digit.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
