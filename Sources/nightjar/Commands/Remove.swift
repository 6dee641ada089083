import ArgumentParser
import NightjarClient

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Put timers away, whatever they are doing.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [], command: "remove", session: session)
    let change = Change(
      call: { .perform(.remove, name: $0) },
      echo: { _ in "removed" })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
