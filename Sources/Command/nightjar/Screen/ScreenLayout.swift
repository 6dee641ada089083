import NightjarClient
import NightjarTime
import Varlink

/// The positions and styles of everything on the screen.
struct ScreenLayout {
  let width: Int
  let height: Int
  /// Whether the terminal shows characters outside ASCII.
  let isUnicode: Bool

  static let newsLines = 5
  /// The least time between two changes of the clocks, in microseconds. Each second of each timer
  /// ends at another moment, so a long list would otherwise change all the time. This is a little
  /// less than a tenth of a second, so that it does not delay the tenths of a single timer.
  private static let leastWaitUsec: Int64 = 90_000
  /// With more clocks than this, that time is twice as long: each drawing costs more then.
  private static let manyClocks = 20
  private static let minuteUsec: Int64 = 60_000_000

  /// The position and size of a part of the screen. The first line and the first column are 0.
  struct Area: Equatable {
    var line: Int
    var column = 0
    var width: Int
    var height: Int

    var lines: Range<Int> { line..<line + height }
    var columns: Range<Int> { column..<column + width }
  }

  /// The areas of the parts of the screen; nil: the part is not shown.
  struct Areas: Equatable {
    /// The selected timer, with its clock in big digits.
    var focus: Area?
    /// A line for each timer.
    var list: Area?
    /// The details of the selected timer, which replace the areas below them.
    var details: Area?
    /// The next rings, on a time axis.
    var day: Area?
    /// What timers did today, on a large screen.
    var today: Area?
    /// Recent events.
    var news: Area?
  }

  /// Whether there is room for boxes. Otherwise each timer gets one line.
  var isFramed: Bool { width >= 36 && height >= 18 }
  /// Whether there is room for boxes side by side.
  private var isWide: Bool { width >= 110 }

  private static let leastForToday = 40
  private static let minimumFocus = 7
  private static let usualFocus = 9
  private static let maximumFocus = 16
  /// The largest minimum height of the selected timer's box, in lines. It limits the lines for a
  /// long message.
  private static let minimumFocusLimit = 12

  // MARK: All of it

  /// The lines of the whole screen, `height` of them.
  func lines(_ state: ScreenState, at now: ClockReading) -> [StyledLine] {
    let footer = footer(state)
    guard height > 2 else {
      let blank = Array(repeating: StyledLine(), count: max(0, height - footer.count))
      return blank + footer.suffix(max(0, height)).map { $0.cut(to: width) }
    }
    let middle = height - 1 - footer.count
    let body =
      state.isHelpShown
      ? help(state, height: middle)
      : state.isClockShown ? wholeClock(state, height: middle, at: now) : body(state, at: now)
    var lines = [header(state)] + body.prefix(middle)
    lines += Array(repeating: StyledLine(), count: max(0, middle + 1 - lines.count))
    return (lines + footer).map { $0.cut(to: width) }
  }

  /// The areas between the first line and the footer.
  func areas(_ state: ScreenState) -> Areas {
    let room = height - 1 - footerHeight(state)
    guard isFramed else {
      // The first line of the list is blank, so the list begins right after the header.
      let all = Area(line: 1, width: width, height: max(0, room))
      return state.detailsFrom == nil ? Areas(list: all) : Areas(details: all)
    }
    if state.detailsFrom != nil { return detailsAreas(room) }
    return isWide ? wideAreas(state, room) : stackedAreas(state, room)
  }

  private func detailsAreas(_ room: Int) -> Areas {
    let focus = min(Self.usualFocus + 2, max(Self.minimumFocus, room / 3))
    return Areas(
      focus: Area(line: 1, width: width, height: focus),
      details: Area(line: 1 + focus, width: width, height: room - focus))
  }

  /// Whether to show the list. It is left out if there is a single timer.
  private func showsList(_ state: ScreenState) -> Bool {
    state.timers.count != 1 || !state.filter.isEmpty || state.prompt?.purpose == .find
  }

  private func newsHeight(_ state: ScreenState) -> Int {
    state.news.isEmpty ? 0 : min(state.news.count, Self.newsLines) + 2
  }

  /// Whether there is room for what timers did today.
  var hasToday: Bool { isWide && height >= Self.leastForToday }

  private func todayHeight(_ state: ScreenState, _ room: Int) -> Int {
    guard hasToday, let today = state.today, !today.isEmpty else { return 0 }
    // Besides the rows: the border, the hours, and what the signs mean.
    return min(today.rows.count + 5, room / 3)
  }

