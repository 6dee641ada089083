import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show timers, and then a line for every change.")

  @Argument(
    help: ArgumentHelp("A timer, or those under run/…; all if it is left out.", valueName: "name"),
    completion: TimerCompletion.names)
  var name: String?

  @Option(help: ArgumentHelp("A line every so often while it runs, too.", valueName: "span"))
  var tick: String?

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  /// What tells whether a timer is as it was before the daemon was away.
  private struct Face {
    let id: Int64
    let state: NightjarTimer.State
    let deadlineUsec: Int64

    init(_ timer: NightjarTimer) {
      id = timer.id
      state = timer.state
      deadlineUsec = timer.deadlineUsec ?? 0
    }

    /// A deadline that is worked out anew may differ by what the clocks disagree.
    func looksLike(_ other: Face?) -> Bool {
      guard let other else { return false }
      return id == other.id && state == other.state
        && (deadlineUsec - other.deadlineUsec).magnitude < 1_000_000
    }
  }

  func run() throws {
    let tickUsec = try tick.map { (text) throws(CommandError) in try DurationArgument(text).usec }
    let session = try Session.open(socket)
    var stream = try LiveStream(session: session, call: call(tickUsec: tickUsec))
    var faces: [String: Face] = [:]
    var syncs = 0
    while case .reply(let reply) = try stream.next() {
      guard !format.isJSON else {
        Output.line(reply.text)
        continue
      }
      let change = WatchReply(reply)
      if change.isSynced {
        syncs += 1
        if syncs == 1, faces.isEmpty, let name { Output.complain("nothing called '\(name)' yet") }
      }
      if let seq = change.missedAfter {
        Output.complain("could not keep up; see nightjar events --after \(seq)")
      }
      let timer = try change.timer()
      var isRepeated = false
      if let timer {
        let face = Face(timer)
        isRepeated = syncs <= stream.reconnections && face.looksLike(faces[timer.name])
        faces[timer.name] = face
      }
      if let line = Self.line(timer, event: try change.event()), !isRepeated { Output.line(line) }
    }
  }

  private func call(tickUsec: Int64?) -> Call {
    switch name.map(NamePattern.init) {
    case .name(let name): .watch(name: name, tickUsec: tickUsec)
    case .prefix(let prefix): .watch(prefix: prefix, tickUsec: tickUsec)
    case nil: .watch(tickUsec: tickUsec)
    }
  }

  /// What happened, or else how the timer is.
  private static func line(_ timer: NightjarTimer?, event: Event?) -> String? {
    guard let event else {
      return timer.map { "\($0.name): \(TimerText($0).stateAndRemaining)" }
    }
    let time = LocalTime.short(event.timeUsec, nowUsec: LocalTime.nowUsec())
    return "\(time)  \(EventText(event).sentenceWithName)"
  }
}
