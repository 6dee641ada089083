import Foundation
package import NightjarVarlink

/// Recorded messages between the programs of commit 5ae14e9, and the files of its daemon.
/// `Tests/Compatibility/README` describes how they were recorded.
package struct Recording {
  package enum Message: Sendable {
    case call(String)
    case reply(String)
  }

  /// The messages that one command sent and received.
  package struct Exchange: Sendable {
    /// The arguments of the command; empty if no command was recorded.
    package var command: String
    /// The messages of each connection of the command, in order.
    package var connections: [[Message]]
  }

  package private(set) var exchanges: [Exchange] = []

  /// - Parameter name: the name of a file in the folder, such as `traffic`.
  package init(_ name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    for line in text.split(separator: "\n") {
      if line.hasPrefix("$ ") {
        exchanges.append(Exchange(command: String(line.dropFirst(2)), connections: [[]]))
        continue
      }
      if exchanges.isEmpty { exchanges = [Exchange(command: "", connections: [[]])] }
      let exchange = exchanges.count - 1
      let connection = exchanges[exchange].connections.count - 1
      let rest = String(line.dropFirst(2))
      switch line.prefix(2) {
      case "> ": exchanges[exchange].connections[connection].append(.call(rest))
      case "< ": exchanges[exchange].connections[connection].append(.reply(rest))
      case "--": exchanges[exchange].connections.append([])
      default: throw Unmet(description: "\(name) has a line that is no message: \(line)")
      }
    }
  }

  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Compatibility/5ae14e9")

  /// Unpacks a recorded state folder, such as `killed`, into a new folder.
  package static func unpack(_ name: String, to folder: String, by rig: Rig) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let archive = Self.folder.appending(path: "\(name).tar.gz").path
    try rig.tool(["tar", "-xzf", archive, "--no-same-owner", "-C", folder])
  }

  /// All replies, each with its call.
  package func answers() throws -> [(call: JSONValue, reply: VarlinkReply)] {
    var answers: [(JSONValue, VarlinkReply)] = []
    for messages in exchanges.flatMap(\.connections) {
      var calls: [JSONValue] = []
      for message in messages {
        switch message {
        case .call(let text): calls.append(try JSONValue.parse(text))
        case .reply(let text):
          let reply = try Array(text.utf8).withUnsafeBytes { try VarlinkReply.parse($0) }
          guard let call = calls.first else { throw Unmet(description: "no call for \(text)") }
          answers.append((call, reply))
          if !reply.continues { calls.removeFirst() }
        }
      }
    }
    return answers
  }
}

/// Compares a reply of the present daemon with a reply of commit 5ae14e9. Each field of the old
/// reply must be in the new one, with the same type.
package struct ReplyComparison {
  /// The names of fields that may be in the new reply although the old reply lacks them.
  private let added: Set<String>
  /// Whether a field may have another value in the new reply, because it is a time or depends on
  /// the process.
  private let mayVary: (_ field: String, _ object: JSONValue) -> Bool

  package init(
    added: Set<String> = [],
    mayVary: @escaping (_ field: String, _ object: JSONValue) -> Bool = { _, _ in false }
  ) {
    self.added = added
    self.mayVary = mayVary
  }

  /// A line for each difference, with the path of the field.
  package func differences(_ old: JSONValue, _ new: JSONValue, at path: String = "") -> [String] {
    differences(old, new, at: path, isVarying: false)
  }

  private func differences(
    _ old: JSONValue, _ new: JSONValue, at path: String, isVarying: Bool
  ) -> [String] {
    switch (old, new) {
    case (.object(let members), .object(let newMembers)):
      var found: [String] = []
      for member in members {
        let path = "\(path).\(member.key)"
        guard let value = new[member.key] else {
          found.append("\(path) is gone")
          continue
        }
        found += differences(
          member.value, value, at: path, isVarying: mayVary(member.key, old))
      }
      for member in newMembers where old[member.key] == nil && !added.contains(member.key) {
        found.append("\(path).\(member.key) is new")
      }
      return found
    case (.array(let elements), .array(let newElements)):
      guard elements.count == newElements.count else {
        return ["\(path) had \(elements.count) elements and has \(newElements.count)"]
      }
      return zip(elements, newElements).enumerated().flatMap { index, pair in
        differences(pair.0, pair.1, at: "\(path)[\(index)]", isVarying: isVarying)
      }
    case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double),
      (.string, .string), (.bool, .bool), (.null, .null):
      guard old != new, !isVarying else { return [] }
      return ["\(path) was \(old.text) and is \(new.text)"]
    default: return ["\(path) was \(old.text) and is of another type: \(new.text)"]
    }
  }
}
