import ArgumentParser
import NightjarClient

struct Dismiss: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss", abstract: "Dismiss timers that rang.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  /// Whether a prefix or --all selects the timer: it has a ring or a failed command to dismiss.
  private static func isIncluded(_ timer: Wire.Timer) -> Bool {
    switch timer.state {
    case .fired: true
    case .running, .waiting: timer.firedUsec != nil || timer.failure != nil
    case .paused, .cancelled, .other: timer.failure != nil
    }
  }

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "dismiss", selection, isFor: Self.isIncluded,
      Change(
        call: { .perform(.dismiss, name: $0) },
        echo: { TimerText($0).dismissed })
    ).askingFirst(unless: yes)
  }
}
