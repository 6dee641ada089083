/// Writes replies one after the other, each with a NUL at its end (UAPI.20, "Reply").
///
/// To discard a reply that cannot be finished, cut `bytes` to their length before the reply. The
/// part of the reply in the stage is discarded when the next reply begins.
extension JSONWriter {
  /// Begins a reply. The caller then writes the members of its parameters and calls `endReply`.
  @inlinable
  public mutating func beginReply() {
    beginMessage(#"{"parameters":{"#)
  }

  /// Ends a reply that was begun with `beginReply`.
  ///
  /// - Parameter continues: whether more replies to the call follow. True is allowed only if the
  ///   call has `more`.
  @inlinable
  public mutating func endReply(continues: Bool = false) {
    endMessage(continues ? "},\"continues\":true}\0" : "}}\0")
  }

  /// Writes a whole reply.
  ///
  /// - Parameter continues: whether more replies to the call follow. True is allowed only if the
  ///   call has `more`.
  public mutating func reply(_ reply: some WireStructure, continues: Bool = false) {
    beginReply()
    reply.writeMembers(to: &self)
    endReply(continues: continues)
  }

  /// Begins an error reply. The caller then writes the members of its parameters and calls
  /// `endError`.
  ///
  /// - Parameter name: the full name of the error: interface, dot, error.
  public mutating func beginError(_ name: StaticString) {
    beginMessage(#"{"error":"#)
    string(name)
    key("parameters")
    open(UInt8(ascii: "{"))
  }

  /// Ends an error reply that was begun with `beginError`.
  public mutating func endError() {
    endReply()
  }

  /// Writes an error reply with its parameters.
  ///
  /// - Parameters:
  ///   - name: the full name of the error: interface, dot, error.
  ///   - parameters: writes the members of the parameters.
  public mutating func writeError(
    name: StaticString, parameters: (inout JSONWriter) -> Void = { _ in }
  ) {
    beginError(name)
    parameters(&self)
    endError()
  }

  /// Writes an error reply with its parameters.
  ///
  /// - Parameters:
  ///   - name: the full name of the error: interface, dot, error.
  ///   - parameters: an object.
  public mutating func writeError(name: String, parameters: JSONValue) {
    beginMessage(#"{"error":"#)
    string(name)
    key("parameters")
    parameters.write(to: &self)
    endMessage("}\0")
  }

  /// Writes an error reply with one of the errors of `org.varlink.service`.
  public mutating func writeError(_ error: VarlinkError) {
    writeError(name: error.name) { writer in
      guard let (member, value) = error.parameter else { return }
      writer.key(member)
      writer.string(value)
    }
  }

  /// Ends a message that is a single value, such as a call, by writing a NUL. No comma follows it.
  public mutating func endMessage() {
    endMessage("\0")
  }

  /// Writes the fixed beginning of a message. Discards an earlier message that was begun and not
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
