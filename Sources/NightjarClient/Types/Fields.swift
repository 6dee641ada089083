import NightjarWire

/// Reads the members of an object that the daemon sent. A member that is null counts as absent; one
/// that nobody knows is passed over, so that a newer daemon is understood.
struct Fields {
  private let json: JSONValue
  private let type: String

  /// - Parameter type: what the object should be, for the error.
  init(_ json: JSONValue, of type: String) throws(ClientError) {
    guard json.objectValue != nil else { throw .protocolViolation("\(type) is no object") }
    self.json = json
    self.type = type
  }

  /// A member, nil if it is absent or null.
  subscript(key: String) -> JSONValue? {
    guard let value = json[key], !value.isNull else { return nil }
    return value
  }

  func string(_ key: String) throws(ClientError) -> String {
    try required(key, optionalString(key))
  }

  func integer(_ key: String) throws(ClientError) -> Int64 {
    try required(key, optionalInteger(key))
  }

  func double(_ key: String) throws(ClientError) -> Double {
    try required(key, typed(key, \.doubleValue))
  }

  func bool(_ key: String) throws(ClientError) -> Bool {
    try required(key, optionalBool(key))
  }

  func array(_ key: String) throws(ClientError) -> [JSONValue] {
    try required(key, typed(key, \.arrayValue))
  }

  /// An array; empty if it is absent.
  func optionalArray(_ key: String) throws(ClientError) -> [JSONValue] {
    try typed(key, \.arrayValue) ?? []
  }

  func object(_ key: String) throws(ClientError) -> Fields {
    try Fields(try required(key, self[key]), of: "\(type).\(key)")
  }

  func optionalString(_ key: String) throws(ClientError) -> String? {
    try typed(key, \.stringValue)
  }

  func optionalInteger(_ key: String) throws(ClientError) -> Int64? {
    try typed(key, \.integerValue)
  }

  func optionalBool(_ key: String) throws(ClientError) -> Bool? {
    try typed(key, \.boolValue)
  }

  /// A map of strings in the order sent; nil if absent.
  func optionalLabels(_ key: String) throws(ClientError) -> [NightjarTimer.Label]? {
    guard let members = try typed(key, \.objectValue) else { return nil }
    var labels: [NightjarTimer.Label] = []
    for member in members {
      guard let value = member.value.stringValue else { throw mistyped(key) }
      labels.append(NightjarTimer.Label(key: member.key, value: value))
    }
    return labels
  }

  private func typed<Value>(
    _ key: String, _ read: (JSONValue) -> Value?
  ) throws(ClientError) -> Value? {
    guard let json = self[key] else { return nil }
    guard let value = read(json) else { throw mistyped(key) }
    return value
  }

  private func required<Value>(_ key: String, _ value: Value?) throws(ClientError) -> Value {
    guard let value else { throw .protocolViolation("\(type) has no '\(key)'") }
    return value
  }

  private func mistyped(_ key: String) -> ClientError {
    .protocolViolation("\(type).\(key) has the wrong type")
  }
}
