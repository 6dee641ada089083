import ArgumentParser
import NightjarClient
import NightjarInterface
import Varlink

struct Events: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Show the ledger: the events of all timers and of the machine, in order.")

  @Argument(
    help: ArgumentHelp(
      "Show only events of this timer, or of timers under a path such as run/…, and events of the "
        + "machine.", valueName: "name"),
    completion: TimerCompletion.names)
  var name: String?

  @Option(help: ArgumentHelp("Show only events with higher numbers.", valueName: "number"))
  var after: Int64?

  @Option(
    help: ArgumentHelp(
      "The name of the ledger to which the number of --after belongs. If the daemon has begun "
        + "another ledger since, the command is refused.", valueName: "ledger"))
  var ledger: String?

  @OptionGroup var past: SinceOption

  @Flag(
    help: "Show new events as they happen; of the past, only what --after or --since asks for.")
  var follow = false

  @Flag(
    help: ArgumentHelp(
      "Print all data of the daemon as JSON, one object per line: each event, each background span "
        + "such as a sleep, and each timer."))
  var everything = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    guard !everything else { return try printEverything(Session.open(socket)) }
    if let after, after < 0 {
      throw CommandError.usage("--after takes no negative number: '\(after)'")
    }
    var lines = Lines(format: format)
    let sinceUsec = try past.usec(zone: LocalTime.zone, nowUsec: LocalTime.nowUsec())
    guard try !BridgePaths.isSession(Session.socketPath(socket)) else {
      return try followSession(&lines)
    }
    if follow { return try runAndFollow(&lines, sinceUsec: sinceUsec) }
    try LedgerReader(session: Session.open(socket)).read(after: after, ledger: ledger) {
      lines.add($0, $1, isIncluded: isIncluded($1, sinceUsec: sinceUsec))
      lines.print(atLeast: Output.linesAtOnce)
    }
    lines.print()
  }

  /// Prints the events of a session's members as they arrive. Each member's ledger has its own
  /// numbers, so --after and --ledger make no sense here.
  private func followSession(_ lines: inout Lines) throws {
    guard follow, after == nil, ledger == nil, past.since == nil else {
      throw CommandError.usage(
        "a session has no past events, because each member has a ledger; write events --follow, without "
          + "--after, --ledger and --since")
    }
    let session = try Session.openToFollow(socket)
    var stream = try LiveStream(session: session, call: Call(Wire.Events()), continuesBySeq: false)
    while case .reply(let reply) = try stream.nextForReader() {
      lines.add(reply, try Wire.Event(reply["event"] ?? .null), isIncluded: true)
      lines.print()
    }
  }

  /// Uses one stream for past and new events. Without --after and --since, it begins after the last
  /// event that exists now. After a reconnection, the stream continues after the last event that
  /// arrived.
  private func runAndFollow(_ lines: inout Lines, sinceUsec: Int64?) throws {
    let session = try Session.openToFollow(socket)
    let range = try LedgerReader(session: session).range(
      after: after, orEmpty: sinceUsec == nil, ledger: ledger)
    var call = Wire.Events()
    (call.after, call.ledger) = (range.after, ledger)
    var stream = try LiveStream(session: session, call: Call(call), ledger: range.ledger)
    var isCatchingUp = range.after < range.last
    while case .reply(let reply) = try stream.next() {
      let event = try Wire.Event(reply["event"] ?? .null)
      lines.add(reply, event, isIncluded: isIncluded(event, sinceUsec: sinceUsec))
      if event.seq >= range.last || stream.reconnections > 0 { isCatchingUp = false }
      lines.print(atLeast: isCatchingUp ? Output.linesAtOnce : 1)
    }
  }

  /// Prints the ledger, then the background spans, such as sleeps, and then the timers. Each line
  /// is an object with one member: `event`, `span` or `timer`.
  private func printEverything(_ session: Session) throws {
    var spans = SpanCollection()
    try LedgerReader(session: session).read(after: nil) { reply, _ in
      Output.ready(reply.text)
      if let span = reply["event"]?["span"] { spans.add(span) }
    }
    let status = try session.call(Call(Wire.Status()))
    for key in ["last_span", "open_span"] {
      if let span = status[key] { spans.add(span) }
    }
    for span in spans.inOrder { Output.ready(Self.line("span", span)) }
    try session.forEachPage { page in
      for timer in page["timers"]?.arrayValue ?? [] { Output.ready(Self.line("timer", timer)) }
    }
  }

  private static func line(_ key: String, _ value: JSONValue) -> String {
    JSONValue.object([JSONValue.Member(key, value)]).text
  }

  /// Whether to print an event. Events about the machine are always printed, because they explain
  /// the events of timers.
  private func isIncluded(_ event: Wire.Event, sinceUsec: Int64?) -> Bool {
    if let sinceUsec, event.timeUsec < sinceUsec { return false }
    guard let name, let timer = event.name else { return true }
    return NamePattern(name).matches(timer)
  }
}

extension Events {
  /// The lines of the events that are not printed yet.
  private struct Lines {
    let format: FormatOption
    private var lines: [String] = []
    /// The background span of the latest event that has one. The texts of the events after it use
    /// this span, because the ledger lists the effects of a span directly after the span's end.
    private var span: Wire.Span?

    init(format: FormatOption) { self.format = format }

    mutating func add(_ reply: JSONValue, _ event: Wire.Event, isIncluded: Bool) {
      span = event.span ?? span
      if isIncluded { lines.append(line(reply, event)) }
    }

    /// Prints the collected lines if there are at least `count` of them.
    mutating func print(atLeast count: Int = 1) {
      guard lines.count >= count else { return }
      Output.ready(lines)
      lines.removeAll(keepingCapacity: true)
    }

    private func line(_ reply: JSONValue, _ event: Wire.Event) -> String {
      guard !format.isJSON else { return reply.text }
      let time = LocalTime(usec: event.timeUsec)
      let point = time.dateAndTime(now: LocalTime(usec: LocalTime.nowUsec()))
      let sentence = VisibleText.visible(EventText(event, in: span).sentenceWithName)
      guard Terminal.isOutput else { return "\(event.seq)\t\(point)\t\(sentence)" }
      let padding = String(repeating: " ", count: max(0, 6 - "\(event.seq)".count))
      return "\(padding)\(event.seq)  \(Terminal.styled(point, .dim))  \(sentence)"
    }
  }
}

/// The background spans of the ledger, by number. The ledger repeats a span when the span ends, and
/// when it is corrected, so the last version of each is stored.
private struct SpanCollection {
  private var spans: [Int64: JSONValue] = [:]

  mutating func add(_ span: JSONValue) {
    if let number = span["span"]?.integerValue { spans[number] = span }
  }

  var inOrder: [JSONValue] { spans.sorted { $0.key < $1.key }.map(\.value) }
}
