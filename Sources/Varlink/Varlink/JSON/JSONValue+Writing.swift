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
}
