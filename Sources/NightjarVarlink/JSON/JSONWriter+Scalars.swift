extension JSONWriter {
  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) {
    word(value ? "true" : "false")
  }

  /// Writes `null`.
  public mutating func null() {
    word("null")
  }

  /// Writes a string, with the escapes that RFC 8259 section 7 asks for and no others. O(n).
  @_disfavoredOverload
  public mutating func string(_ value: String) {
    // Disfavoured, so that a literal is a StaticString.
    var value = value
    value.withUTF8 { text(UnsafeRawBufferPointer($0)) }
    finishValue()
  }

  /// Writes a string.
  ///
  /// - Precondition: it has no character that needs an escape. Checked in debug builds.
  @inlinable
  @inline(__always)
  public mutating func string(_ value: StaticString) {
    assert(Self.isPlain(value), "a string that needs escapes")
    quoted(value.utf8Start, count: value.utf8CodeUnitCount)
  }

  /// Writes a string from its UTF-8. O(n).
  ///
  /// - Parameter value: UTF-8, without escapes. Bytes that are none go out as they are.
  public mutating func string(utf8 value: UnsafeRawBufferPointer) {
    text(value)
    finishValue()
  }

  /// Writes a string that was read, as it was sent: with its escapes. O(n).
  public mutating func string(_ value: JSONText) {
    quoted(value.start, count: value.count)
  }

  /// Writes an integer.
  public mutating func integer(_ value: Int64) {
    digits(of: value.magnitude, negative: value < 0)
  }

  /// Writes an integer.
  public mutating func integer(_ value: UInt64) {
    digits(of: value, negative: false)
  }

  /// Writes the shortest decimal number that reads back as `value`; one with a fraction or an
  /// exponent, so that it is told from an integer.
  ///
  /// - Precondition: `value` is finite. JSON has no word for anything else.
  public mutating func double(_ value: Double) {
    precondition(value.isFinite, "JSON has neither infinities nor NaN")
    if Decimal.isShort(value) {
      place(capacity: 32) { $0.millionths(Int64((value * 1_000_000).rounded())) }
    } else {
      // The longest are like -2.2250738585072014e-308.
      var digits = DigitStream()
      value.write(to: &digits)
      place(capacity: digits.count) { target in
        for index in 0..<digits.count { target.byte(digits.bytes[index]) }
      }
    }
    finishValue()
  }

  private mutating func word(_ word: StaticString) {
    place(capacity: 5) { $0.copy(word.utf8Start, count: word.utf8CodeUnitCount) }
    finishValue()
  }

  /// Writes bytes between quotes.
  @inlinable
  @inline(__always)
  mutating func quoted(_ start: UnsafePointer<UInt8>, count: Int) {
    place(capacity: count &+ 2) { target in
      target.byte(UInt8(ascii: "\""))
      target.copy(start, count: count)
      target.byte(UInt8(ascii: "\""))
    }
    finishValue()
  }

  /// `UInt64.max` has 20 digits; a minus may come before them.
  private mutating func digits(of magnitude: UInt64, negative: Bool) {
    place(capacity: 21) { target in
      if negative { target.byte(UInt8(ascii: "-")) }
      target.digits(magnitude)
    }
    finishValue()
  }
}

// MARK: - Text

extension JSONWriter {
  /// Writes text between quotes, with the escapes it needs.
  mutating func text(_ value: UnsafeRawBufferPointer) {
    let count = value.count
    guard let source = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return string("")
    }
    var plain = 0
    place(capacity: count &+ 2) { target in
      target.byte(UInt8(ascii: "\""))
      plain = target.copyPlain(source, count: count)
      if plain == count { target.byte(UInt8(ascii: "\"")) }
    }
    if plain < count { escape(source + plain, count: count &- plain) }
  }

  /// Goes on with text of which something, most likely the first byte, has to be escaped, and ends
  /// it.
  @inline(never)
  private mutating func escape(_ source: UnsafePointer<UInt8>, count: Int) {
    needsComma = false
    // The longest escape is \u00XX, six bytes for one; and a quote.
    place(capacity: count * 6 + 1) { target in
      var at = 0
      while true {
        at &+= target.copyPlain(source + at, count: count &- at)
        guard at < count else { break }
        target.escaped(source[at])
        at &+= 1
      }
      target.byte(UInt8(ascii: "\""))
    }
  }
}

extension JSONWriter.Target {
  /// Copies up to the first byte that has to be escaped; returns how many bytes that were. Eight
  /// more than `count` may be written over.
  @inline(__always)
  fileprivate mutating func copyPlain(_ source: UnsafePointer<UInt8>, count: Int) -> Int {
    var at = 0
    // Eight bytes are stored even where not all are wanted: what follows writes over the rest.
    while count &- at >= 8 {
      let word = Words.load(source + at)
      Words.store(word, to: next)
      let marks = Words.escapes(word)
      guard marks == 0 else { return advance(at, by: marks) }
      next += 8
      at &+= 8
    }
    // The zeros behind a short word count as control characters, and end it.
    let word = Words.loadShort(source + at, count: count &- at)
    Words.store(word, to: next)
    return advance(at, by: Words.escapes(word))
  }

  @inline(__always)
  private mutating func advance(_ at: Int, by marks: UInt64) -> Int {
    let plain = Words.first(marks)
    next += plain
    return at &+ plain
  }

  fileprivate mutating func escaped(_ value: UInt8) {
    byte(UInt8(ascii: "\\"))
    switch value {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte(value)
    case 0x08: byte(UInt8(ascii: "b"))
    case 0x09: byte(UInt8(ascii: "t"))
    case 0x0a: byte(UInt8(ascii: "n"))
    case 0x0c: byte(UInt8(ascii: "f"))
    case 0x0d: byte(UInt8(ascii: "r"))
    default:
      byte(UInt8(ascii: "u"))
      byte(UInt8(ascii: "0"))
      byte(UInt8(ascii: "0"))
      byte(UInt8(ascii: "0") + value >> 4)
      let low = value & 0xf
      byte(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }
}

/// Takes a number's digits from the standard library.
private struct DigitStream: TextOutputStream {
  var bytes = InlineArray<32, UInt8>(repeating: 0)
  var count = 0

  mutating func write(_ text: String) {
    for byte in text.utf8 { add(byte) }
  }

  // The library hands over digits in this way where it can, so that no String is made of them. It
  // is a requirement with a default: were it to go, `write` would be called instead.
  mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
    for byte in buffer { add(byte) }
  }

  private mutating func add(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }
}
