/// Reads JSON (RFC 8259) from bytes in memory, one token at a time.
///
/// The caller walks through the structure and asks for the values that it expects. The scanner
/// builds nothing and allocates nothing. It validates everything that it reads or skips, including
/// UTF-8. It reads no byte outside of the buffer, and nests at most `WireLimits.nestingDepth` deep,
/// so bytes from any source are safe. After an error, the scanner must not be used any more.
///
/// ```swift
/// var scanner = JSONScanner(bytes)
/// var members = try scanner.beginObject()
/// while let key = try scanner.nextMember(&members) {
///   if key.equals("by_usec") { by = try scanner.readInteger() } else { try scanner.skipValue() }
/// }
/// try scanner.finish()
/// ```
public struct JSONScanner {
  @usableFromInline let grammar: JSONGrammar
  @usableFromInline var position = 0
  @usableFromInline var depth = 0
  /// How many more values `skipValue` may skip.
  @usableFromInline var valuesLeft: Int

  /// - Parameters:
  ///   - bytes: the text. It must stay in place and unchanged as long as the scanner and the values
  ///     that it returned are in use.
  ///   - values: how many values `skipValue` may skip in all, including values inside other values.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer, values: Int = .max) {
    grammar = JSONGrammar(bytes)
    valuesLeft = values
  }

  /// How many bytes have been read.
  @inlinable public var offset: Int { position }

  /// The position of the caller in one object or array.
  public struct Members {
    @usableFromInline enum Place { case first, later, over }
    @usableFromInline var place = Place.first

    @inlinable
    @inline(__always)
    init() {}
  }
}

// MARK: - Structure

extension JSONScanner {
  /// The kind of the next value. Does not read the value.
  ///
  /// The kind depends only on the first byte. The rest of the value may still be invalid.
  @inlinable
  public mutating func peek() throws(JSONError) -> JSONKind {
    let start = grammar.firstNonBlank(position)
    position = start.at
    guard let kind = JSONGrammar.kind(of: start.byte) else { throw grammar.unexpected(start.at) }
    return kind
  }

  /// Enters the next value, which must be an object. Also throws if the object is nested too deep.
  @inlinable
  public mutating func beginObject() throws(JSONError) -> Members {
    try open(UInt8(ascii: "{"), .object)
    return Members()
  }

  /// Reads the name of the next member. The caller must read or skip its value before the next
  /// call. At the end of the object, leaves the object and returns nil.
  ///
  /// If a name occurs twice, it is returned twice. The caller decides whether that matters.
  @inlinable
  @inline(__always)
  public mutating func nextMember(_ members: inout Members) throws(JSONError) -> JSONText? {
    guard members.place != .over else { return nil }
    let (place, isOver) = try grammar.step(
      position, close: UInt8(ascii: "}"), isFirst: members.place == .first)
    guard !isOver else {
      close(&members, at: place.at)
      return nil
    }
    members.place = .later
    let start = place.at &+ 1
    let (end, name) = try grammar.nameEnd(place)
    position = end
    return JSONText(
      start: grammar.base + start, count: name.quote &- start, hasEscapes: name.hasEscapes)
  }

  /// Enters the next value, which must be an array. Also throws if the array is nested too deep.
  @inlinable
  public mutating func beginArray() throws(JSONError) -> Members {
    try open(UInt8(ascii: "["), .array)
    return Members()
  }

  /// Whether the array has another element. The caller must read or skip that element before the
  /// next call. At the end of the array, leaves the array and returns false.
  @inlinable
  public mutating func nextElement(_ members: inout Members) throws(JSONError) -> Bool {
    guard members.place != .over else { return false }
    let (place, isOver) = try grammar.step(
      position, close: UInt8(ascii: "]"), isFirst: members.place == .first)
    guard !isOver else {
      close(&members, at: place.at)
      return false
    }
    members.place = .later
    position = place.at
    return true
  }

