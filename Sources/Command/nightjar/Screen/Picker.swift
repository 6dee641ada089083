import Glibc
import Varlink

/// A list below the prompt, from which the user chooses one row: with the arrow keys, or by typing
/// a part of its name. It is drawn on standard error, because the choice is not the command's
/// result.
struct Picker {
  let question: String
  let rows: [(name: String, about: String)]

  /// The most rows that are shown at once.
  private static let mostRows = 10

  private struct State {
    var typed = ""
    var index = 0
    /// The indices of the rows that contain what the user typed.
    var found: [Int]
  }

  /// The index of the row; nil: the user chose none.
  func choice() -> Int? {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return nil }
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &saved) }
    var (state, reader) = (State(found: Array(rows.indices)), KeyReader())
    var drawn = draw(state)
    defer { Output.prompt("\u{1B}[\(drawn)A\r\u{1B}[J") }
    while true {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 || count < 0 && errno == EINTR else { return nil }
      for key in reader.keys(in: bytes.prefix(max(0, count))) {
        switch key {
        case .enter:
          if state.found.indices.contains(state.index) { return state.found[state.index] }
        case .escape, .control("c"), .control("d"): return nil
        case .up: state.index = max(0, state.index - 1)
        case .down: state.index = min(max(0, state.found.count - 1), state.index + 1)
        case .backspace: search(String(state.typed.dropLast()), &state)
        case .character(let character): search(state.typed + String(character), &state)
        default: break
        }
      }
      Output.prompt("\u{1B}[\(drawn)A\r\u{1B}[J")
      drawn = draw(state)
    }
  }

  private func search(_ text: String, _ state: inout State) {
    let lowered = text.lowercased()
    state.found = rows.indices.filter {
      lowered.isEmpty || rows[$0].name.lowercased().contains(lowered)
    }
    (state.typed, state.index) = (text, 0)
  }

  /// Draws the question and the rows around the chosen one.
  ///
  /// - Returns: the number of lines.
  private func draw(_ state: State) -> Int {
    let first = max(0, min(state.index - Self.mostRows / 2, state.found.count - Self.mostRows))
    let shown = state.found.dropFirst(first).prefix(Self.mostRows)
    let width = shown.map { DisplayWidth.of(rows[$0].name) }.max() ?? 0
    let lines = shown.enumerated().map { offset, index in
      let mark = first + offset == state.index ? ">" : " "
      let name = DisplayWidth.fitted(rows[index].name, to: width)
      return DisplayWidth.fitted("\(mark) \(name)  \(rows[index].about)", to: Terminal.columns - 1)
    }
    let head = "\(question) \(state.typed)"
    Output.prompt(([head] + lines).map { "\(VisibleText.visible($0))\r\n" }.joined())
    return lines.count + 1
  }
}
