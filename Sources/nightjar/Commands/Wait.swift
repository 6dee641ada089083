import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarVarlink

struct Wait: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until a timer rings.",
    discussion: """
      On a terminal it shows what remains, rings the terminal and says what rang. Exits with 0 when \
      the timer rings, or at once if it rang and is over; also if it expired without a ring, as \
      --late skip says. For a timer that repeats it waits for the next ring, for a sequence for the end. Exits with 2 when the timer is cancelled \
      or removed, with 3 if there is no timer of that name, and with 124 when the time-out comes \
      first. It keeps waiting across a restart of the daemon.
      """)

  @Argument(help: "The timer.", completion: TimerCompletion.names)
  var name: String

  @Option(help: ArgumentHelp("How long to wait at most.", valueName: "span"))
  var timeout: String?

  @OptionGroup var quiet: QuietOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let limit = try timeout.map { (text) throws(CommandError) in try DurationArgument(text) }
    let deadline = limit.map { Deadline.after(usec: $0.usec) } ?? .never
    do throws(CommandError) {
      try follow(until: deadline)
    } catch {
      guard error.status == .timedOut else { throw error }
      let waited = limit.map { SpanFormat.people(usec: $0.usec) } ?? "time"
      throw CommandError(.timedOut, "'\(name)' has not rung in \(waited)")
    }
  }

  /// Returns when it has rung.
  ///
  /// - Throws: `CommandError`; `limitReached` when the deadline passes first, whatever was being waited
  ///   for: a daemon that does not answer must not make the time-out longer.
  private func follow(until deadline: Deadline) throws(CommandError) {
    let session = try Session.open(socket, limit: deadline)
    let storage = try session.status().storage
    var lastSeq = storage.lastSeq
    // What the timer is then counts, not what happened to it.
    var stream = try LiveStream(
      session: session, call: .watch(name: name), goesOnByNumber: false)

    let isShown = Terminal.isOutput && !format.isJSON && !quiet.isQuiet
    var line = WaitLine(isWanted: isShown && TerminalFeatures.ofOutput.hasBell)
    var terminal = TerminalRing(isShown ? .ofOutput : .none)
    defer {
      line.erase()
      terminal.end()
    }
    var known: NightjarTimer?
    var reconnectionsWhenSeen = -1
    waiting: while true {
      let nextChange = line.draw().map { Deadline.after(usec: $0) } ?? .never
      let reply: JSONValue
      switch try stream.next(deadline: .earlier(deadline, nextChange)) {
      case .reply(let next): reply = next
      case .timedOut where deadline.hasPassed: throw .limitReached
      case .timedOut: continue
      case .ended: break waiting
      }
      let change = try CommandError.explaining { () throws(ClientError) in
        try NightjarClient.Change(reply)
      }
      let event = change.event
      if let event { lastSeq = event.seq }
      if let timer = change.timer {
        known = timer
        reconnectionsWhenSeen = stream.reconnections
        let isOver = try hasRung(timer) || event?.type == .fired
        guard isOver else {
          line.take(timer)
          terminal.show("\(name): \(TimerText(timer).state)")
          continue
        }
        if format.isJSON { Output.ready(reply.text) }
        line.erase()
        if isShown { Output.line(Self.sentence(timer)) }
        // One that had rung before was rung for then.
        if event != nil { terminal.ring(for: timer) }
        return
      }
      if event?.type == .renamedTo, let newName = event?.newName {
        throw CommandError(.ended, "'\(name)' has another name now: \(newName)")
      }
      if event?.type == .removed { throw CommandError(.ended, "'\(name)' was removed") }
      // Everything there is has been named, and this timer was not.
      if change.isSynced, reconnectionsWhenSeen < stream.reconnections { break }
    }
    try explainAbsence(
      known, behind: lastSeq, of: storage.ledger, path: session.path, limit: deadline)
  }

  /// `tea rang just now, 2 h late: the machine slept: Take the bread out`.
  private static func sentence(_ timer: NightjarTimer) -> String {
    "\(timer.name) \(TimerText(timer).rang)" + (timer.message.map { ": \($0)" } ?? "")
  }

  /// - Throws: `CommandError` if it ended without ringing.
  private func hasRung(_ timer: NightjarTimer) throws(CommandError) -> Bool {
    guard timer.kind != .stopwatch else {
      throw CommandError(
        .refused, "'\(name)' is a stopwatch, which never rings; nightjar watch \(name) shows it")
    }
    switch timer.state {
    case .fired: return true
    case .cancelled: throw CommandError(.ended, "'\(name)' was cancelled")
    case .running, .paused, .waiting, .other: return false
    }
  }

  /// It is not there, or no longer. While the daemon was away, or we were too slow, it may have
  /// rung and been dismissed: the ledger knows.
  private func explainAbsence(
    _ known: NightjarTimer?, behind lastSeq: Int64, of ledger: String?, path: String,
    limit: Deadline
  ) throws(CommandError) {
    let session = try Session.openAgain(path: path, limit: limit)
    guard let known else {
      _ = try session.timer(named: name)
      return
    }
    guard try session.status().storage.ledger == ledger else {
      throw CommandError(.ended, "'\(name)' is gone: the daemon has begun with an empty ledger")
    }
    var hasRung = false
    try LedgerReader(session: session).read(after: lastSeq, ledger: ledger) {
      _, event in
      if event.id == known.id, event.type == .fired { hasRung = true }
    }
    guard hasRung else { throw CommandError(.ended, "'\(name)' was removed") }
  }
}
