import Varlink

/// The data of a timer, divided into a part that TOML can express and the rest. TOML has no null.
struct WritableData {
  /// The members that TOML can express, as a JSON object.
  let written: JSONValue
  /// The members that contain a null, in the same nested objects as in the whole data.
  private let rest: JSONValue

  /// - Parameter data: the data of a timer, a JSON object.
  init(_ data: JSONValue) {
    var rest = JSONValue.object([])
    written = Self.divide(data, rest: &rest)
    self.rest = rest
  }

  /// The paths of the members that TOML cannot express, in TOML's notation.
  var paths: [String] { Self.paths(in: rest, under: "") }

  /// The edited data, with the rest added. If the user has given a member a value that also is in
  /// the rest, the user's value stays.
  func completed(_ data: JSONValue) -> JSONValue { Self.add(rest, to: data) }

  private static func divide(_ data: JSONValue, rest: inout JSONValue) -> JSONValue {
    guard let members = data.objectValue else { return data }
    var written: [JSONValue.Member] = []
    for member in members {
      if member.value.objectValue != nil {
        var inner = JSONValue.object([])
        written.append(.init(member.key, divide(member.value, rest: &inner)))
        if inner != .object([]) { rest = rest.setting(member.key, inner) }
      } else if hasNull(member.value) {
        rest = rest.setting(member.key, member.value)
      } else {
        written.append(member)
      }
    }
    return .object(written)
  }

  private static func hasNull(_ value: JSONValue) -> Bool {
    switch value {
    case .null: true
    case .array(let elements): elements.contains(where: hasNull)
    case .object(let members): members.contains { hasNull($0.value) }
    case .bool, .integer, .double, .string: false
    }
  }

  private static func paths(in rest: JSONValue, under prefix: String) -> [String] {
    guard let members = rest.objectValue else { return [prefix] }
    return members.flatMap { member in
      let key = PresetWriter.key(member.key)
      return paths(in: member.value, under: prefix.isEmpty ? key : "\(prefix).\(key)")
    }
  }

  private static func add(_ rest: JSONValue, to data: JSONValue) -> JSONValue {
    guard let members = rest.objectValue, data.objectValue != nil else { return data }
    return members.reduce(data) { data, member in
      data.setting(member.key, data[member.key].map { add(member.value, to: $0) } ?? member.value)
    }
  }
}
