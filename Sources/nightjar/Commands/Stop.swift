import ArgumentParser
import NightjarClient

struct Stop: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "End timers, whatever they are doing: cancel, or dismiss.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "stop", selection, states: [.running, .paused, .waiting, .fired],
      Change(
        call: { .perform(.cancel, name: $0) }, command: "stop",
        echo: { timer in
          timer.state == .cancelled
            ? TimerText(timer).cancelled
            : "dismissed, \(TimerText(timer).state)"
        },
        // The daemon knows better than an earlier answer whether it has rung by now.
        instead: { refusal in
          guard case .invalidTransition(let name, let state, _) = refusal else { return nil }
          return switch NightjarTimer.State(rawValue: state) {
          case .fired: .perform(.dismiss, name: name)
          case .cancelled: .get(name: name)
          case .running, .paused, .waiting, .other: nil
          }
        }))
  }
}

// MARK: - Manual

extension Stop: Documented {
  static let manual = """
    One word for whoever does not care what a timer is doing. What has not rung is cancelled, as \
    by nightjar cancel; what rang is dismissed, as by nightjar dismiss; what is over stays as it \
    is.

    # EXAMPLES
      $ nightjar stop tea egg
      tea: cancelled, 03:12 was left
      egg: dismissed, rang 3 min ago

    # SEE ALSO
    nightjar(1), nightjar-cancel(1), nightjar-dismiss(1), nightjar-remove(1)
    """
}
