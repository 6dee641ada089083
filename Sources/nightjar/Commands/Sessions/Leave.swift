import ArgumentParser

struct Leave: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "End what share or join began.",
    discussion: """
      The broker forgets what this machine showed, and the others see that it left. The timers \
      themselves stay as they are.
      """)

  @Argument(
    help: ArgumentHelp("What was shared or joined, such as run/4711.", valueName: "session"))
  var session: String

  @OptionGroup var format: FormatOption

  func run() throws {
    let reply = try SessionCall(session).leave()
    try SessionCall.show(reply, format) { SessionText($0).left }
  }
}
