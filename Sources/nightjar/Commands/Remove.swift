import ArgumentParser
import NightjarClient

struct Remove: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Put timers away, whatever they are doing.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "remove", selection,
      Change(
        call: { .perform(.remove, name: $0) },
        echo: { _ in "removed" }))
  }
}

// MARK: - Manual

extension Remove: Documented {
  static let manual = """
    Nobody is asked, and the name is free. What happened to the timer stays in the ledger, see \
    nightjar-events(1).

    # EXAMPLES
      $ nightjar remove run/…
      run: removed
      run/4711/mate: removed

    # SEE ALSO
    nightjar(1), nightjar-cancel(1), nightjar-events(1), nightjar-stop(1)
    """
}
