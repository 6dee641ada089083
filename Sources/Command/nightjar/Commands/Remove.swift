import ArgumentParser
import NightjarClient

struct Remove: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove timers in any state.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "remove", selection,
      Change(
        call: { .perform(.remove, name: $0) },
        echo: { TimerText($0).removed })
    ).aboutRings().askingFirst(unless: yes)
  }
}
