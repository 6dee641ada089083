import Foundation

/// Reads README.md and the texts beside it, the articles of the documentation catalog and the
/// manual pages, for tests that compare them with the code.
package enum Documentation {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  package static let catalog = "Sources/Documentation/Documentation.docc"

  package static func text(of path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  /// The text of an article, such as `Testing`.
  package static func article(_ name: String) throws -> String {
    try text(of: "\(catalog)/\(name).md")
  }

  package static func articleFiles() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(catalog)")
      .filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
  }

  /// The paths of README.md, of the texts that GitHub shows, and of all articles.
  package static func markdownFiles() throws -> [String] {
    let texts = ["README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]
    return try texts + articleFiles()
  }

  /// The example of a configuration file in nightjar.toml(5).
  package static func configuration() throws -> String {
    let page = try text(of: "Sources/Manual/nightjar.toml.5")
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let example = lines.drop { $0 != "[daemon]" }.prefix { $0 != ".Ed" }
    guard !example.isEmpty else { throw Unmet(description: "nightjar.toml.5 has no example") }
    return example.joined(separator: "\n")
  }
}
