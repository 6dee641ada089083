import ArgumentParser
import NightjarClient
import NightjarTime

struct Snooze: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Let timers that rang ring again later.",
    usage: """
      nightjar snooze NAME ... [SPAN] [--json]
      nightjar snooze --all [SPAN] [--json]
      """)

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

  func request() throws(CommandError) -> ChangeRequest {
    let (words, text) = try SpanLast.split(
      words, command: "snooze", isAll: isAll, usual: Self.usual)
    let span = try DurationArgument(text)
    return ChangeRequest(
      "snooze", words, isAll: isAll, states: [.fired, .waiting],
      Change(
        call: { .snooze(name: $0, byUsec: span.usec) },
        echo: {
          "snoozed for \(SpanFormat.people(usec: span.usec)), \(TimerText($0).state)\(span.note)"
        }))
  }
}
