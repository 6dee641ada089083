import NightjarTestSupport

/// What README.md and the articles have that can be checked.
enum Markdown {
  /// The blocks of code: fenced, or indented by four.
  static func codeBlocks(_ text: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    var isFenced = false
    func end(_ block: [String]) -> [String] {
      Array(block.reversed().drop(while: \.isEmpty).reversed())
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if isFenced, let whole = block { blocks.append(whole) }
        (isFenced, block) = (!isFenced, isFenced ? nil : [])
      } else if isFenced {
        block?.append(String(line))
      } else if line.hasPrefix("    ") {
        block = (block ?? []) + [String(line.dropFirst(4))]
      } else if line.isEmpty {
        block?.append("")
      } else if let whole = block {
        blocks.append(end(whole))
        block = nil
      }
    }
    return blocks + (block.map { [end($0)] } ?? [])
  }

  /// The commands of the shell examples, with what each prints. A comment that the laptop sleeps is
  /// a command that has it sleep, before the others of its block.
  static func commands(_ text: String) -> [ManualExample.Command] {
    codeBlocks(text).flatMap { lines in
      let sleeps = lines.compactMap { line in
        line.wholeMatch(of: /# The laptop sleeps for ([0-9]+) minutes\./).flatMap { match in
          Int(match.output.1).map { ExampleShell.sleep(seconds: 60 * $0) }
        }
      }
      return sleeps + ManualExample.commands(lines)
    }
  }

  /// What the text names and what is not there: files, sections, manual pages of Nightjar, targets
  /// of make.
  static func missing(in text: String, isThere: (_ path: String) -> Bool) throws -> [String] {
    // Links of an article are checked by docc.
    let links = text.matches(of: /\]\(([^():]+)\)/).map { String($0.output.1) }
      .filter { $0.contains("/") || $0.contains(".") || $0.hasPrefix("#") }
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      "#" + line.drop { "# ".contains($0) }.lowercased().replacing(" ", with: "-")
    }
    let sections = links.filter { $0.hasPrefix("#") && !headings.contains($0) }
    let paths =
      links.filter { !$0.hasPrefix("#") }
      + text.matches(of: #/`((?:Sources|Tests|systemd|\.make)/[^`*]*)`/#)
      .map { String($0.output.1) }
    let pages = text.matches(of: /((?:org\.)?nightjar[A-Za-z.-]*)\(([1-8])\)/)
      .filter { ManualPage.named("\($0.output.1).\($0.output.2)") == nil }
      .map { String($0.output.0) }
    let makefile = try Documentation.text(of: "Makefile")
    let rules = makefile.matches(of: /(?m)^([a-z][a-z -]*):/)
      .flatMap { $0.output.1.split(separator: " ") }
    let targets = text.matches(of: /(?:`|\n    |\n)make ([a-z][a-z-]*)/)
      .map { $0.output.1 }.filter { !rules.contains($0) }.map { "make \($0)" }
    return sections + paths.filter { !isThere($0) } + pages + targets
  }
}
