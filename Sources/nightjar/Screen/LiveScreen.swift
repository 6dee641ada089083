import Glibc
import NightjarClient
import NightjarTime

/// `nightjar watch` on a terminal: timers as they run, and keys for what can be done with them.
struct LiveScreen {
  /// A span that was left so long ago is no news, in microseconds.
  private static let newsUsec: Int64 = 12 * 3_600_000_000
  /// A shorter span is none that anybody noticed.
  private static let noticedUsec: Int64 = 1_000_000

  var follower: Follower
  let terminal: ScreenTerminal
  private let signals: ScreenSignals
  var state = ScreenState()
  var keys = KeyReader()
  /// What was typed before, by what it was for.
  var history: [String: [String]] = [:]
  var isOver = false
  /// The terminal is not told that a timer rings.
  private let isQuiet: Bool
  /// The daemon does not answer: keys that were pressed meanwhile are dropped.
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
    // A span is a part of every story.
    if news.events.contains(where: { $0.name == nil || $0.name == state.selected }) {
      state.isStoryStale = true
    }
    for event in news.events where Self.isNews(event) {
      let time = LocalTime.short(event.timeUsec, nowUsec: LocalTime.nowUsec())
      state.tell("\(time)  \(EventText(event).sentenceWithName)")
    }
    if !isQuiet { ring(for: news.events) }
    // What went wrong because it was away, or stopped, is over with that.
    if isOutOfReach, !follower.isAway, !isStopped(follower.board.background?.causes) {
      if state.message?.isError == true { state.message = nil }
    }
    (state.isDaemonAway, state.isSynced) = (follower.isAway, follower.board.isSynced)
    state.backgroundCauses = follower.board.background?.causes
    state.show(follower.inOrder())
  }

  /// Tells the terminal that timers rang, once for all of them, and what rings now.
  private mutating func ring(for events: [Event]) {
    let heard = events.last { event in
      TerminalRing.isHeard(event) && event.name.map { follower.board[$0] != nil } == true
    }
    if let name = heard?.name, let live = follower.board[name] { terminal.ring(for: live.timer) }
    let ringing = follower.inOrder().map(\.timer).filter(TerminalRing.isRinging)
    let latest = ringing.max { ($0.firedUsec ?? 0) < ($1.firedUsec ?? 0) }
    terminal.show(title: latest.map(TerminalRing.title))
  }

  /// The daemon could do nothing for the last key, by what is shown.
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
        // Who waits for this process is told what ended it.
        terminal.leave()
        signals.raiseAsUsual(number)
        isOver = true
      }
    }
  }
}
