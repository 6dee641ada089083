extension JSONValue {
  /// Writes the value without white space. O(n).
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .double(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// The value as JSON without white space. O(n).
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The value as JSON without white space, safe to show on a terminal: characters that could
  /// control the terminal are escaped (`VisibleText`). O(n).
  public var text: String {
    VisibleText.visibleJSON(String(decoding: bytes, as: UTF8.self))
  }

  /// The value for people to read: one line for each element and member, indented by two spaces for
  /// each level. Empty arrays and objects take no line of their own. There is no newline at the
  /// end. O(n).
  public var prettyText: String {
    var writer = JSONWriter()
    writePretty(to: &writer, level: 0)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func writePretty(to writer: inout JSONWriter, level: Int) {
    switch self {
    case .array(let elements) where !elements.isEmpty:
      writer.beginArray()
      for element in elements {
        writer.newLine(indent: 2 * (level + 1))
        element.writePretty(to: &writer, level: level + 1)
      }
      writer.needsComma = false
      writer.newLine(indent: 2 * level)
      writer.endArray()
    case .object(let members) where !members.isEmpty:
      writer.beginObject()
      for member in members {
        writer.newLine(indent: 2 * (level + 1))
        writer.key(member.key)
        writer.place(capacity: 1, thenComma: false) { $0.byte(UInt8(ascii: " ")) }
        member.value.writePretty(to: &writer, level: level + 1)
      }
      writer.needsComma = false
      writer.newLine(indent: 2 * level)
      writer.endObject()
    case .null, .bool, .integer, .double, .string, .array, .object: write(to: &writer)
    }
  }
}

extension JSONWriter {
  /// Starts a new line, after a comma if one is needed.
  fileprivate mutating func newLine(indent: Int) {
    place(capacity: indent + 1, thenComma: false) { target in
      target.byte(UInt8(ascii: "\n"))
      for _ in 0..<indent { target.byte(UInt8(ascii: " ")) }
    }
  }
}
