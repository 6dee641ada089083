import Foundation
import NightjarTestSupport

/// What README.md and the articles have that can be checked.
enum Markdown {
  /// The blocks of code, fenced or indented by four.
  private static func codeBlocks(_ text: String) -> [[String]] {
    var (blocks, isFenced, isNew) = ([] as [[String]], false, true)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        (isFenced, isNew) = (!isFenced, true)
      } else if isFenced || line.hasPrefix("    ") || line.isEmpty && !isNew {
        if isNew { blocks.append([]) }
        blocks[blocks.count - 1].append(String(isFenced ? line : line.dropFirst(4)))
        isNew = false
      } else {
        isNew = true
      }
    }
    return blocks.map { block in Array(block.reversed().drop(while: \.isEmpty).reversed()) }
  }

  /// The commands of the shell examples, with what each prints. A comment that the laptop sleeps is
  /// a command that has it sleep, before the others of its block.
  static func commands(_ text: String) -> [ExampleCommand] {
    codeBlocks(text).flatMap { lines in
      let sleeps = lines.compactMap { line in
        line.wholeMatch(of: /# The laptop sleeps for ([0-9]+) minutes\./).flatMap { match in
          Int(match.output.1).map { ExampleShell.sleep(seconds: 60 * $0) }
        }
      }
      return sleeps + ExampleCommand.all(in: lines)
    }
  }

  /// The words in code in the first columns of tables.
  static func firstColumn(of text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      row.dropFirst(2).prefix { $0 != "|" }.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }
  }

  /// What the text names and what is not there: files, sections, manual pages of Nightjar, targets
  /// of make. docc checks the links of an article.
  static func missing(in text: String) throws -> [String] {
    func all(_ pattern: Regex<(Substring, Substring)>) -> [String] {
      text.matches(of: pattern).map { String($0.output.1) }
    }
    let links = all(/\]\(([^():]+)\)/).filter {
      $0.contains("/") || $0.contains(".") || $0.hasPrefix("#")
    }
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      "#" + line.drop { "# ".contains($0) }.lowercased().replacing(" ", with: "-")
    }
    let paths =
      links.filter { !$0.hasPrefix("#") } + all(#/`((?:Sources|Tests|systemd|\.make)/[^`*]*)`/#)
    let pages = all(/((?:org\.)?nightjar[A-Za-z.-]*\([1-8]\))/).filter { name in
      !ManualPage.all.contains { "\($0.name)(\($0.number))" == name }
    }
    let rules = try Documentation.text(of: "Makefile").matches(of: /(?m)^([a-z][a-z -]*):/)
      .flatMap { $0.output.1.split(separator: " ").map(String.init) }
    let targets = all(/(?:`|\n    |\n)make ([a-z][a-z-]*)/).filter { !rules.contains($0) }
    return links.filter { $0.hasPrefix("#") && !headings.contains($0) }
      + paths.filter { !FileManager.default.fileExists(atPath: "\(Documentation.root)/\($0)") }
      + pages + targets.map { "make \($0)" }
  }
}
