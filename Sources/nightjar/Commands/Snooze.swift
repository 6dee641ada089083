import ArgumentParser
import NightjarClient
import NightjarTime

struct Snooze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Let timers that rang ring again later.",
    usage: "nightjar snooze NAME ... [SPAN] [--json]")

  /// How long, where nobody says.
  private static let usual = "5min"

  @Argument(
    help: ArgumentHelp(
      "Timers, and the time span behind them (\(usual)).", valueName: "word"),
    completion: TimerCompletion.names)
  var words: [String] = []

  @Flag(name: .customLong("all"), help: "All timers that rang.")
  var isAll = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let (words, text) = try SpanLast.split(
      words, command: "snooze", isAll: isAll, usual: Self.usual)
    let span = try DurationArgument(text)
    let session = try Session.open(socket)
    let names = try Selection.resolve(
      words: words, isAll: isAll, states: [.fired, .waiting], command: "snooze", session: session)
    let change = Change(
      call: { .snooze(name: $0, byUsec: span.usec) },
      echo: {
        "snoozed for \(SpanFormat.people(usec: span.usec)), \(TimerText($0).state)\(span.note)"
      })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
