import ArgumentParser
import NightjarClient

struct Dismiss: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss", abstract: "Dismiss timers that rang.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) -> ChangeRequest {
    ChangeRequest(
      "dismiss", selection, states: [.fired],
      Change(
        call: { .perform(.dismiss, name: $0) },
        echo: { "dismissed, \(TimerText($0).state)" }))
  }
}
