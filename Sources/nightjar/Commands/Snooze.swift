import ArgumentParser
import NightjarClient
import NightjarModel
import NightjarTime

struct Snooze: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Let timers that rang ring again later.",
    discussion: "Without a time span they ring again in \(usual).")

  /// How long a snooze is by default, also for the key of the live screen.
  static let usualUsec = Limits.usualSnoozeUsec
  private static let usual = SpanFormat.canonical(.usec(UInt64(usualUsec)))

  @OptionGroup var selection: SpanSelection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) throws(CommandError) -> ChangeRequest {
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
