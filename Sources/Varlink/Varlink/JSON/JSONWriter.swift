/// Appends JSON (RFC 8259) to an array of bytes, without white space.
///
/// The writer adds commas and colons. Inside an object, the caller must alternate names and values.
/// The caller must end each object and array that it began. The writer allocates nothing except
/// when the array grows. A connection can use the writer's array as its output, and so write
/// replies directly into the bytes that it sends:
///
/// ```swift
/// writer.beginObject()
/// writer.key("id")
/// writer.integer(7)
/// writer.endObject()
/// ```
public struct JSONWriter {
  /// The bytes that were written. All of them are here whenever a whole value or message has been
  /// written.
  ///
  /// At other times, some bytes may still be in the stage. Between two whole values or messages, a
  /// caller may remove bytes from either end, or all bytes.
  public var bytes: [UInt8]

  // Holds bytes before they are moved to the array, several at once. When each name and value was
  // written directly to the array, replies took a quarter longer.
  @usableFromInline var stage = Stage(repeating: 0)
  @usableFromInline var staged = 0

  @usableFromInline var depth = 0
  @usableFromInline var needsComma = false

  /// Makes a writer without bytes.
  ///
  /// - Parameter reserving: the number of bytes to reserve.
  @inlinable
  public init(reserving: Int = 0) {
    bytes = []
    if reserving > 0 { bytes.reserveCapacity(reserving) }
  }

  /// Makes a writer that appends to `bytes`. If the caller passes its last copy of the array, the
  /// array is not copied.
  public init(appendingTo bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Appends to `bytes` in place.
  ///
  /// - Parameters:
  ///   - bytes: the array to append to.
  ///   - body: writes whole values or messages. If `body` stops within a message, the bytes of the
  ///     message that are still in the stage are lost, so `body` must cut the writer's `bytes` to
  ///     their former length.
  @inlinable
  public static func append<Result, Failure: Error>(
    to bytes: inout [UInt8], _ body: (inout JSONWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var writer = JSONWriter()
    swap(&writer.bytes, &bytes)
    defer { swap(&writer.bytes, &bytes) }
    return try body(&writer)
  }

  /// The number of bytes that were written, including those in the stage.
  public var count: Int { bytes.count + staged }
}

// MARK: - Structure

extension JSONWriter {
  /// Begins an object.
  @inlinable
  public mutating func beginObject() {
    open(UInt8(ascii: "{"))
  }

  /// Ends the object that was begun last.
  @inlinable
  public mutating func endObject() {
    close(UInt8(ascii: "}"))
  }

  /// Begins an array.
  @inlinable
  public mutating func beginArray() {
    open(UInt8(ascii: "["))
  }

  /// Ends the array that was begun last.
  @inlinable
  public mutating func endArray() {
    close(UInt8(ascii: "]"))
  }

  /// Writes the name of a member. The value of the member must follow.
  ///
  /// - Precondition: no character needs an escape. Checked only in debug builds.
  @inlinable
  @inline(__always)
  public mutating func key(_ name: StaticString) {
    // This is inlined, so that the compiler knows the length of the name and copies the name with a
    // few moves.
    assert(Self.isPlain(name), "a name that needs escapes")
    let count = name.utf8CodeUnitCount
    place(capacity: count &+ 3, thenComma: false) { target in
      target.byte(UInt8(ascii: "\""))
      target.copy(name.utf8Start, count: count)
      target.byte(UInt8(ascii: "\""))
      target.byte(UInt8(ascii: ":"))
    }
  }

  /// Writes the name of a member. The value of the member must follow.
  @_disfavoredOverload
  public mutating func key(_ name: String) {
    // Disfavoured, so that a literal does not become a String whose characters are checked for
    // escapes.
    var name = name
    name.withUTF8 { text(UnsafeRawBufferPointer($0)) }
    colon()
  }

  /// Writes the name of a member from its bytes in UTF-8. The value of the member must follow.
  public mutating func key(utf8 name: UnsafeRawBufferPointer) {
    text(name)
    colon()
  }

  /// Writes a value whose JSON the caller has. O(n).
  ///
  /// - Parameter value: the JSON of one whole value. It is not checked.
  public mutating func raw(_ value: UnsafeRawBufferPointer) {
    guard let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    place(capacity: value.count) { $0.copy(start, count: value.count) }
    finishValue()
  }

  /// Writes a value whose JSON the caller has. O(n).
  public mutating func raw(_ value: [UInt8]) {
    value.withUnsafeBytes { raw($0) }
  }
}

// MARK: - Brackets and colons

extension JSONWriter {
  @usableFromInline
  mutating func open(_ bracket: UInt8) {
    place(capacity: 1, thenComma: false) { $0.byte(bracket) }
    depth &+= 1
  }

  @usableFromInline
  mutating func close(_ bracket: UInt8) {
    needsComma = false
    place(capacity: 1) { $0.byte(bracket) }
    depth &-= 1
    finishValue()
  }

  /// Writes the colon after a name. No comma is needed after the colon.
  private mutating func colon() {
    needsComma = false
    place(capacity: 1, thenComma: false) { $0.byte(UInt8(ascii: ":")) }
  }

  /// Ends a value. If the value is in no object and no array, moves all bytes of the stage to the
  /// array.
  @inlinable
  @inline(__always)
  mutating func finishValue() {
    if depth <= 0 { flush() }
  }

  @usableFromInline
  static func isPlain(_ text: StaticString) -> Bool {
    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
  }
}
