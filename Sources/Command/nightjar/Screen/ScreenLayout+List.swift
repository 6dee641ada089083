import NightjarClient
import NightjarTime

/// The list of timers, and the list of recent events.
extension ScreenLayout {
  private static let clockWidth = 10
  private static let longestName = 24
  private static let longestBar = 40
  /// A bar becomes narrower to make room for a message, but not narrower than this.
  private static let shortestBar = 8
  private static let dayUsec: Int64 = 24 * 3_600_000_000

  // MARK: Without boxes

  /// The lines of the timers and of recent events. Timers come first. The events get the rest of
  /// the lines, and at least one line unless the screen is very low.
  func plainList(_ state: ScreenState, height: Int, at now: ClockReading) -> [StyledLine] {
    let news = state.news.suffix(Self.newsLines)
    let newsRoom = newsRoom(state, height: height)
    let message = messageLines(state, height: height)
    var lines = [StyledLine()] + rows(state, width: width, at: now)
    if !message.isEmpty {
      let used = max(lines.count, height - newsRoom - message.count)
      lines += Array(repeating: StyledLine(), count: used - lines.count) + message
    }
    guard newsRoom > 0 else { return lines }
    let used = max(lines.count, height - newsRoom + 1)
    lines += Array(repeating: StyledLine(), count: used - lines.count)
    return lines + news.suffix(newsRoom - 1).map { StyledLine("  \($0)", .dim) }
  }

  /// The lines with the message of the selected timer, below the list. They are at most a third of
  /// the lines, and none on a very low screen.
  private func messageLines(_ state: ScreenState, height: Int) -> [StyledLine] {
    guard height >= 6, let timer = state.selectedTimer, let message = timer.message else {
      return []
    }
    var lines = TextWrap.lines(
      StyledLine.visible("\(timer.name): \(message)"), width: width - 3, indent: 2)
    let most = max(1, height / 3)
    if lines.count > most {
      lines.removeSubrange(most...)
      lines[most - 1] += "…"
    }
    return lines.map { StyledLine(" \($0)", timer.hasRung ? .bold : .dim) }
  }

  private func newsRoom(_ state: ScreenState, height: Int) -> Int {
    let count = min(state.news.count, Self.newsLines)
    return count == 0 || height < 6 ? 0 : min(count, max(1, height / 3)) + 1
  }

  // MARK: In boxes

  func list(_ state: ScreenState, _ area: Area, at now: ClockReading) -> [StyledLine] {
    var frame = frame(area, "timers")
    if !state.filter.isEmpty {
      frame.title.add(" /\(state.filter)", .init(ink: .cyan))
    }
    let visible = visible(state)
    if let index = state.selectedIndex, visible.count < state.timers.count || !state.filter.isEmpty
    {
      let all = state.filter.isEmpty ? "" : " of \(state.count)"
      frame.corner = StyledLine("\(index + 1)/\(state.timers.count)\(all)", .dim)
    }
    // Timers that ring stay at the top of the list while the others scroll.
    let start = (visible.last ?? -1) + 1 - visible.count
    frame.part = (start..<start + visible.count, state.timers.count)
    return frame.lines(rows(state, width: frame.innerWidth, at: now))
  }

  func news(_ state: ScreenState, _ area: Area) -> [StyledLine] {
    let frame = frame(area, "what happened")
    return frame.lines(state.news.suffix(frame.innerHeight).map { StyledLine($0) })
  }

  func day(_ state: ScreenState, _ area: Area, at now: ClockReading) -> [StyledLine] {
    var frame = frame(area, "")
    let line = dayLine(state, width: frame.innerWidth, at: now)
    frame.title = StyledLine(line.title, .bold)
    if line.later > 0 { frame.corner = StyledLine("\(line.later) later", .dim) }
    return frame.lines(line.lines)
  }

  /// The latest timers of today, if there is no room for all.
  func today(_ state: ScreenState, _ area: Area) -> [StyledLine] {
    let frame = frame(area, "today")
    guard let picture = state.today else { return frame.lines([]) }
    // Besides the rows there are the hours, a blank line, and what the signs mean.
    let text = PictureText(
      picture: picture, isUnicode: isUnicode, width: frame.innerWidth, most: frame.innerHeight - 3)
    return frame.lines(text.rows)
  }

