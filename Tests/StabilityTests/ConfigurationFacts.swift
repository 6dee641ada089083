import Foundation
import NightjarConfig
import NightjarTestSupport

@testable import NightjarDaemon
@testable import nightjar

/// The keys of the configuration, the kinds of values that each takes, and the words among them.
/// They come from the parsers: from what these say of a key that does not exist, and from whether
/// they take a value.
enum ConfigurationFacts {
  private struct Table: Sendable {
    let title: String
    /// Lines that the table must have, and others with which some keys may stand.
    var always = ""
    var others = [""]
    let read: @Sendable (ConfigFile) throws -> Void
  }

  private static let steps = "steps = [\"work=25min\", \"rest=5min\"]"

  private static let tables: [Table] = [
    Table(title: "daemon") { _ = try DaemonSettings($0) },
    Table(title: "clock") { _ = try DaemonSettings($0) },
    Table(
      title: "mqtt", always: "broker = \"mqtts://x\"\nperson = \"x\"",
      others: ["", "user = \"x\"", "key = \"/x\"", "certificate = \"/x\""]
    ) { _ = try BridgeSettings.read($0, hostName: "x", credentials: "/x") },
    Table(
      title: "presets.x",
      others: [
        "", "alarm = \"daily 9:00\"", steps, "\(steps)\nlong = \"rest=9min\"\nlong_every = 2",
        "exec = \"x\"",
      ]
    ) { file in
      let table = file.table(.presets)
      for node in table.entries {
        _ = try Preset(
          name: node.key, table.table(of: node, title: "[presets.x]"), at: .here)
      }
    },
  ]

  /// Values of each kind, so that each key takes one of them if it takes the kind.
  private static let samples: [(kind: String, values: [String])] = [
    (
      "a text",
      [
        "x", "/x", "1min", "daily 9:00", "2030-01-01", "Europe/Berlin", "/dev/null", "rang",
        "work", "rest=9min", "mqtts://x", "x=1", "{}", "rest",
      ].map { "\"\($0)\"" }
    ),
    ("a number", ["1", "5", "50"]), ("true or false", ["true", "false"]),
    (
      "an array",
      [
        "x", "1min", "2030-01-01", "rang", "rest", "rest=9min", "/dev/null", "A=x",
      ].map { "[\"\($0)\"]" }
    ),
    ("a table", ["{ x = \"x\" }", "{ X = \"x\" }"]),
  ]

  static let all = Result {
    try tables.flatMap { table in
      try keys(of: table).flatMap { key in
        let kinds = samples.filter { $0.values.contains { refusal(table, key, $0) == nil } }
        let facts = kinds.map(\.kind) + words(of: table, key)
        // Give `samples` a value that the key takes.
        guard !facts.isEmpty else { throw Unmet(description: "what takes \(table.title).\(key)?") }
        return facts.map { "[\(table.title)] \(key): \($0)" }
      }
    }
  }

  /// The keys that the table can have, as the parser lists them.
  private static func keys(of table: Table) throws -> [String] {
    let refusal = refusal(table, "?", "1")?.split(separator: "\n").first
    guard let list = refusal?.split(separator: "it can have ").last else {
      throw Unmet(description: "[\(table.title)] takes any key")
    }
    return list.replacing(" and ", with: ", ").split(separator: ", ").map(String.init)
  }

  /// The words that a key takes, as the parser lists them when it gets another text.
  private static func words(of table: Table, _ key: String) -> [String] {
    let refusal = refusal(table, key, "\"zzzz\"") ?? ""
    let words = Set(refusal.matches(of: /[a-z][a-z_]+/).map { "\"\($0.output)\"" })
    return words.sorted().filter { self.refusal(table, key, $0) == nil }
  }

  /// Why no table with this value is taken, for each; nil: one is.
  private static func refusal(_ table: Table, _ key: String, _ value: String) -> String? {
    var reasons: [String] = []
    for lines in table.others {
      // A line of the value replaces one of the table.
      let rest = "\(table.always)\n\(lines)".split(separator: "\n").filter {
        !$0.hasPrefix("\(key) = ")
      }
      let name = key == "?" ? "\"?\"" : key
      let text = (["[\(table.title)]", "\(name) = \(value)"] + rest).joined(separator: "\n") + "\n"
      do {
        try table.read(ConfigFile(path: "c", bytes: Array(text.utf8)))
        return nil
      } catch {
        reasons.append("\(error)")
      }
    }
    return reasons.joined(separator: "\n")
  }
}
