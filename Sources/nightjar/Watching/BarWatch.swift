import Glibc

/// `nightjar watch --format`: a line whenever the bar would show something else.
enum BarWatch {
  static func run(
    _ subject: Board.Subject, format: BarLine.Format, socket: SocketOption
  ) throws(CommandError) {
    var follower = try Follower(subject, socket: socket)
    var shown: String?
    while true {
      _ = try follower.read()
      let now = follower.board.reading(.now)
      let line = BarLine(follower.board.inOrder, at: now)
      if follower.board.isSynced {
        let text = line.text(in: format)
        if text != shown { Output.ready(text) }
        shown = text
      }
      Waiting.wait(
        for: [follower.descriptor], output: STDOUT_FILENO,
        usec: line.nextChangeUsec(in: format), msec: follower.pollMsec)
    }
  }
}
