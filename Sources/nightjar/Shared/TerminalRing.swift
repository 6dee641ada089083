import Glibc
import NightjarClient

/// Rings the terminal: a bell, a notification, and a title while a timer rings. The title is
/// restored when the command ends, also by a signal.
struct TerminalRing {
  private let features: TerminalFeatures
  /// The title that was set; nil: the terminal's own is shown.
  private var title: String?
  private var isTitleKept = false

  /// - Parameter features: the terminal's features; `none` keeps it quiet.
  init(_ features: TerminalFeatures) { self.features = features }

  /// Whether an event rings.
  static func isHeard(_ event: Event) -> Bool {
    [.fired, .stepped, .stepEnded, .rangAgain].contains(event.type)
  }

  /// Whether the timer has expired and the user has not dismissed it.
  static func isRinging(_ timer: NightjarTimer) -> Bool {
    timer.firedUsec != nil && !timer.isSkipped && timer.state != .paused
      && timer.state != .cancelled
  }

  /// The sequence that rings the terminal.
  static func sequence(for timer: NightjarTimer, _ features: TerminalFeatures) -> String {
    features.ring(
      timer.name, timer.message ?? TimerText(timer).rang, isSilent: timer.ring?.isSilent ?? false)
  }

  /// The title while a timer rings.
  static func title(for timer: NightjarTimer) -> String {
    "\(timer.name) rings" + (timer.message.map { ": \($0)" } ?? "")
  }

  /// Rings for a timer.
  func ring(for timer: NightjarTimer) { Output.text(Self.sequence(for: timer, features)) }

  /// Sets the title; nil restores the terminal's own.
  mutating func show(_ text: String?) {
    guard features.hasTitle, text != title else { return }
    title = text
    guard let text else {
      isTitleKept = false
      Output.text(features.restoreTitle)
      return LeavingSignals.write("")
    }
    if !isTitleKept {
      isTitleKept = true
      // The handler must be ready before the title changes.
      LeavingSignals.write(features.restoreTitle)
      Output.text(features.keepTitle)
    }
    Output.text(features.title(text))
  }

  /// Restores the title when the command ends.
  mutating func end() { show(nil) }
}

/// Restores the terminal when a signal ends the process. A full screen uses `ScreenSignals` and
/// `TerminalGuard` for that.
enum LeavingSignals {
  private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// The sequence that the handlers write. A signal handler takes no argument, so this is global.
  private nonisolated(unsafe) static var text: UnsafeMutablePointer<CChar>?
  private nonisolated(unsafe) static var count = 0

  /// From now on the handlers write this sequence to standard output.
  static func write(_ sequence: String) {
    // A handler may run at any moment. The old text is never freed, because a handler may be
    // reading it. There are only a few texts.
    count = 0
    guard !sequence.isEmpty, let copy = strdup(sequence) else { return }
    let isFirst = text == nil
    text = copy
    count = strlen(copy)
    guard isFirst else { return }
    for number in handled where !isIgnored(number) {
      signal(number) { number in
        if let text = LeavingSignals.text {
          _ = Glibc.write(STDOUT_FILENO, text, LeavingSignals.count)
        }
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// A signal that was ignored at start stays ignored, as with nohup(1).
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0,
      let handler = action.__sigaction_handler.sa_handler
    else { return false }
    return unsafeBitCast(handler, to: Int.self) == 1
  }
}
