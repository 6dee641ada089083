import ArgumentParser
import NightjarClient
import NightjarTime
import Varlink

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of the daemon.")

  @Flag(help: "If no daemon runs, start none, and exit with 4.")
  var noStart = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    // The daemon of another machine cannot be started from here.
    let isOwn = socket.device == nil
    let session =
      noStart && isOwn ? try Session.openIfRunning(socket) : try Session.open(socket)
    guard let session else {
      throw CommandError(.noDaemon, "no daemon is running; nightjar status starts it")
    }
    guard !format.isJSON else { return Output.ready(try session.call(Call(Wire.Status())).text) }
    let status = try session.status()
    let text = StatusText(
      status, socket: isOwn ? session.path : nil, presetProblem: isOwn ? Presets.problem : nil)
    Output.ready(text.lines)
  }
}
