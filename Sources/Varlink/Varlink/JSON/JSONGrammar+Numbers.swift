extension JSONGrammar {
  /// The offset after the number at `start` (RFC 8259 section 6).
  func numberEnd(_ start: Int) throws(JSONError) -> Int {
    let first = self[start] == UInt8(ascii: "-") ? start &+ 1 : start
    var at = try digitsEnd(first, of: start)
    if base[first] == UInt8(ascii: "0"), at &- first > 1 {
      throw JSONError(.badNumber, at: start)
    }
    if self[at] == UInt8(ascii: ".") {
      at = try digitsEnd(at &+ 1, of: start)
    }
    if self[at] | 0x20 == UInt8(ascii: "e") {
      let sign = self[at &+ 1]
      let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
      at = try digitsEnd(isSigned ? at &+ 2 : at &+ 1, of: start)
    }
    return at
  }

  /// The offset after the digits at `first`. There must be at least one digit.
  @inline(__always)
  private func digitsEnd(_ first: Int, of start: Int) throws(JSONError) -> Int {
    var at = first
    while end &- at >= 8 {
      let count = Words.first(Words.nonDigits(Words.load(base + at)))
      at &+= count
      if count < 8 { break }
    }
    while self[at] &- UInt8(ascii: "0") <= 9 { at &+= 1 }
    guard at > first else {
      throw at < end ? JSONError(.badNumber, at: start) : unexpected(at)
    }
    return at
  }

  /// Parses the integer at `start`: digits with or without a minus. Returns the value and the
  /// offset after it.
  ///
  /// Throws `badNumber` for a number with a fraction or an exponent, and `wrongKind` for a value
  /// that is not a number.
  func integer(_ start: Place) throws(JSONError) -> (value: Int64, end: Int) {
    let isNegative = start.byte == UInt8(ascii: "-")
    let first = isNegative ? start.at &+ 1 : start.at
    var at = first
    var magnitude: UInt64 = 0
    while end &- at >= 8 {
      let digits = Words.load(base + at) ^ Words.filled(with: UInt8(ascii: "0"))
      guard Words.aboveNine(digits) == 0 else { break }
      // If there are more than 19 digits, this addition and the one in the loop below overflow. The
      // check at the end refuses such a number.
      magnitude = magnitude &* 100_000_000 &+ Words.eightDigits(digits)
      at &+= 8
    }
    while true {
      let digit = self[at] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      magnitude = magnitude &* 10 &+ UInt64(digit)
      at &+= 1
    }
    let next = self[at]
    // If there is no valid integer, `integerError` finds out which error to throw.
    guard at > first, self[first] != UInt8(ascii: "0") || at == first &+ 1,
      next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e")
    else { throw integerError(start) }
    let largest = UInt64(Int64.max) &+ (isNegative ? 1 : 0)
    guard at &- first <= 19, magnitude <= largest else {
      throw JSONError(.numberOutOfRange, at: start.at)
    }
    return (Int64(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude), at)
  }

  /// The error to throw because the value at `start` is not an integer.
  @inline(never)
  private func integerError(_ start: Place) -> JSONError {
    guard Self.kind(of: start.byte) == .number else { return kindError(start, expected: .number) }
    do {
      _ = try numberEnd(start.at)
      return JSONError(.badNumber, at: start.at)
    } catch {
      return error
    }
  }

  /// The error to throw because the value at `start` is not of the expected kind.
  @usableFromInline
  @inline(never)
  func kindError(_ start: Place, expected: JSONKind) -> JSONError {
    guard let found = Self.kind(of: start.byte) else { return unexpected(start.at) }
    return JSONError(.wrongKind(expected: expected, found: found), at: start.at)
  }
}

extension Words {
  /// Sets the top bit of each byte that is not a decimal digit.
  @inline(__always)
  static func nonDigits(_ word: UInt64) -> UInt64 {
    aboveNine(word ^ filled(with: UInt8(ascii: "0")))
  }

  /// Sets the top bit of each byte above 9. Every mark is right, because no carry goes from one
  /// byte to the next.
  @inline(__always)
  static func aboveNine(_ word: UInt64) -> UInt64 {
    let low = (word & filled(with: 0x7f)) &+ filled(with: 0x76)
    return (low | word) & filled(with: 0x80)
  }

  /// The number whose eight digits are the bytes of `digits`, each from 0 to 9. The first digit is
  /// in the lowest byte.
  ///
  /// One multiplication each joins digits to pairs, pairs to groups of four, and groups of four to
  /// eight digits.
  @inline(__always)
  static func eightDigits(_ digits: UInt64) -> UInt64 {
    let pairs = (digits &* 10 &+ digits &>> 8) & 0x00ff_00ff_00ff_00ff
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_ffff_0000_ffff
    return (fours &* 10_000 &+ fours &>> 32) & 0xffff_ffff
  }
}
