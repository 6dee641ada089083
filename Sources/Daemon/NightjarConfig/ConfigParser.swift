internal import CTOML

/// Converts TOML to values.
struct ConfigParser {
  private let items: UnsafeBufferPointer<NJTOMLItem>
  private var next = 0

  /// Parses a document, which must be UTF-8. O(bytes × log of the most keys of a table).
  static func parse(_ bytes: [UInt8], path: String) throws(ConfigError) -> [ConfigNode] {
    let document = bytes.withUnsafeBytes { bytes in
      nj_toml_parse(bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
    }
    defer { nj_toml_free(document) }
    var (line, column): (UInt32, UInt32) = (0, 0)
    if let error = nj_toml_error(document, &line, &column) {
      throw ConfigError(
        path: path, line: Int(line), column: Int(column), reason: sentence(String(cString: error)))
    }
    var count = 0
    let first = nj_toml_items(document, &count)
    var parser = ConfigParser(UnsafeBufferPointer(start: first, count: count))
    guard count > 0, case .table(let nodes) = parser.node(in: "").value else { return [] }
    return nodes
  }

  private init(_ items: UnsafeBufferPointer<NJTOMLItem>) {
    self.items = items
  }

  /// Makes the value that comes next. An element of an array gets the array's key.
  private mutating func node(in parent: String) -> ConfigNode {
    let item = items[next]
    next += 1
    let key = item.key == nil ? parent : Self.text(item.key, item.keyBytes)
    let value: ConfigNode.Value =
      switch item.kind {
      case .table:
        .table(
          nodes(item.count, in: key).sorted { ($0.line, $0.column) < ($1.line, $1.column) })
      case .array: .array(nodes(item.count, in: key))
      case .string: .string(Self.text(item.text, item.textBytes))
      case .integer: .integer(item.integer)
      case .boolean: .boolean(item.integer != 0)
      case .float: .float(item.number)
      case .date: .date
      }
    return ConfigNode(key: key, line: Int(item.line), column: Int(item.column), value: value)
  }

  private mutating func nodes(_ count: Int, in key: String) -> [ConfigNode] {
    var nodes: [ConfigNode] = []
    nodes.reserveCapacity(count)
    for _ in 0..<count { nodes.append(node(in: key)) }
    return nodes
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    start.map { start in
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    } ?? ""
  }

  /// The parts of a document that toml++ names in an error if the user has probably forgotten the
  /// quotes of a text.
  private static let unquoted = [
    "decimal integer", "boolean", "date", "time", "floating-point", "key-value pair",
  ]

  /// Rewrites an error of toml++, such as "Error while parsing boolean: encountered end-of-file",
  /// in our own style.
  private static func sentence(_ description: String) -> String {
    let head = "Error while parsing "
    guard description.hasPrefix(head), let colon = description.firstIndex(of: ":") else {
      return "this is no TOML: \(description.prefix(1).lowercased())\(description.dropFirst())"
    }
    let start = description.index(description.startIndex, offsetBy: head.count)
    let (part, rest) = (description[start..<colon], description[colon...].dropFirst(2))
    if part == "string", rest.hasPrefix("unescaped control characters") {
      return "this is no TOML: a text has no closing quote, or a line break or another control "
        + "character in it"
    }
    if part == "value", rest.hasPrefix("could not determine value type") {
      return "this is no TOML: a value is a number, true, false, or a text in quotes, such as "
        + "\"4min\""
    }
    let isUnquoted =
      unquoted.contains(String(part)) && rest.hasPrefix("expected")
      && !rest.hasPrefix("expected '='")
    let article = "aeiou".contains(part.first ?? " ") ? "an" : "a"
    return "this is no TOML: \(rest), in \(article) \(part)"
      + (isUnquoted ? "; a text such as \"4min\" is written in quotes" : "")
  }
}
