import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

private let minute = 60 * second

/// For any answer of a daemon, no output of the command contains a character that could break a
/// line, control a terminal, or change the direction of the surrounding text.
@Suite(.blocking) struct VisibleOutputTests {
  /// All such characters, each between letters.
  private static let unsafe: String = {
    let scalars = (0...0x2FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    return scalars.filter(VisibleText.isUnsafe).map { "a\($0)" }.joined()
  }()
  /// The ones that can be in a name, without NUL, which no argument can contain.
  private static let argument = String(
    String.UnicodeScalarView(unsafe.unicodeScalars.filter { $0.value > 0 }))

  /// A timer in each state, and in an unknown one.
  private static let entries: [FakeTimers.Entry] = {
    let (name, text) = (argument, unsafe)
    let band: JSONValue = [
      "name": .string(text), "remaining_usec": .integer(60 * minute), "text": .string(text),
      "color": .string(text),
    ]
    var entries: [FakeTimers.Entry] = []
    for (number, state) in ["running", "paused", "over", "waiting", text].enumerated() {
      let more: JSONValue = [
        "bands": [band], "band": band,
        "step": [
          "name": .string(text), "number": 1, "index": 1, "steps": 2, "round": 1, "waits": false,
          "break": false, "next_name": .string(text),
        ],
        "ring": ["exec": [.string(text)], "sound": .string(text)],
      ]
      entries.append(
        .init(
          name: number == 0 ? name : "\(number)\(name)", state: state, remainingUsec: 30_000_000,
          rangAgoUsec: minute, lateUsec: minute, lateCause: text, labels: [text: .string(text)],
          data: [text: .string(text)], more: more))
    }
    return entries
  }()

  private func fixture() throws -> Fixture {
    let (name, clock) = (Self.argument, Noon())
    let (text, noon) = (JSONValue.string(Self.unsafe), clock.nowUsec)
    var ledger = LedgerScript()
    ledger.start(
      name, at: noon - hour,
      LedgerScript.sequence([(name, 25 * minute), ("rest", 5 * minute)], rounds: 1)
        .setting("kind", "sequence").setting("duration_usec", .integer(25 * minute))
        .setting("labels", [Self.unsafe: text]))
    ledger.hide([Self.unsafe], from: noon - 50 * minute, to: noon - 49 * minute)
    let events: [(type: String, name: String?, ago: Int64, JSONValue)] = [
      ("updated", name, 48, ["data": [Self.unsafe: text]]),
      ("zone_changed", nil, 47, ["zone": text]),
      (Self.unsafe, name, 46, [:]),
      (
        "rang", name, 35,
        [
          "counted_usec": 1_500_000_000, "late_usec": .integer(minute), "late_cause": text,
          "missed": 0, "step_number": 2, "step_name": text, "duration_usec": .integer(5 * minute),
        ]
      ),
      ("action_started", name, 34, ["for_seq": 1, "command": text, "attempt": 2]),
      ("rang", name, 30, ["counted_usec": 1_800_000_000, "late_usec": 0, "step_name": text]),
    ]
    for (type, name, ago, more) in events { ledger.add(type, name, at: noon - ago * minute, more) }
    return try ledger.fixture(Self.entries, at: clock)
  }

  /// The output without colours and the ends of lines and fields.
  private static func rest(of output: String) -> [Unicode.Scalar] {
    let plain = output.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    return plain.unicodeScalars.filter { VisibleText.isUnsafe($0) && $0 != "\n" && $0 != "\t" }
  }

  @Test(arguments: [
    ["list"], ["list", "--json"], ["show", argument], ["show", argument, "--json"],
    ["show", "--all"], ["why", argument], ["why", argument, "--json"], ["history"],
    ["history", "--json"], ["history", "--steps", "--totals", "name"],
    ["history", "--steps", "--totals", "name", "--json"],
    ["history", "--totals", "name", "--chart"], ["history", "--totals", argument], ["events"],
    ["events", "--json"], ["events", "--everything"], ["status"], ["status", "--json"],
    ["remaining", "--all"], ["remaining", "--all", "--json"], ["pause", argument],
    ["pause", argument, "--json"], ["start", argument + "b", "4min"],
    ["start", argument + "b", "4min", "--json"], ["start", argument, "4min"], ["doctor"],
    ["doctor", "--json"], ["cancel", "--all"],
    // Errors quote what the user typed.
    ["show", "no" + argument], ["show", "no" + argument + "/…"], ["start", "tea", argument],
    [argument], ["--\(argument)"], ["events", "--after", argument],
    ["events", "--ledger", argument], ["alarm", argument],
    ["start", "tea", "4min", "--band", argument], ["start", "tea", "4min", "--exec", argument],
    ["start", "tea", "4min", "--sound", argument], ["start", "tea", "4min", "--label", argument],
    ["start", "tea", "4min", "--data", argument], ["analyze", "timespan", argument],
    ["analyze", "calendar", argument], ["analyze", "timestamp", argument],
    ["history", "--since", argument], ["list", "--socket", "/none/" + argument],
    ["rehearse", "/none/" + argument], ["completions", argument], ["help", argument],
    // The command that completion scripts call; a tab marks words that are quoted already.
    ["__complete", "names"], ["__complete", "names", "--for", "bash"],
    ["__complete", "names", "--for", "zsh"], ["__complete", "names", "--for", "fish"],
  ])
  func `No output contains a character that controls a terminal`(arguments: [String]) throws {
    let fixture = try fixture()
    var runner = fixture.runner
    runner.environment["NIGHTJAR_TIMEOUT"] = "10s"
    let piped = try runner.run(arguments)
    let onTerminal = try runner.runOnTerminal(arguments, typing: "")
    #expect(!(piped.output + piped.errors).isEmpty || arguments[0] == "__complete", "\(piped)")
    for text in [piped.output, piped.errors, onTerminal.output] {
      #expect(!text.contains("makes no sense"), "\(text)")
      #expect(Self.rest(of: text) == [], "\(arguments): \(text)")
    }
    // Programs get the names unchanged.
    guard arguments.contains("--json") || arguments == ["events", "--everything"], piped.status == 0
    else { return }
    let values = try piped.output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    let isExempt = ["status", "doctor"].contains(arguments[0])
    let texts = values.flatMap(Self.strings)
    #expect(
      isExempt || texts.contains { $0.unicodeScalars.starts(with: Self.argument.unicodeScalars) })
  }

