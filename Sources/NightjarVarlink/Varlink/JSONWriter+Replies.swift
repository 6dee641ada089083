/// Replies (UAPI.20, "Reply"), each with the NUL that ends it, one behind the other.
///
/// A reply that was begun and cannot be finished is taken back by cutting `bytes` to what it was
/// before: the next one starts afresh.
extension JSONWriter {
  /// Begins a reply; the caller writes the members of its parameters and then calls `endReply`.
  @inlinable
  public mutating func beginReply() {
    beginMessage(#"{"parameters":{"#)
  }

  /// Ends a reply begun by `beginReply`.
  ///
  /// - Parameter continues: more replies to the same call follow; only if it asked for `more`.
  @inlinable
  public mutating func endReply(continues: Bool = false) {
    endMessage(continues ? "},\"continues\":true}\0" : "}}\0")
  }

  /// Begins an error; the caller writes the members of its parameters and then calls `endError`.
  ///
  /// - Parameter name: the full name: interface, dot, error.
  public mutating func beginError(_ name: StaticString) {
    beginMessage(#"{"error":"#)
    string(name)
    key("parameters")
    open(UInt8(ascii: "{"))
  }

  /// Ends an error begun by `beginError`.
  public mutating func endError() {
    endReply()
  }

  /// Writes an error with its parameters.
  ///
  /// - Parameters:
  ///   - name: the full name: interface, dot, error.
  ///   - parameters: writes the members of the parameters.
  public mutating func writeError(
    name: StaticString, parameters: (inout JSONWriter) -> Void = { _ in }
  ) {
    beginError(name)
    parameters(&self)
    endError()
  }

  /// Writes one of the protocol's own errors.
  public mutating func writeError(_ error: VarlinkError) {
    writeError(name: error.name) { writer in
      guard let (member, value) = error.parameter else { return }
      writer.key(member)
      writer.string(value)
    }
  }

  /// Ends a message that is a value by itself, such as a call: a NUL, and no comma behind it.
  public mutating func endMessage() {
    endMessage("\0")
  }

  /// Writes the fixed beginning of an envelope, in which the caller goes on. Whatever was begun and
  /// not ended before is forgotten.
  @usableFromInline
  mutating func beginMessage(_ part: StaticString) {
    staged = 0
    needsComma = false
    depth = 1
    place(capacity: part.utf8CodeUnitCount, thenComma: false) { target in
      target.copy(part.utf8Start, count: part.utf8CodeUnitCount)
    }
  }

  /// Writes the fixed end of an envelope.
  @usableFromInline
  mutating func endMessage(_ part: StaticString) {
    needsComma = false
    place(capacity: part.utf8CodeUnitCount, thenComma: false) { target in
      target.copy(part.utf8Start, count: part.utf8CodeUnitCount)
    }
    depth = 0
    flush()
  }
}
