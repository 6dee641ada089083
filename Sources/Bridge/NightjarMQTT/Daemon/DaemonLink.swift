internal import NightjarInterface
internal import NightjarLink
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Keeps three connections to this machine's daemon: one that watches, one for queries, and one
/// that holds rings. When the daemon answers again after an absence, all three connections are made
/// again, and the watch continues after the last event that was seen.
final class DaemonLink {
  /// The pauses between two attempts to connect, in microseconds. The service manager keeps the
  /// daemon's socket open, so longer pauses would have no advantage.
  private static let pauseUsec: ClosedRange<Int64> = 100_000...5_000_000
  /// If the daemon takes longer to answer, in microseconds, it hangs.
  private static let answerUsec: Int64 = 5_000_000
  /// How long after a deadline the link asks whether the daemon still answers, in microseconds.
  private static let ringUsec: Int64 = 1_000_000
  /// The most events in one page of the ledger.
  private static let pageEvents = 500
  /// The most bytes of events in one page.
  private static let pageBytes = 256 * 1024

  private let loop: EventLoop
  private let path: String
  private unowned let bridge: Bridge
  private var watch: DaemonConnection?
  private var questions: DaemonConnection?
  private var holds: DaemonConnection?
  private var retry: TimerSource?
  private var pauseUsec = DaemonLink.pauseUsec.lowerBound
  /// Since when the daemon has not answered, on CLOCK_REALTIME; nil: it answers.
  private(set) var silentSinceUsec: Int64?
  /// The ID of the daemon's process; nil: unknown.
  private var processID: Int64?
  /// When the daemon's last message arrived, on CLOCK_REALTIME.
  private var heardUsec: Int64 = 0
  /// Fires when an answer is overdue.
  private var answer: TimerSource?
  /// Fires after the next deadline of the daemon's timers.
  private var ring: TimerSource?
  private var deadlineUsec = Int64.max
  private var folder: FolderWatch?
  /// The event after which the next watch continues; nil: the next watch begins with all timers.
  private var position: (ledger: String, seq: Int64)?

  /// - Parameter path: the path of the daemon's socket.
  init(loop: EventLoop, path: String, bridge: Bridge) throws(SystemError) {
    self.loop = loop
    self.path = path
    self.bridge = bridge
    silentSinceUsec = loop.now.realtimeUsec
    retry = try loop.timer(on: .boottime) { [weak self] in self?.connect() }
    // Its priority is lower than that of answers, in case a signal had stopped this process.
    answer = try loop.timer(on: .monotonic, priority: 1) { [weak self] in
      self?.lost("it did not answer within 5 s", sinceUsec: self?.heardUsec)
    }
    ring = try loop.timer(on: .realtime) { [weak self] in
      self?.deadlineUsec = .max
      self?.askStatus()
    }
    do {
      folder = try FolderWatch([UnixSocket.parent(of: path)], on: loop) { [weak self] in
        self?.pauseUsec = Self.pauseUsec.lowerBound
        self?.connect()
      }
    } catch {
      Log.write(.warning, "a new daemon may be found up to 5 s later: \(error)")
    }
  }

  var isAnswered: Bool { silentSinceUsec == nil }

  /// Connects to the daemon, and begins to watch.
  func connect() {
    guard watch == nil else { return }
    do {
      let lost: (Sentence) -> Void = { [weak self] in self?.lost($0) }
      let watch = try DaemonConnection(loop: loop, path: path, ended: lost)
      questions = try DaemonConnection(loop: loop, path: path, ended: lost)
      holds = try DaemonConnection(loop: loop, path: path, ended: lost)
      self.watch = watch
      beginWatch()
      holdRings()
      askStatus()
    } catch {
      lost(Sentence(error.description))
    }
  }

  /// Asks for the status if a signal has stopped the daemon. A daemon that runs is not woken up.
  func look() {
    guard isAnswered else { return }
    let stat = processID.flatMap { readKernelFile("/proc/\($0)/stat") } ?? []
    // The state follows the command's name, which may contain any character (proc(5)).
    let state = stat.lastIndex(of: UInt8(ascii: ")")).map { stat[($0 + 1)...] } ?? []
    if state.starts(with: " T".utf8) { askStatus() }
  }

