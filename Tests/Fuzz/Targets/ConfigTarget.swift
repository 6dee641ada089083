@testable import NightjarConfig

/// Configuration files: a refusal has its line, what is understood has its place, and what is
/// written of it is understood as the same.
enum ConfigTarget {
  static func run(_ input: Input) {
    let bytes = Array(input.rest)
    switch read(bytes) {
    case .failure(let error): check(error, in: bytes)
    case .success(let file):
      for name in ConfigFile.Table.allCases {
        check(file.table(name).entries, in: bytes)
        ask(file.table(name), in: bytes)
      }
      roundTrip(file)
    }
  }

  private static func read(_ bytes: [UInt8]) -> Result<ConfigFile, ConfigError> {
    outcome { () throws(ConfigError) in try ConfigFile(path: "config.toml", bytes: bytes) }
  }

  private static func check(_ error: ConfigError, in bytes: [UInt8]) {
    require(!"\(error.reason)".isEmpty && error.path == "config.toml", "'\(error)'")
    guard let line = error.line else { fatalError("'\(error)' has no line") }
    require(lines(bytes).contains(line) && error.column ?? 1 >= 1, "'\(error)' is elsewhere")
  }

  /// The numbers of the lines, and of the one behind the last.
  private static func lines(_ bytes: [UInt8]) -> ClosedRange<Int> {
    1...bytes.count { $0 == UInt8(ascii: "\n") } + 2
  }

  private static func check(_ nodes: [ConfigNode], in bytes: [UInt8]) {
    require(Set(nodes.map(\.key)).count == nodes.count, "a key comes twice")
    for (earlier, later) in zip(nodes, nodes.dropFirst()) {
      let isInOrder = (earlier.line, earlier.column) <= (later.line, later.column)
      require(isInOrder, "'\(later.key)' comes before '\(earlier.key)'")
    }
    for node in nodes {
      require(lines(bytes).contains(node.line), "'\(node.key)' is in line \(node.line)")
      if case .table(let nodes) = node.value { check(nodes, in: bytes) }
    }
  }

  private enum Word: String, CaseIterable {
    case once, each
  }

  /// Asks for every key in every way: what comes is right, or is refused with its line.
  private static func ask(_ table: ConfigTable, in bytes: [UInt8]) {
    func ask(_ body: (inout ConfigTable) throws(ConfigError) -> Void) {
      var table = table
      let asked = outcome { () throws(ConfigError) in try body(&table) }
      if case .failure(let error) = asked { check(error, in: bytes) }
    }
    for node in table.entries {
      ask { table throws(ConfigError) in _ = try table.string(node.key) }
      ask { table throws(ConfigError) in _ = try table.boolean(node.key) }
      ask { table throws(ConfigError) in _ = try table.word(node.key, Word.self) }
      ask { table throws(ConfigError) in _ = try table.wordOrUsec(node.key, Word.self, from: 0) }
      ask { table throws(ConfigError) in
        let number = try table.integer(node.key, in: -5...5)
        require(number.map { (-5...5).contains($0) } ?? false, "\(number ?? 99) is not asked for")
      }
      ask { table throws(ConfigError) in
        require(try table.usec(node.key).map { $0 > 0 } ?? false, "a span of no length")
      }
      ask { table throws(ConfigError) in
        guard let inner = try table.table(node.key) else { fatalError("'\(node.key)' is gone") }
        Self.ask(inner, in: bytes)
      }
    }
    let isFinished = outcome { () throws(ConfigError) in try table.finish() }.value != nil
    require(isFinished == table.entries.isEmpty, "nobody asked for '\(table.title)'")
  }

  // MARK: Writing it

  private static func roundTrip(_ file: ConfigFile) {
    var text = ""
    for name in ConfigFile.Table.allCases {
      text += "[\(name.rawValue)]\n"
      for node in file.table(name).entries {
        // A date is told from other values, and no more.
        guard let value = written(node.value) else { return }
        text += "\(quoted(node.key)) = \(value)\n"
      }
    }
    guard let again = read(Array(text.utf8)).value else { fatalError("'\(text)' is refused") }
    for name in ConfigFile.Table.allCases {
      let (nodes, others) = (file.table(name).entries, again.table(name).entries)
      require(isSame(.table(nodes), .table(others)), "'\(text)' is another configuration")
    }
  }

  private static func written(_ value: ConfigNode.Value) -> String? {
    switch value {
    case .string(let text): return quoted(text)
    case .integer(let number): return "\(number)"
    case .boolean(let isTrue): return "\(isTrue)"
    case .float(let number): return number.isNaN ? "nan" : "\(number)"
    case .date: return nil
    case .array(let nodes):
      let values = nodes.map { written($0.value) }
      return values.contains(nil) ? nil : "[\(values.compactMap { $0 }.joined(separator: ", "))]"
    case .table(let nodes):
      let values = nodes.map { node in written(node.value).map { "\(quoted(node.key)) = \($0)" } }
      return values.contains(nil) ? nil : "{\(values.compactMap { $0 }.joined(separator: ", "))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\u{0}"..."\u{1F}", "\u{7F}": "\\u\(hexadecimal(scalar.value))"
      default: "\(scalar)"
      }
    }
    return "\"\(scalars.joined())\""
  }

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  /// The same, wherever it stands.
  private static func isSame(_ value: ConfigNode.Value, _ other: ConfigNode.Value) -> Bool {
    switch (value, other) {
    case (.float(let number), .float(let other)):
      return number == other || number.isNaN && other.isNaN
    case (.array(let nodes), .array(let others)), (.table(let nodes), .table(let others)):
      return nodes.count == others.count
        && zip(nodes, others).allSatisfy { $0.key == $1.key && isSame($0.value, $1.value) }
    default: return value == other
    }
  }
}
