import ArgumentParser
import NightjarClient

struct Pause: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Hold timers; what remains is kept.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [.running], command: "pause", session: session)
    let change = Change(
      call: { .perform(.pause, name: $0) },
      echo: { TimerText($0).state })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