  /// Calls the daemon.
  ///
  /// - Parameter reply: called with the reply; not called if the connection is lost before that.
  /// - Returns: whether there is a connection.
  @discardableResult
  func ask(
    _ method: String, _ parameters: JSONValue = .object([]), more: Bool = false,
    _ reply: @escaping (OwnerAnswer) -> Void
  ) -> Bool {
    guard let questions else { return false }
    if isAnswered, !questions.isWaiting { expectAnswer() }
    questions.ask(method, parameters, more: more) { [weak self] in
      self?.heard()
      if self?.questions?.isWaiting == true {
        self?.expectAnswer()
      } else {
        self?.answer?.arm(atUsec: nil)
      }
      reply($0)
    }
    return true
  }

  private func expectAnswer() {
    answer?.arm(atUsec: Clocks.monotonicUsec() + Self.answerUsec)
  }

  private func heard() {
    heardUsec = Clocks.read().realtimeUsec
    guard !isAnswered else { return }
    silentSinceUsec = nil
    // Questions that were asked before now have a limit, too.
    if questions?.isWaiting == true { expectAnswer() }
    bridge.daemonAnswers(true)
  }

  /// Asks for the status soon after a deadline, because a daemon that hangs does not ring.
  private func expectRing(atUsec usec: Int64?) {
    guard let usec, usec < deadlineUsec, usec > loop.now.realtimeUsec else { return }
    deadlineUsec = usec
    ring?.arm(atUsec: usec + Self.ringUsec)
  }

  /// Reads a page of events of the ledger after the number `after`.
  ///
  /// A call of `Events` never ends, so each reading has its own connection, which is closed after
  /// the last event.
  ///
  /// - Parameter reply: called with the events and the name of the ledger, or with the daemon's
  ///   error; nil: the daemon does not answer.
  func readLedger(after: Int64, _ reply: @escaping (OwnerAnswer?) -> Void) {
    guard let position, position.seq > after else {
      return reply(Self.ledger(position?.ledger ?? "", []))
    }
    var (events, size): ([JSONValue], Int) = ([], 0)
    var reader: DaemonConnection?
    // Calls `reply` once, and closes the connection.
    func end(_ answer: OwnerAnswer?) {
      guard let ended = reader else { return }
      reader = nil
      loop.later { ended.close() }
      reply(answer)
    }
    do {
      reader = try DaemonConnection(loop: loop, path: path) { _ in end(nil) }
      let parameters: JSONValue = [
        "after": .integer(after), "ledger": .string(position.ledger),
      ]
      reader?.ask(Self.method("Events"), parameters, more: true) { answer in
        guard let parameters = answer.parameters else { return end(answer) }
        guard let event = parameters["event"] else { return }
        events.append(event)
        size += event.bytes.count
        let isLast = event["seq"]?.integerValue ?? 0 >= position.seq
        if isLast || events.count >= Self.pageEvents || size >= Self.pageBytes {
          end(Self.ledger(position.ledger, events))
        }
      }
    } catch {
      reply(nil)
    }
  }

  private static func ledger(_ name: String, _ events: [JSONValue]) -> OwnerAnswer {
    .reply(["ledger": .string(name), "events": .array(events)])
  }

  func askStatus() {
    ask(Self.method("Status")) { [weak self] reply in
      guard let self, let status = reply.parameters else { return }
      processID = status["pid"]?.integerValue
      expectRing(atUsec: status["next_usec"]?.integerValue)
      bridge.daemon(reported: status)
    }
  }

  /// Asks for all timers in their present state, because the clock moves deadlines without an event
  /// of a timer.
  func askTimers() {
    ask(Self.method("List"), more: true) { [weak self] reply in
      for timer in reply.parameters?["timers"]?.arrayValue ?? [] {
        self?.bridge.daemon(showed: timer)
      }
    }
  }

