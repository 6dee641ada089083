import ArgumentParser
import NightjarClient

struct Resume: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let paused timers go on.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [.paused], command: "resume", session: session)
    let change = Change(
      call: { .perform(.resume, name: $0) },
      echo: { TimerText($0).stateAndRemaining })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