  func dayLine(_ state: ScreenState, width: Int, at now: ClockReading) -> DayLine {
    let points = state.ringing.compactMap { live in
      // A timer whose clock has stopped, because the user is away, has no position on the axis.
      (live.timer.away ? nil : live.timer.nextRingUsec).map { usec in
        DayLine.Point(name: live.timer.name, usec: usec, style: styles(live, at: now).bar)
      }
    }
    return DayLine(points, nowUsec: now.realtimeUsec, width: width, isUnicode: isUnicode)
  }

  // MARK: Timers

  /// The indices of the timers that fit into the list. The timers that ring come first, and leave
  /// at least one line for others. The other lines show the timers around the selected one.
  func visible(_ state: ScreenState) -> [Int] {
    guard let area = areas(state).list else { return [] }
    let plain =
      area.height - newsRoom(state, height: area.height)
      - messageLines(state, height: area.height).count - 1
    let room = max(1, isFramed ? area.height - 2 : plain)
    let (count, selected) = (state.timers.count, state.selectedIndex ?? 0)
    let ringing = min(state.ringingNowCount, room - 1)
    let others = room - ringing
    let start = min(max(ringing, selected - others + 1), max(ringing, count - others))
    return Array(0..<ringing) + Array(start..<min(count, start + others))
  }

  private func rows(
    _ state: ScreenState, width: Int, at now: ClockReading
  ) -> [StyledLine] {
    if state.timers.isEmpty, state.isSynced {
      guard state.filter.isEmpty else {
        return [StyledLine("  no timer has that in its name", .dim)]
      }
      return empty(state)
    }
    let widths = Widths(state.timers, width: width, at: now)
    var group: Substring?
    return visible(state).map { index in
      let live = state.timers[index]
      defer { group = live.group }
      let isSelected = live.timer.name == state.selected
      let row = row(
        live, widths, isSelected: isSelected, isInGroup: group != nil && group == live.group,
        at: now)
      guard isSelected else { return row }
      return row.fitted(to: width).highlighted(styles(live, at: now).text.ink)
    }
  }

  /// What to show where there are no timers: what to type.
  private func empty(_ state: ScreenState) -> [StyledLine] {
    let typed = [
      ("tea 4min", "rings in four minutes"), ("wake 7am", "rings at that time"),
      ("weekdays 6:45", "rings every working day"),
    ]
    let presets = state.presets.prefix(9).enumerated().map { ("\($0 + 1)", $1) }
    func lines(_ pairs: [(String, String)], _ width: Int) -> [StyledLine] {
      pairs.map { key, words in
        var line = StyledLine("    \(DisplayWidth.fitted(key, to: width))", .init(ink: .cyan))
        line.add(words)
        return line
      }
    }
    return [StyledLine("  No timers. Press n and type, for example:")] + lines(typed, 15)
      + [StyledLine(), StyledLine("  Or press the number of a preset:")] + lines(presets, 3)
  }

  struct Widths {
    let name: Int
    let bar: Int
    let clock: Int
    /// The width of the texts at the end of the rows.
    let words: Int

