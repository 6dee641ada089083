import ArgumentParser
import NightjarClient
import Varlink

struct Rename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a timer another name.",
    discussion: """
      The timer stays the same: it rings at the same time, and nightjar why shows all its events \
      under the new name. nightjar wait and nightjar watch continue with the new name. The name of \
      another timer is refused, even if that timer is over.
      """)

  @Argument(help: "The timer's name.", completion: TimerCompletion.names)
  var name: String

  @Argument(help: ArgumentHelp("The new name.", valueName: "new-name"))
  var newName: String

  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let reply = try reply(of: Session.open(socket, queue))
    guard !format.isJSON else { return Output.ready(reply.text) }
    let timer = try Session.timer(in: reply)
    Output.line("\(timer.name): was \(name), \(TimerText(timer).stateAndRemaining)")
  }

  func reply(of daemon: some Answering) throws(CommandError) -> JSONValue {
    switch try daemon.change(Call(Wire.Rename(name: name, newName: newName))) {
    case .success(let reply): return reply
    case .failure(.timerExists(newName)):
      let word = Quoting.quoted(newName)
      throw CommandError(
        .refused,
        "there is a timer called '\(newName)'; \(Typed.nightjar) remove \(word) makes room for "
          + "the new name")
    case .failure(let refusal): throw daemon.explained(refusal, isChange: true)
    }
  }
}
