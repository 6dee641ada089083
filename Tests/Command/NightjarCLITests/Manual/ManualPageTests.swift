import ArgumentParser
import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing

@testable import nightjar

/// The pages in Sources/Manual are complete, and every program that shows manual pages can read
/// them.
@Suite(.blocking) struct ManualPageTests {
  private static let pages = ManualPage.all

  @Test func `Every visible command has a page with all required sections`() throws {
    #expect(HelpTopic.commands.count > 25 && Self.pages.count == ManualPage.fileNames.count)
    for command in HelpTopic.commands.map(\.word) {
      let name = "nightjar-\(command).1"
      let page = try #require(ManualPage.named(name), "write Sources/Manual/\(name)")
      for title in ["SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
        #expect(page.section(title)?.lines.isEmpty == false, "\(name) has no \(title)")
      }
      let examples = page.section("EXAMPLES")?.examples.flatMap(ExampleCommand.all) ?? []
      #expect(
        examples.contains { $0.typed.contains("nightjar \(command)") },
        "no example of \(name) is of its command")
    }
  }

  @Test func `All pages have a heading, a line for apropos, and are of this version and one day`() {
    for page in Self.pages {
      #expect(page.head("Dt") == "\(page.name.uppercased()) \(page.number)", "\(page.fileName)")
      #expect(page.source.contains("\n.Sh NAME\n.Nm \(page.name)\n.Nd \(page.summary)\n"))
      #expect((4...80).contains(page.summary.count) && !page.summary.hasSuffix("."))
      #expect(
        page.head("Os") == "Nightjar \(NightjarVersion.current)",
        "sed -i 's/^\\.Os .*/.Os Nightjar \(NightjarVersion.current)/' Sources/Manual/*")
      #expect(page.head("Dd") == Self.pages[0].head("Dd"), "\(page.fileName)")
      // Examples fit on a terminal of 80 columns.
      for line in page.examples.joined() { #expect(line.count <= 69, "\(page.fileName): \(line)") }
    }
  }

  @Test func `Pages and sections that a page names exist, and it ends with other pages`() throws {
    let ours = Set(Self.pages.map { "\($0.name)(\($0.number))" })
    for page in Self.pages {
      let named = Set(page.whole.marked("Xr"))
      let missing = named.subtracting(ours).filter { $0.contains("nightjar") }
      #expect(missing.isEmpty, "\(page.fileName)")
      #expect(Set(page.whole.marked("Sx")).isSubset(of: page.sections.map(\.title)))
      let last = try #require(page.sections.last)
      let seen = last.part.marked("Xr")
      #expect(last.title == "SEE ALSO" && !seen.isEmpty && seen.count == Set(seen).count)
      #expect(page.name == "nightjar" || named.contains("nightjar(1)"), "\(page.fileName)")
    }
  }

  @Test func `mandoc and groff report nothing about any page, and its lines fit on a terminal`()
    throws
  {
    let rig = try Rig()
    // Whether other pages are installed does not matter. The script puts the output into one file,
    // and the complaints into another.
    let lint = """
      cd "$1"; shift
      mandoc -T lint -W style "$@" 2>/dev/null | grep -v 'referenced manual not found' >complaints
      for page; do
        groff -Kutf8 -mdoc -T utf8 -ww -P -cbu -rLL=80n -rLT=80n "$page" 2>>complaints
      done
      cat complaints >&2
      """
    func checked(_ paths: [String]) throws -> (text: String, complaints: String) {
      let text = try rig.tool(
        ["sh", "-c", lint, "sh", rig.path] + paths, package: "groff-base", within: 300)
      return (text, try String(contentsOfFile: "\(rig.path)/complaints", encoding: .utf8))
    }
    let (text, complaints) = try checked(Self.pages.map(\.path))
    #expect(complaints == "")
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    // The check can fail.
    try writeFile(Self.pages[0].source + ".XX\n", to: "\(rig.path)/wrong.1")
    #expect(try checked(["\(rig.path)/wrong.1"]).complaints.ranges(of: "XX").count > 1)
  }

  // MARK: The command line

  private typealias Command = (words: [String], type: any ParsableCommand.Type)

  /// The visible commands and subcommands.
  private static func commands(
    below type: any ParsableCommand.Type = Nightjar.self, _ words: [String] = []
  ) -> [Command] {
    type.configuration.subcommands.flatMap { command -> [Command] in
      guard command.configuration.shouldDisplay else { return [] }
      let words = words + [command.configuration.commandName ?? ""]
      let found: Command = (words, command)
      return [found] + commands(below: command, words)
    }
  }

  /// The options in a text, with their dashes.
  private static func options(in text: String) -> Set<String> {
    Set(text.split { " ,/[]|".contains($0) }.map(String.init).filter { $0.contains(/^--?[a-z]/) })
  }

  /// The options in a help.
  private static func options(of help: String) -> Set<String> {
    help.split(separator: "\n").filter { $0.hasPrefix("  -") }.reduce(into: []) { found, line in
      let names = line.split(separator: " ").prefix { $0.hasPrefix("-") }
      found.formUnion(options(in: names.joined(separator: " ")))
    }
  }

  private func expect(_ options: Set<String>, onPage name: String) throws {
    let page = try #require(ManualPage.named(name))
    let written = ["OPTIONS", "DESCRIPTION"].compactMap(page.section).flatMap { $0.terms("Fl") }
    #expect(!options.isEmpty && Set(written) == options, "\(name)")
  }

  @Test func `A page has the options that its program's help has, and its synopsis names each`()
    throws
  {
    try expect(
      Self.options(of: Rig().tool([Binaries.nightjard(), "--help"])), onPage: "nightjard.1")
    for group in Dictionary(grouping: Self.commands(), by: { $0.words[0] }).values {
      let page = try #require(ManualPage.named("nightjar-\(group[0].words[0]).1"))
      let all = group.map { Self.options(of: $0.type.helpMessage()) }
      try expect(all.reduce([]) { $0.union($1) }, onPage: page.fileName)
      let synopsis = try page.shown("SYNOPSIS")
      for ((words, type), options) in zip(group, all) {
        let usages = synopsis.filter { usage in
          let called = usage.split(separator: " ").dropFirst().prefix { $0.contains(/^[a-z]+$/) }
          return called.elementsEqual(words) { $0 == $1 } || called.isEmpty && words == ["start"]
        }
        let named = Self.options(in: usages.joined(separator: " "))
        let isGroup = !type.configuration.subcommands.isEmpty
        #expect(named == (isGroup ? [] : options.subtracting(["--help", "-h"])), "\(usages)")
      }
      for pair in ["--exec COMMAND | --shell COMMAND", "--replace | --if-absent"] {
        let both = pair.split(separator: " | ")
        for usage in synopsis where both.allSatisfy(usage.contains) {
          #expect(usage.contains("[\(pair)]"))
        }
      }
    }
  }

  @Test func `nightjar(1) lists the commands as the help does, and their pages agree`() throws {
    let groups = Nightjar.configuration.groupedSubcommands
    let listed = groups.map { group in
      let commands = group.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
      return commands.reduce(group.name) {
        "\($0) nightjar-\($1.commandName ?? "")(1) \($1.abstract)"
      }
    }
    #expect(try ManualPage("nightjar.1").text("COMMANDS") == listed.joined(separator: " "))
    for command in groups.flatMap(\.subcommands).map({ $0.configuration })
    where command.shouldDisplay {
      // apropos(1) shows the beginning, if the sentence continues with an explanation.
      let phrase = command.abstract.prefix { !".:;".contains($0) }
      #expect(
        ManualPage.named("nightjar-\(command.commandName ?? "").1")?.summary
          == phrase.prefix(1).lowercased() + phrase.dropFirst())
    }
  }
}
