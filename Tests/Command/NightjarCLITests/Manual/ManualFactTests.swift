import NightjarClient
import NightjarEngine
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar
@testable import nightjar_rehearse

/// What pages say of fields, keys, variables and limits is what the sources have. The pages about
/// the socket and about hooks have generated parts, which OutputsTests check.
@Suite(.blocking) struct ManualFactTests {
  /// Compares what programs have with the terms that a macro marks in a section of a page.
  ///
  /// - Parameter rest: terms that need not be in `found`.
  private func expect(
    _ found: Set<String>, in title: String = "JSON", of name: String, _ macro: String = "Cm",
    but rest: Set<String> = []
  ) throws {
    let section = try #require(ManualPage.named(name)?.section(title), "\(name) has no \(title)")
    let terms = Set(section.terms(macro))
    #expect(found.count > 2 && found.subtracting(terms) == [], "\(name) lacks them")
    #expect(terms.subtracting(found).isSubset(of: rest), "\(name) has more than there is")
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

  /// The keys that commands print.
  private func keys(_ commands: String..., by runner: CommandRunner) throws -> Set<String> {
    try commands.reduce(into: []) { found, command in
      let result = try runner.run(ScriptLine("\(command) --json").words)
      #expect(!result.output.isEmpty, "\(result)")
      for line in result.output.split(separator: "\n") {
        found.formUnion(keys(try JSONValue.parse(String(line))))
      }
    }
  }

  @Test func `The fields that commands print are on their pages`() throws {
    let clock = Noon()
    let ledger = try LedgerScript(
      on: clock.midnightUsec,
      """
      11:00 tea started for=4min labels.kind=drink
      11:30 tea rang counted=4min late=1us cause=sleep
      11:40 old paused
      """)
    let fixture = try ledger.fixture([.init(name: "old", state: "paused", id: 0)], at: clock)
    try expect(
      keys("history", "history --totals", "history --totals kind", by: fixture.runner),
      of: "nightjar-history.1",
      // Fields that do not occur with this ledger.
      but: ["cut", "break_usec", "steps", "break", "step"])
    let runner = try CommandRunner(socket: "/nowhere/socket")
    try expect(
      keys("doctor", by: runner), of: "nightjar-doctor.1",
      but: ["socket", "sleep_inhibitor", "advice", "fault"])
    try expect(
      keys(
        "analyze timespan 1h", "analyze timestamp tomorrow", "analyze calendar daily",
        "analyze phrase daily 9:00", "analyze phrase 9:30", by: runner),
      of: "nightjar-analyze.1")
    let rehearsed = try RehearsedScript().run(
      "start tea 1s --exec true\nwait 2s\nreboot 1min --clock-off -3h\nlist\n", "--json")
    let found = try rehearsed.output.split(separator: "\n").reduce(into: Set<String>()) {
      for member in try JSONValue.parse(String($1)).objectValue ?? [] {
        $0.insert(member.key)
        if ["command", "machine"].contains(member.key) { $0.formUnion(keys(member.value)) }
      }
    }
    try expect(found, of: "nightjar-rehearse.1")
  }

  @Test
  func `The fields of a bar, the lines of status and the keys of the screen are on their pages`()
    throws
  {
    let bar = try Documentation.text(of: "Sources/Command/nightjar/Watching/BarLine.swift")
    let start = try #require(bar.firstRange(of: "private var json: JSONValue"))
    let end = try #require(bar[start.upperBound...].firstRange(of: "\n  }\n"))
    let written = bar[start.upperBound..<end.lowerBound].matches(of: #/\(\s*"([a-z_]+)",\s/#)
    try expect(Set(written.map { String($0.1) }), of: "nightjar-watch.1")
    try expect(
      Set(BarTemplate.Field.allCases.map(\.rawValue)), in: "TEMPLATE", of: "nightjar-watch.1",
      but: ["labels.KEY"])
    let status = try Documentation.text(of: "Sources/Command/nightjar/Text/StatusText.swift")
    let labels = status.matches(of: #/\("([A-Z][a-z ]+)", /#).map { String($0.1) }
    try expect(Set(labels), in: "DESCRIPTION", of: "nightjar-status.1", "Sy")
    let page = try ManualPage("nightjar-watch.1")
    let keys = try page.text("KEYS")
    let lists = [ScreenLayout.keys, ScreenLayout.typingKeys]
    for list in lists {
      #expect(keys.contains(list.map { "\($0.0) \($0.1)" }.joined(separator: " ")), "\(keys)")
    }
    let entries = try #require(page.section("KEYS")).lines.count { $0.hasPrefix(".It ") }
    #expect(entries == lists.joined().count, "the page has others")
  }

  @Test(arguments: [
    ("", "fire The timer rings at once.", true), ("--late fire", "fire The timer rings at", true),
    ("--late 30s", "SPAN The timer rings at once if it is at most SPAN late;", true),
    ("--late 10s", "late; otherwise it does not ring.", false),
    ("--late skip", "skip The timer does not ring.", false),
  ])
  func `A timer that an undo brings back after its time rings as the page says`(
    late: String, words: String, rings: Bool
  ) throws {
    #expect(try ManualPage("nightjar-undo.1").text().contains(words))
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

  /// The keys that an error about a key xyzzy lists: `… it can have a, b and c`.
  private static func listed(in sentence: String) -> [String] {
    let list = sentence.split(separator: "it can have ").last ?? ""
    return list.split { !$0.isLetter && $0 != "_" }.map(String.init)
      .filter { $0 != "and" && !$0.contains("NIGHTJAR") && $0 != "wrong" }
  }

  @Test func `All keys of the configuration are on its page, and no others`() throws {
    let rig = try Rig()
    let path = "\(rig.path)/config.toml"
    let daemon = ["--socket", "\(rig.path)/s", "--state-dir", rig.path]
    let broker = "broker = \"mqtt://a\"\nperson = \"a\""
    var known: [String] = []
    for (table, program, options) in [
      ("[daemon]", "nightjard", daemon), ("[clock]", "nightjard", daemon),
      ("[mqtt]\n\(broker)", "nightjar-mqtt", []),
    ] {
      try writeFile("\(table)\nxyzzy = 1\n", to: path)
      let check = [try Binaries.program(program), "--check-config", "--config", path]
      known += Self.listed(in: try rig.run(check + options).output)
    }
    let runner = try CommandRunner()
    try runner.configure("[presets.a]\nxyzzy = 1")
    let presets = Self.listed(in: try runner.run("start", "a").errors)
    let page = try ManualPage("nightjar.toml.5")
    #expect(known.count > 20 && Set(page.whole.terms("Cm")) == Set(known + presets))
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
      let environment = ActionEnvironment(
        event, engine: Engine(), socketPath: "/s", at: EventSamples.moment)
      known.formUnion(environment.variables.map(\.name))
    }
    let page = try ManualPage("nightjar-hooks.5")
    let written = try #require(page.section("ENVIRONMENT")).terms("Ev")
    // The page refers to the interface's page for the plain fields of an event.
    let interface = try Interface(parsing: TimersInterface.description)
    guard case .type(.structure(let fields))? = interface.declaration(of: "Event")?.kind else {
      throw Unmet(description: "there is no Event")
    }
    let ofEvents = Set(fields.map { "NIGHTJAR_\($0.name.uppercased())" })
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
    #expect(try ManualPage(name).text().contains(words), "\(name)")
  }
}
