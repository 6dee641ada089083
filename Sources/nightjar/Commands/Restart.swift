import ArgumentParser
import NightjarClient
import NightjarTime

struct Restart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Begin timers anew, with the duration they were given.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [], command: "restart", session: session)
    let change = Change(
      call: { .perform(.restart, name: $0) },
      echo: { "\(SpanFormat.people(usec: $0.durationUsec)), \(TimerText($0).state)" })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
