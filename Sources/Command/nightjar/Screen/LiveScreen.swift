import Glibc
import NightjarClient
import NightjarConfig
import NightjarTime

/// The screen of `nightjar watch` on a terminal. It shows the timers as they run, and its keys act
/// on them.
struct LiveScreen {
  /// The most entries of the ledger in which to look for recent events when the screen opens, and
  /// their greatest age in microseconds.
  private static let newsEntries: Int64 = 500
  private static let newsUsec: Int64 = 12 * 3_600_000_000
  /// The shortest background span that is shown as a recent event, in microseconds.
  private static let noticedUsec: Int64 = 1_000_000

  var follower: Follower
  let terminal: ScreenTerminal
  private let signals: ScreenSignals
  var state = ScreenState()
  var keys = KeyReader()
  /// The earlier inputs, by the purpose of the input.
  var history: [String: [String]] = [:]
  var isOver = false
  private let isQuiet: Bool
  /// The number of the last event that was read from the ledger when the screen opened.
  private var readSeq: Int64 = 0
  /// How often what happened today is read again, at most, and in how many entries of the ledger.
  private static let todayUsec: Int64 = 60_000_000
  private static let todayEntries: Int64 = 2_000
  /// When today is read again, in microseconds since the machine was started.
  private var nextTodayUsec: Int64 = 0
  /// Whether the daemon did not answer the last call. If so, the keys that the user pressed during
  /// the call are dropped.
  var isMute = false

  static func run(
    _ subject: Board.Subject, isQuiet: Bool, socket: SocketOption
  ) throws(CommandError) {
    var screen = try LiveScreen(subject, isQuiet: isQuiet, socket: socket)
    try screen.run()
  }

  private init(
    _ subject: Board.Subject, isQuiet: Bool, socket: SocketOption
  ) throws(CommandError) {
    self.isQuiet = isQuiet
    follower = try Follower(subject, socket: socket)
    state.server = follower.session.server
    terminal = try ScreenTerminal()
    signals = try ScreenSignals()
    do throws(ConfigError) { try readPresets() } catch { state.message = .wrong(error.description) }
    do throws(CommandError) { try readNews() } catch {
      state.message = .wrong("the recent events cannot be read: \(sentence(for: error))")
    }
  }

  /// Reads the recent events of this machine's ledger. Other machines tell only what happens from
  /// now on.
  private mutating func readNews() throws(CommandError) {
    guard hasLedger else { return }
    let asking = try session()
    let storage = try asking.status().storage
    let sinceUsec = LocalTime.nowUsec() - Self.newsUsec
    var events: [Wire.Event] = []
    try LedgerReader(session: asking).read(
      after: max(0, storage.oldestSeq - 1, storage.lastSeq - Self.newsEntries)
    ) { events.append($1) }
    readSeq = events.last?.seq ?? 0
    for event in events where event.timeUsec >= sinceUsec { addNews(event) }
  }

  /// Whether the daemon's own ledger can be read.
  private var hasLedger: Bool {
    follower.session.device == nil && !BridgePaths.isSession(follower.session.path)
  }

  /// Reads what timers did today, if the screen shows it and is drawn anyway.
  private mutating func learnToday() {
    let now = ClockReading.now
    guard layout.hasToday, hasLedger, !isOutOfReach, now.boottimeUsec >= nextTodayUsec else {
      return
    }
    nextTodayUsec = now.boottimeUsec + Self.todayUsec
    do throws(CommandError) {
      let day = LocalTime(usec: now.realtimeUsec).civil.date.daysSinceEpoch
      let today = day..<day + 1
      let filter = RunFilter(days: LocalDays(zone: LocalTime.zone, days: today))
      state.today = try HistoryPicture(
        .day, today, filter, from: session(), entries: Self.todayEntries,
        nowUsec: now.realtimeUsec)
    } catch {
      // The screen works without it, other code shows the daemon's failure, and the next reading
      // tries again.
    }
  }

