import Glibc
import NightjarClient

/// Rings the terminal, with the bell and a notification, and sets its title while a timer rings.
/// The title is restored when the command ends, also if a signal ends it.
struct TerminalRing {
  private let features: TerminalFeatures
  /// The title that this command has set; nil: the terminal has its own title.
  private var title: String?
  private var isTitleSaved = false

  /// - Parameter features: the features of the terminal. With `none`, the terminal stays quiet.
  init(_ features: TerminalFeatures) { self.features = features }

  /// Whether the terminal rings for an event.
  static func isHeard(_ event: Wire.Event) -> Bool { [.rang, .rangAgain].contains(event.type) }

  static func sequence(for timer: Wire.Timer, _ features: TerminalFeatures) -> String {
    features.ring(
      timer.name, timer.message ?? "rang \(TimerText(timer).ago)",
      isSilent: timer.ring?.silent ?? false)
  }

  /// The title of the terminal while a timer shows its ring.
  static func title(for timer: Wire.Timer) -> String {
    "\(timer.name) \(timer.ringing == .ringing ? "rings" : "rang")"
      + (timer.message.map { ": \($0)" } ?? "")
  }

  func ring(for timer: Wire.Timer) { Output.text(Self.sequence(for: timer, features)) }

  /// Sets the title of the terminal. Nil restores the terminal's own title.
  mutating func show(_ text: String?) {
    guard features.hasTitle, text != title else { return }
    title = text
    guard let text else {
      isTitleSaved = false
      Output.text(features.restoreTitle)
      return LeavingSignals.write("")
    }
    if !isTitleSaved {
      isTitleSaved = true
      // The signal handlers get the sequence before the title changes, because a signal may arrive
      // at any moment.
      LeavingSignals.write(features.restoreTitle)
      Output.text(features.saveTitle)
    }
    Output.text(features.title(text))
  }

  /// Restores the title when the command ends.
  mutating func end() { show(nil) }
}

/// Signal handlers that restore the title of the terminal when a signal ends the process. A full
/// screen uses `ScreenSignals` and `TerminalGuard` instead.
enum LeavingSignals {
  private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// The sequence that the handlers write. A signal handler takes no argument, so this is global.
  private nonisolated(unsafe) static var text: UnsafeMutablePointer<CChar>?
  private nonisolated(unsafe) static var count = 0

  /// Makes the handlers write this sequence to standard output when a signal ends the process.
  static func write(_ sequence: String) {
    // The old text is never freed, because a handler may run at any moment, and be reading it.
    // There are only a few texts.
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

  /// Whether a signal was ignored when the program started. Such a signal stays ignored, as
  /// nohup(1) requires.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0,
      let handler = action.__sigaction_handler.sa_handler
    else { return false }
    return unsafeBitCast(handler, to: Int.self) == 1
  }
}
