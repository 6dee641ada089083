internal import NightjarClient
internal import NightjarInterface
internal import NightjarLink
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// The timers of this machine's daemon, as they are now. When the daemon answers again after an
/// absence, all of them are read again, so no timer stays that is gone.
final class LiveTimers {
  /// The pauses between two attempts to connect, in microseconds. The service manager keeps the
  /// daemon's socket open, and a new socket is noticed at once, so the pauses may be long.
  private static let pauseUsec: ClosedRange<Int64> = 50_000...60_000_000
  /// How long the timers are shown after the daemon was lost, in microseconds: a restart takes less
  /// time.
  private static let keptUsec: Int64 = 1_000_000

  /// The timers by their names, with those that are over.
  private(set) var timers: [String: ShownTimer] = [:]
  /// Why the timers are not known; nil: they are.
  private(set) var absence: String? = "nightjard has not answered yet"

  private let loop: EventLoop
  private let path: String
  private let changed: () -> Void
  private var watch: DaemonConnection?
  private var questions: DaemonConnection?
  /// The timers that the present watch has sent, until it has sent all.
  private var coming: [String: ShownTimer]?
  private var waiting: [() -> Void] = []
  /// What to call for the questions that are not answered, by the numbers of the questions.
  private var unanswered: [Int: (ClientError) -> Void] = [:]
  private var asked = 0
  private var retry: TimerSource?
  private var pauseUsec = LiveTimers.pauseUsec.lowerBound
  private var keep: TimerSource?
  /// Notices a new socket. It is there only while the daemon is not: other programs make files in
  /// the same folders.
  private var folder: FolderWatch?

  /// - Parameters:
  ///   - path: the path of the daemon's socket.
  ///   - changed: called when the timers have changed, or when they became known or unknown.
  init(loop: EventLoop, path: String, changed: @escaping () -> Void) throws(SystemError) {
    (self.loop, self.path, self.changed) = (loop, path, changed)
    retry = try loop.timer(on: .boottime) { [weak self] in self?.connect() }
    keep = try loop.timer(on: .boottime) { [weak self] in self?.forget() }
    connect()
  }

  deinit { for timer in [retry, keep] { timer?.cancel() } }

  /// Runs `body` when the timers are known, or when it is clear that the daemon cannot be reached.
  func whenKnown(_ body: @escaping () -> Void) {
    if watch == nil { connect() }
    // A timer that is kept for a moment may be gone.
    guard watch != nil, absence != nil || coming != nil else { return body() }
    waiting.append(body)
  }

  /// Calls a method of the daemon.
  ///
  /// - Parameter done: called once, with the reply or the reason why there is none.
  func ask(
    _ method: String, _ parameters: JSONValue,
    _ done: @escaping (Result<RawJSON, ClientError>) -> Void
  ) {
    guard let questions else {
      return done(.failure(.daemonUnreachable(path: path, code: 2)))
    }
    asked += 1
    let number = asked
    unanswered[number] = { done(.failure($0)) }
    questions.call(method, parameters) { [weak self] reply in
      self?.unanswered[number] = nil
      guard let error = reply.error else { return done(.success(reply.json)) }
      done(.failure(.refused(TimersError(name: error, parameters: try reply.json.value))))
    }
  }

  private func connect() {
    guard watch == nil else { return }
    do {
      let lost: (Sentence) -> Void = { [weak self] _ in self?.lost() }
      let watch = try DaemonConnection(loop: loop, path: path, ended: lost)
      questions = try DaemonConnection(loop: loop, path: path, ended: lost)
      self.watch = watch
      retry?.arm(atUsec: nil)
      beginWatch()
    } catch {
      lost()
    }
  }

  /// A watch begins with all timers, also after an absence. To continue after the last event would
  /// save some bytes, but what a restart changes without an event of a timer would be missed.
  private func beginWatch() {
    coming = [:]
    watch?.call("\(Wire.Watch.method)", more: true) { [weak self] reply in
      guard reply.error == nil else { throw ClientError.protocolViolation("no watch") }
      self?.take(try Wire.Watch.Reply(reply.json))
    }
  }

  private func take(_ reply: Wire.Watch.Reply) {
    pauseUsec = Self.pauseUsec.lowerBound
    // The daemon left out changes, because this program read too slowly.
    if reply.missedAfter != nil { return watchAnew() }
    if let event = reply.event {
      switch event.type {
      // The daemon moves deadlines, or a timer stands still, without an event of the timer.
      case .didEnterBackground, .willEnterForeground, .spanCorrected, .clockStepped, .zoneChanged:
        return watchAnew()
      default: if let name = event.name, event.isTheEnd { timers[name] = nil }
      }
    }
    if let timer = reply.timer, reply.event?.isTheEnd != true {
      let shown = ShownTimer(timer: timer, asOf: Clocks.read())
      if coming != nil { coming?[timer.name] = shown } else { timers[timer.name] = shown }
    }
    if reply.synced, let coming {
      (timers, absence, self.coming) = (coming, nil, nil)
      keep?.arm(atUsec: nil)
      folder = nil
      runWaiting()
    }
    if coming == nil { changed() }
  }

  private func watchAnew() {
    do {
      watch?.close()
      watch = try DaemonConnection(loop: loop, path: path) { [weak self] _ in self?.lost() }
      beginWatch()
    } catch {
      lost()
    }
  }

  private func lost() {
    watch?.close()
    questions?.close()
    (watch, questions, coming) = (nil, nil, nil)
    awaitSocket()
    let nowUsec = Clocks.read().boottimeUsec
    retry?.arm(atUsec: nowUsec + pauseUsec)
    pauseUsec = min(pauseUsec * 2, Self.pauseUsec.upperBound)
    if absence == nil, keep?.armedAtUsec == nil { keep?.arm(atUsec: nowUsec + Self.keptUsec) }
    let failed = unanswered.values
    unanswered = [:]
    for fail in failed { fail(.connectionLost) }
    runWaiting()
  }

  /// Watches the folder of the socket and its parent: the daemon makes the folder when it first
  /// starts.
  private func awaitSocket() {
    guard folder == nil else { return }
    let parent = UnixSocket.parent(of: path)
    do throws(SystemError) {
      folder = try FolderWatch([parent, UnixSocket.parent(of: parent)], on: loop) { [weak self] in
        self?.pauseUsec = Self.pauseUsec.lowerBound
        self?.connect()
      }
    } catch {
      Log.write(.warning, "a new daemon may be found up to a minute later: \(error)")
    }
  }

  private func forget() {
    (timers, absence) = ([:], "nightjard does not answer")
    changed()
  }

  private func runWaiting() {
    let bodies = waiting
    waiting = []
    for body in bodies { body() }
  }
}
