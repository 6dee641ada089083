import Foundation
import NightjarConfig
import NightjarEngine
import NightjarInterface
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// The manual pages describe exactly what the other parts of the project contain.
@Suite(.blocking) struct ManualSourceTests {
  // MARK: The command line

  @Test func `A page has the options that its program's help has, and no others`() throws {
    let commands = try HelpText.all()
    for command in commands where command.words.count == 1 {
      let helps = commands.filter { $0.words.first == command.words[0] }.map(\.help)
      try checkOptions(of: "nightjar-\(command.words[0]).1", helps.flatMap(\.options))
    }
    let daemon = HelpText(try Rig().tool([Binaries.nightjard(), "--help"]))
    try checkOptions(of: "nightjard.1", daemon.options)
  }

  private func checkOptions(of name: String, _ options: [String]) throws {
    let page = try #require(ManualPage.named(name))
    #expect(!options.isEmpty)
    // Options of subcommands are listed with the subcommand.
    let written = ["OPTIONS", "DESCRIPTION"].compactMap(page.section).flatMap { $0.terms("Fl") }
    #expect(Set(written) == Set(options), "\(name)")
  }

  /// A page need not repeat these.
  private static let everyCommands: Set<String> = ["--help", "-h"]

  @Test func `A synopsis names every option but those that every command has`() throws {
    for (words, help) in try HelpText.all() {
      let page = try #require(ManualPage.named("nightjar-\(words[0]).1"))
      let synopsis = usages(of: page, words)
      let options = Set(help.options).subtracting(Self.everyCommands)
      #expect(Set(synopsis.flatMap { $0.texts("Fl") }) == (help.commands.isEmpty ? options : []))
    }
  }

  /// Options of the argument parser, which its usage lines omit.
  private static let parsersOwn: Set<String> = ["--help", "-h"]

  /// The parser's own usage lines have all options, also `--socket`, or omit all if there are many.
  @Test func `Usage lines come from the declarations`() throws {
    for (words, help) in try HelpText.all() {
      #expect(help.usage.hasPrefix("USAGE: nightjar \(words.joined(separator: " "))"))
      let usage = help.usage.split { !$0.isLetter && $0 != "-" }.map(String.init)
      let options = Set(help.options).subtracting(Self.parsersOwn)
      #expect(options.isSubset(of: usage) != help.usage.contains("[<options>]"), "\(help.usage)")
    }
  }

  /// The usage lines for a command on a page; also in its short form, without the command's name.
  private func usages(of page: ManualPage, _ words: [String]) -> [ManualText] {
    (page.section("SYNOPSIS")?.blocks.flatMap(\.texts) ?? []).filter { usage in
      let called = usage.texts("Nm").first.map { $0.split(separator: " ").dropFirst() } ?? []
      return called.elementsEqual(words) { $0 == $1 } || called.isEmpty && words == ["start"]
    }
  }

