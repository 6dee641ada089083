import Foundation
import NightjarTestSupport

/// What README.md and the articles have that can be checked.
enum Markdown {
  /// The commands of the shell examples, which are indented by four, with what each prints. Where a
  /// comment says that the laptop sleeps, the shell of the examples has a command.
  static func commands(_ text: String) -> [ExampleCommand] {
    let lines = text.replacing(/# The laptop sleeps for ([0-9]+) minutes\./) { match in
      "$ asleep \(match.output.1)"
    }.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split { !$0.hasPrefix("    ") && !$0.isEmpty }.flatMap { block in
      ExampleCommand.all(in: block.map { String($0.dropFirst(4)) })
    }
  }

  /// The words in code in the first columns of tables.
  static func firstColumn(of text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .flatMap { row in String(row.dropFirst(2).prefix { $0 != "|" }).groups(of: /`([^`]+)`/) }
  }

  /// What the text names and what is not there: files, sections, manual pages of Nightjar, targets
  /// of make. docc checks the links of an article.
  static func missing(in text: String) throws -> [String] {
    let headings = text.groups(of: /(?m)^#+ (.+)$/).map {
      "#" + $0.lowercased().replacing(" ", with: "-")
    }
    let links = text.groups(of: /\]\(([^():]+)\)/).filter { $0.contains(/^#|[\/.]/) }
    let paths =
      links.filter { !$0.hasPrefix("#") }
      + text.groups(of: #/`((?:Sources|Tests|systemd|\.make)/[^`*]*)`/#)
    let pages = text.groups(of: /((?:org\.)?nightjar[A-Za-z.-]*\([1-8]\))/).filter { name in
      !ManualPage.all.contains { "\($0.name)(\($0.number))" == name }
    }
    let rules = try Documentation.text(of: "Makefile").groups(of: /(?m)^([a-z][a-z -]*):/)
      .flatMap { $0.split(separator: " ").map(String.init) }
    let targets = text.groups(of: /(?:`|\n    |\n)make ([a-z][a-z-]*)/)
      .filter { !rules.contains($0) }
    return links.filter { $0.hasPrefix("#") && !headings.contains($0) }
      + paths.filter { !FileManager.default.fileExists(atPath: "\(Documentation.root)/\($0)") }
      + pages + targets.map { "make \($0)" }
  }
}

extension String {
  /// What stands where a pattern has its group.
  func groups(of pattern: Regex<(Substring, Substring)>) -> [String] {
    matches(of: pattern).map { String($0.output.1) }
  }
}
