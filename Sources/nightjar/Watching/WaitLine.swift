import NightjarClient
import NightjarVarlink

/// The line that `wait` shows on a terminal: the remaining time, and when the timer rings. It is
/// drawn when its text changes, and erased at the end.
struct WaitLine {
  /// Moves to the first column, and erases the line.
  static let eraseSequence = "\r\u{1B}[K"
  /// The line is on the terminal, with the cursor at its end.
  nonisolated(unsafe) static var isDrawn = false

  private let isWanted: Bool
  private var live: LiveTimer?
  private var shown = ""

  /// - Parameter isWanted: false: draw nothing.
  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Applies the daemon's report.
  mutating func take(_ timer: NightjarTimer) { live = LiveTimer(timer, said: .now) }

  /// Draws the present state.
  ///
  /// - Returns: the time until it changes, in microseconds; nil: until the daemon's next report.
  mutating func draw() -> Int64? {
    guard isWanted, let live else { return nil }
    let now = ClockReading.now
    let whole = VisibleText.visible(Self.text(live, at: now))
    // In the last column, the cursor would cover the line's own last character.
    let width = Terminal.columns - 1
    let text = DisplayWidth.of(whole) > width ? DisplayWidth.fitted(whole, to: width) : whole
    if text != shown || !Self.isDrawn {
      Output.text("\r\(text)\u{1B}[K")
      (shown, Self.isDrawn) = (text, true)
    }
    return live.nextChangeUsec(after: now, in: .seconds)
  }

  /// `tea  03:12 left, rings at 14:32:10`.
  static func text(_ live: LiveTimer, at now: ClockReading) -> String {
    let timer = live.timer
    let text = TimerText(timer)
    let remaining = live.clock(at: now, in: .seconds)
    return switch timer.state {
    case .running: "\(timer.name)  \(remaining) left, \(text.rings)"
    case .paused: "\(timer.name)  \(remaining) left, paused"
    case .fired, .cancelled, .waiting, .other: "\(timer.name)  \(text.state)"
    }
  }

  /// Erases the line.
  mutating func erase() {
    guard Self.isDrawn else { return }
    Output.text(Self.eraseSequence)
    (shown, Self.isDrawn) = ("", false)
  }
}