  /// Skips the next value, of any kind, and validates the whole value. O(n).
  ///
  /// - Returns: the bytes of the value as they were sent, without white space around it.
  @discardableResult
  public mutating func skipValue() throws(JSONError) -> UnsafeRawBufferPointer {
    let start = grammar.firstNonBlank(position)
    try grammar.take(&valuesLeft, start.at)
    position = try grammar.valueEnd(start, depth: depth, left: &valuesLeft)
    return UnsafeRawBufferPointer(start: grammar.base + start.at, count: position &- start.at)
  }

  /// Throws an error if anything but white space follows.
  @inlinable
  public mutating func finish() throws(JSONError) {
    position = grammar.firstNonBlank(position).at
    guard position >= grammar.end else { throw JSONError(.trailingBytes, at: position) }
  }

  @inlinable
  @inline(__always)
  mutating func open(_ bracket: UInt8, _ kind: JSONKind) throws(JSONError) {
    let start = grammar.firstNonBlank(position)
    guard start.byte == bracket else { throw grammar.kindError(start, expected: kind) }
    position = try grammar.opened(start.at, depth: depth)
    depth &+= 1
  }

  /// Leaves an object or array at its closing bracket.
  @inlinable
  @inline(__always)
  mutating func close(_ members: inout Members, at bracket: Int) {
    position = bracket &+ 1
    depth &-= 1
    members.place = .over
  }
}

// MARK: - Scalars

extension JSONScanner {
  /// Reads a string. O(n).
  @inlinable
  public mutating func readString() throws(JSONError) -> JSONText {
    let quote = grammar.firstNonBlank(position)
    guard quote.byte == UInt8(ascii: "\"") else {
      throw grammar.kindError(quote, expected: .string)
    }
    let start = quote.at &+ 1
    let end = try grammar.stringEnd(start)
    position = end.quote &+ 1
    return JSONText(
      start: grammar.base + start, count: end.quote &- start, hasEscapes: end.hasEscapes)
  }

  /// Reads an integer: digits with or without a minus sign.
  ///
  /// A number with a fraction or an exponent is refused as `badNumber` even if its value is whole,
  /// as UAPI.20 requires for `int`. A value that does not fit into `Int64` is refused as
  /// `numberOutOfRange`.
  public mutating func readInteger() throws(JSONError) -> Int64 {
    let (value, end) = try grammar.integer(grammar.firstNonBlank(position))
    position = end
    return value
  }

  /// Reads a number as the nearest `Double`.
  ///
  /// A number that would be rounded to infinity, or that is longer than `WireLimits.numberBytes`,
  /// is refused as `numberOutOfRange`. A number too close to zero becomes 0. O(n), and may
  /// allocate.
  public mutating func readDouble() throws(JSONError) -> Double {
    let start = grammar.firstNonBlank(position)
    guard JSONGrammar.kind(of: start.byte) == .number else {
      throw grammar.kindError(start, expected: .number)
    }
    let end = try grammar.numberEnd(start.at)
    let digits = UnsafeBufferPointer(start: grammar.base + start.at, count: end &- start.at)
    guard digits.count <= WireLimits.numberBytes,
      let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite
    else { throw JSONError(.numberOutOfRange, at: start.at) }
    position = end
    return value
  }

  /// Reads `true` or `false`.
  public mutating func readBool() throws(JSONError) -> Bool {
    let start = grammar.firstNonBlank(position)
    switch start.byte {
    case UInt8(ascii: "t"):
      position = try grammar.wordEnd(start.at, "true")
      return true
    case UInt8(ascii: "f"):
      position = try grammar.wordEnd(start.at, "false")
      return false
    default: throw grammar.kindError(start, expected: .bool)
    }
  }

  /// Reads `null`.
  public mutating func readNull() throws(JSONError) {
    let start = grammar.firstNonBlank(position)
    guard start.byte == UInt8(ascii: "n") else { throw grammar.kindError(start, expected: .null) }
    position = try grammar.wordEnd(start.at, "null")
  }
}
