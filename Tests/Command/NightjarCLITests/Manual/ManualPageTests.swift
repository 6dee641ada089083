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
        #expect(page.section(title)?.blocks.isEmpty == false, "\(name) has no \(title)")
      }
      let examples = page.section("EXAMPLES")?.examples.flatMap(ExampleCommand.all) ?? []
      #expect(
        examples.contains { $0.typed.contains("nightjar \(command)") },
        "no example of \(name) is of its command")
    }
  }

  @Test func `All pages have a heading, a line for apropos, and are of this version and one day`() {
    for page in Self.pages {
      #expect(page.head["Dt"] == "\(page.name.uppercased()) \(page.number)", "\(page.fileName)")
      #expect(page.source.contains("\n.Sh NAME\n.Nm \(page.name)\n.Nd \(page.summary)\n"))
      #expect((4...80).contains(page.summary.count) && !page.summary.hasSuffix("."))
      #expect(
        page.head["Os"] == "Nightjar \(NightjarVersion.current)",
        "sed -i 's/^\\.Os .*/.Os Nightjar \(NightjarVersion.current)/' Sources/Manual/*")
      #expect(page.head["Dd"] == Self.pages[0].head["Dd"], "\(page.fileName)")
      // Examples fit on a terminal of 80 columns.
      for line in page.examples.joined() { #expect(line.count <= 69, "\(page.fileName): \(line)") }
    }
  }

  @Test func `Pages and sections that a page names exist, and it ends with other pages`() throws {
    let ours = Set(Self.pages.map { "\($0.name)(\($0.number))" })
    for page in Self.pages {
      let named = Set(page.texts.flatMap { $0.texts("Xr") })
      let missing = named.subtracting(ours).filter { $0.contains("nightjar") }
      #expect(missing.isEmpty, "\(page.fileName)")
      let sections = Set(page.texts.flatMap { $0.texts("Sx") })
      #expect(sections.isSubset(of: page.sections.map(\.title)), "\(page.fileName)")
      let last = try #require(page.sections.last)
      let seen = last.texts.flatMap { $0.texts("Xr") }
      #expect(last.title == "SEE ALSO" && !seen.isEmpty && seen.count == Set(seen).count)
      #expect(page.name == "nightjar" || named.contains("nightjar(1)"), "\(page.fileName)")
    }
  }

  @Test func `mandoc and groff report nothing about any page, and its lines fit on a terminal`()
    throws
  {
    let rig = try Rig()
    let paths = Self.pages.map(\.path)
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
    let (text, complaints) = try checked(paths)
    #expect(complaints == "")
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    // The check can fail.
    try writeFile(Self.pages[0].source + ".XX\n", to: "\(rig.path)/wrong.1")
    #expect(try checked(["\(rig.path)/wrong.1"]).complaints.ranges(of: "XX").count > 1)
  }

  // MARK: The command line

  private typealias Command = (words: [String], type: any ParsableCommand.Type)

  /// The visible commands and subcommands.
  private static var all: [Command] {
    var found: [Command] = [([], Nightjar.self)]
    var index = 0
    while index < found.count {
      let (words, type) = found[index]
      for command in type.configuration.subcommands where command.configuration.shouldDisplay {
        found.append((words + [command.configuration.commandName ?? ""], command))
      }
      index += 1
    }
    return Array(found.dropFirst())
  }

  /// The options in a help, with their dashes.
  private static func options(in help: String) -> Set<String> {
    Set(
      help.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
        line.split(separator: " ").prefix { $0.hasPrefix("-") }
          .flatMap { $0.split { $0 == "," || $0 == "/" } }.map(String.init)
      })
  }

  @Test func `A page has the options that its program's help has, and its synopsis names each`()
    throws
  {
    func check(_ name: String, _ options: Set<String>) throws {
      let page = try #require(ManualPage.named(name))
      let written = ["OPTIONS", "DESCRIPTION"].compactMap(page.section).flatMap { $0.terms("Fl") }
      #expect(!options.isEmpty && Set(written) == options, "\(name)")
    }
    let commands = Self.all
    for (words, type) in commands {
      let name = "nightjar-\(words[0]).1"
      let options = Self.options(in: type.helpMessage())
      let usages = (ManualPage.named(name)?.section("SYNOPSIS")?.texts ?? []).filter { usage in
        let called = usage.texts("Nm").first?.split(separator: " ").dropFirst() ?? []
        return called.elementsEqual(words) { $0 == $1 } || called.isEmpty && words == ["start"]
      }
      let inSynopsis = Set(usages.flatMap { $0.texts("Fl") })
      let isGroup = !type.configuration.subcommands.isEmpty
      #expect(
        inSynopsis == (isGroup ? [] : options.subtracting(["--help", "-h"])), "\(words) \(usages)")
      let usage = usages.map(\.plain).joined(separator: " ")
      for pair in ["--exec COMMAND | --shell COMMAND", "--replace | --if-absent"] {
        let both = pair.split(separator: " | ")
        #expect(!both.allSatisfy(usage.contains) || usage.contains("[\(pair)]"), "\(usage)")
      }
      guard words.count == 1 else { continue }
      let all = commands.filter { $0.words[0] == words[0] }
      try check(
        name, all.reduce(into: []) { $0.formUnion(Self.options(in: $1.type.helpMessage())) })
    }
    try check("nightjard.1", Self.options(in: Rig().tool([Binaries.nightjard(), "--help"])))
  }

  @Test func `nightjar(1) lists the commands as the help does, and their pages agree`() throws {
    let blocks = try #require(ManualPage.named("nightjar.1")?.section("COMMANDS")).blocks
    let groups = Nightjar.configuration.groupedSubcommands
    #expect(blocks.count == 2 * groups.count)
    for (index, group) in groups.enumerated() {
      guard case .text(let title) = blocks[2 * index],
        case .list(let entries) = blocks[2 * index + 1]
      else { continue }
      #expect(title.plain == group.name)
      let commands = group.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
      #expect(entries.map(\.term.plain) == commands.map { "nightjar-\($0.commandName ?? "")(1)" })
      #expect(entries.map(\.text.plain) == commands.map(\.abstract))
      for command in commands {
        // apropos(1) shows the beginning, if the sentence continues with an explanation.
        let phrase = command.abstract.prefix { !".:;".contains($0) }
        #expect(
          ManualPage.named("nightjar-\(command.commandName ?? "").1")?.summary
            == phrase.prefix(1).lowercased() + phrase.dropFirst())
      }
    }
  }
}
