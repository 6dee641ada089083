import ArgumentParser
import NightjarClient
import NightjarTime

struct Extend: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend",
    abstract: "Give timers more time, or less: extend tea 5min, extend tea -1min.",
    discussion: """
      A minus takes time away. A timer that then has no time left rings.
      """)

  @OptionGroup var selection: SpanSelection
  @Flag(help: .hidden) var less = false
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let (names, text) = try selection.split(command: less ? "shorten" : "extend", isSigned: !less)
    let isLess = less || text.hasPrefix("-")
    let span = try DurationArgument(text.hasPrefix("-") && !less ? String(text.dropFirst()) : text)
    return ChangeRequest(
      "extend", names, isAll: selection.isAll, states: [.running, .paused],
      Change(
        call: { Call(Wire.Extend(name: $0, byUsec: isLess ? -span.usec : span.usec)) },
        command: isLess ? "shorten" : nil,
        echo: { Self.echo($0, by: span, isLess: isLess) }))
  }

  /// The sentence to print after the change. The daemon takes away at most the remaining time. If
  /// no time remains, the timer rings after the daemon's reply, so the sentence says that it rings
  /// now.
  private static func echo(
    _ timer: Wire.Timer, by span: DurationArgument, isLess: Bool
  ) -> String {
    let length = SpanFormat.text(usec: span.usec)
    guard isLess, timer.remainingUsec == 0 else {
      return "\(length) \(isLess ? "less" : "more"), \(TimerText(timer).state)\(span.note)"
    }
    let rings = timer.state == .paused ? "rings when it is resumed" : "rings now"
    return "no more than \(length) was left, so it \(rings)\(span.note)"
  }
}
