import NightjarClient
import NightjarTime
import Varlink
import nightjar

/// Prints the events of a rehearsal. On a terminal there are columns, and a heading for each day
/// and zone. Otherwise each event is a line with three fields, separated by tabs: the time, the
/// time since the rehearsal began, and the text. That a ring is not answered is not shown, because
/// this holds for each.
final class TimeLine: RehearsalObserver {
  /// The width of the column for the time since the rehearsal began.
  private static let elapsedWidth = 13

  /// The style of the vertical line at the left. It shows whether time was hidden from the daemon.
  private enum Rail {
    case seen
    case hidden
    case act

    var text: String {
      switch self {
      case .seen: Terminal.isUnicode ? "│" : "|"
      case .hidden: Terminal.isUnicode ? "╎" : ":"
      case .act: Terminal.isUnicode ? "├─" : "|-"
      }
    }
  }

  private enum Last {
    case nothing
    case line(WallClock, stamp: String)
    /// A table, which has a blank line before and after it.
    case block
  }

  private var last = Last.nothing
  private var isHidden = false
  /// The background span of the latest event that has one. The texts of the events after it use
  /// this span, because the ledger lists the effects of a span directly after the span's end.
  private var span: Wire.Span?

  func happened(_ entry: RehearsalEvent) {
    let wall = entry.wall
    switch entry.content {
    case .event(let event, _):
      guard event.type != .unanswered else { return }
      span = event.span ?? span
      let text = EventText(event, in: span, zone: wall.zone).sentenceWithName
      if event.span?.isAbsence != true {
        if event.type == .didEnterBackground { isHidden = true }
        if event.type == .willEnterForeground { isHidden = false }
      }
      line(text, on: isHidden ? .hidden : .seen, style: Self.style(event), entry)
    case .command(let command):
      let text = "would run: \(command.title)"
      line(text, on: isHidden ? .hidden : .seen, style: .cyan, entry)
    case .machine(let act): line(act.sentence, on: .act, style: .bold, entry)
    case .shown(let shown):
      for lines in shown.blocks(at: wall) { block(lines) }
    }
  }

  /// The style of an event: rings are highlighted, and background spans are dimmed.
  private static func style(_ event: Wire.Event) -> Terminal.Style? {
    switch event.type {
    case .rang, .rangAgain: .yellow
    case .didEnterBackground, .willEnterForeground, .cameDue: .dim
    default: nil
    }
  }

  private func block(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    if case .nothing = last {} else { Output.line("") }
    Output.ready(lines)
    last = .block
  }

  private func line(
    _ text: String, on rail: Rail, style: Terminal.Style?, _ entry: RehearsalEvent
  ) {
    let elapsed = Self.elapsed(entry.elapsedUsec)
    let wall = entry.wall
    if case .block = last { Output.line("") }
    guard Terminal.isOutput else {
      let mark = rail == .act ? "-- " : ""
      let point = wall.zone.text(usec: wall.nowUsec / 1_000_000 * 1_000_000)
      last = .line(wall, stamp: "")
      return Output.line("\(point)\t\(elapsed)\t\(mark)\(text)")
    }
    let time = LocalTime(usec: wall.nowUsec, in: wall.zone).time
    let clocks = wall.zone.setting(atUsec: wall.nowUsec).abbreviation
    let stamp =
      "  \(time) \(Self.padded(clocks, 4))" + Self.leading(elapsed, Self.elapsedWidth)
    let heading = heading(wall)
    if let heading { Output.ready(Terminal.styled(heading, .bold)) }
    var shown = Terminal.styled(stamp, .dim)
    // If several events happen at the same time, only the first shows the time.
    if heading == nil, case .line(_, stamp) = last {
      shown = String(repeating: " ", count: stamp.count)
    }
    last = .line(wall, stamp: stamp)
    let line = Terminal.styled(rail.text, .dim)
    Output.ready("\(shown)  \(line) \(Terminal.styled(text, style))")
  }

  /// The heading with the day and the zone; nil if they are those of the line before.
  private func heading(_ wall: WallClock) -> String? {
    let here = LocalTime(usec: wall.nowUsec, in: wall.zone)
    guard case .line(let last, _) = last, last.zone == wall.zone else {
      return here.fullDate + (wall.zone.name.map { ", \($0)" } ?? "")
    }
    let before = LocalTime(usec: last.nowUsec, in: last.zone)
    return before.isSameDay(as: here) ? nil : here.fullDate
  }

  /// The time since the rehearsal began, such as `+0:04:00` or `+3d 04:10:00`. It has milliseconds
  /// if they are not zero.
  private static func elapsed(_ usec: Int64) -> String {
    let (seconds, rest) = usec.quotientAndRemainder(dividingBy: 1_000_000)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let hours = "\(second / 3_600)"
    let clock =
      "\(days > 0 ? leading(hours, 2, with: "0") : hours):\(twoDigits(second / 60 % 60))"
      + ":\(twoDigits(second % 60))"
    let fraction = rest / 1_000 > 0 ? ".\(leading("\(rest / 1_000)", 3, with: "0"))" : ""
    return "+\(days > 0 ? "\(days)d " : "")\(clock)\(fraction)"
  }

  private static func twoDigits(_ value: Int64) -> String { leading("\(value)", 2, with: "0") }

  private static func leading(_ text: String, _ width: Int, with filler: String = " ") -> String {
    String(repeating: filler, count: max(0, width - text.count)) + text
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// Prints the events of a rehearsal for programs, as one JSON object on each line.
final class TimeLineJSON: RehearsalObserver {
  func happened(_ entry: RehearsalEvent) {
    let what: [JSONValue.Member] =
      switch entry.content {
      case .event(_, let json): [.init("event", json)]
      case .command(let command): [.init("command", command.json)]
      case .machine(let act): [.init("machine", act.json)]
      case .shown(let shown): shown.members
      }
    let members: [JSONValue.Member] = [
      .init("elapsed_usec", .integer(entry.elapsedUsec)),
      .init("time_usec", .integer(entry.wall.nowUsec)),
      .init("zone", .string(entry.wall.zone.name ?? "")),
    ]
    Output.ready(JSONValue.object(members + what).text)
  }
}
