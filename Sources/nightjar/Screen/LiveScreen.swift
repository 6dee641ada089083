import Glibc
import NightjarClient
import NightjarTime

/// `nightjar watch` on a terminal: running timers, and keys to act on them.
struct LiveScreen {
  /// A background span that ended at most this long ago is shown as news when the screen opens. In
  /// microseconds.
  private static let newsUsec: Int64 = 12 * 3_600_000_000
  /// The shortest background span that is shown as news, in microseconds.
  private static let noticedUsec: Int64 = 1_000_000

  var follower: Follower
  let terminal: ScreenTerminal
  private let signals: ScreenSignals
  var state = ScreenState()
  var keys = KeyReader()
  /// Earlier input, by its purpose.
  var history: [String: [String]] = [:]
  var isOver = false
  /// The terminal does not ring.
  private let isQuiet: Bool
  /// The daemon does not answer: keys that are pressed meanwhile are dropped.
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
    if let span = try follower.session.openAgain().status().lastSpan,
      let leftUsec = span.leftUsec, LocalTime.nowUsec() - leftUsec < Self.newsUsec,
      span.elapsedUsec >= Self.noticedUsec
    {
      state.tell(Self.sentence(span, leftUsec: leftUsec))
    }
    terminal = try ScreenTerminal()
    signals = try ScreenSignals()
  }

  /// `06:12:03  back after 7 h 2 min: the machine slept`.
  private static func sentence(_ span: BackgroundSpan, leftUsec: Int64) -> String {
    let time = LocalTime.short(leftUsec, nowUsec: LocalTime.nowUsec())
    return "\(time)  back after \(SpanFormat.people(usec: span.elapsedUsec, units: 2)): "
      + TimerText.reasons(span.causes)
  }

  private mutating func run() throws(CommandError) {
    terminal.enter()
    defer { terminal.leave() }
    while !isOver {
      try takeInNews()
      state.passTime(to: .now)
      learnStory()
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
    // A background span belongs to every timer's story.
    if news.events.contains(where: { $0.name == nil || $0.name == state.selected }) {
      state.isStoryStale = true
    }
    for event in news.events where Self.isNews(event) {
      let time = LocalTime.short(event.timeUsec, nowUsec: LocalTime.nowUsec())
      state.tell("\(time)  \(EventText(event).sentenceWithName)")
    }
    if !isQuiet { ring(for: news.events) }
    // The daemon is back, so an error about its absence is no longer true.
    if isOutOfReach, !follower.isAway, !isStopped(follower.board.background?.causes) {
      if state.message?.isError == true { state.message = nil }
    }
    (state.isDaemonAway, state.isSynced) = (follower.isAway, follower.board.isSynced)
    state.backgroundCauses = follower.board.background?.causes
    state.show(follower.inOrder())
  }

  /// Rings the terminal once for all timers that rang, and sets its title to those that ring now.
  private mutating func ring(for events: [Event]) {
    let heard = events.last { event in
      TerminalRing.isHeard(event) && event.name.map { follower.board[$0] != nil } == true
    }
    if let name = heard?.name, let live = follower.board[name] { terminal.ring(for: live.timer) }
    let ringing = follower.inOrder().map(\.timer).filter(TerminalRing.isRinging)
    let latest = ringing.max { ($0.firedUsec ?? 0) < ($1.firedUsec ?? 0) }
    terminal.show(title: latest.map(TerminalRing.title))
  }

  /// The screen shows that the daemon is away or stopped, so the daemon cannot act on a key.
  var isOutOfReach: Bool { state.isDaemonAway || isStopped(state.backgroundCauses) }

  func isStopped(_ causes: [Cause]?) -> Bool { causes?.contains(.stop) ?? false }

  static func isNews(_ event: Event) -> Bool {
    switch event.type {
    case .fired, .skipped, .stepped, .stepEnded, .unanswered, .rangAgain, .cameDue, .clockStepped,
      .zoneChanged,
      .spanCorrected, .rescheduled, .pausedAfterSleep, .restartedAfterSleep:
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
        // The process that waits for this one must see the signal that ended it.
        terminal.leave()
        signals.raiseAsUsual(number)
        isOver = true
      }
    }
  }
}
