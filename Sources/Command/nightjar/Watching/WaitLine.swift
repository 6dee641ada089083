import NightjarClient
import Varlink

/// The line that `wait` shows on a terminal, with the remaining time and the time of the ring. It
/// is drawn each time its text changes, and is erased at the end.
struct WaitLine {
  /// The sequence that moves the cursor to the first column, and erases the line.
  static let eraseSequence = "\r\u{1B}[K"
  /// Whether the line is on the terminal. The cursor is then at its end.
  nonisolated(unsafe) static var isDrawn = false

  private let isWanted: Bool
  private var live: LiveTimer?
  private var shown = ""

  /// - Parameter isWanted: whether to draw the line at all.
  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Sets the timer that the line shows to the one in the daemon's report.
  mutating func take(_ timer: Wire.Timer) { live = LiveTimer(timer, asOf: .now) }

  /// Draws the line, if its text has changed.
  ///
  /// - Returns: the time until the text changes, in microseconds; nil: it changes only after the
  ///   daemon's next report.
  mutating func draw() -> Int64? {
    guard isWanted, let live else { return nil }
    let now = ClockReading.now
    let whole = VisibleText.visible(Self.text(live, at: now))
    // The last column is left free, because the cursor at the end of the line would cover its last
    // character.
    let width = Terminal.columns - 1
    let text = DisplayWidth.of(whole) > width ? DisplayWidth.fitted(whole, to: width) : whole
    if text != shown || !Self.isDrawn {
      Output.text("\r\(text)\u{1B}[K")
      (shown, Self.isDrawn) = (text, true)
    }
    return live.nextChangeUsec(after: now, in: .seconds)
  }

  /// The text of the line, such as `tea  03:12 left, rings at 14:32:10`.
  static func text(_ live: LiveTimer, at now: ClockReading) -> String {
    let timer = live.timer
    let text = TimerText(timer)
    let remaining = live.clock(at: now, in: .seconds)
    return switch timer.state {
    case .running where timer.ringing == nil: "\(timer.name)  \(remaining) left, \(text.rings)"
    case .paused where timer.ringing == nil: "\(timer.name)  \(remaining) left, paused"
    case _ where timer.isSnoozed: "\(timer.name)  \(remaining) left, \(text.facts())"
    case .running, .paused, .over, .cancelled, .waiting, .other: "\(timer.name)  \(text.facts())"
    }
  }

  mutating func erase() {
    guard Self.isDrawn else { return }
    Output.text(Self.eraseSequence)
    (shown, Self.isDrawn) = ("", false)
  }
}
