/// Appends JSON (RFC 8259) to an array of bytes, without white space.
///
/// The writer adds commas and colons. The caller must alternate names and values, and end what it
/// began. The writer allocates nothing except when the array grows. A connection can use the
/// writer's array as its output, and so write replies directly into the bytes that it sends:
///
/// ```swift
/// writer.beginObject()
/// writer.key("id")
/// writer.integer(7)
/// writer.endObject()
/// ```
public struct JSONWriter {
  /// The bytes that were written. They are complete whenever a whole value or message has been
  /// written.
  ///
  /// Before that, some bytes may still be staged. Between two whole values or messages, a caller
  /// may remove bytes from either end, or all.
  public var bytes: [UInt8]

  // Bytes are staged here and moved to the array in pieces. Writing each name and value directly to
  // the array made replies a quarter slower.
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

  /// Makes a writer that appends to `bytes`. They are moved without a copy if the caller gives them
  /// up.
  public init(appendingTo bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Appends to `bytes` in place.
  ///
  /// - Parameters:
  ///   - bytes: the array to append to.
  ///   - body: writes whole values or messages. If it leaves a message unfinished, it must cut the
  ///     writer's `bytes` to their former length, because the staged part of the message is lost.
  @inlinable
  public static func append<Result, Failure: Error>(
    to bytes: inout [UInt8], _ body: (inout JSONWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var writer = JSONWriter()
    swap(&writer.bytes, &bytes)
    defer { swap(&writer.bytes, &bytes) }
    return try body(&writer)
  }

  /// The number of bytes written, including staged ones.
  public var count: Int { bytes.count + staged }
}

// MARK: - Structure

extension JSONWriter {
  /// Begins an object, as a value.
  @inlinable
  public mutating func beginObject() {
    open(UInt8(ascii: "{"))
  }

  /// Ends the object begun last.
  @inlinable
  public mutating func endObject() {
    close(UInt8(ascii: "}"))
  }

  /// Begins an array, as a value.
  @inlinable
  public mutating func beginArray() {
    open(UInt8(ascii: "["))
  }

  /// Ends the array begun last.
  @inlinable
  public mutating func endArray() {
    close(UInt8(ascii: "]"))
  }

  /// Writes the name of a member; its value must follow.
  ///
  /// - Precondition: no character needs an escape. Checked only in debug builds.
  @inlinable
  @inline(__always)
  public mutating func key(_ name: StaticString) {
    // Inlined: the compiler then knows the length of the name, and copies it with a few moves.
    assert(Self.isPlain(name), "a name that needs escapes")
    let count = name.utf8CodeUnitCount
    place(capacity: count &+ 3, thenComma: false) { target in
      target.byte(UInt8(ascii: "\""))
      target.copy(name.utf8Start, count: count)
      target.byte(UInt8(ascii: "\""))
      target.byte(UInt8(ascii: ":"))
    }
  }

  /// Writes the name of a member; its value must follow.
  @_disfavoredOverload
  public mutating func key(_ name: String) {
    // Disfavoured: otherwise a literal would become a String and be searched for escapes.
    var name = name
    name.withUTF8 { text(UnsafeRawBufferPointer($0)) }
    colon()
  }

  /// Writes the name of a member from its UTF-8; its value must follow.
  public mutating func key(utf8 name: UnsafeRawBufferPointer) {
    text(name)
    colon()
  }

  /// Writes a value that is JSON already. O(n).
  ///
  /// - Parameter value: one whole value. It is not checked.
  public mutating func raw(_ value: UnsafeRawBufferPointer) {
    guard let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    place(capacity: value.count) { $0.copy(start, count: value.count) }
    finishValue()
  }

  /// Writes a value that is JSON already. O(n).
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

  /// Writes the colon after a name. No comma follows it.
  private mutating func colon() {
    needsComma = false
    place(capacity: 1, thenComma: false) { $0.byte(UInt8(ascii: ":")) }
  }

  /// Ends a value. If it is at the outermost level, moves all staged bytes to the array.
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