  private static func strings(in value: JSONValue) -> [String] {
    switch value {
    case .string(let text): [text]
    case .array(let elements): elements.flatMap(strings)
    case .object(let members): members.flatMap { [$0.key] + strings(in: $0.value) }
    case .null, .bool, .integer, .double: []
    }
  }

  @Test(arguments: BarLine.Format.allCases.map(\.rawValue))
  func `No bar is sent a character that ends its line or changes its direction`(format: String)
    throws
  {
    let fixture = try Fixture { request, nowUsec in
      guard request.method == "Watch" else { return nil }
      let timers = FakeTimers(nowUsec: nowUsec)
      return Self.entries.map { .reply(["timer": timers.json($0)], continues: true) }
        + [.reply(["synced": true], continues: true)]
    }
    let running = try fixture.runner.start(["watch", "--format", format])
    defer { running.signal(9) }
    // The first line may say that there is no timer yet.
    try running.waitForOutput { $0.contains("a") && $0.hasSuffix("\n") }
    running.signal(9)
    let output = try running.finish().output
    #expect(output.contains("aa") || output.contains("a a") || output.contains("a\\u"), "\(output)")
    #expect(Self.rest(of: output) == [], "\(output)")
    // Keeps the stand-in alive until here.
    #expect(fixture.methods.contains("Watch"))
  }

  @Test func `No line of the live screen contains an unsafe character`() {
    var line = StyledLine(Self.unsafe, .bold)
    line.add(Self.unsafe, .dim)
    for width in [10, 80, 10_000] {
      #expect(Self.rest(of: line.cut(to: width).rendered(.indexed)) == [])
    }
  }

  @Test func `An unsafe character is escaped, and columns are aligned by the visible text`() throws
  {
    let name = "rtl \u{202E}abc"
    let fixture = try Fixture([
      .init(name: name, state: "paused"), .init(name: "tea", state: "paused"),
    ])
    let lines = try fixture.runner.runOnTerminal(["list"]).output.split(separator: "\n")
    let places = lines.dropFirst().map {
      $0.firstRange(of: "04:00")?.lowerBound.utf16Offset(in: $0)
    }
    #expect(places.count == 2 && Set(places).count == 1, "\(lines)")
    #expect(lines.contains { $0.hasPrefix(#"rtl \u{202E}abc"#) }, "\(lines)")
  }

  @Test func `A character with a combining mark is escaped: bars and shells see the character`() {
    func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }
    #expect(scalars("a'\u{301}b'".replacingScalars("'", with: "\\'")) == scalars("a\\'\u{301}b\\'"))
    #expect(scalars("%{\u{301}A}".replacingScalars("%{", with: "% {")) == scalars("% {\u{301}A}"))
    #expect("".replacingScalars("&", with: "&amp;") == "")
    #expect("&&".replacingScalars("&", with: "&amp;") == "&amp;&amp;")
  }
}