  private func holdRings() {
    holds?.ask(Self.method("HoldRings"), more: true) { [weak self] reply in
      guard let parameters = reply.parameters, let hold = parameters["hold"]?.integerValue,
        let span = parameters["span_id"]?.integerValue
      else { return }
      self?.bridge.daemon(holds: hold, span: span)
    }
  }

  private func beginWatch() {
    var parameters: [JSONValue.Member] = []
    if let position {
      parameters = [
        JSONValue.Member("after", .integer(position.seq)),
        JSONValue.Member("ledger", .string(position.ledger)),
      ]
    } else {
      bridge.own.beginSnapshot()
    }
    watch?.ask(Self.method("Watch"), .object(parameters), more: true) { [weak self] reply in
      self?.watched(reply)
    }
  }

  private func watched(_ reply: OwnerAnswer) {
    let parameters: JSONValue
    switch reply {
    case .error(let error, let details): return refused(error, details)
    case .reply(let watched): parameters = watched
    }
    pauseUsec = Self.pauseUsec.lowerBound
    heard()
    expectRing(atUsec: parameters["timer"]?["deadline_usec"]?.integerValue)
    if parameters["synced"]?.boolValue == true {
      // The daemon has sent all timers again instead of changes, because this link read too slowly.
      // This does not show which timers were removed, so begin a new watch.
      guard parameters["missed_after"]?.integerValue == nil else {
        position = nil
        return lost("it had to leave out changes")
      }
      if let ledger = parameters["ledger"]?.stringValue ?? position?.ledger,
        let seq = parameters["seq"]?.integerValue
      {
        position = (ledger, seq)
      }
    } else if let seq = parameters["event"]?["seq"]?.integerValue, let ledger = position?.ledger {
      position = (ledger, seq)
    }
    bridge.daemon(watched: parameters)
  }

  private func refused(_ error: String, _ parameters: JSONValue) {
    let invalid = "\(VarlinkError.invalidParameter(parameter: "").name)"
    switch error {
    // Continue after the event number in the error.
    case Self.method("TooSlow"):
      position = position.flatMap { old in
        parameters["after"]?.integerValue.map { (old.ledger, $0) }
      }
      beginWatch()
    // The daemon has another ledger, or has removed these events. Begin with all timers.
    case Self.method("LedgerChanged"), Self.method("EventsPruned"), invalid:
      guard position != nil else { return lost(Self.refusal(error)) }
      position = nil
      beginWatch()
    default: lost(Self.refusal(error))
    }
  }

  /// The daemon may still run as it was before an upgrade.
  private static func refusal(_ error: String) -> Sentence {
    Sentence("it refuses to be watched, so restart it if it is of another version: \(error)")
  }

  /// Closes all connections. `connect` makes them again.
  private func close() {
    watch?.close()
    questions?.close()
    holds?.close()
    (watch, questions, holds) = (nil, nil, nil)
    for timer in [retry, answer] { timer?.arm(atUsec: nil) }
  }

  private func lost(_ reason: Sentence, sinceUsec: Int64? = nil) {
    close()
    retry?.arm(atUsec: Clocks.read().boottimeUsec + pauseUsec)
    pauseUsec = min(pauseUsec * 2, Self.pauseUsec.upperBound)
    bridge.daemonLost(reason)
    guard isAnswered else { return }
    silentSinceUsec = sinceUsec ?? loop.now.realtimeUsec
    bridge.daemonAnswers(false)
  }

  private static func method(_ name: String) -> String { "\(TimersInterface.name).\(name)" }
}

extension DaemonConnection {
  /// Calls a method of the daemon; `answer` gets the answer, or each answer if `more` is true.
  fileprivate func ask(
    _ method: String, _ parameters: JSONValue? = nil, more: Bool = false,
    _ answer: @escaping (OwnerAnswer) -> Void
  ) {
    call(method, parameters, more: more) { reply in
      let parameters = try reply.json.value
      answer(reply.error.map { .error($0, parameters) } ?? .reply(parameters))
    }
  }
}
