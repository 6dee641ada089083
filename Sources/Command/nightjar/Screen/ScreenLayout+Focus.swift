import NightjarClient
import NightjarTime

/// The box of the selected timer, with its clock in large digits, and the box of its details.
extension ScreenLayout {
  /// The least width for facts beside the digits, in columns.
  private static let factsWidth = 24

  func focus(_ state: ScreenState, _ area: Area, at now: ClockReading) -> [StyledLine] {
    guard let live = state.selectedLive else { return [] }
    var frame = frame(area, live.timer.name)
    let (text, bar) = styles(live, at: now)
    frame.corner = StyledLine(
      live.timer.shownWord,
      live.timer.state == .paused ? .init(ink: .yellow) : text.ink == nil ? bar : text)
    if live.timer.hasRung { frame.style = pulse(live, text, at: now) }
    let (width, height) = (frame.innerWidth, frame.innerHeight)
    let storyLines = state.story?.name == live.timer.name ? state.story?.lines.count ?? 0 : 0
    var lines = clock(live, width: width, height: height - 1, storyLines: storyLines, at: now)
    lines.append(meter(live, width: width, at: now))
    let rest = height - lines.count
    if rest > 0, state.detailsFrom == nil { lines += below(state, width: width, lines: rest) }
    return frame.lines(lines)
  }

  /// The style of a ring's border: bold in every other second while it rings.
  private func pulse(
    _ live: LiveTimer, _ style: StyledLine.Style, at now: ClockReading
  ) -> StyledLine.Style {
    var style = style
    if live.timer.showsRing, let ago = live.rangAgoUsec(at: now) {
      style.isBold = ago / 1_000_000 % 2 == 0
    }
    return style
  }

  /// The clock that fills the screen: of what rings, else of the selected timer, else the time of
  /// day.
  func wholeClock(_ state: ScreenState, height: Int, at now: ClockReading) -> [StyledLine] {
    let live = clockTimer(state)
    let wall = LocalTime(usec: now.realtimeUsec)
    let clock = live.map { Self.shownClock($0, at: now) } ?? String(wall.time.prefix(5))
    let style = live.map { live in pulse(live, styles(live, at: now).text, at: now) } ?? .plain
    let words = live.map { facts($0, width: width - 4, at: now).prefix(1).map(\.line) }
    // The digits keep their size when tenths begin.
    let widest = clock.count > 7 || live == nil ? clock : "00:00.0"
    let scale = BigDigits.scales(isUnicode: isUnicode, most: 40).first {
      BigDigits.width(widest, scale: $0).map { $0 <= width - 4 } == true
        && BigDigits.height(scale: $0) + 4 <= height
    }
    let digits =
      scale.map { BigDigits.lines(clock, scale: $0, isUnicode: isUnicode) } ?? [clock]
    let name = live.map { StyledLine($0.timer.name, .bold) } ?? StyledLine(wall.date(now: wall))
    let lines =
      [name, StyledLine()] + digits.map { StyledLine($0, style) } + [StyledLine()] + (words ?? [])
    return blanks(max(0, height - lines.count) / 2)
      + lines.map { centred($0, $0.width, in: width) }
  }

  /// The timer whose clock fills the screen; nil: it is the time of day.
  func clockTimer(_ state: ScreenState) -> LiveTimer? {
    state.ringingNowCount > 0 ? state.timers.first : state.selectedLive
  }

