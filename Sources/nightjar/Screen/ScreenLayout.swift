import NightjarClient
import NightjarTime
import NightjarVarlink

/// Where on the screen what is shown, and how it looks.
struct ScreenLayout {
  let width: Int
  let height: Int
  /// The terminal draws more than ASCII.
  let isUnicode: Bool

  private static let clockWidth = 10
  private static let longestName = 24
  private static let longestBar = 40
  private static let newsLines = 5

  /// The colours of what has none of its own.
  private static let running = Color(red: 0x5F, green: 0xAF, blue: 0x5F)
  private static let rung = Color(red: 0xFF, green: 0xAF, blue: 0x00)
  private static let wrong = Color(red: 0xFF, green: 0x5F, blue: 0x5F)

  /// The lines, `height` of them.
  func lines(_ state: ScreenState, at now: ClockReading) -> [StyledLine] {
    guard height > 2 else { return [footer(state).cut(to: width)].suffix(height) + [] }
    var lines = [header(state)]
    let middle = height - 2
    if state.isHelpShown {
      lines += help.prefix(middle)
    } else {
      lines += body(state, height: middle, at: now)
    }
    lines += Array(repeating: StyledLine(), count: max(0, height - 1 - lines.count))
    lines.append(footer(state))
    return lines.map { $0.cut(to: width) }
  }

