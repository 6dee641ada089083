import ArgumentParser

extension Mqtt {
  struct Leave: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "leave",
      abstract: "Leave a session that was shared or joined.",
      discussion: """
        The broker deletes the messages that this machine published in the session, and the other \
        members see that it left. The timers themselves stay as they are.
        """)

    @Argument(
      help: ArgumentHelp(
        "The session that was shared or joined, such as run/4711.", valueName: "session"))
    var session: String

    @OptionGroup var format: FormatOption

    func run() throws {
      let reply = try SessionCall(session).leave()
      try SessionCall.show(reply, format) { SessionText($0).left }
    }
  }
}
