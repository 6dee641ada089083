extension JSONGrammar {
  /// Where a string's closing quote is, and whether there is an escape before it.
  @usableFromInline
  struct StringEnd {
    @usableFromInline let quote: Int
    @usableFromInline let hasEscapes: Bool

    @inlinable
    @inline(__always)
    init(quote: Int, hasEscapes: Bool) { (self.quote, self.hasEscapes) = (quote, hasEscapes) }
  }

  /// The end of the string whose first byte behind the opening quote is at `start`.
  @inlinable
  @inline(__always)
  func stringEnd(_ start: Int) throws(JSONError) -> StringEnd {
    // Most strings are short: the first word often has the quote, and nothing else to look at.
    guard end &- start >= 8 else { return try longStringEnd(start) }
    let marks = Words.stops(Words.load(base + start))
    let at = start &+ Words.first(marks)
    guard marks != 0, base[at] == UInt8(ascii: "\"") else { return try longStringEnd(at) }
    return StringEnd(quote: at, hasEscapes: false)
  }

  /// Goes on with a string at `start`, everything before which was plain.
  @usableFromInline
  func longStringEnd(_ start: Int) throws(JSONError) -> StringEnd {
    let at = plainEnd(start)
    guard self[at] == UInt8(ascii: "\"") else { return try unplainEnd(at) }
    return StringEnd(quote: at, hasEscapes: false)
  }

  /// Goes on with a string at something other than plain ASCII.
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

  /// The end of the run of plain ASCII that starts at `start`, which may be empty.
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
    // The last bytes, with zeros behind them: a zero is a stop, so that the end is found where
    // nothing else is. Where the buffer is long enough they come in one load, and those before
    // `at` are shifted out.
    let word =
      end >= 8
      ? Words.load(base + (end &- 8)) &>> UInt64(64 &- 8 &* rest)
      : Words.loadShort(base + at, count: rest)
    return at &+ Words.first(Words.stops(word))
  }

  /// The end of the escape at `start` (RFC 8259 section 7).
  private func escapeEnd(_ start: Int) throws(JSONError) -> Int {
    switch self[start &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start &+ 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit(start)
      guard unit & 0xf800 == 0xd800 else { return start &+ 6 }
      // A pair of surrogates is one scalar; a lone one is none, and could not be put into UTF-8.
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

  /// The code unit of the escape at `start`: the four digits behind `\u`.
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

  /// What is wrong with the escape at `start` because of what is, or is not, at `at`.
  private func badEscape(_ start: Int, at: Int) -> JSONError {
    at < end ? JSONError(.badEscape, at: start) : unexpected(at)
  }

  /// The end of the sequence of two to four bytes at `start` (the table of RFC 3629 section 4).
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

/// Hexadecimal digits, as `\u` escapes have them.
enum Hexadecimal {
  /// The value of a digit in either case, or nil.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
