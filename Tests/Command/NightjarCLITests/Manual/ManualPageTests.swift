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
      #expect(examples.contains { $0.typed.contains("nightjar \(command)") }, "\(name)")
    }
  }

  @Test func `All pages have a heading, a line for apropos, and are of this version and one day`() {
    for page in Self.pages {
      let head = """
        \(Self.pages[0].whole.lines[0])
        .Dt \(page.name.uppercased()) \(page.number)
        .Os Nightjar \(NightjarVersion.current)
        .Sh NAME
        .Nm \(page.name)
        .Nd \(page.summary)

        """
      #expect(page.source.hasPrefix(head) && head.hasPrefix(".Dd "), "\(page.fileName)")
      #expect((4...80).contains(page.summary.count))
    }
  }

  @Test func `Pages and sections that a page names exist, and it ends with other pages`() throws {
    let ours = Set(Self.pages.map { "\($0.name)(\($0.number))" })
    for page in Self.pages {
      let named = Set(page.whole.references)
      let missing = named.subtracting(ours).filter { $0.contains("nightjar") }
      let sections = page.source.groups(of: /\bSx ([A-Z ]*[A-Z])/)
      #expect(missing.isEmpty && Set(sections).isSubset(of: page.sections.map(\.title)))
      let last = try #require(page.sections.last)
      let seen = last.part.references
      #expect(last.title == "SEE ALSO" && !seen.isEmpty && seen.count == Set(seen).count)
      #expect(page.name == "nightjar" || named.contains("nightjar(1)"), "\(page.fileName)")
    }
  }

  @Test func `mandoc and groff report nothing about any page, and its lines fit on a terminal`()
    throws
  {
    let rig = try Rig()
    // Whether other pages are installed does not matter.
    let lint = """
      export LC_ALL=C.UTF-8
      mandoc -T lint -W style "$@" 2>/dev/null | grep -v 'referenced manual not found'
      for page; do
        groff -Kutf8 -mdoc -T utf8 -ww -P -cbu -rLL=80n -rLT=80n "$page" 2>&1 >"$0"
        grep -E '.{81}' "$0"
      done
      """
    func complaints(_ paths: [String]) throws -> String {
      try rig.run(["sh", "-c", lint, "\(rig.path)/text"] + paths, within: 300).output
    }
    #expect(try complaints(Self.pages.map(\.path)) == "")
    // The check can fail.
    let wide = String(repeating: "y", count: 81)
    try writeFile(Self.pages[0].source + ".XX\n\(wide)\n", to: "\(rig.path)/wrong.1")
    let wrong = try complaints(["\(rig.path)/wrong.1"])
    #expect(wrong.ranges(of: "XX").count > 1 && wrong.contains(wide), "\(wrong)")
  }

  // MARK: The command line

  /// The options in a text, with their dashes.
  private static func options(in text: String) -> Set<String> {
    Set(text.split { " ,/[]|".contains($0) }.map(String.init).filter { $0.contains(/^--?[a-z]/) })
  }

  /// The options in a help.
  private static func options(of help: String) -> Set<String> {
    let rows = help.matches(of: /(?m)^  -.+?(?:  |$)/)
    return options(in: rows.map { String($0.output) }.joined(separator: " "))
  }

  private func expect(_ options: Set<String>, on page: ManualPage) {
    let written = ["OPTIONS", "DESCRIPTION"].compactMap(page.section).flatMap { $0.terms("Fl") }
    #expect(!options.isEmpty && Set(written) == options, "\(page.fileName)")
  }

  /// The options of a command and of those below it. The lines of a synopsis name them.
  private func options(
    of type: any ParsableCommand.Type, _ words: [String], in synopsis: [String]
  ) -> Set<String> {
    let options = Self.options(of: type.helpMessage())
    let usages = synopsis.filter { usage in
      let called = usage.split(separator: " ").dropFirst().prefix { $0.contains(/^[a-z]+$/) }
      return called.elementsEqual(words) { $0 == $1 } || called.isEmpty && words == ["start"]
    }
    let subcommands = type.configuration.subcommands
    let expected = subcommands.isEmpty ? options.subtracting(["--help", "-h"]) : []
    #expect(Self.options(in: usages.joined(separator: " ")) == expected, "\(usages)")
    return subcommands.reduce(options) { all, type in
      let words = words + [type.configuration.commandName ?? ""]
      return all.union(self.options(of: type, words, in: synopsis))
    }
  }

  @Test func `A page has the options that its program's help has, and its synopsis names each`()
    throws
  {
    let help = try Rig().tool([Binaries.nightjard(), "--help"])
    expect(Self.options(of: help), on: try ManualPage("nightjard.1"))
    for type in Nightjar.configuration.subcommands where type.configuration.shouldDisplay {
      let word = type.configuration.commandName ?? ""
      let page = try ManualPage("nightjar-\(word).1")
      let synopsis = try page.shown("SYNOPSIS")
      expect(options(of: type, [word], in: synopsis), on: page)
      for pair in ["--exec COMMAND | --shell COMMAND", "--replace | --if-absent"] {
        let both = pair.split(separator: " | ")
        for usage in synopsis where both.allSatisfy(usage.contains) {
          #expect(usage.contains("[\(pair)]"))
        }
      }
    }
  }

  @Test func `nightjar(1) lists the commands as the help does, and their pages agree`() throws {
    var listed: [String] = []
    for group in Nightjar.configuration.groupedSubcommands {
      listed.append(group.name)
      for command in group.subcommands.map({ $0.configuration }) where command.shouldDisplay {
        let page = try ManualPage("nightjar-\(command.commandName ?? "").1")
        listed.append("\(page.name)(1) \(command.abstract)")
        // apropos(1) shows the beginning, if the sentence continues with an explanation.
        let phrase = command.abstract.prefix { !".:;".contains($0) }
        #expect(page.summary == phrase.prefix(1).lowercased() + phrase.dropFirst())
      }
    }
    #expect(try ManualPage("nightjar.1").text("COMMANDS") == listed.joined(separator: " "))
  }
}
