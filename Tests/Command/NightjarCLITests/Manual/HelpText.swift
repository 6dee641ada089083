import ArgumentParser

@testable import nightjar

/// The output of `--help` for a command, parsed.
struct HelpText {
  var usage = ""
  /// Its options, with their dashes.
  var options: [String] = []
  /// The groups of its subcommands.
  var groups: [(title: String, commands: [(name: String, abstract: String)])] = []

  var commands: [String] { groups.flatMap { $0.commands.map(\.name) } }

  init(_ text: String) {
    for paragraph in text.split(separator: "\n\n") {
      let lines = paragraph.split(separator: "\n")
      if lines[0].hasPrefix("USAGE: ") {
        usage = lines.joined(separator: "\n")
      } else if lines[0].hasPrefix("OPTIONS:") || lines.contains(where: { $0.hasPrefix("  -") }) {
        options += lines.flatMap(Self.options)
      } else if lines[0].hasSuffix("SUBCOMMANDS:")
        || Nightjar.configuration.groupedSubcommands.contains(where: { $0.name == lines[0] })
      {
        groups.append((Self.title(lines[0]), Self.entries(lines.dropFirst())))
      }
    }
  }

  /// The names at the beginning of a line.
  private static func options(in line: Substring) -> [String] {
    guard line.hasPrefix("  -") else { return [] }
    return line.split(separator: " ").prefix { $0.hasPrefix("-") }
      .flatMap { $0.split { $0 == "," || $0 == "/" } }.map(String.init)
  }

  private static func title(_ line: Substring) -> String {
    String(line.replacing("SUBCOMMANDS:", with: "").split(separator: " ").joined(separator: " "))
  }

  private static func entries(
    _ lines: ArraySlice<Substring>
  ) -> [(name: String, abstract: String)] {
    var entries: [(name: String, abstract: String)] = []
    for line in lines {
      let words = line.split(separator: " ")
      if line.hasPrefix("   ") {
        entries[entries.count - 1].abstract += " " + words.joined(separator: " ")
      } else if let name = words.first {
        entries.append((String(name), words.dropFirst().joined(separator: " ")))
      }
    }
    return entries
  }

  // MARK: All commands

  /// Every visible command, with its words and its help, except `nightjar` itself.
  static func all() throws -> [(words: [String], help: HelpText)] {
    let runner = try CommandRunner()
    func found(_ words: [String]) throws -> [(words: [String], help: HelpText)] {
      let help = HelpText(try runner.run(words.isEmpty ? ["help"] : words + ["--help"]).output)
      return try [(words, help)] + help.commands.flatMap { try found(words + [$0]) }
    }
    return Array(try found([]).dropFirst())
  }
}