    init(_ timers: [LiveTimer], width: Int, at now: ClockReading) {
      let longest = timers.map { DisplayWidth.of(StyledLine.visible($0.timer.name)) }.max() ?? 0
      // A time with days and hours, such as `31 d 12 h` or `370 d 12 h`, is wider than a clock with
      // hours only.
      let longestUsec = timers.map { ScreenLayout.shownUsec($0, at: now) }.max() ?? 0
      let days = longestUsec / ScreenLayout.dayUsec
      let weeks = days >= 100 ? 2 : days >= 10 ? 1 : 0
      clock = ScreenLayout.clockWidth + weeks
      // On a screen of 40 columns, this leaves room for a text such as `Thu 07:00` after the clock.
      let room =
        width < 80
        ? min(ScreenLayout.longestName, max(4, width / 3 - 1 - weeks)) : width * 2 / 5
      name = min(longest, room)
      let rest = width - 2 - name - 2 - clock - 2
      // The text before a message is `rings at 12:00:00, ` or the shorter `12:00:00, `. The bar
      // becomes narrower if this makes room for one of these texts and the message.
      let most = rest - 2 - ScreenLayout.shortestBar
      let wanted = timers.compactMap { live -> Int? in
        guard let message = live.timer.message else { return nil }
        let columns = DisplayWidth.of(StyledLine.visible(message))
        return [columns + 19, columns + 10].first { $0 <= most }
      }
      bar =
        rest < 20 ? 0 : min(ScreenLayout.longestBar, rest * 2 / 5, rest - 2 - (wanted.max() ?? 0))
      words = rest - (bar > 0 ? bar + 2 : 0)
    }
  }

  func row(
    _ live: LiveTimer, _ widths: Widths, isSelected: Bool, isInGroup: Bool = false,
    at now: ClockReading
  ) -> StyledLine {
    let timer = live.timer
    let (style, barStyle) = styles(live, at: now)
    let marker = isUnicode ? "›" : ">"
    var line = StyledLine(isSelected ? marker : " ", .init(ink: .cyan, isBold: true))
    line.add(" ")
    let name = DisplayWidth.fitted(StyledLine.visible(timer.name), to: widths.name)
    // The group is written once, at its first timer.
    let group = live.group.map { StyledLine.visible(String($0)) } ?? ""
    let isShown = name.hasPrefix(group)
    if isShown {
      let columns = DisplayWidth.of(group)
      line.add(isInGroup ? String(repeating: " ", count: columns) : group, .dim)
    }
    line.add(
      isShown ? String(name.dropFirst(group.count)) : name,
      StyledLine.Style(isBold: isSelected || timer.hasRung, isDim: style.isDim))
    line.add("  ")
    if widths.bar > 0 {
      // An alarm says when, and not how long.
      let hasBar = !live.isStopwatch && timer.kind != .alarm
      line.add(bar(hasBar ? live.progress(at: now) : nil, widths.bar, barStyle))
      line.add("  ")
    }
    let clock = Self.clock(live, width: widths.clock, at: now)
    line.addBlanks(widths.clock - clock.count)
    line.add(clock, style)
    line.add("  ")
    line.add(
      words(live, width: widths.words, at: now), timer.hasRung ? style : .dim)
    return line
  }

  /// The clock of a timer, such as `00:03:12`, `00:00:42.3` or `31 d 2 h`. Blanks at its end
  /// align the rows: seconds below seconds, days below days.
  private static func clock(_ live: LiveTimer, width: Int, at now: ClockReading) -> String {
    guard live.timer.state != .cancelled || live.isStopwatch else { return "" }
    let clock = shownClock(live, at: now)
    guard !clock.contains(".") else {
      return clock.count { $0 == ":" } == 1 ? "00:\(clock)" : clock
    }
    let whole = clock.count { $0 == ":" } == 1 ? "00:\(clock)" : clock
    // If the clock does not fit into the column, the time is written in words.
    let shown =
      whole.count + 2 > width
      ? SpanFormat.text(usec: shownUsec(live, at: now), units: 1) : whole
    return "\(shown)  "
  }

  /// The time that the clock of a timer shows, in microseconds. A timer that shows its ring has the
  /// time since it rings.
  private static func shownUsec(_ live: LiveTimer, at now: ClockReading) -> Int64 {
    guard !live.isStopwatch else { return live.elapsedUsec(at: now) }
    return live.timer.showsRing
      ? live.rangAgoUsec(at: now) ?? 0
      : live.snoozeLeftUsec(at: now) ?? live.remainingUsec(at: now)
  }

  /// The same time as text.
  static func shownClock(_ live: LiveTimer, at now: ClockReading) -> String {
    guard live.timer.showsRing else { return live.clock(at: now, in: .tenths) }
    let usec = shownUsec(live, at: now)
    return SpanFormat.countdown(remainingUsec: usec / 1_000_000 * 1_000_000)
  }

