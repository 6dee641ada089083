import ArgumentParser
import NightjarClient

struct Dismiss: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss", abstract: "End rings, and clear what did not ring.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  /// Whether a prefix or --all selects the timer: it shows a ring, an expiry that did not ring or a
  /// failed command, and its ring is not snoozed.
  private static func isIncluded(_ timer: Wire.Timer) -> Bool {
    !timer.isSnoozed && (timer.ringing != nil || timer.miss != nil || timer.failure != nil)
  }

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "dismiss", selection, isFor: Self.isIncluded,
      Change(
        call: { .perform(.dismiss, name: $0) },
        echo: { TimerText($0).dismissed })
    ).aboutRings().askingFirst(unless: yes)
  }
}
