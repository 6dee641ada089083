import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarVarlink

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract:
      "Show timers: those that rang, those that run by what rings next, those paused, stopwatches.")

  @Argument(
    help: ArgumentHelp("Only those under this, such as run/…", valueName: "prefix"),
    completion: TimerCompletion.names)
  var prefix: String?

  @Option(help: ArgumentHelp("Only those in this state; may be given several times."))
  var state: [ListedState] = []

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    var timers: [NightjarTimer] = []
    try session.forEachPage(prefix: path, states: asked ?? []) { (page) throws(CommandError) in
      guard !format.isJSON else { return Output.ready(meant(page).text) }
      timers += try Session.timers(in: meant(page))
    }
    if !format.isJSON { Output.ready(Self.lines(timers, at: .here)) }
  }

  /// What it asks for, the first page of it.
  var call: Call { .list(prefix: path, states: asked) }

  /// The states that the daemon is asked for, each once; nil: all.
  private var asked: [NightjarTimer.State]? {
    state.isEmpty ? nil : Set(state.map(\.state)).sorted { $0.rawValue < $1.rawValue }
  }

  /// The page with those timers only that are in the states as the list has them.
  func meant(_ page: JSONValue) -> JSONValue {
    guard !state.isEmpty, let timers = page["timers"]?.arrayValue else { return page }
    let words = Set(state.map(\.word))
    let meant = timers.filter { json in
      (try? NightjarTimer(json)).map { words.contains(TimerText($0).stateWord) } ?? true
    }
    return page.setting("timers", .array(meant))
  }

  /// The table of timers as it reads at this moment and in this place.
  static func lines(_ timers: [NightjarTimer], at wall: Wall) -> [String] {
    guard !timers.isEmpty else { return Terminal.isOutput ? ["no timers"] : [] }
    let texts = timers.sorted(by: TimerOrder.isBefore).map {
      TimerText($0, nowUsec: wall.nowUsec, zone: wall.zone)
    }
    // A script finds the same fields each time.
    let hasMore = !Terminal.isOutput || texts.contains { !$0.more.isEmpty }
    var table = Table(
      header: ["NAME", "STATE", "REMAINING", "RINGS"] + (hasMore ? ["WHAT"] : []))
    for text in texts {
      table.add(row(text) + (hasMore ? [text.more] : []), style: style(text.timer))
    }
    return table.lines
  }

  /// The prefix without the dots that mark it as one: here everything is one.
  private var path: String? {
    guard let prefix else { return nil }
    switch NamePattern(prefix) {
    case .name(let name): return name
    case .prefix(let path): return path
    }
  }

  private static func row(_ text: TimerText) -> [String] {
    let timer = text.timer
    // A script finds the same form each time.
    let left = Terminal.isOutput ? text.remaining : text.remainingInHours
    let remaining = timer.state == .cancelled && !text.isStopwatch ? "" : left
    let rings =
      switch timer.state {
      case .running where timer.waitsForClock || timer.isAway: text.rings
      case .running:
        timer.deadlineUsec.map { LocalTime.short($0, nowUsec: text.nowUsec, in: text.zone) } ?? ""
      case .fired, .waiting: text.rang
      case .paused, .cancelled, .other: ""
      }
    return [timer.name, text.stateWord, remaining, rings]
  }

  private static func style(_ timer: NightjarTimer) -> Terminal.Style? {
    switch timer.state {
    case .running: .green
    case .fired where timer.isSkipped: .dim
    case .fired, .waiting: .yellow
    case .paused, .cancelled: .dim
    case .other: nil
    }
  }
}
