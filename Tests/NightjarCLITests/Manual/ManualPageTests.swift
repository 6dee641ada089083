import Foundation
import NightjarConfig
import NightjarTestSupport
import NightjarWire
import Testing

@testable import nightjar

/// What is on the manual pages: all that there is, and nothing that is not.
@Suite struct ManualPageTests {
  private static let pages = ManualPages.all

  private func sections(_ page: ManualPage) -> [(title: String, blocks: ArraySlice<ManualBlock>)] {
    page.sections.map { (text($0[$0.startIndex]), $0.dropFirst()) }
  }

  private func text(_ block: ManualBlock) -> String {
    func plain(_ text: ManualText) -> String { text.runs.map(\.text).joined() }
    return switch block {
    case .section(let text), .subsection(let text): text
    case .synopsis(let lines), .example(let lines): lines.joined(separator: "\n")
    case .paragraph(let lines): lines.map { plain(ManualText($0)) }.joined(separator: "\n")
    case .list(let entries, _):
      entries.map { "\(plain($0.term)) \(plain(ManualText($0.text)))" }.joined(separator: "\n")
    }
  }

  @Test func `Every command that is to be seen has a page with all that belongs on one`() throws {
    let help = try CommandRunner().run("--help").output
    let names = help.matches(of: #/(?m)^  ([a-z]+)  /#).map { String($0.1) }
    #expect(names.count > 25)
    for name in names {
      let page = try #require(Self.pages.first { $0.fileName == "nightjar-\(name).1" }, "\(name)")
      let sections = sections(page)
      let titles = sections.map(\.title)
      for title in [
        "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
      ] {
        #expect(
          titles.contains(title),
          "nightjar-\(name)(1) has no \(title); extend its command with Documented, as the others do"
        )
      }
      #expect(Set(titles).count == titles.count, "\(name) has a section twice: \(titles)")
      #expect(sections.allSatisfy { !$0.blocks.isEmpty }, "\(name) has an empty section")
      let examples = sections.first { $0.title == "EXAMPLES" }?.blocks.flatMap(\.commands) ?? []
      #expect(
        examples.contains { $0.typed.contains("nightjar \(name)") },
        "no example on nightjar-\(name)(1) is of it")
    }
  }

  @Test func `Pages are found by their names, and apropos has a line for each`() throws {
    let names = Self.pages.map(\.fileName)
    #expect(Set(names).count == names.count)
    for name in [
      "nightjar.1", "nightjard.1", "nightjar-hooks.5", "nightjar.toml.5", "nightjar.time.7",
      "org.nightjar.Timers.7",
    ] {
      #expect(names.contains(name))
    }
    let runner = try CommandRunner()
    #expect(try runner.run("__manual") == .init(0, names.joined(separator: "\n") + "\n"))
    for page in Self.pages {
      #expect(try runner.run("__manual", page.fileName) == .init(0, page.text))
      let name = page.summary
      #expect((4...80).contains(name.count) && !name.hasSuffix("."), "\(page.fileName): \(name)")
    }
    #expect(
      try runner.run("__manual", "x.1")
        == .init(
          64, errors: "nightjar: no page is called 'x.1'; nightjar __manual lists them\n"))
  }

  @Test func `A page has the options that its program's help has, and no others`() throws {
    let runner = try CommandRunner()
    for help in CommandHelp.visible {
      let said =
        [help.words]
        + help.subcommands.map(\.words)
        .compactMap { $0 }
      let helps = try said.map { try runner.run($0.dropFirst() + ["--help"]).output }
      try checkOptions(of: help.words.joined(separator: "-"), helps: helps)
    }
    try checkOptions(of: "nightjard", helps: [try Rig().tool([Binaries.nightjard(), "--help"])])
  }

  private func checkOptions(of name: String, helps: [String]) throws {
    let page = try #require(Self.pages.first { $0.name == name })
    let told = Set(helps.flatMap { Self.options(in: $0) })
    #expect(!told.isEmpty)
    // Where subcommands have options of their own, they stand with them.
    let lists = sections(page).filter { ["OPTIONS", "DESCRIPTION"].contains($0.title) }
      .flatMap(\.blocks).flatMap(\.terms)
    let written = lists.flatMap(\.runs).filter { $0.font == .bold && $0.text.hasPrefix("-") }
    #expect(Set(written.map(\.text)) == told, "\(name)")
  }

  /// The names at the beginnings of the lines of a help text.
  private static func options(in help: String) -> [String] {
    help.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
      line.split(separator: " ").prefix { $0.hasPrefix("-") }.map { $0.filter { $0 != "," } }
    }
  }

  @Test func `Usage that somebody wrote names every option but those that every command has`() {
    for help in CommandHelp.visible {
      let usage = help.usage.joined(separator: " ")
      for argument in help.arguments + help.subcommands.flatMap(\.arguments)
      where !argument.isEveryCommands && argument.kind != .positional {
        let isThere = argument.names.contains { name in
          usage.split { !$0.isLetter && $0 != "-" }.contains { $0 == name }
        }
        #expect(isThere, "\(help.words): \(argument.names)")
      }
    }
  }

  @Test func `Other pages that are named are there`() throws {
    let ours = Set(Self.pages.map { "\($0.name)(\($0.section))" })
    // In Debian's packages: bash, coreutils, fish-common, libsystemd-dev, manpages, netcat-openbsd,
    // systemd, zsh-common; apropos is man-db's.
    let others: Set<String> = [
      "bash(1)", "fish(1)", "journalctl(1)", "loginctl(1)", "nc(1)", "sd_listen_fds(3)",
      "sd_notify(3)", "sd_watchdog_enabled(3)", "sleep(1)", "systemctl(1)", "systemd(1)",
      "systemd-analyze(1)", "systemd-logind(8)", "systemd.exec(5)", "systemd.service(5)",
      "systemd.socket(5)", "systemd.time(7)", "timeout(1)", "unix(7)", "zsh(1)",
    ]
    let reference = /[A-Za-z][A-Za-z0-9._-]*\([1-8]\)/
    for page in Self.pages {
      let named = Set(
        page.blocks.map(text).joined(separator: "\n").matches(of: reference).map { String($0.0) })
      #expect(named.subtracting(ours).subtracting(others).isEmpty, "\(page.fileName)")
      let last = try #require(sections(page).last)
      #expect(last.title == "SEE ALSO" && !last.blocks.isEmpty, "\(page.fileName)")
      if page.name != "nightjar" { #expect(named.contains("nightjar(1)"), "\(page.fileName)") }
      let seen = last.blocks.map(text).joined().matches(of: reference).map { String($0.0) }
      #expect(seen.count == Set(seen).count, "\(page.fileName) names a page twice")
    }
  }

  @Test func `No line ends in mid-sentence because its source does`() {
    for page in Self.pages {
      for case .paragraph(let lines) in page.blocks {
        for line in lines.dropLast() {
          #expect(line.last.map { ".:;".contains($0) } == true, "\(page.fileName): \(line)")
        }
      }
    }
  }

  @Test func `Examples fit on a terminal of 80 columns`() {
    for page in Self.pages {
      for case .example(let lines) in page.blocks {
        for line in lines { #expect(line.count <= 69, "\(page.fileName): \(line)") }
      }
    }
  }

  @Test func `mandoc and groff find nothing to say about any page`() throws {
    let rig = try Rig()
    for page in Self.pages {
      let path = "\(rig.path)/\(page.fileName)"
      try Data(page.text.utf8).write(to: URL(fileURLWithPath: path))
    }
    let paths = Self.pages.map { "\(rig.path)/\($0.fileName)" }
    #expect(try rig.tool(["mandoc", "-T", "lint"] + paths, package: "mandoc").isEmpty)
    for path in paths {
      let said = try rig.tool(
        ["groff", "-man", "-T", "utf8", "-ww", "-z", path], package: "groff-base")
      #expect(said.isEmpty, "\(path)")
    }
    // What is checked is seen to be able to fail.
    let wrong = "\(rig.path)/wrong.1"
    try Data((Self.pages[0].text + ".XX\n").utf8).write(to: URL(fileURLWithPath: wrong))
    #expect(try rig.run(["mandoc", "-T", "lint", wrong]).output.contains("XX"))
    #expect(try rig.run(["groff", "-man", "-T", "utf8", "-ww", "-z", wrong]).output.contains("XX"))
  }

  /// Examples stay as they are, however narrow the terminal is.
  @Test(arguments: [80, 60])
  func `Pages fit on a terminal, with a heading that is whole`(columns: Int) throws {
    let rig = try Rig()
    for page in Self.pages {
      let path = "\(rig.path)/\(page.fileName)"
      try Data(page.text.utf8).write(to: URL(fileURLWithPath: path))
      let width = "-rLL=\(columns)n"
      let text = try rig.tool(
        ["groff", "-man", "-T", "utf8", "-P", "-cbu", width, path], package: "groff-base")
      let lines = text.split(separator: "\n").map(String.init)
      #expect(
        lines.first?.split(separator: " ").dropFirst().first == "Nightjar", "\(page.fileName)")
      var examples: Set<String> = []
      for case .example(let lines) in page.blocks {
        for line in lines { examples.insert(Self.bare(line)) }
      }
      for line in lines where !examples.contains(Self.bare(line)) {
        #expect(line.count <= columns, "\(page.fileName): \(line)")
      }
    }
  }

  // MARK: What other parts of the project say

  @Test func `All keys of the configuration are on its page, and no others`() throws {
    let page = ManualPage.configuration
    let keys = Set(
      page.blocks.flatMap(\.terms).filter { $0.runs.first?.text.hasPrefix("$") == false }
        .flatMap(\.runs).filter { $0.font == .bold }.map(\.text))
    var known: Set<String> = []
    // Each mistake names the keys that there can be.
    for table in [
      "[presets.a]\nxyzzy = 1", "[presets.a]\nsteps = [{ xyzzy = 1 }]",
      "[presets.a]\nbands = [{ xyzzy = 1 }]",
    ] {
      known.formUnion(Self.keys(in: try Self.mistake(in: table)))
    }
    let rig = try Rig()
    for table in ["daemon", "clock"] {
      let path = "\(rig.path)/\(table).toml"
      try Data("[\(table)]\nxyzzy = 1\n".utf8).write(to: URL(fileURLWithPath: path))
      let daemon = try rig.start(
        [
          Binaries.nightjard(), "--socket", "\(rig.path)/\(table).s", "--state-dir",
          "\(rig.path)/\(table)", "--config", path,
        ], environment: ["HOME": "\(rig.path)/home"])
      let line = try daemon.lines.next("the mistake") { $0.contains("xyzzy") }
      known.formUnion(Self.keys(in: line))
    }
    #expect(known.count > 20)
    #expect(keys == known)
  }

  private static func mistake(in text: String) throws -> String {
    let file = try ConfigFile(path: "config.toml", bytes: Array(text.utf8))
    let error = #expect(throws: ConfigError.self) {
      let presets = file.table(.presets)
      for entry in presets.entries {
        _ = try Preset(name: entry.key, presets.table(of: entry, title: "[presets.\(entry.key)]"))
      }
    }
    return error?.description ?? ""
  }

  /// `… has no key 'xyzzy'; it can have a, b and c`.
  private static func keys(in sentence: String) -> [String] {
    let list = sentence.split(separator: "it can have ").last ?? ""
    return list.split { !$0.isLetter && $0 != "_" }.map(String.init)
      .filter { $0 != "and" && !$0.contains("NIGHTJAR") && $0 != "wrong" }
  }

  @Test func `Each type of event is on the pages about hooks and the socket, with its meaning`() {
    let ofPrograms = EventWords.ofTimers + EventWords.ofMachine
    for (page, types) in [
      (ManualPage.hooks, ofPrograms), (.interface, ofPrograms + EventWords.ofActions),
    ] {
      let events = sections(page).first { $0.title == "EVENTS" }?.blocks ?? []
      var said: [String: String] = [:]
      for case .list(let entries, _) in events {
        for entry in entries { said[entry.term.runs.map(\.text).joined()] = entry.text }
      }
      #expect(Set(said.keys) == Set(types), "\(page.fileName)")
      let silent = said.filter(\.value.isEmpty)
      #expect(silent.isEmpty, "EventList does not say what these mean")
    }
    #expect(Set(EventList.meanings.keys) == Set(ofPrograms + EventWords.ofActions))
  }

  /// From the sources: no run of a daemon has all of them.
  @Test func `Each variable that commands find is on the page about hooks, and no other`() throws {
    let folder = "\(ManualInstallTests.sources)/Sources"
    var known: Set<String> = []
    for (file, pattern) in [
      ("NightjarMethods/ActionEnvironment", #/set\("([A-Z_]+)[\\"]/#),
      ("NightjarDaemon/Actions/ActionRun", #/"NIGHTJAR_([A-Z]+)", value/#),
      ("nightjar/Rehearse/RehearsedCommands", #/"NIGHTJAR_([A-Z]+)", value/#),
    ] {
      let text = try String(contentsOfFile: "\(folder)/\(file).swift", encoding: .utf8)
      let names = text.matches(of: pattern).map { "NIGHTJAR_\($0.1)" }
      #expect(!names.isEmpty, "\(file) names its variables in another way now")
      known.formUnion(names)
    }
    #expect(known.contains("NIGHTJAR_LABEL_") && known.contains("NIGHTJAR_ATTEMPT"))
    let environment = sections(.hooks).first { $0.title == "ENVIRONMENT" }?.blocks ?? []
    let written = environment.flatMap(\.terms).compactMap(\.runs.first?.text)
    #expect(Set(written) == known)
    #expect(written.count == known.count, "one is there twice")
  }

  @Test func `The page about the socket has all of the interface, word for word`() throws {
    let description = TimersInterface.description
    let page = Self.bare(ManualPage.interface.blocks.map(text).joined(separator: "\n"))
    let interface = InterfaceText(description)
    let kinds = #/(?m)^(?:type|method|error) /#
    #expect(interface.declarations.count == description.matches(of: kinds).count)
    for declaration in interface.declarations {
      #expect(page.contains(Self.bare(declaration.lines.joined())), "\(declaration.name)")
      let comment = Self.bare(declaration.comment)
      #expect(
        page.contains(comment) && !comment.isEmpty,
        "say above \(declaration.name) in TimersInterface what it is for")
    }
    let comments = description.split(separator: "\n").filter { $0.hasPrefix("#") }
      .map { Self.bare(String($0.dropFirst())) }.joined()
    #expect(
      comments == Self.bare(interface.comment + interface.declarations.map(\.comment).joined()))
  }

  private static func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
