/// The output of `nightjar` without a command, on a terminal: the list of timers, and a few
/// commands for new users.
enum FrontPage {
  /// Prints the front page. This does not start the daemon, because a daemon that has just started
  /// has no running timers to report.
  static func show() throws(CommandError) {
    // The commands are printed even if the daemon does not answer.
    defer { Output.ready(commands) }
    guard let session = try Session.openIfRunning(SocketOption.none) else {
      return Output.line("The daemon is not running; the next command that needs it starts it.")
    }
    let timers = try session.timers()
    Output.ready(timers.isEmpty ? ["No timer runs."] : List.lines(timers, at: .here))
  }

  /// A few commands for new users, each with its effect.
  private static var commands: [String] {
    let commands = [
      ("nightjar start tea 4min", "start a timer called tea"),
      ("nightjar watch", "show timers live; keys pause, extend and end them"),
      ("nightjar why tea", "see what happened to a timer, and why it rang late"),
    ]
    let width = (commands.map(\.0.count).max() ?? 0) + 3
    let lines = commands.map { command, what in
      let gap = String(repeating: " ", count: width - command.count)
      return "  \(Terminal.styled(command, .bold))\(gap)\(what)"
    }
    let more = "nightjar --help shows the common commands. nightjar help lists all of them."
    return [""] + lines + ["", more]
  }
}
