import ArgumentParser
import NightjarClient
import NightjarTime

struct Extend: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend", abstract: "Give timers more time.",
    usage: """
      nightjar extend NAME ... SPAN [--json]
      nightjar extend --all SPAN [--json]
      """)

  @Argument(
    help: ArgumentHelp("Timers, and the time span behind them.", valueName: "word"),
    completion: TimerCompletion.names)
  var words: [String] = []

  @Flag(name: .customLong("all"), help: "All timers that are running or paused.")
  var isAll = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() throws(CommandError) -> ChangeRequest {
    let (words, text) = try SpanLast.split(words, command: "extend", isAll: isAll)
    let span = try DurationArgument(text)
    return ChangeRequest(
      "extend", words, isAll: isAll, states: [.running, .paused],
      Change(
        call: { .extend(name: $0, byUsec: span.usec) },
        echo: { "\(SpanFormat.people(usec: span.usec)) more, \(TimerText($0).state)\(span.note)" }))
  }
}
