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

  /// Whether it has, word for word, what stands in a file between two marks; there it is indented by
  /// four, here by two.
  package static func shows(exampleIn path: String) throws -> Bool {
    let file = try String(contentsOfFile: path, encoding: .utf8)
    guard let from = file.range(of: "  // README: from here\n"),
      let to = file.range(of: "  // README: to here\n", range: from.upperBound..<file.endIndex)
    else { throw Unmet(description: "\(path) has no example") }
    let lines = file[from.upperBound..<to.lowerBound].split(
      separator: "\n", omittingEmptySubsequences: false)
    let block = lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
    return try text.contains(block)
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
