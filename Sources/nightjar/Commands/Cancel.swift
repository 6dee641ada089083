import ArgumentParser
import NightjarClient

struct Cancel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "End timers before their time.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(
      states: [.running, .paused], command: "cancel", session: session)
    let change = Change(
      call: { .perform(.cancel, name: $0) },
      echo: { "cancelled, \(TimerText($0).remaining) was left" })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
