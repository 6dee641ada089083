import Foundation

/// What README.md shows, so that it stays true.
package enum Readme {
  /// All of it.
  package static var text: String {
    get throws {
      let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "README.md")
      return try String(contentsOf: path, encoding: .utf8)
    }
  }

  /// The example of a configuration file.
  package static func configuration() throws -> String {
    let lines = try text.split(separator: "\n", omittingEmptySubsequences: false)
    let example = lines.drop { $0 != "    [daemon]" }
      .prefix { $0.isEmpty || $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
    guard !example.isEmpty else { throw Unmet(description: "README.md has no example") }
    return example.joined(separator: "\n")
  }
}