  private func header(_ state: ScreenState) -> StyledLine {
    var line = StyledLine(" nightjar", .bold)
    let states = state.timers.map(\.timer.state)
    let counts = [
      (states.count { $0 == .fired || $0 == .waiting }, "rang"),
      (states.count { $0 == .running }, "running"), (states.count { $0 == .paused }, "paused"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let right =
      state.isDaemonAway
      ? "the daemon is away"
      : state.backgroundCauses.map { "in the background: \(TimerText.reasons($0))" } ?? words
    let gap = width - line.width - DisplayWidth.of(right) - 1
    line.add(String(repeating: " ", count: max(1, gap)))
    let isTrouble = state.isDaemonAway || state.backgroundCauses != nil
    line.add(right, isTrouble ? .init(color: Self.wrong, isBold: true) : .dim)
    return line
  }

  private func body(
    _ state: ScreenState, height: Int, at now: ClockReading
  ) -> [StyledLine] {
    // Timers come first; news have what they leave, and one line at least where there is any room.
    let news = state.news.suffix(Self.newsLines)
    let newsRoom = newsRoom(state, height: height)
    var lines = [StyledLine()]
    if state.timers.isEmpty, state.isSynced {
      lines.append(StyledLine("  no timers; press n to start one", .dim))
    }
    let widths = Widths(state.timers, width: width)
    for index in visible(state, height: height) {
      let live = state.timers[index]
      lines.append(
        row(live, widths, isSelected: live.timer.name == state.selected, at: now))
    }
    guard newsRoom > 0 else { return lines }
    let used = max(lines.count, height - newsRoom + 1)
    lines += Array(repeating: StyledLine(), count: used - lines.count)
    return lines + news.suffix(newsRoom - 1).map { StyledLine("  \($0)", .dim) }
  }

  private func newsRoom(_ state: ScreenState, height: Int) -> Int {
    let count = min(state.news.count, Self.newsLines)
    return count == 0 || height < 6 ? 0 : min(count, max(1, height / 3)) + 1
  }

  /// The timers that are drawn.
  func shown(_ state: ScreenState) -> ArraySlice<LiveTimer> {
    guard height > 2, !state.isHelpShown else { return [] }
    return state.timers[visible(state, height: height - 2)]
  }

  /// Those that there is room for, with the selected one among them.
  private func visible(_ state: ScreenState, height: Int) -> Range<Int> {
    let room = max(1, height - newsRoom(state, height: height) - 1)
    let selected = state.selectedIndex ?? 0
    let start = min(max(0, selected - room + 1), max(0, state.timers.count - room))
    return start..<min(state.timers.count, start + room)
  }

  // MARK: A timer

  private struct Widths {
    let name: Int
    let bar: Int

    init(_ timers: [LiveTimer], width: Int) {
      let longest = timers.map { DisplayWidth.of(VisibleText.visible($0.timer.name)) }.max() ?? 0
      name = min(longest, ScreenLayout.longestName, max(4, width / 3))
      let rest = width - 2 - name - 2 - ScreenLayout.clockWidth - 2
      bar = rest < 8 ? 0 : min(ScreenLayout.longestBar, rest < 30 ? rest : rest * 2 / 5)
    }
  }

  private func row(
    _ live: LiveTimer, _ widths: Widths, isSelected: Bool, at now: ClockReading
  ) -> StyledLine {
    let timer = live.timer
    let (style, barStyle) = styles(live, at: now)
    var line = StyledLine(isSelected ? (isUnicode ? "›" : ">") : " ", .bold)
    line.add(" ")
    line.add(
      DisplayWidth.fitted(VisibleText.visible(timer.name), to: widths.name),
      StyledLine.Style(isBold: isSelected || timer.state == .fired, isDim: style.isDim))
    line.add("  ")
    if widths.bar > 0 {
      bar(live.isStopwatch ? nil : live.progress(at: now), widths.bar, barStyle, &line, at: now)
      line.add("  ")
    }
    let clock = Self.clock(live, at: now)
    line.add(String(repeating: " ", count: max(0, Self.clockWidth - clock.count)))
    line.add(clock, style)
    line.add("  ")
    line.add(words(live, at: now), timer.state == .fired ? style : .dim)
    return line
  }

  /// `00:03:12`, `00:00:42.3`.
  private static func clock(_ live: LiveTimer, at now: ClockReading) -> String {
    guard live.timer.state != .cancelled else { return "" }
    let clock = live.clock(at: now, in: .tenths)
    // More than there is room for is told as people do.
    guard clock.count <= clockWidth else {
      return SpanFormat.people(usec: live.remainingUsec(at: now), units: 1)
    }
    // Seconds stand below seconds.
    return (clock.count { $0 == ":" } == 1 ? "00:\(clock)" : clock)
      + (clock.contains(".") ? "" : "  ")
  }

  private func styles(
    _ live: LiveTimer, at now: ClockReading
  ) -> (text: StyledLine.Style, bar: StyledLine.Style) {
    switch live.timer.state {
    case .fired, .waiting:
      let style = StyledLine.Style(color: Self.rung, isBold: true)
      return (style, style)
    case .paused, .cancelled, .other: return (.dim, .dim)
    case .running:
      let color = live.band(at: now)?.color.flatMap(Color.init)
      return (StyledLine.Style(color: color), StyledLine.Style(color: color ?? Self.running))
    }
  }

  /// A bar in eighths of a column.
  private func bar(
    _ progress: Double?, _ width: Int, _ style: StyledLine.Style, _ line: inout StyledLine,
    at now: ClockReading
  ) {
    guard let progress else { return line.add(String(repeating: " ", count: width)) }
    let eighths = Int((min(1, max(0, progress)) * Double(width * 8)).rounded(.down))
    let bar = isUnicode ? Bar.blocks(eighths: eighths) : Bar.ascii(columns: eighths / 8)
    line.add(bar, style)
    line.add(String(repeating: isUnicode ? "─" : "-", count: width - bar.count), .dim)
  }

  private func words(_ live: LiveTimer, at now: ClockReading) -> String {
    let timer = live.timer
    let text = TimerText(
      timer, nowUsec: now.realtimeUsec, agoUsec: live.firedAgoUsec(at: now))
    var parts: [String] =
      switch timer.state {
      case .running: live.isStopwatch ? [] : [text.rings]
      case .paused: ["paused"]
      case .fired, .waiting, .cancelled, .other: [text.state]
      }
    // The band as it is here, which the daemon's word is only the beginning of.
    let more = text.more(band: live.band(at: now))
    if !more.isEmpty { parts.append(more) }
    return parts.joined(separator: ", ")
  }

  // MARK: The last line

  private func footer(_ state: ScreenState) -> StyledLine {
    if let prompt = state.prompt {
      var line = StyledLine(" \(prompt.question)", .bold)
      line.add(prompt.typed)
      line.add(" ", .init(isInverse: true))
      return line
    }
    if let message = state.message {
      return StyledLine(
        " \(message.text)", message.isError ? .init(color: Self.wrong, isBold: true) : .bold)
    }
    return Self.hints(for: state.selectedTimer)
  }

  /// The keys that mean something now.
  private static func hints(for timer: NightjarTimer?) -> StyledLine {
    var keys: [(String, String)] = []
    switch timer?.state {
    case .running?:
      keys = [("space", "pause"), ("+ -", "1 min"), ("e", "extend"), ("c", "cancel")]
      if timer?.kind == .stopwatch { keys = [("space", "pause"), ("l", "lap"), ("c", "stop")] }
    case .paused?: keys = [("space", "resume"), ("c", "cancel")]
    case .fired?: keys = [("d", "dismiss"), ("s", "snooze \(snooze)"), ("r", "restart")]
    case .waiting?: keys = [("space", "continue"), ("c", "cancel")]
    case .cancelled?: keys = [("r", "restart"), ("c", "remove")]
    case .other?, nil: break
    }
    var line = StyledLine()
    for (key, word) in keys + [("n", "new"), ("?", "help"), ("q", "quit")] {
      line.add(" \(key)", .bold)
      line.add(" \(word) ", .dim)
    }
    return line
  }

  private static let snooze = SpanFormat.people(usec: Snooze.usualUsec)

  /// All keys, and what they do.
  static let keys = [
    ("up, down, j, k", "choose a timer"), ("space", "pause, resume, or begin the next step"),
    ("+, -", "a minute more, a minute less"), ("e", "extend by a time span"),
    ("s", "let one that rang ring again in \(snooze)"), ("d", "dismiss one that rang"),
    ("r", "begin anew"), ("l", "take down a lap"),
    ("c", "cancel; of one that is cancelled, remove it"),
    ("n", "start one: a name and how long, as for nightjar start"),
    ("q, Ctrl-C", "leave; the timers continue"),
  ]

  private var help: [StyledLine] {
    [StyledLine()]
      + Self.keys.map { key, words in
        var line = StyledLine("  \(DisplayWidth.fitted(key, to: 16))", .bold)
        line.add(words)
        return line
      }
  }
}
