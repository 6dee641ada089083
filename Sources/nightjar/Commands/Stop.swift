import ArgumentParser
import NightjarClient

struct Stop: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract:
      "End timers in any state: cancel timers that have not rung, dismiss timers that rang.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "stop", selection, states: [.running, .paused, .waiting, .fired],
      Change(
        call: { .perform(.cancel, name: $0) }, command: "stop",
        echo: { timer in
          timer.state == .cancelled ? TimerText(timer).cancelled : TimerText(timer).dismissed
        },
        // The timer may have rung since it was listed. The daemon's refusal contains the new state.
        instead: { refusal in
          guard case .invalidTransition(let name, let state, _) = refusal else { return nil }
          return switch NightjarTimer.State(rawValue: state) {
          case .fired: .perform(.dismiss, name: name)
          case .cancelled: .get(name: name)
          case .running, .paused, .waiting, .other: nil
          }
        })
    ).askingFirst(unless: yes)
  }
}
