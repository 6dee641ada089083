import ArgumentParser
import NightjarClient
import NightjarTime

struct Restart: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Begin timers anew, with the duration they were given.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request() -> ChangeRequest {
    ChangeRequest(
      "restart", selection,
      Change(
        call: { .perform(.restart, name: $0) },
        echo: { "\(SpanFormat.people(usec: $0.durationUsec)), \(TimerText($0).state)" }))
  }
}

// MARK: - Manual

extension Restart: Documented {
  static let manual = """
    Whatever a timer does, it begins anew: a countdown with the duration it was started with, a \
    sequence with its first step, a stopwatch at nothing. What was added by nightjar extend is \
    gone.

    # EXAMPLES
      $ nightjar restart egg
      egg: 6 min, rings at 14:34:10

    # SEE ALSO
    nightjar(1), nightjar-extend(1), nightjar-start(1)
    """
}
