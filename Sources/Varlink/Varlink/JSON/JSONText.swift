/// A string in the text of a scanner. Its bytes were validated but not copied.
///
/// The string refers to the bytes between the quotes in the scanner's buffer, and is valid only as
/// long as the buffer exists. Only `JSONScanner` makes such a string, so the bytes are valid UTF-8
/// with valid escapes.
public struct JSONText {
  @usableFromInline let start: UnsafePointer<UInt8>
  // The lowest bit is set if there are escapes, and the other bits are the number of bytes. So the
  // struct has two words, and even an optional `JSONText` is returned in registers.
  @usableFromInline let packed: UInt

  @inlinable
  @inline(__always)
  init(start: UnsafePointer<UInt8>, count: Int, hasEscapes: Bool) {
    self.start = start
    self.packed = UInt(bitPattern: count) &<< 1 | (hasEscapes ? 1 : 0)
  }

  @inlinable var count: Int { Int(bitPattern: packed &>> 1) }

  /// Whether the bytes contain escapes. If they do, they differ from the text.
  @inlinable public var hasEscapes: Bool { packed & 1 != 0 }

  /// The bytes between the quotes as they were sent. Escapes are not resolved.
  @inlinable public var rawBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }

  /// Whether the text equals `other`. Escapes are resolved. O(n).
  @inlinable
  public func equals(_ other: StaticString) -> Bool {
    if hasEscapes {
      return decodedEquals(other)
    }
    return count == other.utf8CodeUnitCount
      && Words.equal(start, other.utf8Start, count: other.utf8CodeUnitCount)
  }

  /// Calls `body` with the text in UTF-8. Escapes are resolved. O(n).
  ///
  /// If there are no escapes, `body` gets the bytes of the buffer. If there are escapes, it gets a
  /// copy on the stack, or on the heap if the copy is longer than about a kilobyte. The bytes are
  /// valid only during the call.
  @inlinable
  public func withUTF8<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard hasEscapes else { return try body(rawBytes) }
    // An escape is at least as long as the UTF-8 of its scalar, so `count` bytes are enough.
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) {
      (copy) throws(Failure) -> Result in
      let length = decode(into: copy)
      return try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<length]))
    }
  }

  /// The text as a `String`. O(n), and may allocate.
  public var string: String {
    withUTF8 { String(decoding: $0, as: UTF8.self) }
  }

  /// The number of bytes of the text in UTF-8. Escapes are resolved. O(1) without escapes, O(n)
  /// with them.
  public var utf8Count: Int {
    withUTF8 { $0.count }
  }

  /// The text after `prefix`, without a copy; nil: the text does not begin with `prefix`. O(n) in
  /// the length of `prefix`.
  ///
  /// - Parameter prefix: ASCII text.
  @inlinable
  @inline(__always)
  public func dropping(prefix: StaticString) -> JSONText? {
    if hasEscapes {
      return decodedDropping(prefix: prefix)
    }
    let length = prefix.utf8CodeUnitCount
    guard count >= length, Words.equal(start, prefix.utf8Start, count: length) else { return nil }
    return JSONText(start: start + length, count: count &- length, hasEscapes: false)
  }

  @usableFromInline
  @inline(never)
  func decodedEquals(_ other: StaticString) -> Bool {
    withUTF8 { text in
      text.elementsEqual(
        UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }
  }

  @usableFromInline
  @inline(never)
  func decodedDropping(prefix: StaticString) -> JSONText? {
    var at = 0
    for index in 0..<prefix.utf8CodeUnitCount {
      guard at < count else { return nil }
      let (scalar, next) = scalar(at: at)
      guard scalar == UInt32(prefix.utf8Start[index]) else { return nil }
      at = next
    }
    return JSONText(start: start + at, count: count &- at, hasEscapes: true)
  }
}

extension JSONText {
  /// Writes the text in UTF-8 to `target`, which must have room for `count` bytes. Returns the
  /// number of bytes written.
  @usableFromInline
  func decode(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var length = 0
    var at = 0
    while at < count {
      if start[at] != UInt8(ascii: "\\") {
        target[length] = start[at]
        length += 1
        at += 1
        continue
      }
      let (value, next) = scalar(at: at)
      length += Self.encode(value, into: target, at: length)
      at = next
    }
    return length
  }

  /// The scalar of the escape at `at`; if there is no escape, the byte at `at`. Also returns the
  /// offset after it.
  private func scalar(at: Int) -> (UInt32, Int) {
    guard start[at] == UInt8(ascii: "\\") else { return (UInt32(start[at]), at + 1) }
    switch start[at + 1] {
    case UInt8(ascii: "b"): return (0x08, at + 2)
    case UInt8(ascii: "t"): return (0x09, at + 2)
    case UInt8(ascii: "n"): return (0x0a, at + 2)
    case UInt8(ascii: "f"): return (0x0c, at + 2)
    case UInt8(ascii: "r"): return (0x0d, at + 2)
    case UInt8(ascii: "u"):
      let unit = hexadecimal(at: at + 2)
      guard 0xd800..<0xdc00 ~= unit else { return (unit, at + 6) }
      // A second half of the pair follows, because the scanner has validated the text.
      let low = hexadecimal(at: at + 8)
      return (0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00), at + 12)
    case let itself: return (UInt32(itself), at + 2)
    }
  }

  private func hexadecimal(at: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in at..<at + 4 {
      value = value << 4 | UInt32(Hexadecimal.digit(start[index]) ?? 0)
    }
    return value
  }

  /// Writes a scalar in UTF-8 (RFC 3629 section 3). Returns the number of bytes.
  private static func encode(
    _ scalar: UInt32, into target: UnsafeMutableBufferPointer<UInt8>, at: Int
  ) -> Int {
    func rest(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3f) }
    switch scalar {
    case 0..<0x80:
      target[at] = UInt8(scalar)
      return 1
    case 0x80..<0x800:
      target[at] = UInt8(0xc0 | scalar >> 6)
      target[at + 1] = rest(0)
      return 2
    case 0x800..<0x10000:
      target[at] = UInt8(0xe0 | scalar >> 12)
      target[at + 1] = rest(6)
      target[at + 2] = rest(0)
      return 3
    default:
      target[at] = UInt8(0xf0 | scalar >> 18)
      target[at + 1] = rest(12)
      target[at + 2] = rest(6)
      target[at + 3] = rest(0)
      return 4
    }
  }
}
