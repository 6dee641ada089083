import Foundation
import NightjarClient
import NightjarConfig
import NightjarEngine
import NightjarInterface
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// What pages say of fields, keys, variables and limits is what the sources have. The pages about
/// the socket and about hooks have generated parts, which OutputsTests check.
@Suite(.blocking) struct ManualFactTests {
  private func section(_ title: String, of name: String) throws -> ManualPage.Section {
    try #require(ManualPage.named(name)?.section(title), "\(name) has no \(title)")
  }

  // MARK: Output

  /// The keys of objects at any depth, except those that the user chooses.
  private func keys(_ value: JSONValue) -> Set<String> {
    let inner = (value.arrayValue ?? []).map(keys)
    return (value.objectValue ?? []).reduce(into: Set(inner.joined())) { found, member in
      found.insert(member.key)
      if member.key != "labels" { found.formUnion(keys(member.value)) }
    }
  }

  private func keys(_ result: CommandRunner.Result) throws -> Set<String> {
    let lines = result.output.split(separator: "\n")
    #expect(!lines.isEmpty, "\(result)")
    return try lines.reduce(into: []) { $0.formUnion(keys(try JSONValue.parse(String($1)))) }
  }

  @Test func `The fields of runs, totals and findings are on the pages of history and doctor`()
    throws
  {
    let clock = Noon()
    let minute = LedgerScript.minute
    var ledger = LedgerScript()
    ledger.start("tea", at: clock.nowUsec - 60 * minute, for: 4 * minute, labels: ["kind": "drink"])
    ledger.add(
      "rang", "tea", at: clock.nowUsec - 30 * minute, counted: 4 * minute,
      ["late_usec": 1, "late_cause": "sleep"])
    ledger.add("paused", "old", at: clock.nowUsec - 20 * minute)
    let fixture = try ledger.fixture([.init(name: "old", state: "paused", id: 0)], at: clock)
    let printed = try [[], ["--totals"], ["--totals", "kind"]].reduce(into: Set<String>()) {
      $0.formUnion(try keys(fixture.runner.run(["history", "--json"] + $1)))
    }
    let known = Set(try section("JSON", of: "nightjar-history.1").terms("Cm"))
    // Fields that do not occur with this ledger.
    let rest: Set<String> = ["cut", "break_usec", "steps", "break", "step"]
    #expect(printed.subtracting(known).isEmpty && known.subtracting(printed).isSubset(of: rest))
    let found = try keys(try CommandRunner(socket: "/nowhere/socket").run("doctor", "--json"))
    let values: Set<String> = ["socket", "sleep_inhibitor", "advice", "fault"]
    let terms = Set(try section("JSON", of: "nightjar-doctor.1").terms("Cm"))
    #expect(terms.subtracting(values) == found)
  }

  @Test func `The fields of what analyze and rehearse print are on their pages`() throws {
    let runner = try CommandRunner()
    var found = try [
      "timespan 1h", "timestamp tomorrow", "calendar daily", "phrase daily 9:00", "phrase 9:30",
    ]
    .reduce(into: Set<String>()) {
      $0.formUnion(
        try keys(
          try runner.run(["analyze"] + $1.split(separator: " ").map(String.init) + ["--json"])))
    }
    #expect(found == Set(try section("JSON", of: "nightjar-analyze.1").terms("Cm")))
    let script = "\(runner.folder.path)/script"
    try Data("start tea 1s --exec true\nwait 2s\nreboot 1min --clock-off -3h\nlist\n".utf8).write(
      to: URL(fileURLWithPath: script))
    let lines = try runner.run("rehearse", script, "--json").output.split(separator: "\n")
    found = try lines.reduce(into: []) { found, line in
      for member in try JSONValue.parse(String(line)).objectValue ?? [] {
        found.insert(member.key)
        if ["command", "machine"].contains(member.key) { found.formUnion(keys(member.value)) }
      }
    }
    #expect(found == Set(try section("JSON", of: "nightjar-rehearse.1").terms("Cm")))
  }

