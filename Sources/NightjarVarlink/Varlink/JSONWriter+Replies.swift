/// Writes replies (UAPI.20, "Reply"), each ended by a NUL, one after the other.
///
/// To discard a reply that cannot be finished, cut `bytes` to their former length. The next reply
/// discards the rest.
extension JSONWriter {
  /// Begins a reply. The caller then writes the members of its parameters and calls `endReply`.
  @inlinable
  public mutating func beginReply() {
    beginMessage(#"{"parameters":{"#)
  }

  /// Ends a reply begun with `beginReply`.
  ///
  /// - Parameter continues: whether more replies to the call follow. Allowed only if the call has
  ///   `more`.
  @inlinable
  public mutating func endReply(continues: Bool = false) {
    endMessage(continues ? "},\"continues\":true}\0" : "}}\0")
  }

  /// Begins an error. The caller then writes the members of its parameters and calls `endError`.
  ///
  /// - Parameter name: the full name: interface, dot, error.
  public mutating func beginError(_ name: StaticString) {
    beginMessage(#"{"error":"#)
    string(name)
    key("parameters")
    open(UInt8(ascii: "{"))
  }

  /// Ends an error begun with `beginError`.
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

  /// Writes one of the errors of `org.varlink.service`.
  public mutating func writeError(_ error: VarlinkError) {
    writeError(name: error.name) { writer in
      guard let (member, value) = error.parameter else { return }
      writer.key(member)
      writer.string(value)
    }
  }

  /// Ends a message that is a single value, such as a call: writes a NUL. No comma follows.
  public mutating func endMessage() {
    endMessage("\0")
  }

  /// Writes the fixed beginning of a message. Discards a message that was begun before and not
  /// ended.
  @usableFromInline
  mutating func beginMessage(_ part: StaticString) {
    staged = 0
    needsComma = false
    depth = 1
    place(capacity: part.utf8CodeUnitCount, thenComma: false) { target in
      target.copy(part.utf8Start, count: part.utf8CodeUnitCount)
    }
  }

  /// Writes the fixed end of a message.
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
