import ArgumentParser
import NightjarClient
import NightjarTime

struct Snooze: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Let timers that rang ring again later.",
    discussion: "Without a time span they ring again in \(usual).")

  /// How long, where nobody says.
  private static let usual = "5min"

  @OptionGroup var selection: SpanSelection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() throws(CommandError) -> ChangeRequest {
    let (names, text) = try selection.split(command: "snooze", usual: Self.usual)
    let span = try DurationArgument(text)
    return ChangeRequest(
      "snooze", names, isAll: selection.isAll, states: [.fired, .waiting],
      Change(
        call: { .snooze(name: $0, byUsec: span.usec) },
        echo: {
          "snoozed for \(SpanFormat.people(usec: span.usec)), \(TimerText($0).state)\(span.note)"
        }))
  }
}
