import ArgumentParser
import NightjarClient

struct Dismiss: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss", abstract: "Put away timers that rang.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "dismiss", selection, states: [.fired],
      Change(
        call: { .perform(.dismiss, name: $0) },
        echo: { "dismissed, \(TimerText($0).state)" }))
  }
}

// MARK: - Manual

extension Dismiss: Documented {
  static let manual = """
    Says that somebody heard. A timer that came to its end is put away, and can be seen no more; \
    of one that goes on, as an alarm that repeats, only the ring is.

    # EXAMPLES
      $ nightjar dismiss egg
      egg: dismissed, rang 3 min ago
      $ nightjar dismiss --all

    # SEE ALSO
    nightjar(1), nightjar-snooze(1), nightjar-stop(1)
    """
}
