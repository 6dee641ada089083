import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarTime
import Varlink

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show how long timers ran in the past: each run, totals by day, or a picture.",
    discussion: """
      nightjar history --since yesterday
      nightjar history run/… --state over --label project=site
      nightjar history --totals project --since -7d --chart
      nightjar history --day yesterday

      A run begins when a timer is started or restarted, and lasts until the timer ends. It \
      includes pauses, rings and snoozes: a timer that repeats is one run, however often it rings. \
      The counted time is the time on the timer's clock: sleep counts on elapsed, and not on \
      awake; on present, only time in which the session is in use counts. The time of pauses, and \
      the time after the timer expired, does not count. An alarm waits for a time of day, and \
      counts no time.

      A run that overlaps the time between --since and --until is shown as a whole. Totals count \
      only the time between them, by local day: a run over midnight counts on both days. Totals do \
      not include the breaks of a sequence; --steps lists its steps and breaks separately.

      --day, --week and --year stand for --since and --until. Without a form such as --totals or \
      --json they draw a picture: when timers ran, were paused and rang, and when the machine slept.

      Left out are timers that were started without a name, and those that were removed or replaced \
      before their end, unless their name or state is given; --all shows them, too.

      The ledger goes back 90 days or a million events, unless the configuration says otherwise.
      """)

  @Argument(
    help: ArgumentHelp(
      "Show only this timer, or the timers under a path such as run/….", valueName: "name"),
    completion: TimerCompletion.names)
  var name: String?

  @OptionGroup var past: SinceOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Leave out runs that began after this time.", valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp(
      "Show only timers with this label, and with this value if it is given; may be given several "
        + "times.", valueName: "key[=value]"))
  var label: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show only runs that are in this state or ended in this way; may be given several times."))
  var state: [Run.State] = []

  @Option(help: ArgumentHelp("Show only timers of this kind; may be given several times."))
  var kind: [Wire.Kind] = []

  @Flag(help: "Also show timers that had no name of their own, or were removed.")
  var all = false

  @Option(
    defaultAsFlag: Totals.Key.name, parsing: .next,
    help: ArgumentHelp(
      "Add up the time of each day for each value of the label KEY; without KEY, for each name.",
      valueName: "key"))
  var totals: Totals.Key? = nil

  @Flag(help: "In totals, list the steps of sequences separately, and count breaks.")
  var steps = false

  @Flag(help: "Show the totals as bars.")
  var chart = false

  @Option(
    defaultAsFlag: "today", parsing: .next,
    help: ArgumentHelp(
      "Show only today, or the day of DATE: as a picture, with a line for each timer.",
      valueName: "date"))
  var day: String? = nil

  @Option(
    defaultAsFlag: "today", parsing: .next,
    help: ArgumentHelp(
      "Show only this week, or that of DATE: as a picture, with a line for each day.",
      valueName: "date"))
  var week: String? = nil

  @Option(
    defaultAsFlag: "today", parsing: .next,
    help: ArgumentHelp(
      "Show only this year, or that of DATE: as a calendar, with a sign for each day.",
      valueName: "date"))
  var year: String? = nil

  @Option(
    help: ArgumentHelp(
      "Draw the picture in SVG into FILE, and print nothing.", valueName: "file"),
    completion: .file(extensions: ["svg"]))
  var svg: String?

  @Option(
    help: ArgumentHelp(
      "Write a page with the picture into FILE, and print nothing.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var html: String?

  @Flag(name: .customLong("json"), help: "Print one JSON object per line: each run, or each total.")
  var isJSON = false

  @OptionGroup var socket: SocketOption

  func run() throws {
    guard !(chart && isJSON) else { throw CommandError.usage("give --chart or --json, not both") }
    if case .label("") = totals {
      throw CommandError.usage(
        "--totals is by name, or takes the key of a label, such as --totals project")
    }
    let (zone, nowUsec) = (ZoneDatabase.local, LocalTime.nowUsec())
    let period = try period(zone: zone, nowUsec: nowUsec)
    let range =
      try period?.range
      ?? RunFilter.range(since: past.since, until: until, zone: zone, nowUsec: nowUsec)
    let isPlain = totals == nil && !chart && !steps
    guard svg == nil && html == nil || period != nil && isPlain && !isJSON else {
      throw CommandError.usage(
        "--svg and --html draw what --day, --week or --year shows without --totals, --chart, "
          + "--steps and --json")
    }
    let filter = RunFilter(
      name: name.map(NamePattern.init), days: LocalDays(zone: zone, range: range),
      labels: try RunFilter.labels(label), states: Set(state), kinds: kind, includesMinor: all)
    let session = try Session.open(socket)
    if let period, isPlain, !isJSON {
      try printPicture(period.kind, period.days, filter, session, nowUsec: nowUsec)
    } else if isPlain {
      try printRuns(filter, session, nowUsec: nowUsec)
    } else {
      try printTotals(filter, session, nowUsec: nowUsec)
    }
  }

  private func printRuns(_ filter: RunFilter, _ session: Session, nowUsec: Int64) throws {
    var runs: [Run] = []
    try filter.read(from: session, nowUsec: nowUsec) { run in
      // The days are dropped to save memory: the rows do not show them, and there may be many runs.
      var run = run
      (run.days, run.pauses) = ([], [])
      runs.append(run)
    }
    runs.sort { $0.startSeq < $1.startSeq }
    guard !runs.isEmpty else { return sayNothing() }
    // On a terminal all rows are needed to set the columns' widths; elsewhere rows are printed in
    // blocks.
    let count = Terminal.isOutput && !isJSON ? runs.count : Output.linesAtOnce
    for start in stride(from: 0, to: runs.count, by: count) {
      let texts = runs[start..<min(start + count, runs.count)].map {
        RunText(run: $0, nowUsec: nowUsec)
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

  private func printTotals(_ filter: RunFilter, _ session: Session, nowUsec: Int64) throws {
    let key = totals ?? .name
    var totals = Totals(by: key, listsSteps: steps)
    var isEmpty = true
    try filter.read(from: session, nowUsec: nowUsec) { run in
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
    let text = TotalsText(totals: totals, nowUsec: nowUsec)
    guard !isJSON else { return Output.ready(text.jsonLines) }
    let width = Terminal.columns
    let lines = chart ? BarChart(text, width: width).lines : text.lines(width: width)
    if lines.isEmpty { sayNothing() } else { Output.ready(lines) }
  }

  /// The days of --day, --week or --year; nil: none of them is given.
  private func period(zone: ZoneRules, nowUsec: Int64) throws(CommandError)
    -> (kind: HistoryPicture.Period, days: Range<Int>, range: Range<Int64>)?
  {
    let given = zip(HistoryPicture.Period.allCases, [day, week, year]).filter { $1 != nil }
    guard let (kind, date) = given.first else { return nil }
    guard given.count == 1, past.since == nil, until == nil else {
      throw .usage(
        "--day, --week and --year stand for --since and --until; give one of them, or those two")
    }
    let point = try PastPoint.read(
      date, behind: "--\(kind.rawValue)", zone: zone, nowUsec: nowUsec)
    let days = kind.days(around: zone.civil(atUsec: point ?? nowUsec).date.daysSinceEpoch)
    return (kind, days, LocalDays(zone: zone, days: days).range)
  }

  private func printPicture(
    _ period: HistoryPicture.Period, _ days: Range<Int>, _ filter: RunFilter, _ session: Session,
    nowUsec: Int64
  ) throws {
    let picture = try HistoryPicture(period, days, filter, from: session, nowUsec: nowUsec)
    let drawing = PictureSVG(picture: picture)
    if let svg { try Output.save(drawing.svg, to: svg) }
    if let html { try Output.save(drawing.page, to: html) }
    guard svg == nil, html == nil else { return }
    guard !picture.isEmpty else { return sayNothing() }
    let text = PictureText(
      picture: picture, isUnicode: Terminal.isUnicode, width: Terminal.columns)
    Output.ready(text.lines.map(\.output))
  }

  private func sayNothing() {
    if Terminal.isOutput, !isJSON {
      Output.line(
        "nothing in that time"
          + (all || name != nil ? "" : "; --all also shows timers without a name"))
    }
  }
}

extension Run.State: ExpressibleByArgument {}
