import ArgumentParser
import NightjarClient

struct Dismiss: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss", abstract: "Put away timers that rang.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [.fired], command: "dismiss", session: session)
    let change = Change(
      call: { .perform(.dismiss, name: $0) },
      echo: { "dismissed, \(TimerText($0).state)" })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
