import ArgumentParser
import NightjarClient
import NightjarTime
import Varlink

struct Wait: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until a timer rings: wait tea && echo ready.",
    discussion: """
      On a terminal the command shows the remaining time, rings the terminal when the timer rings, \
      and prints the timer's name. It exits with 0 when the timer rings, also at the end of a \
      snooze, or at once if the timer is over and its ring is not snoozed. It also exits with 0 if \
      the timer is over without a ring, as with --late skip. For a timer that repeats it waits for \
      the next ring, and for a sequence for the ring at the end of the last step. It exits with 2 when the timer is cancelled or removed, with 3 \
      if there is no timer of that name, and with 124 when the time of --timeout has passed. It \
      continues to wait across a restart of the daemon.
      """)

  @Argument(
    help: "The timer; not needed if there is only one.", completion: TimerCompletion.names)
  var name: String?

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
      let waited = limit.map { SpanFormat.text(usec: $0.usec) } ?? "time"
      throw CommandError(.timedOut, "\(name.map { "'\($0)'" } ?? "it") has not rung in \(waited)")
    }
  }

  /// Returns when the timer has rung.
  ///
  /// - Throws: `CommandError`; `limitReached` when the deadline passes first. The deadline covers
  ///   every call, so a daemon that does not answer cannot make the timeout longer.
  private func follow(until deadline: Deadline) throws(CommandError) {
    let session = try Session.open(socket, limit: deadline)
    let storage = try session.status().storage
    let only = Candidate(command: "wait") { $0.kind != .stopwatch && $0.isActive }
    let name = if let name { name } else { try only.name(in: session) }
    if self.name == nil { Output.complain("waiting for \(name)") }
    var follow = Follow(
      name: name, ledger: storage.ledger, lastSeq: storage.lastSeq, limit: deadline,
      isShown: Terminal.isOutput && !format.isJSON && !quiet.isQuiet, isJSON: format.isJSON)
    defer { follow.end() }
    try Renames.follow(in: session, limit: deadline) { (session, newName) throws(CommandError) in
      follow.name = newName ?? follow.name
      return try follow.newName(in: session)
    }
  }
}

/// The wait for one timer. It continues if the timer is renamed.
private struct Follow {
  var name: String
  private let ledger: String?
  /// The number of the last event that the command saw.
  private var lastSeq: Int64
  private let limit: Deadline
  private let (isShown, isJSON): (Bool, Bool)
  private var known: Wire.Timer?
  private var line: WaitLine
  private var terminal: TerminalRing

  /// - Parameters:
  ///   - ledger: the ledger to which `lastSeq` belongs when the wait begins.
  ///   - limit: the longest wait.
  ///   - isShown: whether a terminal shows the remaining time.
  init(
    name: String, ledger: String?, lastSeq: Int64, limit: Deadline, isShown: Bool, isJSON: Bool
  ) {
    (self.name, self.ledger, self.lastSeq, self.limit) = (name, ledger, lastSeq, limit)
    (self.isShown, self.isJSON) = (isShown, isJSON)
    line = WaitLine(isWanted: isShown && TerminalFeatures.ofOutput.hasBell)
    terminal = TerminalRing(isShown ? .ofOutput : .none)
  }

  /// Removes the line of the remaining time from the terminal when the command ends.
  mutating func end() {
    line.erase()
    terminal.end()
  }

