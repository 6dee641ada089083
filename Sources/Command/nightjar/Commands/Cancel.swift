import ArgumentParser
import NightjarClient

struct Cancel: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "End timers before they ring, and their rings.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "cancel", selection, states: [.running, .paused, .waiting],
      Change(
        call: { .perform(.cancel, name: $0) },
        echo: { TimerText($0).ended })
    ).aboutRings().askingFirst(unless: yes)
  }
}
