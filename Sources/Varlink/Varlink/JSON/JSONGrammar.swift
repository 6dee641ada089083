/// The grammar of RFC 8259 on bytes in memory. Its functions find the end of the token or of the
/// value that starts at an offset.
///
/// Every function takes an offset and returns an offset, or throws. So offsets stay in registers.
/// When the position was a property in memory, parsing took twice the time, because each token
/// needed a store and a load.
@usableFromInline
struct JSONGrammar {
  @usableFromInline let base: UnsafePointer<UInt8>
  @usableFromInline let end: Int

  /// An offset, and the byte at that offset. At the end of the text the byte is 0; no token starts
  /// with 0.
  @usableFromInline
  struct Place {
    @usableFromInline let at: Int
    @usableFromInline let byte: UInt8

    @inlinable
    @inline(__always)
    init(_ at: Int, _ byte: UInt8) { (self.at, self.byte) = (at, byte) }
  }

  @inlinable
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address. This address is never read, because `end` is 0.
    let address = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    base = address.assumingMemoryBound(to: UInt8.self)
    end = bytes.count
  }

  /// The byte at `at`, or 0 at the end.
  @inlinable
  @inline(__always)
  subscript(at: Int) -> UInt8 { at < end ? base[at] : 0 }

  /// The error for the byte at `at`, because the grammar does not allow that byte there.
  @usableFromInline
  @inline(never)
  func unexpected(_ at: Int) -> JSONError {
    at < end ? JSONError(.unexpectedByte, at: at) : JSONError(.unexpectedEnd, at: end)
  }
}

// MARK: - Structure

extension JSONGrammar {
  /// The first place from `start` on that is not white space. White space by RFC 8259 section 2:
  /// space, tab, line feed, carriage return.
  @inlinable
  @inline(__always)
  func firstNonBlank(_ start: Int) -> Place {
    // Messages usually have no white space, so check the first byte before the loop.
    let byte = self[start]
    return byte > 0x20 ? Place(start, byte) : firstNonBlankSlow(start)
  }

  @usableFromInline
  @inline(never)
  func firstNonBlankSlow(_ start: Int) -> Place {
    var at = start
    while at < end {
      let byte = base[at]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { break }
      at &+= 1
    }
    return Place(at, self[at])
  }

  /// The kind of value that starts with `byte`; nil: no value starts with it.
  @inlinable
  @inline(__always)
  static func kind(of byte: UInt8) -> JSONKind? {
    switch byte {
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: nil
    }
  }

  /// The place of the next member or element; at the end, the place of the closing bracket.
  ///
  /// - Parameters:
  ///   - start: the offset after the opening bracket or after a value.
  ///   - close: the closing bracket.
  ///   - isFirst: whether `start` is after the opening bracket.
  @inlinable
  @inline(__always)
  func step(
    _ start: Int, close: UInt8, isFirst: Bool
  ) throws(JSONError) -> (Place, isOver: Bool) {
    let place = firstNonBlank(start)
    if place.byte == close { return (place, true) }
    if isFirst { return (place, false) }
    guard place.byte == UInt8(ascii: ",") else { throw unexpected(place.at) }
    return (firstNonBlank(place.at &+ 1), false)
  }

  /// The offset after the name of a member and its colon. Also returns the offset of the name's
  /// closing quote.
  @inlinable
  @inline(__always)
  func nameEnd(_ start: Place) throws(JSONError) -> (at: Int, name: StringEnd) {
    guard start.byte == UInt8(ascii: "\"") else { throw unexpected(start.at) }
    let name = try stringEnd(start.at &+ 1)
    let colon = firstNonBlank(name.quote &+ 1)
    guard colon.byte == UInt8(ascii: ":") else { throw unexpected(colon.at) }
    return (colon.at &+ 1, name)
  }

  /// The offset after the value at `start`, which may be of any kind. Validates the whole value.
  ///
  /// - Parameters:
  ///   - start: where the value starts.
  ///   - depth: how many objects and arrays contain the value.
  ///   - left: how many values the value may contain. The number of the values in it is subtracted.
  @inline(__always)
  func valueEnd(_ start: Place, depth: Int, left: inout Int) throws(JSONError) -> Int {
    if start.byte == UInt8(ascii: "\"") { return try stringEnd(start.at &+ 1).quote &+ 1 }
    return try otherEnd(start, depth: depth, left: &left)
  }

  /// The offset after the value at `start`, which is not a string.
  private func otherEnd(_ start: Place, depth: Int, left: inout Int) throws(JSONError) -> Int {
    switch start.byte {
    case UInt8(ascii: "{"): return try objectEnd(start.at, depth: depth, left: &left)
    case UInt8(ascii: "["): return try arrayEnd(start.at, depth: depth, left: &left)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try numberEnd(start.at)
    case UInt8(ascii: "t"): return try wordEnd(start.at, "true")
    case UInt8(ascii: "f"): return try wordEnd(start.at, "false")
    case UInt8(ascii: "n"): return try wordEnd(start.at, "null")
    default: throw unexpected(start.at)
    }
  }

  private func objectEnd(_ start: Int, depth: Int, left: inout Int) throws(JSONError) -> Int {
    let close = UInt8(ascii: "}")
    var (place, isOver) = try step(try opened(start, depth: depth), close: close, isFirst: true)
    while !isOver {
      try take(&left, place.at)
      let value = firstNonBlank(try nameEnd(place).at)
      let end = try valueEnd(value, depth: depth &+ 1, left: &left)
      (place, isOver) = try step(end, close: close, isFirst: false)
    }
    return place.at &+ 1
  }

  private func arrayEnd(_ start: Int, depth: Int, left: inout Int) throws(JSONError) -> Int {
    let close = UInt8(ascii: "]")
    var (place, isOver) = try step(try opened(start, depth: depth), close: close, isFirst: true)
    while !isOver {
      try take(&left, place.at)
      let end = try valueEnd(place, depth: depth &+ 1, left: &left)
      (place, isOver) = try step(end, close: close, isFirst: false)
    }
    return place.at &+ 1
  }

  /// Subtracts the value that begins at `start` from the number of values that are allowed.
  @inline(__always)
  func take(_ left: inout Int, _ start: Int) throws(JSONError) {
    left &-= 1
    guard left >= 0 else { throw JSONError(.tooManyValues, at: start) }
  }

  /// The offset after the opening bracket at `start`. Throws if the object or array is nested too
  /// deep.
  // Not inlined, because other modules would otherwise read the limit through its accessor.
  @usableFromInline
  func opened(_ start: Int, depth: Int) throws(JSONError) -> Int {
    guard depth < WireLimits.nestingDepth else { throw JSONError(.tooDeep, at: start) }
    return start &+ 1
  }

  /// The offset after `true`, `false` or `null` at `start`.
  @inline(__always)
  func wordEnd(_ start: Int, _ word: StaticString) throws(JSONError) -> Int {
    let length = word.utf8CodeUnitCount
    guard length <= end &- start, Words.equal(base + start, word.utf8Start, count: length) else {
      throw wordError(start, word)
    }
    return start &+ length
  }

  @inline(never)
  private func wordError(_ start: Int, _ word: StaticString) -> JSONError {
    var at = start
    while self[at] == word.utf8Start[at &- start] { at &+= 1 }
    return unexpected(at)
  }
}
