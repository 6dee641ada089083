import NightjarConfig
import NightjarParameters
import Varlink

/// Values in the notation of TOML.
enum TOMLText {
  // MARK: Reading

  /// The texts of a value: of one text or number, of an array of them, or `key=value` of a table.
  static func texts(
    of node: ConfigNode, in table: ConfigTable, isMap: Bool = false, isNumber: Bool = false
  ) throws(ConfigError) -> [String] {
    switch node.value {
    case .string(let text): return [text]
    case .integer(let number) where isNumber: return ["\(number)"]
    case .array(let elements) where !elements.contains(where: \.isNested):
      var texts: [String] = []
      for element in elements { texts += try self.texts(of: element, in: table) }
      return texts
    case .table(let members) where isMap:
      return try members.map { (member) throws(ConfigError) in
        guard case .string(let text) = member.value else {
          throw table.error(at: member, expected: "a text")
        }
        return "\(member.key)=\(text)"
      }
    case .array, .table, .boolean, .integer, .float, .date:
      throw table.error(
        at: node, expected: isMap ? "a table of texts" : "a text, or an array of texts")
    }
  }

  /// A value as JSON, with all that is in it.
  static func json(_ node: ConfigNode, in table: ConfigTable) throws(ConfigError) -> JSONValue {
    switch node.value {
    case .string(let text): return .string(text)
    case .integer(let number): return .integer(number)
    case .boolean(let value): return .bool(value)
    case .float(let number) where number.isFinite: return .double(number)
    case .array(let nodes):
      return .array(try nodes.map { (node) throws(ConfigError) in try json(node, in: table) })
    case .table(let nodes):
      return .object(
        try nodes.map { (node) throws(ConfigError) in .init(node.key, try json(node, in: table)) })
    case .float, .date:
      throw table.error(
        at: node, "JSON has no dates, infinity and NaN; write '\(node.key)' as a text")
    }
  }

  // MARK: Writing

  static func written(_ value: JSONValue) -> String? {
    switch value {
    case .null: return nil
    case .bool, .integer, .double: return value.text
    case .string(let text): return quoted(text)
    case .array: return array(value.strings)
    case .object(let members):
      let parts = members.map { "\(key($0.key)) = \(quoted($0.value.stringValue ?? ""))" }
      return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
    }
  }

  static func array(_ texts: [String]) -> String {
    "[\(texts.map(quoted).joined(separator: ", "))]"
  }

  /// A key, in quotes if it needs them.
  static func key(_ name: String) -> String {
    let isBare = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        || [UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
    }
    return isBare && !name.isEmpty ? name : quoted(name)
  }

  static func quoted(_ text: String) -> String {
    "\"\(text.unicodeScalars.map(escaped).joined())\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    guard scalar.value < 0x20 || scalar.value == 0x7f else { return String(scalar) }
    let hex = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
  }
}

extension ConfigNode {
  fileprivate var isNested: Bool {
    switch value {
    case .array, .table: true
    case .string, .integer, .float, .boolean, .date: false
    }
  }
}
