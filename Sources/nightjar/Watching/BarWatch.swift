import Glibc

/// `nightjar watch --format`: a line whenever the bar would show something else.
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
      // Before all has been told, nothing is shown, and nothing worked out.
      if follower.board.isSynced {
        let line = BarLine(&follower, for: format, template: template, at: now)
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