  @Test
  func `The fields of a bar, the lines of status and the keys of the screen are on their pages`()
    throws
  {
    let bar = try Documentation.text(of: "Sources/Command/nightjar/Watching/BarLine.swift")
    let start = try #require(bar.firstRange(of: "private var json: JSONValue"))
    let end = try #require(bar[start.upperBound...].firstRange(of: "\n  }\n"))
    let written = bar[start.upperBound..<end.lowerBound].matches(of: #/\(\s*"([a-z_]+)",\s/#)
    let watch = try section("JSON", of: "nightjar-watch.1").terms("Cm")
    #expect(written.count > 8 && Set(written.map { String($0.1) }) == Set(watch))
    let template = Set(try section("TEMPLATE", of: "nightjar-watch.1").terms("Cm"))
    #expect(template.subtracting(["labels.KEY"]) == Set(BarTemplate.Field.allCases.map(\.rawValue)))
    let status = try Documentation.text(of: "Sources/Command/nightjar/Text/StatusText.swift")
    let labels = Set(status.matches(of: #/\("([A-Z][a-z ]+)", /#).map { String($0.1) })
    #expect(labels.count > 10)
    #expect(try labels == Set(section("DESCRIPTION", of: "nightjar-status.1").terms("Sy")))
    let keys = try section("KEYS", of: "nightjar-watch.1").entries
    let known = ScreenLayout.keys + ScreenLayout.typingKeys
    #expect(keys.map { [$0.term.plain, $0.text.plain] } == known.map { [$0.0, $0.1] })
  }

  @Test(arguments: [
    ("", "fire", true), ("--late fire", "fire", true), ("--late 30s", "SPAN", true),
    ("--late 10s", "SPAN", false), ("--late skip", "skip", false),
  ])
  func `A timer that an undo brings back after its time rings as the page says`(
    late: String, term: String, rings: Bool
  ) throws {
    let entries = try section("DESCRIPTION", of: "nightjar-undo.1").entries
    #expect(Set(entries.map(\.term.plain)) == ["fire", "SPAN", "skip"])
    let said = try #require(entries.first { $0.term.plain == term }).text.plain
    #expect(said.contains(rings ? "rings at once" : "does not ring"), "\(said)")
    // The undo comes 20 s after the time of a timer with this policy.
    for (start, change) in [
      ("start tea 4min", "extend tea 5min"), ("alarm tea daily 12:04", "skip tea"),
      ("sequence tea work=4min rest=5min", "pause tea"),
    ] {
      let sentences = try RehearsedScript().sentences(
        "at 2026-06-01 12:00 UTC\n\(start) \(late)\nwait 230s\n\(change)\nwait 30s\nundo\n"
      ).filter { $0.hasPrefix("+0:04:20 tea: ") && !$0.contains(": undone: ") }
      #expect(sentences.count == 1, "\(start) \(late): \(sentences)")
      #expect(
        sentences.first?.contains(rings ? "rang" : "tea: did not ring, 20 s late") == true
          && sentences.first?.contains(", 20 s late: a change was undone") == true, "\(sentences)")
    }
  }

  // MARK: The daemon

  /// The keys that an error lists: `… has no key 'xyzzy'; it can have a, b and c`.
  private static func listed(in sentence: String) -> [String] {
    let list = sentence.split(separator: "it can have ").last ?? ""
    return list.split { !$0.isLetter && $0 != "_" }.map(String.init)
      .filter { $0 != "and" && !$0.contains("NIGHTJAR") && $0 != "wrong" }
  }

  @Test func `All keys of the configuration are on its page, and no others`() throws {
    let file = try ConfigFile(path: "c", bytes: Array("[presets.a]\nxyzzy = 1".utf8))
    let mistake = #expect(throws: ConfigError.self) {
      let presets = file.table(.presets)
      let table = try presets.table(of: presets.entries[0], title: "[presets.a]")
      _ = try Preset(name: "a", table, at: .here)
    }
    var known = Set(Self.listed(in: mistake?.description ?? ""))
    let rig = try Rig()
    let path = "\(rig.path)/config.toml"
    for table in ["daemon", "clock"] {
      try writeFile("[\(table)]\nxyzzy = 1\n", to: path)
      let daemon = try rig.start(
        [
          Binaries.nightjard(), "--socket", "\(rig.path)/\(table).s", "--state-dir",
          "\(rig.path)/\(table)", "--config", path,
        ], environment: ["HOME": "\(rig.path)/home"])
      known.formUnion(
        Self.listed(in: try daemon.lines.next("the mistake") { $0.contains("xyzzy") }))
    }
    try writeFile("[mqtt]\nbroker = \"mqtt://a\"\nperson = \"a\"\nxyzzy = 1\n", to: path)
    let check = [try Binaries.program("nightjar-mqtt"), "--check-config", "--config", path]
    known.formUnion(Self.listed(in: try rig.run(check).output))
    let page = try #require(ManualPage.named("nightjar.toml.5"))
    #expect(known.count > 20 && Set(page.sections.flatMap { $0.terms("Cm") }) == known)
  }

  /// From the sources and from a sample of each kind of event: no run of a daemon produces all of
  /// them.
  @Test func `Each variable that commands find is on the page about hooks, and no other`() throws {
    var known: Set<String> = []
    for (file, pattern) in [
      ("Service/Ring/ActionEnvironment", #/set\("([A-Z_]+)[\\"]/#),
      ("Actions/ActionRun", #/"NIGHTJAR_([A-Z]+)", value/#),
    ] {
      let text = try Documentation.text(of: "Sources/Daemon/Nightjar\(file).swift")
      known.formUnion(text.matches(of: pattern).map { "NIGHTJAR_\($0.1)" })
    }
    #expect(known.contains("NIGHTJAR_LABEL_") && known.contains("NIGHTJAR_ATTEMPT"))
    for event in EventSamples.events where event.action == nil {
      known.formUnion(try EventKindTests.variables(of: event).keys)
    }
    let written = try section("ENVIRONMENT", of: "nightjar-hooks.5").terms("Ev")
    // The page refers to the interface's page for the plain fields of an event.
    let ofEvents = Set(try EventKindTests.fields().map { "NIGHTJAR_\($0.name.uppercased())" })
    #expect(known.subtracting(written).subtracting(ofEvents) == [], "the page does not have them")
    #expect(Set(written).subtracting(known) == [] && Set(written).count == written.count)
  }

  private static let socket = "\(TimersInterface.name).7"

  @Test(arguments: [
    ("nightjar.toml.5", "from 1 to \(Limits.timers). The default is \(Limits.timers)."),
    ("nightjar.toml.5", "It is at most \(Limits.durationWords)."),
    ("nightjar.time.7", "the longest is \(Limits.durationWords)."),
    ("nightjar.toml.5", "or how often it rings, from 1 to \(Limits.rounds)."),
    ("nightjar.toml.5", "how many rounds to run, up to \(Limits.rounds), or"),
    (socket, "The first \(Engine.namesPerSpan) timers that expired"),
    (socket, "but at most \(Engine.ringsPerSpan) do."),
    (socket, "an alarm has more than \(Engine.countedOccurrences), all"),
    (socket, "alarm, \(Engine.countedOccurrences - 1) or more means"),
    (socket, "If tick_usec (\(Limits.tickUsec) or more) is given"),
    ("nightjar.toml.5", "A table of texts, at most \(Limits.labels)."),
    ("nightjar.toml.5", "a JSON object of at most \(Limits.dataBytes) bytes"),
    ("nightjar.toml.5", "How loud it is, \(Limits.volumeWords)."),
    ("nightjar.toml.5", "one line of at most \(Limits.messageBytes) bytes."),
    ("nightjar-start.1", "at most \(Limits.ringsOfExpiry - 1) times."),
    (socket, "volume: \(Limits.volumeWords)."),
    (socket, "at most \(Limits.ringsOfExpiry - 1) times"),
    (socket, "printed, at most \(Limits.lastLines);"),
    ("nightjar-edit.1", "a JSON object of at most \(Limits.dataBytes) bytes"),
    ("nightjar.1", "It has at most \(Limits.nameBytes) bytes"),
    ("nightjar-start.1", "at most \(Limits.nameBytes) bytes"),
    ("nightjar-hooks.5", "up to \(Limits.loggedBytes / 1024) KiB or \(Limits.loggedLines) lines"),
    ("nightjar-hooks.5", "at most \(Limits.actionsWaitingOfOne) of them wait"),
    ("nightjar-hooks.5", "at most \(Limits.actionsAtOnce) commands run at once"),
    ("nightjar-hooks.5", "it is started again, \(Limits.actionAttempts) times in all"),
    (socket, "\(WireLimits.frameBytes / 1024) KiB at most"),
    (socket, "at most \(WireLimits.nestingDepth) objects and arrays"),
    (socket, "\(WireLimits.callValues) values"),
    (socket, "At most \(Limits.watchersBytes / 1_048_576) MiB may wait"),
    (socket, "At most \(Limits.connections) connections are open"),
    (socket, "at most for \(Limits.heldRingsUsec / 1_000_000) s."),
  ])
  func `A limit that a page names is the actual one`(name: String, words: String) throws {
    let page = try #require(ManualPage.named(name))
    let plain = page.texts.map(\.plain) + page.examples.map { $0.joined(separator: "\n") }
    #expect(plain.contains { $0.contains(words) }, "\(name)")
  }
}
