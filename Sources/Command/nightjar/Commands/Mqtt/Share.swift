import ArgumentParser

extension Mqtt {
  struct Share: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "share",
      abstract: "Share timers with the members of a group, and see their timers.",
      discussion: """
        nightjar mqtt share run/4711 shows the timer run/4711 and all timers under it to the group: their \
        present state, and then each change. nightjar @run/4711 list shows the timers of all members \
        in the session. The session lasts until nightjar mqtt leave run/4711; see SESSIONS in \
        nightjar-mqtt(1).
        """)

    @Argument(
      help: ArgumentHelp(
        "The name of a timer, or a path with all timers under it, such as run/4711.",
        valueName: "session"),
      completion: TimerCompletion.names)
    var session: String

    @OptionGroup var group: GroupOption
    @OptionGroup var format: FormatOption

    func run() throws {
      let reply = try SessionCall(session).take(part: "Share", group: group.name)
      try SessionCall.show(reply, format) { SessionText($0).taken }
    }
  }
}
