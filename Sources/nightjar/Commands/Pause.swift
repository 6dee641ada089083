import ArgumentParser
import NightjarClient

struct Pause: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Hold timers; what remains is kept.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "pause", selection, states: [.running],
      Change(
        call: { .perform(.pause, name: $0) },
        echo: { TimerText($0).state }))
  }
}

// MARK: - Manual

extension Pause: Documented {
  static let manual = """
    A countdown that is paused keeps what remains, on any clock. An alarm that is paused is muted: \
    if its time passes, it rings when it is resumed. A stopwatch stands still.

    # EXAMPLES
      $ nightjar pause tea
      tea: paused, 03:12 left

    All that run under a path:

      $ nightjar pause run/…

    # SEE ALSO
    nightjar(1), nightjar-resume(1)
    """
}