  /// The lines with the digits and the facts. The facts are beside the digits, or below them if
  /// there is no room beside them. Some lines are left for the story. The digits are as large as
  /// possible without cutting off the time of the ring or the message.
  private func clock(
    _ live: LiveTimer, width: Int, height: Int, storyLines: Int, at now: ClockReading
  ) -> [StyledLine] {
    let clock = Self.shownClock(live, at: now)
    // The clock shows tenths in the last minute. The digits have the same size before the last
    // minute and in it.
    let widest = clock.count > 7 ? clock : "00:00.0"
    let style = styles(live, at: now)
    let reserve = min(storyLines + 1, height >= 14 ? 5 : height >= 8 ? 2 : 0)
    let below = facts(live, width: width, at: now)
    for scale in BigDigits.scales(isUnicode: isUnicode) {
      guard let room = BigDigits.width(widest, scale: scale), room <= width,
        let columns = BigDigits.width(clock, scale: scale)
      else { continue }
      let rows = BigDigits.height(scale: scale)
      let spare = height - reserve - rows
      let digits = BigDigits.lines(clock, scale: scale, isUnicode: isUnicode)
      // A blank line is added below the digits if there is room for one, and another above them if
      // there is room for both.
      if width - room - 4 >= Self.factsWidth, scale < 3, spare >= 0,
        case let facts = facts(live, width: width - room - 4, at: now),
        Self.needed(facts, for: live) <= rows
      {
        let lines = beside(digits, room: room, style.text, cut(facts, to: rows))
        // A blank line is not needed if the last line of the digits is only half filled.
        let isApart = rows * 2 > 5 * scale
        return blanks(spare >= 3 ? 1 : 0) + lines + blanks(!isApart && spare >= 1 ? 1 : 0)
      }
      let needed = Self.needed(below, for: live)
      guard spare >= max(1, needed) else { continue }
      let count = min(max(spare >= 7 ? 4 : 2, needed), below.count, spare)
      let isRoomy = spare >= count + 3
      return blanks(isRoomy ? 1 : 0)
        + digits.map { centred(StyledLine($0, style.text), columns, in: width) }
        + blanks(isRoomy ? 1 : 0) + cut(below, to: count).map { centred($0, $0.width, in: width) }
        + blanks(isRoomy ? 1 : 0)
    }
    var line = StyledLine(clock, style.text)
    line.addBlanks(2)
    let count = max(3, Self.needed(below, for: live))
    return [line] + cut(below, to: max(0, min(count, height - 1)))
  }

  /// The number of lines that must stay visible even if the digits become smaller. They are the
  /// lines of the time of the ring, the message and a failed command. The number is 0 if there is
  /// neither a message nor a failed command.
  private static func needed(_ facts: [FactLine], for live: LiveTimer) -> Int {
    live.timer.message == nil && live.timer.failure == nil
      ? 0 : facts.prefix { $0.isNeeded }.count
  }

  private func beside(
    _ digits: [String], room: Int, _ style: StyledLine.Style, _ facts: [StyledLine]
  ) -> [StyledLine] {
    let top = (digits.count - facts.count) / 2
    return digits.enumerated().map { row, digits in
      var line = StyledLine(digits, style)
      line.addBlanks(room + 4 - line.width)
      if facts.indices.contains(row - top) { line.add(facts[row - top]) }
      return line
    }
  }

  private func blanks(_ count: Int) -> [StyledLine] { Array(repeating: StyledLine(), count: count) }

  private func centred(_ line: StyledLine, _ columns: Int, in width: Int) -> StyledLine {
    var centred = StyledLine()
    centred.addBlanks((width - columns) / 2)
    centred.add(line)
    return centred
  }

  private struct FactLine {
    var line: StyledLine
    /// Whether more lines of the same fact follow.
    var continues: Bool
    /// Whether the fact is the time of the ring, the message, or the failure of a command.
    var isNeeded: Bool
  }

  /// The first lines, `count` at most. If that cuts off a fact, an ellipsis marks it.
  private func cut(_ lines: [FactLine], to count: Int) -> [StyledLine] {
    var cut = Array(lines.prefix(count))
    if let last = cut.last, last.continues { cut[cut.count - 1].line.add("…", .dim) }
    return cut.map(\.line)
  }

  /// The lines of the facts: the time of the ring, the message, a failed command, and then all
  /// other facts.
  private func facts(_ live: LiveTimer, width: Int, at now: ClockReading) -> [FactLine] {
    let timer = live.timer
    let text = text(live, at: now)
    let state =
      switch timer.state {
      case .running: live.isStopwatch && !live.timer.away ? "counts up" : text.rings
      case .paused: "paused"
      case .waiting: waits(timer)
      case .over, .cancelled, .other: text.state
      }
    let style = styles(live, at: now)
    var lines: [FactLine] = []
    func add(_ text: String, _ style: StyledLine.Style, isNeeded: Bool = false) {
      guard !text.isEmpty else { return }
      // One column is left for an ellipsis.
      lines += TextWrap.lines(StyledLine.visible(text), width: width - 1).map {
        FactLine(line: StyledLine($0, style), continues: true, isNeeded: isNeeded)
      }
      lines[lines.count - 1].continues = false
    }
    add(text.facts(state: state), timer.hasRung ? style.text : .bold, isNeeded: true)
    add(timer.message ?? "", .plain, isNeeded: true)
    add(text.failure ?? "", .plain, isNeeded: true)
    add(text.more(band: live.band(at: now), without: [.failure, .message]), .plain)
    let length = SpanFormat.text(usec: timer.durationUsec, units: 2)
    if timer.kind == .countdown, timer.repeat == nil { add("countdown of \(length)", .plain) }
    add(TimerText.labels(timer.labels), .dim)
    return lines
  }