  private func wideAreas(_ state: ScreenState, _ room: Int) -> Areas {
    let day = state.ringing.isEmpty ? 0 : DayLine.height + 2
    let today = todayHeight(state, room)
    let upper = room - day - today
    // The list is as high as its timers need. The recent events get the other lines.
    let list = min(max(2 + state.timers.count, 6), upper * 2 / 3)
    let news = showsList(state) ? upper - list : min(newsHeight(state), upper / 3)
    var areas = Areas()
    let hasFocus = state.selectedIndex != nil
    let left = !hasFocus ? width : showsList(state) ? min(90, width * 45 / 100) : 0
    if left > 0 { areas.list = Area(line: 1, width: left, height: upper - news) }
    if hasFocus {
      areas.focus = Area(
        line: 1, column: left, width: width - left, height: left > 0 ? upper : upper - news)
    }
    if news > 2, !state.news.isEmpty {
      areas.news = Area(line: 1 + upper - news, width: left > 0 ? left : width, height: news)
    } else if let list = areas.list {
      areas.list?.height = list.height + news
    }
    if today > 0 { areas.today = Area(line: 1 + upper, width: width, height: today) }
    if day > 0 { areas.day = Area(line: 1 + upper + today, width: width, height: day) }
    return areas
  }

  /// The minimum height of the selected timer's box, in lines. A message gets lines of its own,
  /// besides those of the clock, the time of the ring, the progress bar and the border.
  private func minimumFocus(_ state: ScreenState, _ room: Int) -> Int {
    guard let timer = state.selectedTimer, let message = timer.message else {
      return Self.minimumFocus
    }
    let lines = TextWrap.lines(StyledLine.visible(message), width: width - 5).count
    // On a narrow screen, the text about a late ring takes two lines.
    let wanted = lines + (timer.hasRung && width < 60 ? 6 : 5)
    return max(Self.minimumFocus, min(wanted, Self.minimumFocusLimit, room * 2 / 3))
  }

  /// The areas of boxes that are one below the other. First the selected timer and the list get a
  /// few lines, then the recent events, then the time axis if it fits. The list, the digits and the
  /// story share the other lines.
  private func stackedAreas(_ state: ScreenState, _ room: Int) -> Areas {
    var left = room
    func take(_ wanted: Int, least: Int = 0) -> Int {
      let taken = left >= least ? min(wanted, left) : 0
      left -= taken
      return taken
    }
    let count = state.timers.count
    let hasFocus = state.selectedIndex != nil
    let hasList = showsList(state)
    var focus = hasFocus ? take(minimumFocus(state, room)) : 0
    var list = hasList ? take(2 + min(max(count, 1), 3)) : 0
    var news = state.news.isEmpty ? 0 : take(3, least: 3)
    let day = state.ringing.isEmpty ? 0 : take(DayLine.height + 2, least: DayLine.height + 2)
    if hasList { list += take(max(0, 2 + count - list)) }
    if hasFocus { focus += take(max(0, Self.usualFocus - focus)) }
    if news > 0 { news += take(newsHeight(state) - news) }
    if hasFocus { focus += take(hasList ? Self.maximumFocus - focus : left) }
    if hasList { list += left }
    var areas = Areas()
    var line = 1
    func place(_ height: Int) -> Area? {
      guard height > 2 else { return nil }
      defer { line += height }
      return Area(line: line, width: width, height: height)
    }
    areas.focus = place(focus)
    areas.list = place(list)
    areas.day = place(day)
    areas.news = place(news)
    return areas
  }

  private func body(_ state: ScreenState, at now: ClockReading) -> [StyledLine] {
    let areas = areas(state)
    guard isFramed else {
      if let details = areas.details { return plainDetails(state, details, at: now) }
      return areas.list.map { plainList(state, height: $0.height, at: now) } ?? []
    }
    let blocks: [(Area?, (Area) -> [StyledLine])] = [
      (areas.list, { list(state, $0, at: now) }), (areas.news, { news(state, $0) }),
      (areas.focus, { focus(state, $0, at: now) }), (areas.details, { details(state, $0) }),
      (areas.today, { today(state, $0) }), (areas.day, { day(state, $0, at: now) }),
    ]
    var lines: [StyledLine] = []
    // The boxes at the left are drawn first, because the boxes beside them continue the same lines.
    for case (let area?, let draw) in blocks {
      for (offset, line) in draw(area).enumerated() {
        let index = area.line - 1 + offset
        while lines.count <= index { lines.append(StyledLine()) }
        lines[index].addBlanks(area.column - lines[index].width)
        lines[index].add(line)
      }
    }
    return lines
  }

