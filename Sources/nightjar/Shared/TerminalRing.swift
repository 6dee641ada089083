import Glibc
import NightjarClient

/// Tells the terminal that timers ring: a bell, a notification, and a title as long as one rings. The title is set
/// back when the command ends, also by a signal.
struct TerminalRing {
  private let features: TerminalFeatures
  /// The title that was set; nil: it is the terminal's own.
  private var title: String?
  private var isTitleKept = false

  /// - Parameter features: what the terminal has; `none` keeps it quiet.
  init(_ features: TerminalFeatures) { self.features = features }

  /// Events of a timer that people are to hear of.
  static func isHeard(_ event: Event) -> Bool {
    [.fired, .stepped, .stepEnded, .rangAgain].contains(event.type)
  }

  /// Whether it rang, and nobody has said that they heard it.
  static func isRinging(_ timer: NightjarTimer) -> Bool {
    timer.firedUsec != nil && !timer.isSkipped && timer.state != .paused
      && timer.state != .cancelled
  }

  /// What rings the terminal.
  static func sequence(for timer: NightjarTimer, _ features: TerminalFeatures) -> String {
    features.ring(
      timer.name, timer.message ?? TimerText(timer).rang, isSilent: timer.ring?.isSilent ?? false)
  }

  /// What the title says while a timer rings.
  static func title(for timer: NightjarTimer) -> String {
    "\(timer.name) rings" + (timer.message.map { ": \($0)" } ?? "")
  }

  /// Rings for a timer.
  func ring(for timer: NightjarTimer) { Output.text(Self.sequence(for: timer, features)) }

  /// Sets the title, or sets back what it was.
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
      // Before the title is another.
      LeavingSignals.write(features.restoreTitle)
      Output.text(features.keepTitle)
    }
    Output.text(features.title(text))
  }

  /// The command ends.
  mutating func end() { show(nil) }
}

/// Leaves the terminal as it was when a signal ends the process. A screen has ways of its own.
enum LeavingSignals {
  private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// What the handlers write; they can be given nothing of their own.
  private nonisolated(unsafe) static var text: UnsafeMutablePointer<CChar>?
  private nonisolated(unsafe) static var count = 0

  /// From now on this is written to standard output first.
  static func write(_ sequence: String) {
    // A handler may run in between. What it may read is not freed: there are few of these.
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

  /// As nohup(1) has it: then the signal ends nothing.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0,
      let handler = action.__sigaction_handler.sa_handler
    else { return false }
    return unsafeBitCast(handler, to: Int.self) == 1
  }
}
