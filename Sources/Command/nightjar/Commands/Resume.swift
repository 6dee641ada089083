import ArgumentParser
import NightjarClient

struct Resume: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Continue paused timers.")

  @OptionGroup var selection: Selection
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "resume", selection, states: [.paused],
      Change(
        call: { .perform(.resume, name: $0) },
        echo: { TimerText($0).stateAndRemaining }))
  }
}
