import Foundation
import NightjarInterface
import NightjarTestSupport
import VarlinkGenerator

/// What programs, scripts and files of other people rely on, as files in `Released/VERSION`.
enum Release {
  static let interfaces = [BridgeInterface.description, TimersInterface.description]

  /// Each list has a fact on each line. A fact may be added, and none goes.
  static let lists: [(name: String, facts: @Sendable () throws -> [String])] = [
    ("configuration", { try ConfigurationFacts.all.get() }),
    ("exit-statuses", ManualFacts.exitStatuses),
    ("json", ManualFacts.json), ("topics", TopicFacts.all),
  ]

  static func facts(_ list: String, of version: String) throws -> [String] {
    try Released.text("\(list).txt", of: version).split(separator: "\n").map(String.init)
  }

  /// The interfaces that a version has.
  static func interfaces(of version: String) throws -> [Interface] {
    try FileManager.default.contentsOfDirectory(atPath: "\(Released.folder)/\(version)").sorted()
      .filter { $0.hasSuffix(".varlink") }
      .map { try Interface(parsing: Released.text($0, of: version)) }
  }

  /// An interface without its comments, one declaration on each line.
  static func text(of interface: Interface) -> String {
    func text(_ fields: [Field]) -> String { "\(TypeExpression.structure(fields))" }
    let lines = interface.declarations.map { declaration in
      switch declaration.kind {
      case .method(let input, let output):
        "method \(declaration.name)\(text(input)) -> \(text(output))"
      case .error(let fields): "error \(declaration.name) \(text(fields))"
      case .type(let type): "type \(declaration.name) \(type)"
      }
    }
    return (["interface \(interface.name)"] + lines).joined(separator: "\n") + "\n"
  }

  /// The files that a release of this source has.
  static func files() throws -> [(name: String, text: String)] {
    try interfaces.map { text in
      let interface = try Interface(parsing: text)
      return ("\(interface.name).varlink", Self.text(of: interface))
    } + lists.map { ("\($0.name).txt", try $0.facts().joined(separator: "\n") + "\n") }
  }
}