  private mutating func addNews(_ event: Wire.Event) {
    guard Self.isNews(event), event.name.map(follower.board.subject.has) != false else { return }
    let time = LocalTime.short(event.timeUsec, nowUsec: LocalTime.nowUsec())
    state.addNews("\(time)  \(EventText(event).sentenceWithName)")
  }

  private mutating func run() throws(CommandError) {
    terminal.enter()
    defer { terminal.leave() }
    while !isOver {
      try takeInNews()
      state.passTime(to: .now)
      learnStory()
      learnToday()
      let now = follower.board.reading(.now)
      let layout = layout
      terminal.draw(layout.lines(state, at: now), width: layout.width)
      let ready = Waiting.wait(
        for: [STDIN_FILENO, signals.descriptor, follower.descriptor],
        usec: layout.nextChangeUsec(state, after: now), msec: follower.pollMsec)
      if ready[1] { handleSignals() }
      if ready[0] { readKeys() }
    }
  }

  private mutating func takeInNews() throws(CommandError) {
    let news = try follower.read()
    // An event without a timer, such as the end of a background span, changes the stories of all
    // timers.
    if news.events.contains(where: { $0.name == nil || $0.name == state.selected }) {
      state.isStoryStale = true
    }
    for event in news.events where event.seq > readSeq { addNews(event) }
    if news.isAny, !isQuiet { ring(for: news.events) }
    // The daemon answers again, so an error that says otherwise is removed.
    if isOutOfReach, !follower.isAway, !isStopped(follower.board.background?.causes) {
      if state.message?.isError == true { state.message = nil }
    }
    (state.isDaemonAway, state.isSynced) = (follower.isAway, follower.board.isSynced)
    state.backgroundCauses = follower.board.background?.causes
    if news.isAny { state.show(follower.board.inOrder()) }
  }

  /// Rings the terminal once for all timers that rang. Sets the title to the first timer that shows
  /// its ring.
  private mutating func ring(for events: [Wire.Event]) {
    let heard = events.last { event in
      TerminalRing.isHeard(event) && event.name.map { follower.board[$0] != nil } == true
    }
    if let name = heard?.name, let live = follower.board[name] { terminal.ring(for: live.timer) }
    terminal.show(title: follower.board.firstRing().map { TerminalRing.title(for: $0.timer) })
  }

  /// Whether the daemon cannot act on a key, because it is away or stopped.
  var isOutOfReach: Bool { state.isDaemonAway || isStopped(state.backgroundCauses) }

  func isStopped(_ causes: [Wire.Cause]?) -> Bool { causes?.contains(.stop) ?? false }

  static func isNews(_ event: Wire.Event) -> Bool {
    switch event.type {
    case .rang, .didNotRing, .joined, .unanswered, .rangAgain, .stayedQuiet, .leftRing, .ranOut,
      .cameDue, .clockStepped, .zoneChanged, .spanCorrected, .rescheduled, .pausedAfterSpan,
      .restartedAfterSpan:
      true
    case .willEnterForeground: event.span?.elapsedUsec ?? 0 >= noticedUsec
    case .actionEnded: event.isFailedCommand
    default: false
    }
  }

  var layout: ScreenLayout {
    let size = terminal.size
    return ScreenLayout(width: size.width, height: size.height, isUnicode: Terminal.isUnicode)
  }

  // MARK: Signals

  private mutating func handleSignals() {
    for number in signals.received() {
      switch number {
      case SIGWINCH: terminal.forget()
      case SIGCONT:
        terminal.enter()
        terminal.forget()
      case SIGTSTP:
        terminal.leave()
        signals.raiseAsUsual(SIGTSTP)
        terminal.enter()
      default:
        // The signal must end this process, because the parent process checks which signal ended
        // it.
        terminal.leave()
        signals.raiseAsUsual(number)
        isOver = true
      }
    }
  }
}
