import NightjarClient
import NightjarEngine
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

/// What pages say of fields, keys, variables and limits is what the sources have. The pages about
/// the socket and about hooks have generated parts, which OutputsTests check; ReleasedTests check
/// the page about the configuration.
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

  /// The keys of all objects in a text.
  private func keys(_ json: String) -> Set<String> { Set(json.groups(of: #/"([^"\\]+)":/#)) }

  /// The keys that commands print.
  private func keys(_ commands: String..., by runner: CommandRunner) throws -> Set<String> {
    try commands.reduce(into: []) { found, command in
      let result = try runner.run(ScriptLine("\(command) --json").words)
      #expect(!result.output.isEmpty, "\(result)")
      found.formUnion(keys(result.output))
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
    var found: Set<String> = []
    for line in rehearsed.output.split(separator: "\n") {
      for member in try JSONValue.parse(String(line)).objectValue ?? [] {
        found.insert(member.key)
        // The page of the interface has the others.
        if ["command", "machine"].contains(member.key) { found.formUnion(keys(member.value.text)) }
      }
    }
    try expect(found, of: "nightjar-rehearse.1")
  }

  @Test
  func `The fields of a bar, the lines of status and the keys of the screen are on their pages`()
    throws
  {
    let bar = try Documentation.text(of: "Sources/Command/nightjar/Watching/BarLine.swift")
    let json = try #require(bar.firstMatch(of: /private var json: JSONValue(?s:.*?)\n  \}\n/))
    let fields = String(json.output).groups(of: #/\(\s*"([a-z_]+)",\s/#)
    try expect(Set(fields), of: "nightjar-watch.1")
    try expect(
      Set(BarTemplate.Field.allCases.map(\.rawValue)), in: "TEMPLATE", of: "nightjar-watch.1",
      but: ["labels.KEY"])
    let status = try Documentation.text(of: "Sources/Command/nightjar/Text/StatusText.swift")
    let labels = Set(status.groups(of: #/\("([A-Z][a-z ]+)", /#))
    try expect(labels, in: "DESCRIPTION", of: "nightjar-status.1", "Sy")
    let page = try ManualPage("nightjar-watch.1")
    let keys = try page.text("KEYS")
    let lists = [ScreenLayout.keys, ScreenLayout.typingKeys]
    for list in lists {
      #expect(keys.contains(list.map { "\($0.0) \($0.1)" }.joined(separator: " ")), "\(keys)")
    }
    let entries = try #require(page.section("KEYS")).lines.count { $0.hasPrefix(".It ") }
    #expect(entries == lists.joined().count, "the page has others")
  }

  /// From the sources and from a sample of each kind of event: no run of a daemon produces all of
  /// them.
  @Test func `Each variable that commands find is on the page about hooks, and no other`() throws {
    var known: Set<String> = []
    for (file, pattern) in [
      ("Service/Ring/ActionEnvironment", #/(?:set\(|\? )"([A-Z_]+)[\\"]/#),
      ("Actions/ActionRun", #/"NIGHTJAR_([A-Z]+)", value/#),
    ] {
      let text = try Documentation.text(of: "Sources/Daemon/Nightjar\(file).swift")
      known.formUnion(text.groups(of: pattern).map { "NIGHTJAR_\($0)" })
    }
    #expect(known.isSuperset(of: ["NIGHTJAR_LABEL_", "NIGHTJAR_ATTEMPT", "NIGHTJAR_EVENT"]))
    let page = try ManualPage("nightjar-hooks.5")
    let written = try #require(page.section("ENVIRONMENT")).terms("Ev")
    // The page refers to the interface's page for the plain fields of an event.
    #expect(known.subtracting(written) == [], "the page does not have them")
    for event in EventSamples.events where event.action == nil {
      let environment = ActionEnvironment(
        event, engine: Engine(), socketPath: "/s", at: EventSamples.moment)
      known.formUnion(environment.variables.map(\.name))
    }
    #expect(Set(written).subtracting(known) == [] && Set(written).count == written.count)
  }

  private static let socket = "org.nightjar.Timers.7"

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
