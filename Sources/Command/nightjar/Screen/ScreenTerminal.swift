import Glibc
import NightjarClient

/// The terminal, while a screen is shown on it. The terminal does not echo input, and sends each
/// key at once. The screen is the terminal's alternate screen, so the earlier content is visible
/// again after the screen is closed.
final class ScreenTerminal {
  /// The sequence that prepares the terminal, with private modes of xterm. 1049 shows the alternate
  /// screen and saves the cursor. 25 hides the cursor. 7 turns the wrapping of long lines off. 1000
  /// reports the buttons and the wheel of the mouse. 1006 allows any column in mouse sequences.
  /// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
  private static let enterSequence =
    "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[2J"
  static let leaveSequence =
    "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    + TerminalFeatures.ofOutput.restoreTitle

  private let saved: termios
  private let palette = Palette.ofTerminal
  private let features = TerminalFeatures.ofOutput
  /// The title that this command has set; nil: the terminal has its own title.
  private var title: String?
  private var terminalGuard: TerminalGuard?
  private var isEntered = false
  /// The lines that are on the terminal at present.
  private var drawn: [String] = []

  /// - Throws: `CommandError` if standard input is no terminal.
  init() throws(CommandError) {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else {
      throw CommandError(
        .refused, "the screen needs a terminal; \(Typed.nightjar) list shows the timers once")
    }
    self.saved = saved
    terminalGuard = TerminalGuard(terminal: STDOUT_FILENO, saved: saved)
  }

  deinit {
    leave()
    terminalGuard?.dismiss()
  }

  /// The size of the terminal, in columns and lines. It is 80 × 24 if the terminal does not report
  /// a size.
  var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  func enter() {
    guard !isEntered else { return }
    isEntered = true
    Terminal.hasScreen = true
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
      bytes[Int(VMIN)] = 1
      bytes[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    Output.text(Self.enterSequence + features.saveTitle)
    (drawn, title) = ([], nil)
  }

  /// Restores the terminal to its state before `enter`.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    Terminal.hasScreen = false
    Output.text(Self.leaveSequence)
    var saved = saved
    tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
  }

  /// Draws the lines that differ from those on the terminal.
  func draw(_ lines: [StyledLine], width: Int) {
    var text = ""
    // A line of full width is not erased to its end. The cursor would still be on the last column,
    // and the character there would be erased.
    let drawn = lines.map { $0.rendered(palette) + ($0.width < width ? "\u{1B}[K" : "") }
    for (index, line) in drawn.enumerated()
    where index >= self.drawn.count || self.drawn[index] != line {
      text += "\u{1B}[\(index + 1);1H\(line)"
    }
    self.drawn = drawn
    write(text)
  }

  func ring(for timer: Wire.Timer) { write(TerminalRing.sequence(for: timer, features)) }

  /// Sets the title of the terminal. Nil restores the title that the terminal had before the
  /// screen.
  func show(title: String?) {
    guard title != self.title else { return }
    self.title = title
    write(title.map(features.title) ?? features.restoreTitle + features.saveTitle)
  }

  private func write(_ text: String) {
    guard !text.isEmpty else { return }
    ScreenSignals.isDrawing = true
    Output.text(text)
    ScreenSignals.isDrawing = false
  }

  /// Makes the next `draw` draw all lines.
  func forget() {
    drawn = []
    Output.text("\u{1B}[2J")
  }
}
