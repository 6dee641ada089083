package import Varlink

extension JSONValue {
  /// An object of all members whose value is not nil.
  package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONValue.Member(key, $0) } })
  }
}

extension RawJSON {
  /// The object; nil: it is empty.
  var nonEmpty: JSONValue? {
    guard let value = try? value, value != .object([]) else { return nil }
    return value
  }
}
