/// Writes JSON (RFC 8259) to the end of an array of bytes, without blanks.
///
/// Commas and colons are placed by the writer; that names and values alternate and that what is
/// begun is ended is up to the caller. Nothing is allocated but the array's own growth, so a
/// connection that keeps its writer for its output writes replies straight into what it sends:
///
/// ```swift
/// writer.beginObject()
/// writer.key("id")
/// writer.integer(7)
/// writer.endObject()
/// ```
public struct JSONWriter {
  /// What has been written, complete whenever a whole value or message is.
  ///
  /// Before that some of it may still be on its way here. A caller may take bytes off either end,
  /// or all of them, between two whole values or messages.
  public var bytes: [UInt8]

  // Asking the array for room with each name and each value makes a reply a quarter dearer. So what
  // is written is gathered here, and goes into the array in pieces.
  @usableFromInline var stage = Stage(repeating: 0)
  @usableFromInline var staged = 0

  @usableFromInline var depth = 0
  @usableFromInline var needsComma = false

  /// A writer that starts with no bytes.
  ///
  /// - Parameter reserving: how many bytes to make room for at once.
  @inlinable
  public init(reserving: Int = 0) {
    bytes = []
    if reserving > 0 { bytes.reserveCapacity(reserving) }
  }

  /// A writer that appends to `bytes`, which move in without a copy if the caller gives them up.
  public init(appendingTo bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Writes to the end of `bytes`, in place.
  ///
  /// - Parameters:
  ///   - bytes: what is appended to.
  ///   - body: writes whole values or messages. What it begins and does not end is lost in part: it
  ///     cuts the writer's `bytes` to what they were before.
  @inlinable
  public static func append<Result, Failure: Error>(
    to bytes: inout [UInt8], _ body: (inout JSONWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var writer = JSONWriter()
    swap(&writer.bytes, &bytes)
    defer { swap(&writer.bytes, &bytes) }
    return try body(&writer)
  }

  /// How many bytes have been written, also in the middle of a value.
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

  /// Writes the name of the member whose value comes next.
  ///
  /// - Precondition: it has no character that needs an escape. Checked in debug builds.
  @inlinable
  @inline(__always)
  public mutating func key(_ name: StaticString) {
    // Inlined, so that the name's length is known and copying it comes to a few moves.
    assert(Self.isPlain(name), "a name that needs escapes")
    let count = name.utf8CodeUnitCount
    place(capacity: count &+ 3, thenComma: false) { target in
      target.byte(UInt8(ascii: "\""))
      target.copy(name.utf8Start, count: count)
      target.byte(UInt8(ascii: "\""))
      target.byte(UInt8(ascii: ":"))
    }
  }

  /// Writes the name of the member whose value comes next.
  @_disfavoredOverload
  public mutating func key(_ name: String) {
    // Disfavoured, or a literal would become a String and be looked through for escapes.
    var name = name
    name.withUTF8 { text(UnsafeRawBufferPointer($0)) }
    colon()
  }

  /// Writes the name of the member whose value comes next, from UTF-8.
  public mutating func key(utf8 name: UnsafeRawBufferPointer) {
    text(name)
    colon()
  }

  /// Writes a value that is JSON already, as it is. O(n).
  ///
  /// - Parameter value: one whole value; nobody checks it.
  public mutating func raw(_ value: UnsafeRawBufferPointer) {
    guard let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    place(capacity: value.count) { $0.copy(start, count: value.count) }
    finishValue()
  }

  /// Writes a value that is JSON already, as it is. O(n).
  public mutating func raw(_ value: [UInt8]) {
    value.withUnsafeBytes { raw($0) }
  }
}

// MARK: - Below the structure

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

  /// The colon behind a name, and no comma behind that.
  private mutating func colon() {
    needsComma = false
    place(capacity: 1, thenComma: false) { $0.byte(UInt8(ascii: ":")) }
  }

  /// Behind a value that is in nothing else, everything is where others can see it.
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
