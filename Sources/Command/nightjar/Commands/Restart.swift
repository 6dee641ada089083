import ArgumentParser
import NightjarClient

struct Restart: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Start timers again, with their original duration.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "restart", selection,
      Change(
        call: { .perform(.restart, name: $0) },
        echo: { TimerText($0).begun() })
    ).askingFirst(unless: yes)
  }
}
