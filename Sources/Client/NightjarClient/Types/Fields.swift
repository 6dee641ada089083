import Varlink

/// Reads the members of an object from the daemon. A member that is null counts as absent. Unknown
/// members are ignored, because a newer daemon may send them.
struct Fields {
  private let json: JSONValue
  private let type: String

  /// - Parameter type: the name of the expected type, for the text of errors.
  init(_ json: JSONValue, of type: String) throws(ClientError) {
    guard json.objectValue != nil else { throw .protocolViolation("\(type) is no object") }
    self.json = json
    self.type = type
  }

  /// Reads a required member.
  func value<Value: ReadableValue>(_ key: String) throws(ClientError) -> Value {
    guard let value: Value = try optional(key) else {
      throw .protocolViolation("\(type) has no '\(key)'")
    }
    return value
  }

  /// Reads an optional member; nil if the member is absent or null.
  func optional<Value: ReadableValue>(_ key: String) throws(ClientError) -> Value? {
    guard let json = json[key], !json.isNull else { return nil }
    guard let value = try Value.read(json) else { throw mistyped(key) }
    return value
  }

  /// Reads a map of strings, in the order of its members; nil if the member is absent or null.
  func optional(_ key: String) throws(ClientError) -> [NightjarTimer.Label]? {
    guard let json: JSONValue = try optional(key) else { return nil }
    guard let members = json.objectValue else { throw mistyped(key) }
    var labels: [NightjarTimer.Label] = []
    for member in members {
      guard let value = member.value.stringValue else { throw mistyped(key) }
      labels.append(NightjarTimer.Label(key: member.key, value: value))
    }
    return labels
  }

  private func mistyped(_ key: String) -> ClientError {
    .protocolViolation("\(type).\(key) has the wrong type")
  }
}

/// A value that can be read from a member of an object.
protocol ReadableValue {
  /// Reads the value; nil if the JSON has another type.
  static func read(_ json: JSONValue) throws(ClientError) -> Self?
}

/// A structure of the interface.
protocol ReadableStructure: ReadableValue {
  /// Reads the structure from an object.
  init(_ json: JSONValue) throws(ClientError)
}

extension ReadableStructure {
  static func read(_ json: JSONValue) throws(ClientError) -> Self? { try Self(json) }
}

extension ReadableValue where Self: RawRepresentable, RawValue == String {
  static func read(_ json: JSONValue) -> Self? { json.stringValue.flatMap(Self.init(rawValue:)) }
}

extension Bool: ReadableValue {
  static func read(_ json: JSONValue) -> Bool? { json.boolValue }
}

extension Int64: ReadableValue {
  static func read(_ json: JSONValue) -> Int64? { json.integerValue }
}

extension Double: ReadableValue {
  static func read(_ json: JSONValue) -> Double? { json.doubleValue }
}

extension String: ReadableValue {
  static func read(_ json: JSONValue) -> String? { json.stringValue }
}

extension JSONValue: ReadableValue {
  static func read(_ json: JSONValue) -> JSONValue? { json }
}

extension Array: ReadableValue where Element: ReadableValue {
  static func read(_ json: JSONValue) throws(ClientError) -> [Element]? {
    guard let values = json.arrayValue else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for value in values {
      guard let element = try Element.read(value) else { return nil }
      elements.append(element)
    }
    return elements
  }
}

extension EventType: ReadableValue {}
extension Cause: ReadableValue {}
extension MissedPolicy: ReadableValue {}
extension AfterSleep: ReadableValue {}
extension ActionOutcome: ReadableValue {}
extension RingLack: ReadableValue {}
extension WakeObstacle: ReadableValue {}
extension NightjarTimer.Kind: ReadableValue {}
extension NightjarTimer.State: ReadableValue {}
extension NightjarTimer.Clock: ReadableValue {}