  /// An empty box for an area.
  func frame(_ area: Area, _ title: String) -> ScreenFrame {
    ScreenFrame(
      width: area.width, height: area.height, isUnicode: isUnicode, title: StyledLine(title, .bold))
  }

  // MARK: Changes with time

  /// The timers whose clocks are on the screen.
  func shown(_ state: ScreenState) -> [LiveTimer] {
    guard height > 2, !state.isHelpShown else { return [] }
    if state.isClockShown { return [clockTimer(state)].compactMap { $0 } }
    let areas = areas(state)
    var shown: [LiveTimer] = []
    if areas.list != nil { shown += visible(state).map { state.timers[$0] } }
    // On a screen without boxes, the details begin with the line of the timer.
    if areas.focus != nil || areas.details != nil, let selected = state.selectedLive {
      shown.append(selected)
    }
    return shown
  }

  /// The time until the screen changes, in microseconds; nil: the screen changes only after an
  /// event. Timers that are not drawn have no effect.
  func nextChangeUsec(_ state: ScreenState, after now: ClockReading) -> Int64? {
    let clocks = shown(state).compactMap { $0.nextChangeUsec(after: now, in: .tenths) }
    let least = Self.leastWaitUsec * (clocks.count > Self.manyClocks ? 2 : 1)
    var next = clocks.min().map { [max(least, $0)] } ?? []
    if let endsUsec = state.message?.endsUsec { next.append(max(0, endsUsec - now.boottimeUsec)) }
    if state.isClockShown, clockTimer(state) == nil {
      next.append(Self.minuteUsec - now.realtimeUsec % Self.minuteUsec)
    }
    if !state.isHelpShown, !state.isClockShown, let area = areas(state).day {
      next.append(dayLine(state, width: area.width - 4, at: now).nextChangeUsec)
    }
    return next.min()
  }

  /// The index of the timer whose line is at a position of the screen; nil: there is none.
  func timerIndex(line: Int, column: Int, _ state: ScreenState) -> Int? {
    guard !state.isHelpShown, !state.isClockShown, let area = areas(state).list,
      area.lines.contains(line),
      area.columns.contains(column)
    else { return nil }
    let visible = visible(state)
    let row = line - area.line - 1
    return visible.indices.contains(row) ? visible[row] : nil
  }

  // MARK: The first line

  private func header(_ state: ScreenState) -> StyledLine {
    var line = StyledLine(" nightjar", .bold)
    if !isFramed, visible(state).count < state.timers.count, let index = state.selectedIndex {
      line.add("  \(index + 1)/\(state.timers.count)", .dim)
    }
    if !isFramed, !state.filter.isEmpty { line.add("  /\(state.filter)", .init(ink: .cyan)) }
    let right = situation(state)
    line.addBlanks(max(1, width - line.width - right.width - 1))
    line.add(right)
    return line
  }

  /// The number of timers in each state, or the reason why the daemon cannot act.
  private func situation(_ state: ScreenState) -> StyledLine {
    let wrong = StyledLine.Style(ink: .red, isBold: true)
    if state.isDaemonAway { return StyledLine("\(state.server) is away", wrong) }
    if let causes = state.backgroundCauses {
      return StyledLine("in the background: \(TimerText.reasons(causes))", wrong)
    }
    func count(_ isIncluded: (Wire.Timer) -> Bool) -> Int {
      state.count { isIncluded($0.timer) }
    }
    let counts: [(Int, String, StyledLine.Style)] = [
      (count { $0.ringing == .ringing }, "ringing", .init(ink: .red, isBold: true)),
      (count { $0.ringing == .unanswered }, "unanswered", .init(ink: .red, isBold: true)),
      (count(\.isSnoozed), "snoozed", .init(ink: .yellow)),
      (count { $0.state == .running }, "running", .init(ink: .green)),
      (count { $0.state == .paused }, "paused", .init(ink: .yellow)),
      (count { $0.miss != nil }, "missed", .dim),
    ]
    var line = StyledLine()
    for (count, word, style) in counts where count > 0 {
      if line.width > 0 { line.add(", ", .dim) }
      line.add("\(count) \(word)", style)
    }
    return line
  }
}
