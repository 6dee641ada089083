import ArgumentParser
import NightjarClient
import NightjarTime

struct Extend: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend", abstract: "Give timers more time.")

  @OptionGroup var selection: SpanSelection
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let (names, text) = try selection.split(command: "extend")
    let span = try DurationArgument(text)
    return ChangeRequest(
      "extend", names, isAll: selection.isAll, states: [.running, .paused],
      Change(
        call: { Call(Wire.Extend(name: $0, byUsec: span.usec)) },
        echo: { "\(SpanFormat.text(usec: span.usec)) more, \(TimerText($0).state)\(span.note)" }))
  }
}
