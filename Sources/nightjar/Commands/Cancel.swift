import ArgumentParser
import NightjarClient

struct Cancel: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "End timers before their time.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "cancel", selection, states: [.running, .paused],
      Change(
        call: { .perform(.cancel, name: $0) },
        echo: { "cancelled, \(TimerText($0).remaining) was left" }))
  }
}

// MARK: - Manual

extension Cancel: Documented {
  static let manual = """
    What is cancelled stays to be seen for a day, and can be begun anew by nightjar restart. One \
    that rang already is not cancelled: see nightjar-dismiss(1), or nightjar-stop(1), which does \
    whichever is right.

    # EXAMPLES
      $ nightjar cancel tea
      tea: cancelled, 03:12 was left

    # SEE ALSO
    nightjar(1), nightjar-dismiss(1), nightjar-remove(1), nightjar-restart(1), nightjar-stop(1)
    """
}
