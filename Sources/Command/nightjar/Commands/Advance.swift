import ArgumentParser
import NightjarClient

struct Advance: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "advance", abstract: "Begin the next step of sequences.",
    discussion: """
      The next step begins even if the present step is not over. In its last step a sequence ends.
      """)

  @OptionGroup var selection: Selection
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "advance", selection, states: [.running, .paused, .waiting], isFor: { $0.kind == .sequence },
      Change(
        call: { .perform(.advance, name: $0) },
        echo: {
          $0.state == .over
            ? "that was the last step" : "\(TimerText($0).what)\(TimerText($0).state)"
        }))
  }
}
