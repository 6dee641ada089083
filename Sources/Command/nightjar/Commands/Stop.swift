import ArgumentParser
import NightjarClient

struct Stop: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract:
      "End the open rings of timers; cancel timers that have none.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "stop", selection, isFor: { $0.isActive || $0.ringing != nil },
      Change(call: { .perform(.stop, name: $0) }, echo: { TimerText($0).ended })
    ).aboutRings().askingFirst(unless: yes)
  }
}
