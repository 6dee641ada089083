import ArgumentParser
import NightjarClient

struct Pause: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause timers; they keep their remaining time.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "pause", selection, states: [.running],
      Change(
        call: { .perform(.pause, name: $0) },
        echo: { TimerText($0).state })
    ).askingFirst(unless: yes)
  }
}