  /// Waits until the timer rings or is renamed.
  ///
  /// - Returns: the timer's new name; nil: the timer has rung.
  mutating func newName(in session: Session) throws(CommandError) -> String? {
    // A new connection repeats the first call: the timer's present state is enough, and its past
    // events are not needed.
    var call = Wire.Watch()
    call.name = name
    var stream = try LiveStream(session: session, call: Call(call), continuesBySeq: false)
    var reconnectionsWhenSeen = -1
    waiting: while true {
      let nextChange = line.draw().map { Deadline.after(usec: $0) } ?? .never
      let reply: JSONValue
      switch try stream.next(deadline: .earlier(limit, nextChange)) {
      case .reply(let next): reply = next
      case .timedOut where limit.hasPassed: throw .limitReached
      case .timedOut: continue
      case .ended: break waiting
      }
      let change = try CommandError.explaining { () throws(ClientError) in
        try Wire.Watch.Reply(reply)
      }
      let event = change.event
      if let timer = change.timer {
        // Another timer has the name now. The awaited timer lost it before this watch began, or
        // while the daemon was away.
        if let known, known.id != timer.id, event == nil {
          switch try fate(of: known, in: session) {
          case .rang: return nil
          case .renamed(let newName): return newName
          case .removed where reconnectionsWhenSeen < 0: throw removal
          // A new timer was started with the name: wait for that one.
          case .removed, .unknown: break
          }
        }
        known = timer
        reconnectionsWhenSeen = stream.reconnections
        if let event { lastSeq = event.seq }
        let hasRungNow = event?.type == .rang && timer.kind != .sequence
        guard try isOver(timer) || hasRungNow else {
          line.take(timer)
          terminal.show("\(name): \(TimerText(timer).facts())")
          continue
        }
        if isJSON { Output.ready(reply.text) }
        line.erase()
        if isShown { Output.line(Self.sentence(timer)) }
        // The terminal rings only for a ring that happens during this watch.
        if event != nil { terminal.ring(for: timer) }
        return nil
      }
      if let event { lastSeq = event.seq }
      if let newName = Renames.newName(in: reply) { return newName }
      if event?.isTheEnd == true { throw removal }
      // The daemon has sent all timers that match, and the awaited timer was not among them.
      if change.synced, reconnectionsWhenSeen < stream.reconnections { break }
    }
    return try explainAbsence(in: session)
  }

  /// The sentence about a ring, such as `tea rang just now, 2 h late: the machine slept: Take the
  /// bread out`.
  private static func sentence(_ timer: Wire.Timer) -> String {
    let text = TimerText(timer)
    let words = timer.ringing == nil ? text.miss ?? "is over" : "rang \(text.ago)"
    return "\(timer.name) \(words)" + (timer.message.map { ": \($0)" } ?? "")
  }

  /// Whether the timer is over, and will not ring again.
  ///
  /// - Throws: `CommandError` if the timer is cancelled, or is a stopwatch, and therefore will not
  ///   ring.
  private func isOver(_ timer: Wire.Timer) throws(CommandError) -> Bool {
    guard timer.kind != .stopwatch else {
      throw CommandError(
        .refused,
        "'\(name)' is a stopwatch, which never rings; \(Typed.nightjar) watch \(name) shows it")
    }
    switch timer.state {
    case .over: return !timer.isSnoozed
    case .cancelled: throw CommandError(.ended, "'\(name)' was cancelled")
    case .running, .paused, .waiting, .other: return false
    }
  }

  private var removal: CommandError { CommandError(.ended, "'\(name)' was removed") }

  /// Finds out why the timer does not exist.
  ///
  /// - Returns: its present name; nil: it has rung.
  private func explainAbsence(in session: Session) throws(CommandError) -> String? {
    guard let known else {
      _ = try session.openAgain(limit: limit).timer(named: name)
      return nil
    }
    switch try fate(of: known, in: session) {
    case .rang: return nil
    case .renamed(let newName): return newName
    case .removed: throw removal
    case .unknown:
      throw CommandError(.ended, "'\(name)' is gone: the daemon has begun with an empty ledger")
    }
  }

  /// How the timer ended, or its new name.
  private enum Fate {
    case rang
    case renamed(String)
    case removed
    /// The daemon has another ledger now, so the command cannot find out how the timer ended.
    case unknown
  }

  /// Searches the ledger for the timer's fate after the last event that this command saw. The
  /// command may have missed events because the daemon was away, or because the command was too
  /// slow.
  private func fate(
    of timer: Wire.Timer, in session: Session
  ) throws(CommandError) -> Fate {
    let session = try session.openAgain(limit: limit)
    guard try session.status().storage.ledger == ledger else { return .unknown }
    var hasRung = false
    var newName: String?
    try LedgerReader(session: session).read(after: lastSeq, ledger: ledger) {
      reply, event in
      guard event.id == timer.id else { return }
      let isRing = event.type == .rang && timer.kind != .sequence
      if isRing || event.state == .over { hasRung = true }
      if let name = Renames.newName(in: reply) {
        newName = name
      } else if event.isTheEnd {
        newName = nil
      }
    }
    return hasRung ? .rang : newName.map { .renamed($0) } ?? .removed
  }
}
