import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarTime
import NightjarVarlink

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show how long timers ran in the past: each run, or totals by day.",
    discussion: """
      nightjar history --since yesterday
      nightjar history run/… --state fired --label project=site
      nightjar history --totals project --since -7d --chart

      A run goes from a start or a restart to its end, with its pauses, rings and snoozes: a timer \
      that repeats is one run, however often it rings. What counts is the time that the timer \
      counted: not paused, not overdue; asleep on the clock elapsed, not on awake; on present \
      while the session was in use. An alarm waits for a point in time and counts none.

      A run of which any part lies between --since and --until is shown whole. Totals are of the \
      time between them alone, each local day with its own: a run over midnight counts on both \
      days. The breaks of a sequence are no part of its totals; --steps lists its steps and \
      breaks separately.

      The ledger goes back 90 days or a million events, unless the configuration says otherwise.
      """)

  @Argument(
    help: ArgumentHelp("Only this timer, or those under run/….", valueName: "name"),
    completion: TimerCompletion.names)
  var name: String?

  @OptionGroup var past: SinceOption

  @Option(parsing: .unconditional, help: ArgumentHelp("Up to then.", valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp(
      "Only with this label, and this value; may be given several times.", valueName: "key[=value]")
  )
  var label: [String] = []

  @Option(help: ArgumentHelp("Only in this state, or ended so; may be given several times."))
  var state: [Run.State] = []

  @Option(help: ArgumentHelp("Only of this kind; may be given several times."))
  var kind: [TimersInterface.Kind] = []

  @Option(
    defaultAsFlag: TotalsArgument.name, parsing: .next,
    help: ArgumentHelp(
      "Add up the time of each day, by name or by the values of the label of this key.",
      valueName: "key"))
  var totals: TotalsArgument? = nil

  @Flag(help: "Totals list the steps of sequences separately, and count breaks.")
  var steps = false

  @Flag(help: "Totals as bars.")
  var chart = false

  @Flag(name: .customLong("json"), help: "Print one JSON object a line: each run, or each total.")
  var isJSON = false

  @OptionGroup var socket: SocketOption

  func run() throws {
    guard !(chart && isJSON) else { throw CommandError.usage("give --chart or --json, not both") }
    if case .label("") = totals {
      throw CommandError.usage(
        "--totals is by name, or takes the key of a label, such as --totals project")
    }
    let (zone, nowUsec) = (ZoneDatabase.local, LocalTime.nowUsec())
    var filter = RunFilter()
    filter.name = name.map(NamePattern.init)
    filter.range = try RunFilter.range(
      since: past.since, until: until, zone: zone, nowUsec: nowUsec)
    filter.labels = try RunFilter.labels(label)
    filter.states = Set(state)
    filter.kinds = kind.map(\.kind)
    let reader = HistoryReader(
      session: try Session.open(socket), filter: filter, zone: zone, nowUsec: nowUsec)
    guard totals == nil, !chart, !steps else { return try tellTotals(reader) }
    try tellRuns(reader)
  }

  private func tellRuns(_ reader: HistoryReader) throws {
    var runs: [Run] = []
    try reader.read { run in
      // The days are dropped to save memory: the rows do not show them, and there may be many runs.
      var run = run
      run.days = []
      runs.append(run)
    }
    runs.sort { $0.startSeq < $1.startSeq }
    guard !runs.isEmpty else { return sayNothing() }
    // On a terminal all rows are needed to set the columns' widths; elsewhere rows are printed in
    // blocks.
    let count = Terminal.isOutput && !isJSON ? runs.count : Output.linesAtOnce
    for start in stride(from: 0, to: runs.count, by: count) {
      let texts = runs[start..<min(start + count, runs.count)].map {
        RunText(run: $0, nowUsec: reader.nowUsec)
      }
      guard !isJSON else {
        Output.ready(texts.map(\.json.text))
        continue
      }
      // The output for scripts always has the same columns.
      let pauses = !Terminal.isOutput || texts.contains { $0.run.pausedUsec > 0 }
      var table = Table(header: RunText.header(pauses: pauses))
      for text in texts { table.add(text.row(pauses: pauses), style: text.style) }
      Output.ready(table.lines)
    }
  }

  private func tellTotals(_ reader: HistoryReader) throws {
    let key = (totals ?? .name).key
    var totals = Totals(by: key, tellsSteps: steps)
    var isEmpty = true
    try reader.read { run in
      isEmpty = false
      totals.add(run)
    }
    if case .label(let key) = key, !isEmpty, !totals.hasKey {
      let name = Quoting.quoted(key)
      throw CommandError(
        .refused,
        "no run has a label '\(key)'; for the timer of that name write \(Typed.nightjar) history "
          + "\(name) --totals"
      )
    }
    let text = TotalsText(totals: totals, days: reader.days, nowUsec: reader.nowUsec)
    guard !isJSON else { return Output.ready(text.jsonLines) }
    let width = Terminal.columns
    let lines =
      chart
      ? BarChart(text, ink: Terminal.isUnicode ? .blocks : .ascii, width: width).lines
      : text.lines(width: width)
    if lines.isEmpty { sayNothing() } else { Output.ready(lines) }
  }

  private func sayNothing() {
    if Terminal.isOutput, !isJSON { Output.line("nothing in that time") }
  }
}

/// How totals are grouped, as the user typed it.
enum TotalsArgument: ExpressibleByArgument {
  case name
  case label(String)

  init?(argument: String) {
    self = .label(argument)
  }

  var key: Totals.Key {
    switch self {
    case .name: .name
    case .label(let key): .label(key)
    }
  }
}

extension Run.State: ExpressibleByArgument {}
