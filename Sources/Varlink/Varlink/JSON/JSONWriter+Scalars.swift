extension JSONWriter {
  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) {
    word(value ? "true" : "false")
  }

  /// Writes `null`.
  public mutating func null() {
    word("null")
  }

  /// Writes a string. Only characters that RFC 8259 section 7 requires to be escaped are escaped.
  /// O(n).
  @_disfavoredOverload
  public mutating func string(_ value: String) {
    // Disfavoured, so that the compiler makes a literal a StaticString.
    var value = value
    value.withUTF8 { text(UnsafeRawBufferPointer($0)) }
    finishValue()
  }

  /// Writes a string that needs no escapes.
  ///
  /// - Precondition: no character needs an escape. Checked only in debug builds.
  @inlinable
  @inline(__always)
  public mutating func string(_ value: StaticString) {
    assert(Self.isPlain(value), "a string that needs escapes")
    quoted(value.utf8Start, count: value.utf8CodeUnitCount)
  }

  /// Writes a string from its bytes in UTF-8, with escapes where they are needed. O(n).
  ///
  /// - Parameter value: text in UTF-8. Invalid bytes are written as they are.
  public mutating func string(utf8 value: UnsafeRawBufferPointer) {
    text(value)
    finishValue()
  }

  /// Writes a string that a scanner has read. Its escapes are written as they are. O(n).
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

  /// Writes the shortest decimal that is parsed as the same double. The decimal always has a
  /// fraction or an exponent, so a reader does not take it for an integer.
  ///
  /// A number that is not finite is written as null, because JSON cannot express it.
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    if Decimal.isShort(value) {
      place(capacity: 32) { $0.millionths(Int64((value * 1_000_000).rounded())) }
    } else {
      // The longest numbers look like -2.2250738585072014e-308.
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

  /// Writes a string: a quote, the bytes without a change, and a quote.
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

  /// Writes an integer. The capacity is enough for a minus sign and the 20 digits of `UInt64.max`.
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
  /// Writes a string: a quote, the text with escapes where they are needed, and a quote.
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

  /// Writes the rest of a string, from the first byte that needs an escape to the closing quote.
  @inline(never)
  private mutating func escape(_ source: UnsafePointer<UInt8>, count: Int) {
    needsComma = false
    // The longest escape, \u00XX, takes six bytes for one byte of text. The closing quote takes one
    // more.
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
  /// Copies bytes up to the first byte that needs an escape, and returns the number of bytes
  /// copied. May overwrite up to eight bytes after them.
  @inline(__always)
  fileprivate mutating func copyPlain(_ source: UnsafePointer<UInt8>, count: Int) -> Int {
    var at = 0
    // Store all eight bytes even if fewer are needed: later writes overwrite the others.
    while count &- at >= 8 {
      let word = Words.load(source + at)
      Words.store(word, to: next)
      let marks = Words.escapes(word)
      guard marks == 0 else { return advance(at, by: marks) }
      next += 8
      at &+= 8
    }
    // The zeros after a short word count as control characters, so the copy ends before them.
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

/// Receives the digits of a number from the standard library.
private struct DigitStream: TextOutputStream {
  var bytes = InlineArray<32, UInt8>(repeating: 0)
  var count = 0

  mutating func write(_ text: String) {
    for byte in text.utf8 { add(byte) }
  }

  // The standard library calls this instead of `write` if it can, because it then needs no String.
  // If a later library does not call this any more, it calls `write`, so nothing else changes.
  mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
    for byte in buffer { add(byte) }
  }

  private mutating func add(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }
}