  /// The styles of a timer's clock and bar.
  func styles(
    _ live: LiveTimer, at now: ClockReading
  ) -> (text: StyledLine.Style, bar: StyledLine.Style) {
    let ring = StyledLine.Style(ink: .red, isBold: true)
    switch live.timer.state {
    case .running:
      let ink = live.band(at: now)?.color.flatMap { Ink($0) }
      let bar = StyledLine.Style(ink: ink ?? .green)
      return (live.timer.hasRung ? ring : StyledLine.Style(ink: ink), bar)
    case .waiting: return (ring, ring)
    case .paused, .over, .cancelled, .other:
      let style = live.timer.hasRung ? ring : live.timer.isSnoozed ? .plain : .dim
      return (style, style)
    }
  }

  /// A progress bar, exact to half a column. If `progress` is nil, it is blank. The bar is a heavy
  /// line, because blocks are too bright, and the line is readable on dark and light screens.
  func bar(_ progress: Double?, _ width: Int, _ style: StyledLine.Style) -> StyledLine {
    guard let progress else { return StyledLine(String(repeating: " ", count: max(0, width))) }
    let halves = Int((min(1, max(0, progress)) * Double(width * 2)).rounded(.down))
    let full =
      isUnicode ? String(repeating: "━", count: halves / 2) : Bar.ascii(columns: halves / 2)
    let bar = full + (isUnicode && halves % 2 == 1 ? "╸" : "")
    var line = StyledLine(bar, style)
    line.add(String(repeating: isUnicode ? "─" : "-", count: width - bar.count), .dim)
    return line
  }

  /// The longest text about a timer that fits into `width` columns.
  private func words(_ live: LiveTimer, width: Int, at now: ClockReading) -> String {
    let full = words(live, at: now)
    let first = full.firstIndex(of: ",").map { String(full[..<$0]) } ?? full
    // If there is little room, the failure of a command is more important than the other words.
    let failed = "command failed"
    let news = live.timer.failure == nil ? [] : ["\(first), \(failed)", failed, "failed"]
    let point = live.timer.hasRung ? live.timer.openRing?.dueUsec : live.timer.nextRingUsec
    let short = live.timer.away ? ["away"] : point.map { Self.points($0, at: now) } ?? []
    // If there is little room, a message is more important than the words before it.
    let message = live.timer.failure == nil ? live.timer.message : nil
    let messages = message.map { message in ([first] + short).map { "\($0), \(message)" } } ?? []
    let texts = [full] + news + messages + [first] + short
    let fitting = texts.first { DisplayWidth.of(StyledLine.visible($0)) <= width }
    // If no text fits, the first words are cut.
    return fitting ?? (width < 4 ? "" : DisplayWidth.fitted(StyledLine.visible(first), to: width))
  }

  /// A long and a short text for an instant. On the same day they are `21:45:59` and `21:45`. For
  /// another day, the long text is `Thu 26 Nov 07:00:00`. The short text is `Thu 07:00` within a
  /// week, and `26 Nov` after that.
  private static func points(_ usec: Int64, at now: ClockReading) -> [String] {
    let today = LocalTime(usec: now.realtimeUsec)
    return [
      LocalTime.short(usec, nowUsec: now.realtimeUsec), LocalTime(usec: usec).brief(now: today),
    ]
  }

  private func words(_ live: LiveTimer, at now: ClockReading) -> String {
    let text = text(live, at: now)
    let state =
      switch live.timer.state {
      case .running: live.isStopwatch && !live.timer.away ? "" : text.rings
      case .paused: "paused"
      case .over, .waiting, .cancelled, .other: text.state
      }
    // The band is that of the present moment. The one that the daemon reported may be an earlier
    // one.
    return [text.facts(state: state), text.more(band: live.band(at: now))]
      .filter { !$0.isEmpty }.joined(separator: ", ")
  }

  func text(_ live: LiveTimer, at now: ClockReading) -> TimerText {
    TimerText(live.timer, nowUsec: now.realtimeUsec)
  }
}
