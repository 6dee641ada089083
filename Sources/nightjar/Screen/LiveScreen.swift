import Glibc
import NightjarClient
import NightjarTime

/// `nightjar watch` on a terminal: timers as they run, and keys for what can be done with them.
struct LiveScreen {
  private static let minuteUsec: Int64 = 60_000_000
  /// How long the answer to a key may take.
  private static let patienceUsec: Int64 = 1_000_000
  /// How long the rest of a sequence may take.
  private static let sequenceMsec: Int32 = 25
  /// A span that was left so long ago is no news, in microseconds.
  private static let newsUsec: Int64 = 12 * 3_600_000_000
  /// A shorter span is none that anybody noticed.
  private static let noticedUsec: Int64 = 1_000_000

  private var follower: Follower
  private let terminal: ScreenTerminal
  private let signals: ScreenSignals
  private let palette = Palette.ofTerminal
  private var state = ScreenState()
  private var keys = KeyReader()
  private var isOver = false
  /// The daemon does not answer: keys that were pressed meanwhile are dropped.
  private var isMute = false

  static func run(_ subject: Board.Subject, socket: SocketOption) throws(CommandError) {
    var screen = try LiveScreen(subject, socket: socket)
    try screen.run()
  }

  private init(_ subject: Board.Subject, socket: SocketOption) throws(CommandError) {
    follower = try Follower(subject, socket: socket)
    if let span = try Session.openAgain(path: follower.session.path).status().lastSpan,
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
      let now = follower.board.reading(.now)
      let layout = layout
      terminal.draw(layout.lines(state, at: now).map { $0.rendered(palette) })
      // What is not drawn need not be looked at.
      let next = layout.shown(state).compactMap { $0.nextChangeUsec(after: now, in: .tenths) }.min()
      let ready = Waiting.wait(
        for: [STDIN_FILENO, signals.descriptor, follower.descriptor],
        usec: next, msec: follower.pollMsec)
      if ready[1] { handleSignals() }
      if ready[0] { readKeys() }
    }
  }

  private mutating func takeInNews() throws(CommandError) {
    let news = try follower.read()
    for event in news.events where Self.isNews(event) {
      let time = LocalTime.short(event.timeUsec, nowUsec: LocalTime.nowUsec())
      state.tell("\(time)  \(EventText(event).sentenceWithName)")
    }
    // What went wrong because it was away, or stopped, is over with that.
    if isOutOfReach, !follower.isAway, !isStopped(follower.board.background?.causes) {
      if state.message?.isError == true { state.message = nil }
    }
    (state.isDaemonAway, state.isSynced) = (follower.isAway, follower.board.isSynced)
    state.backgroundCauses = follower.board.background?.causes
    state.show(follower.inOrder())
  }

  /// The daemon could do nothing for the last key, by what is shown.
  private var isOutOfReach: Bool { state.isDaemonAway || isStopped(state.backgroundCauses) }

  private func isStopped(_ causes: [Cause]?) -> Bool { causes?.contains(.stop) ?? false }

  private static func isNews(_ event: Event) -> Bool {
    switch event.type {
    case .fired, .skipped, .stepped, .stepEnded, .cameDue, .clockStepped, .zoneChanged,
      .spanCorrected, .rescheduled, .pausedAfterSleep, .restartedAfterSleep:
      true
    case .willEnterForeground: event.span?.elapsedUsec ?? 0 >= noticedUsec
    default: false
    }
  }

  private var layout: ScreenLayout {
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

  // MARK: Keys

  private mutating func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else {
      // The terminal is gone.
      if count == 0 || errno != EINTR { isOver = true }
      return
    }
    bytes.removeLast(bytes.count - count)
    if KeyReader.mayGoOn(bytes) { bytes += restOfSequence() }
    isMute = false
    for key in keys.keys(in: bytes) where !isOver && !isMute { press(key) }
  }

  /// What follows an escape at once: over a slow line a sequence may come in two pieces.
  private func restOfSequence() -> ArraySlice<UInt8> {
    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Self.sequenceMsec) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    return bytes.prefix(max(0, count))
  }

  private mutating func press(_ key: Key) {
    guard state.prompt == nil else { return type(key) }
    state.message = nil
    guard !state.isHelpShown else {
      state.isHelpShown = false
      return
    }
    switch key {
    case .up, .character("k"): state.move(by: -1)
    case .down, .character("j"): state.move(by: 1)
    case .pageUp: state.move(by: -10)
    case .pageDown: state.move(by: 10)
    case .home: state.move(by: -.max / 2)
    case .end: state.move(by: .max / 2)
    case .character("q"): isOver = true
    case .character("?"), .character("h"): state.isHelpShown = true
    case .character("n"): state.prompt = ScreenState.Prompt(purpose: .start)
    case .character(let character): act(character)
    case .enter, .backspace, .escape: break
    }
  }

  /// What a key does with the selected timer.
  private mutating func act(_ character: Character) {
    guard let timer = state.selectedTimer else { return }
    let name = timer.name
    switch character {
    case " ":
      switch timer.state {
      case .running: send(.perform(.pause, name: name))
      case .paused: send(.perform(.resume, name: name))
      case .waiting: send(.perform(.advance, name: name))
      case .fired, .cancelled, .other: break
      }
    case "+", "=": send(.extend(name: name, byUsec: Self.minuteUsec))
    case "-": send(.extend(name: name, byUsec: -Self.minuteUsec))
    case "e": state.prompt = ScreenState.Prompt(purpose: .extend(name))
    case "s": send(.snooze(name: name, byUsec: Snooze.usualUsec))
    case "d": send(.perform(.dismiss, name: name))
    case "r": send(.perform(.restart, name: name))
    case "l": send(.perform(.lap, name: name))
    case "c", "x": send(.perform(timer.state == .cancelled ? .remove : .cancel, name: name))
    default: break
    }
  }

  private mutating func type(_ key: Key) {
    guard var prompt = state.prompt else { return }
    switch key {
    case .escape: state.prompt = nil
    case .enter:
      state.prompt = nil
      finish(prompt)
    case .backspace:
      if prompt.typed.popLast() == nil { return state.prompt = nil }
      state.prompt = prompt
    case .character(let character):
      guard prompt.typed.utf8.count < ScreenState.longestTyped else { return }
      prompt.typed.append(character)
      state.prompt = prompt
    case .up, .down, .pageUp, .pageDown, .home, .end: break
    }
  }

  private mutating func finish(_ prompt: ScreenState.Prompt) {
    let words = prompt.typed.split(separator: " ").map(String.init)
    guard !words.isEmpty else { return }
    do throws(CommandError) {
      switch prompt.purpose {
      case .start:
        let said = try StartWords(words, withPresets: true, at: .here)
        send(try said.request().call)
      case .extend(let name):
        let span = try DurationArgument(words.joined(separator: " "))
        send(.extend(name: name, byUsec: span.usec))
      }
    } catch {
      state.message = (error.message, isError: true)
    }
  }

  /// Has the daemon do something, and says what came of it.
  private mutating func send(_ call: Call) {
    guard !isStopped(state.backgroundCauses) else {
      state.message = ("the daemon is stopped; let it go on with kill -CONT", isError: true)
      return
    }
    do throws(CommandError) {
      let session = try Session.openAgain(
        path: follower.session.path, limit: .after(usec: Self.patienceUsec))
      let timer = try Session.timer(in: session.call(call))
      state.message = ("\(timer.name): \(TimerText(timer).state)", isError: false)
    } catch {
      isMute = error.message.isEmpty
      let unanswered = "the daemon does not answer; what was asked for may still happen"
      state.message = (isMute ? unanswered : error.message, isError: true)
    }
  }
}
