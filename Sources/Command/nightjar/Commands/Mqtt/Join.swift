import ArgumentParser

extension Mqtt {
  struct Join: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "join",
      abstract: "See the timers that members of a group share, and share none.",
      discussion: """
        nightjar @run/4711 list shows the timers of all members in the session, and nightjar \
        @run/4711 watch follows them. The session lasts until nightjar mqtt leave run/4711; see SESSIONS \
        in nightjar-mqtt(1).
        """)

    @Argument(
      help: ArgumentHelp(
        "The session: a path of timers that members share, such as run/4711.", valueName: "session")
    )
    var session: String

    @OptionGroup var group: GroupOption
    @OptionGroup var format: FormatOption

    func run() throws {
      let reply = try SessionCall(session).take(part: "Join", group: group.name)
      try SessionCall.show(reply, format) { SessionText($0).taken }
    }
  }
}
