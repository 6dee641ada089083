import NightjarClient
import NightjarTime

/// The footer, which is at the bottom of the screen, and the list of keys.
extension ScreenLayout {
  /// The most lines of a message. There are several, so that a long error can be read to its end.
  private static let sentenceLines = 3

  func footerHeight(_ state: ScreenState) -> Int { footer(state).count }

  /// The lines of the footer: the keys, the result of the last key, or the input and its error.
  func footer(_ state: ScreenState) -> [StyledLine] {
    let wrong = StyledLine.Style(ink: .red, isBold: true)
    if let prompt = state.prompt {
      var line = StyledLine(" \(prompt.question)", .bold)
      // On a narrow screen, the question is cut, because the input is more important.
      if line.width > width / 2 { line = line.cut(to: width / 2) }
      line.add(prompt.line.styled(width: max(4, width - line.width - 1)))
      return (prompt.error.map { sentence($0, wrong) } ?? []) + [line]
    }
    if let message = state.message {
      return sentence(message.text, message.isError ? wrong : .bold)
    }
    var line = StyledLine()
    for hint in hints(state) { line.add(Self.styled(hint)) }
    return [line]
  }

  /// The key in the footer at a position of the screen; nil: there is none.
  func footerKey(line: Int, column: Int, _ state: ScreenState) -> Key? {
    guard line == height - 1, state.prompt == nil, state.message == nil else { return nil }
    var end = 0
    let hint = hints(state).first { hint in
      end += Self.styled(hint).width
      return column < end
    }
    return hint.flatMap { Key(label: $0.key) }
  }

  private func sentence(_ text: String, _ style: StyledLine.Style) -> [StyledLine] {
    let lines = TextWrap.lines(StyledLine.visible(text), width: width - 2)
    let most = height < 10 ? 1 : Self.sentenceLines
    guard lines.count > most else { return lines.map { StyledLine(" \($0)", style) } }
    // The last line gets the rest of the text. The screen cuts every line to its width, and marks
    // the cut.
    let last = lines[(most - 1)...].joined(separator: " ")
    return (lines[..<(most - 1)] + [last]).map { StyledLine(" \($0)", style) }
  }

  /// A key in the footer, and what it does.
  private typealias Hint = (key: String, words: String)

  private static func styled(_ hint: Hint) -> StyledLine {
    var line = StyledLine(" \(hint.key)", .init(ink: .cyan, isBold: true))
    line.add(" \(hint.words) ", .dim)
    return line
  }

  /// The keys that have a function at present. Keys for which there is no room are left out, except
  /// the last ones.
  private func hints(_ state: ScreenState) -> [Hint] {
    var keys: [Hint] = [("up down", "scroll")]
    var always: [Hint] = [("q", "quit")]
    if state.isHelpShown {
      (keys, always) = (keys + [("any other key", "back")], [])
    } else if state.isClockShown {
      (keys, always) = ([], [("esc", "back")] + always)
    } else if state.detailsFrom != nil {
      keys.append(("esc", "back"))
    } else {
      (keys, always) = (Self.hints(for: state), [("?", "help")] + always)
    }
    var room = width - always.reduce(0) { $0 + Self.styled($1).width }
    return keys.prefix { hint in
      room -= Self.styled(hint).width
      return room >= 0
    } + always
  }

  private static func hints(for state: ScreenState) -> [Hint] {
    let timer = state.selectedTimer
    var keys: [Hint] = []
    switch timer?.state {
    case .running? where timer?.kind == .stopwatch:
      keys = [("space", "pause"), ("l", "lap"), ("c", "stop")]
    case .running? where timer?.ringing != nil: keys = [("space", "pause"), ("c", "cancel")]
    case .running?:
      keys = [("space", "pause"), ("+ -", "1 min"), ("e", "extend"), ("c", "cancel")]
    case .paused?: keys = [("space", "resume"), ("c", "cancel")]
    case .over?: keys = [("r", "restart")]
    case .waiting?: keys = [("space", "continue"), ("c", "cancel")]
    case .cancelled?: keys = [("r", "restart"), ("c", "remove")]
    case .other?, nil: break
    }
    if timer?.ringing != nil { keys.insert(("s", "snooze \(snooze)"), at: 0) }
    if timer?.ringing != nil || timer?.miss != nil { keys.insert(("d", "dismiss"), at: 0) }
    if !state.filter.isEmpty { keys.insert(("esc", "all timers"), at: 0) }
    keys += [("n", "new"), ("u", "undo"), ("z", "clock")]
    if timer != nil { keys += [("enter", "details"), ("/", "find")] }
    return keys
  }

