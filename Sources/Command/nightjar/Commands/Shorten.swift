import ArgumentParser
import NightjarClient
import NightjarTime

struct Shorten: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "shorten",
    abstract: "Take time away from timers; a timer that has no time left rings.")

  @OptionGroup var selection: SpanSelection
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let (names, text) = try selection.split(command: "shorten")
    let span = try DurationArgument(text)
    return ChangeRequest(
      "shorten", names, isAll: selection.isAll, states: [.running, .paused],
      Change(
        call: { Call(Wire.Extend(name: $0, byUsec: -span.usec)) }, command: "shorten",
        echo: { Self.echo($0, by: span) }))
  }

  /// The sentence to print after a timer was shortened. The daemon removes at most the remaining
  /// time. If no time remains, the timer rings after the daemon's reply, so the sentence says that
  /// it rings now.
  private static func echo(_ timer: Wire.Timer, by span: DurationArgument) -> String {
    let length = SpanFormat.text(usec: span.usec)
    guard timer.remainingUsec == 0 else {
      return "\(length) less, \(TimerText(timer).state)\(span.note)"
    }
    let rings = timer.state == .paused ? "rings when it is resumed" : "rings now"
    return "no more than \(length) was left, so it \(rings)\(span.note)"
  }
}
