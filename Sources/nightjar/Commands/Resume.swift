import ArgumentParser
import NightjarClient

struct Resume: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let paused timers go on.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "resume", selection, states: [.paused],
      Change(
        call: { .perform(.resume, name: $0) },
        echo: { TimerText($0).stateAndRemaining }))
  }
}

// MARK: - Manual

extension Resume: Documented {
  static let manual = """
    An alarm whose time has passed in the pause rings now, late because it was paused, if its \
    --late lets it.

    # EXAMPLES
      $ nightjar pause tea
      $ nightjar resume tea
      tea: running, 03:12 left, rings at 14:35:40

    # SEE ALSO
    nightjar(1), nightjar-pause(1)
    """
}