  private static let snooze = SpanFormat.text(usec: Snooze.usualUsec)

  static let keys = [
    ("up, down, j, k", "select a timer; page up, page down, home and end move further"),
    ("space", "pause, resume, or start the next step"),
    ("+, -", "add a minute, subtract a minute"), ("e", "extend by a time span"),
    ("s", "snooze a ring: it rings again in \(snooze)"),
    ("d", "dismiss a ring, or what did not ring"), ("r", "restart"), ("l", "record a lap"),
    ("c, x", "cancel; remove a cancelled timer"),
    ("u", "undo the last change, if it is less than a minute old"),
    ("n", "start a timer, with all options of nightjar start; also alarm, stopwatch, sequence"),
    ("1 to 9", "start a preset: the first in alphabetical order, the second, and so on"),
    ("enter", "show the details and the events of a timer"),
    (
      "z",
      "show the clock of what rings, or of the timer, on the whole screen; without timers, the time "
        + "of day"
    ),
    ("/", "find timers by a part of their names; esc shows all again"),
    (
      "mouse",
      "a click selects a timer, another click shows its details; a click on a key in the last line "
        + "presses it; the wheel scrolls"
    ),
    ("Ctrl-L", "redraw the screen"), ("q, Ctrl-C", "quit; the timers continue"),
  ]

  /// The keys of the line editor and their functions.
  static let typingKeys = [
    ("left, right, home, end", "move the cursor; so do Ctrl-B, Ctrl-F, Ctrl-A and Ctrl-E"),
    ("backspace, delete", "remove a character"),
    (
      "Ctrl-W, Ctrl-U, Ctrl-K", "remove the word before the cursor, all before it, or all after it"
    ),
    ("up, down", "show texts that you typed before"),
    ("enter", "accept the text; if it has a mistake, it stays, and you can correct it"),
    ("esc", "discard the text"),
  ]

  func help(_ state: ScreenState, height: Int) -> [StyledLine] {
    let area = Area(line: 1, width: width, height: height)
    var frame = frame(area, "keys")
    let inner = isFramed ? frame.innerWidth : width - 2
    let room = isFramed ? frame.innerHeight : height
    let lines = helpLines(width: inner)
    let from = min(state.helpFrom, max(0, lines.count - room))
    let visible = from..<min(lines.count, from + room)
    guard isFramed else { return lines[visible].map { indented($0) } }
    frame.part = (visible, lines.count)
    if visible.count < lines.count {
      frame.corner = StyledLine("\(visible.upperBound)/\(lines.count)", .dim)
    }
    return frame.lines(Array(lines[visible]))
  }

  func indented(_ line: StyledLine) -> StyledLine {
    var indented = StyledLine("  ")
    indented.add(line)
    return indented
  }

  /// The largest number of the line with which the help can begin.
  func lastHelpLine(_ state: ScreenState) -> Int {
    let height = height - 1 - footerHeight(state)
    let lines = helpLines(width: isFramed ? width - 4 : width - 2)
    return max(0, lines.count - (isFramed ? height - 2 : height))
  }

  private func helpLines(width: Int) -> [StyledLine] {
    // On a narrow screen, the description of a key is on the line below the key.
    let isNarrow = width < 60
    let key = StyledLine.Style(ink: .cyan, isBold: true)
    var lines: [StyledLine] = []
    func add(_ keys: [(String, String)], keyWidth: Int) {
      for (name, words) in keys {
        if isNarrow { lines.append(StyledLine(name, key)) }
        let indent = isNarrow ? 2 : keyWidth
        for (index, row) in TextWrap.lines(words, width: width - indent).enumerated() {
          var line = StyledLine(
            DisplayWidth.fitted(index == 0 && !isNarrow ? name : "", to: indent), key)
          line.add(row)
          lines.append(line)
        }
      }
    }
    add(Self.keys, keyWidth: 16)
    lines += [StyledLine(), StyledLine("while you type a text", .bold)]
    add(Self.typingKeys, keyWidth: 24)
    return lines
  }
}