  /// The text for a waiting sequence, with the key that continues it.
  private func waits(_ timer: Wire.Timer) -> String {
    let over = timer.step.map { "\($0.name) is over" } ?? "waiting"
    let next = timer.step?.nextName.map { ", \($0) waits" } ?? ""
    return "\(over)\(next): press space"
  }

  private func meter(_ live: LiveTimer, width: Int, at now: ClockReading) -> StyledLine {
    guard !live.isStopwatch else { return StyledLine() }
    let percent = "\(live.percent(at: now)) %"
    let length = max(1, width - 6)
    var line = bar(live.progress(at: now), length, styles(live, at: now).bar)
    line.addBlanks(6 - percent.count)
    line.add(percent, .dim)
    return line
  }

  /// The lines below the progress bar. They are the end of the timer's story. If there is room for
  /// the details and the whole story, both are shown.
  private func below(_ state: ScreenState, width: Int, lines count: Int) -> [StyledLine] {
    guard let story = state.story, story.name == state.selected else { return [] }
    let details = detailLines(state, width: width)
    guard details.count >= count else { return [StyledLine()] + details }
    let isRoomy = count > story.lines.count
    let shown = story.lines.suffix(isRoomy ? count - 1 : count)
    return blanks(isRoomy ? 1 : 0) + shown.map { StyledLine($0, .dim) }
  }

  // MARK: Details

  func details(_ state: ScreenState, _ area: Area) -> [StyledLine] {
    var frame = frame(area, "details")
    let lines = detailLines(state, width: frame.innerWidth)
    let from = min(state.detailsFrom ?? 0, max(0, lines.count - frame.innerHeight))
    let visible = from..<min(lines.count, from + frame.innerHeight)
    frame.part = (visible, lines.count)
    if visible.count < lines.count {
      frame.corner = StyledLine("\(visible.upperBound)/\(lines.count)", .dim)
    }
    return frame.lines(Array(lines[visible]))
  }

  /// The lines of the details, for a screen without boxes.
  func plainDetails(_ state: ScreenState, _ area: Area, at now: ClockReading) -> [StyledLine] {
    guard let live = state.selectedLive else { return [] }
    let lines = detailLines(state, width: width - 2)
    let room = max(0, area.height - 1)
    let from = min(state.detailsFrom ?? 0, max(0, lines.count - room))
    let first = row(live, Widths([live], width: width, at: now), isSelected: true, at: now)
    return [first] + lines[from..<min(lines.count, from + room)].map { indented($0) }
  }

  /// The largest number of the line with which the details can begin.
  func lastDetailsLine(_ state: ScreenState) -> Int {
    guard let area = areas(state).details else { return 0 }
    let count = detailLines(state, width: isFramed ? area.width - 4 : width - 2).count
    return max(0, count - (isFramed ? area.height - 2 : area.height - 1))
  }

  private func detailLines(_ state: ScreenState, width: Int) -> [StyledLine] {
    guard let story = state.story, story.name == state.selected else { return [] }
    let facts = story.facts.flatMap { fact -> [StyledLine] in
      let label = fact.firstIndex(of: ":").map { fact.distance(from: fact.startIndex, to: $0) + 1 }
      let lines = TextWrap.lines(fact, width: width, indent: Columns.indent(of: fact))
      return lines.enumerated().map { index, text in
        guard index == 0, let label else { return StyledLine(text) }
        var line = StyledLine(String(text.prefix(label)), .dim)
        line.add(String(text.dropFirst(label)))
        return line
      }
    }
    let storyLines = story.lines.flatMap { TextWrap.lines($0, width: width, indent: 2) }
    return facts + [StyledLine(), StyledLine("what happened to it", .bold)]
      + storyLines.map { StyledLine($0) }
  }
}