  @Test func `A synopsis has a bar between options that exclude each other`() throws {
    for (words, _) in try HelpText.all() {
      let page = try #require(ManualPage.named("nightjar-\(words[0]).1"))
      let usage = usages(of: page, words).map(\.plain).joined(separator: " ")
      #expect(
        !usage.isEmpty || ["analyze", "mqtt", "presets"].contains(words[0]) && words.count == 1,
        "\(words) has no synopsis")
      for pair in [
        ["--exec COMMAND", "--shell COMMAND"], ["--sound FILE", "--silent"],
        ["--replace", "--if-absent"],
      ] where usage.contains(pair[0]) && usage.contains(pair[1]) {
        #expect(usage.contains("[\(pair[0]) | \(pair[1])]"), "\(usage)")
      }
      // A value is one word.
      #expect(!usage.contains(#/\[[A-Z]+ [A-Z]+\]/#), "\(usage)")
    }
  }

  @Test func `nightjar(1) lists the commands as the help does, and their pages agree`() throws {
    let help = HelpText(try CommandRunner().run("help").output)
    let blocks = try #require(ManualPage.named("nightjar.1")?.section("COMMANDS")).blocks
    #expect(blocks.count == 2 * help.groups.count)
    for (index, group) in help.groups.enumerated() {
      #expect(blocks[2 * index].plain == group.title)
      guard case .list(let entries) = blocks[2 * index + 1] else { continue }
      #expect(entries.map(\.term.plain) == group.commands.map { "nightjar-\($0.name)(1)" })
      #expect(entries.map(\.text.plain) == group.commands.map(\.abstract))
      for (name, abstract) in group.commands {
        // apropos(1) shows the beginning, if the sentence continues with an explanation.
        let summary = try #require(ManualPage.named("nightjar-\(name).1")).summary
        let phrase = abstract.prefix { !".:;".contains($0) }
        #expect(summary == phrase.prefix(1).lowercased() + phrase.dropFirst(), "\(name)")
      }
    }
  }

  @Test func `The keys of the live screen are on the page of watch`() throws {
    let keys = try #require(ManualPage.named("nightjar-watch.1")?.section("KEYS"))
    var lists = [ScreenLayout.keys, ScreenLayout.typingKeys]
    for case .list(let entries) in keys.blocks {
      let known = lists.isEmpty ? [] : lists.removeFirst()
      #expect(entries.map(\.term.plain) == known.map(\.0))
      #expect(entries.map(\.text.plain) == known.map(\.1))
    }
    #expect(lists.isEmpty)
  }

  // MARK: The daemon

  @Test func `All keys of the configuration are on its page, and no others`() throws {
    let page = try #require(ManualPage.named("nightjar.toml.5"))
    let keys = Set(page.sections.flatMap { $0.terms("Cm") })
    var known: Set<String> = []
    // The error lists the allowed keys.
    known.formUnion(Self.keys(in: try Self.mistake(in: "[presets.a]\nxyzzy = 1")))
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
    let mqtt = "\(rig.path)/mqtt.toml"
    try Data("[mqtt]\nbroker = \"mqtt://a\"\nperson = \"a\"\nxyzzy = 1\n".utf8).write(
      to: URL(fileURLWithPath: mqtt))
    let check = [try Binaries.program("nightjar-mqtt"), "--check-config", "--config", mqtt]
    known.formUnion(Self.keys(in: try rig.run(check).output))
    #expect(known.count > 20)
    #expect(keys == known)
  }

  private static func mistake(in text: String) throws -> String {
    let file = try ConfigFile(path: "config.toml", bytes: Array(text.utf8))
    let error = #expect(throws: ConfigError.self) {
      let presets = file.table(.presets)
      for entry in presets.entries {
        let table = try presets.table(of: entry, title: "[presets.\(entry.key)]")
        _ = try Preset(name: entry.key, table, at: .here)
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

  @Test func `Each type of event is on the pages about hooks and the socket, with its meaning`()
    throws
  {
    let ofPrograms = (Wire.EventType.timerEvent + Wire.EventType.machineEvent).map(\.rawValue)
    var meanings: [[String: String]] = []
    for (name, types) in [
      ("nightjar-hooks.5", ofPrograms),
      ("\(TimersInterface.name).7", ofPrograms + Wire.EventType.actionEvent.map(\.rawValue)),
    ] {
      let section = try #require(ManualPage.named(name)?.section("EVENTS"))
      var said: [String: String] = [:]
      var order: [String] = []
      for case .list(let entries) in section.blocks {
        for entry in entries {
          said[entry.term.plain] = entry.text.plain
          order.append(entry.term.plain)
        }
      }
      #expect(order == types, "\(name)")
      #expect(said.filter(\.value.isEmpty).isEmpty, "\(name) does not say what these mean")
      meanings.append(said)
    }
    // Both pages describe an event in the same words.
    for type in ofPrograms { #expect(meanings[0][type] == meanings[1][type], "\(type)") }
  }

  /// From the sources and from a sample of each kind of event: no run of a daemon produces all of
  /// them.
  @Test func `Each variable that commands find is on the page about hooks, and no other`() throws {
    let folder = "\(ManualInstallTests.sources)/Sources"
    var known: Set<String> = []
    for (file, pattern) in [
      ("Daemon/NightjarService/Ring/ActionEnvironment", #/set\("([A-Z_]+)[\\"]/#),
      ("Daemon/NightjarActions/ActionRun", #/"NIGHTJAR_([A-Z]+)", value/#),
    ] {
      let text = try String(contentsOfFile: "\(folder)/\(file).swift", encoding: .utf8)
      let names = text.matches(of: pattern).map { "NIGHTJAR_\($0.1)" }
      #expect(!names.isEmpty, "\(file) names its variables in another way now")
      known.formUnion(names)
    }
    #expect(known.contains("NIGHTJAR_LABEL_") && known.contains("NIGHTJAR_ATTEMPT"))
    for event in EventSamples.events where event.action == nil {
      known.formUnion(try EventKindTests.variables(of: event).keys)
    }
    let written = try #require(ManualPage.named("nightjar-hooks.5")?.section("ENVIRONMENT"))
      .terms("Ev")
    // The page says that every plain field of an event is a variable, and refers to the interface's
    // page for the fields.
    let ofEvents = Set(try EventKindTests.fields().map { "NIGHTJAR_\($0.name.uppercased())" })
    #expect(known.subtracting(written).subtracting(ofEvents) == [], "the page does not have them")
    #expect(Set(written).subtracting(known) == [], "no command finds them")
    #expect(Set(written).count == written.count, "one is there twice")
  }

  @Test(arguments: [
    ("nightjar.toml.5", "from 1 to \(Limits.timers). The default is \(Limits.timers)."),
    ("nightjar.toml.5", "It is at most \(Limits.durationWords)."),
    ("nightjar.time.7", "the longest is \(Limits.durationWords)."),
    ("nightjar.toml.5", "or how often it rings, from 1 to \(Limits.rounds)."),
    ("nightjar.toml.5", "how many rounds to run, up to \(Limits.rounds), or"),
    ("org.nightjar.Timers.7", "The first \(Engine.namesPerSpan) timers that expired"),
    ("org.nightjar.Timers.7", "but at most \(Engine.ringsPerSpan) do."),
    ("org.nightjar.Timers.7", "an alarm has more than \(Engine.countedOccurrences), all"),
    ("org.nightjar.Timers.7", "alarm, \(Engine.countedOccurrences - 1) or more means"),
    ("org.nightjar.Timers.7", "If tick_usec (\(Limits.tickUsec) or more) is given"),
    ("nightjar.toml.5", "A table of texts, at most \(Limits.labels)."),
    ("nightjar.toml.5", "a JSON object of at most \(Limits.dataBytes) bytes"),
    ("nightjar.toml.5", "How loud it is, \(Limits.volumeWords)."),
    ("nightjar.toml.5", "one line of at most \(Limits.messageBytes) bytes."),
    ("nightjar-start.1", "at most \(Limits.ringsOfExpiry - 1) times."),
    ("\(TimersInterface.name).7", "volume: \(Limits.volumeWords)."),
    ("\(TimersInterface.name).7", "at most \(Limits.ringsOfExpiry - 1) times"),
    ("\(TimersInterface.name).7", "printed, at most \(Limits.lastLines);"),
    ("nightjar-edit.1", "a JSON object of at most \(Limits.dataBytes) bytes"),
    ("nightjar.1", "It has at most \(Limits.nameBytes) bytes"),
    ("nightjar-start.1", "at most \(Limits.nameBytes) bytes"),
    ("nightjar-hooks.5", "up to \(Limits.loggedBytes / 1024) KiB or \(Limits.loggedLines) lines"),
    ("nightjar-hooks.5", "at most \(Limits.actionsWaitingOfOne) of them wait"),
    ("nightjar-hooks.5", "at most \(Limits.actionsAtOnce) commands run at once"),
    ("nightjar-hooks.5", "it is started again, \(Limits.actionAttempts) times in all"),
    ("org.nightjar.Timers.7", "\(WireLimits.frameBytes / 1024) KiB at most"),
    ("org.nightjar.Timers.7", "at most \(WireLimits.nestingDepth) objects and arrays"),
    ("org.nightjar.Timers.7", "\(WireLimits.callValues) values"),
    ("org.nightjar.Timers.7", "At most \(Limits.watchersBytes / 1_048_576) MiB may wait"),
    ("org.nightjar.Timers.7", "At most \(Limits.connections) connections are open"),
    ("org.nightjar.Timers.7", "at most for \(Limits.heldRingsUsec / 1_000_000) s."),
  ])
  func `A limit that a page names is the actual one`(name: String, words: String) throws {
    let page = try #require(ManualPage.named(name))
    #expect(page.plain.contains(words), "\(name)")
  }

  // MARK: The interface

  @Test func `The page about the socket has all of the interface, word for word`() throws {
    let name = "\(TimersInterface.name).7"
    let page = try #require(ManualPage.named(name))
    let description = TimersInterface.description
    let interface = InterfaceText(description)
    let heads = #/(?m)^(?:type|method|error) /#
    #expect(interface.declarations.count == description.matches(of: heads).count)
    for (kind, title) in [
      (InterfaceText.Kind.method, "METHODS"), (.type, "TYPES"), (.error, "ERROR REPLIES"),
    ] {
      let declarations = interface.declarations.filter { $0.kind == kind }
      let section = try #require(page.section(title), "\(name) has no \(title)")
      let parts = Self.parts(section)
      #expect(parts.map(\.name) == declarations.map(\.name), "\(name), \(title)")
      for (declaration, part) in zip(declarations, parts) {
        #expect(
          part.declaration.bare == declaration.lines.joined().bare,
          "write into \(name):\n\(declaration.lines.joined(separator: "\n"))")
        #expect(
          part.comment.bare == declaration.comment.bare && !declaration.comment.isEmpty,
          "write into \(name), below \(declaration.name):\n\(declaration.comment)")
      }
    }
    let comments = description.split(separator: "\n").filter { $0.hasPrefix("#") }
      .map { String($0.dropFirst()).bare }.joined()
    #expect(
      comments == (interface.comment + interface.declarations.map(\.comment).joined()).bare)
  }

  /// The declarations in a section, each with its heading and its description.
  private static func parts(
    _ section: ManualPage.Section
  ) -> [(name: String, declaration: String, comment: String)] {
    var parts: [(name: String, declaration: String, comment: String)] = []
    for block in section.blocks {
      if case .subsection(let name) = block { parts.append((name, "", "")) }
      guard !parts.isEmpty else { continue }
      if case .example = block { parts[parts.count - 1].declaration += block.plain }
      if case .paragraph = block { parts[parts.count - 1].comment += block.plain }
    }
    return parts
  }
}
