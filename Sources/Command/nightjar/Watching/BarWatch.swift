import Glibc

/// Runs `nightjar watch --format`, which prints a line each time the bar's text changes.
enum BarWatch {
  static func run(
    _ subject: Board.Subject, format: BarLine.Format, template: BarTemplate?, socket: SocketOption
  ) throws(CommandError) {
    var follower = try Follower(subject, socket: socket)
    var shown: String?
    while true {
      _ = try follower.read()
      let now = follower.board.reading(.now)
      var nextChangeUsec: Int64?
      // No line is printed until the daemon has sent all timers.
      if follower.board.isSynced {
        let line = BarLine(&follower.board, for: format, template: template, at: now)
        let text = line.text(in: format)
        if text != shown { Output.ready(text) }
        shown = text
        nextChangeUsec = line.nextChangeUsec(in: format)
      }
      Waiting.wait(
        for: [follower.descriptor], output: STDOUT_FILENO, usec: nextChangeUsec,
        msec: follower.pollMsec)
    }
  }
}
