import NightjarClient
import NightjarVarlink

/// The line of a wait on a terminal: what remains of the timer, and when it rings. It is drawn when what it shows
/// is otherwise than it was, and erased at the end.
struct WaitLine {
  /// Back to the first column, and nothing behind it.
  static let eraseSequence = "\r\u{1B}[K"
  /// A line is on the terminal, and the cursor behind it.
  nonisolated(unsafe) static var isDrawn = false

  private let isWanted: Bool
  private var live: LiveTimer?
  private var shown = ""

  /// - Parameter isWanted: false draws nothing.
  init(isWanted: Bool) { self.isWanted = isWanted }

  /// The daemon says how the timer is.
  mutating func take(_ timer: NightjarTimer) { live = LiveTimer(timer, said: .now) }

  /// Draws what is so now.
  ///
  /// - Returns: how long until that is otherwise, in microseconds; nil: as long as the daemon says nothing.
  mutating func draw() -> Int64? {
    guard isWanted, let live else { return nil }
    let now = ClockReading.now
    let whole = VisibleText.visible(Self.text(live, at: now))
    // In the last column the cursor would be on the line's own last character.
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

  /// Takes the line away.
  mutating func erase() {
    guard Self.isDrawn else { return }
    Output.text(Self.eraseSequence)
    (shown, Self.isDrawn) = ("", false)
  }
}
