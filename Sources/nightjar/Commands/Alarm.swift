import ArgumentParser
import Glibc
import NightjarClient
import NightjarTime

struct Alarm: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarm",
    abstract: "Ring at a point in time, or whenever the calendar comes round.",
    usage: """
      nightjar alarm [NAME] TIME [--zone ZONE] [--repeat] [--rounds N] [--band SPAN=NAME,...] \
      [--late POLICY] [--missed POLICY] [--replace | --if-absent] [--label KEY=VALUE ...] \
      [--data JSON] [--wake] [--json]
      """,
    discussion: """
      The time is a point such as 17:30, 9am, tomorrow 9:00, 2026-12-24 18:00 or +1h, or a calendar \
      expression of systemd.time(7) such as Mon..Fri 9:30, daily or *-*-01 12:00, which rings again \
      and again. A time of day that is past is tomorrow's; with --repeat it is every day's.

      An alarm goes by the clock on the wall, in the machine's zone or in one that is named behind \
      the time or by --zone. Where clocks are put forward past it, it rings when they are; where an \
      hour comes twice, it rings the first time. A paused alarm is muted; if its time passes, it \
      rings when it is resumed.
      """)

  @Argument(help: ArgumentHelp("A name and when; without a name it gets one.", valueName: "word"))
  var words: [String] = []

  @Option(help: ArgumentHelp("The time zone, such as Europe/Berlin.", valueName: "zone"))
  var zone: String?

  @Flag(name: .customLong("repeat"), help: "Every day at that time, not once.")
  var repeats = false

  @Option(help: ArgumentHelp("How often it rings, if it repeats.", valueName: "n"))
  var rounds: Int64?

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    guard !words.isEmpty else {
      throw CommandError.usage("say when: nightjar alarm tea 17:30")
    }
    let rounds = try Rounds.checked(rounds, option: "--rounds")
    let reader = AlarmTime(zone: zone, repeats: repeats)
    let (name, text) = try reader.split(words)
    let kind = try reader.kind(text, rounds: rounds)
    if self.rounds != nil, case .alarm = kind {
      throw CommandError.usage("'\(text)' comes once; --rounds is for a calendar expression")
    }
    var timer = NewTimer(name: name, kind)
    try options.apply(to: &timer)
    try ending.apply(to: &timer)
    let again = "nightjar alarm \(Quoting.quoted(name ?? "NAME")) \(Quoting.quoted(text))"
    try Starter.start(timer, again: (again, nil), format: format, socket: socket)
  }
}

/// When an alarm rings, as it was typed.
struct AlarmTime {
  let zone: String?
  let repeats: Bool
  private let local = ZoneDatabase.local
  private let nowUsec = LocalTime.nowUsec()

  init(zone: String?, repeats: Bool) {
    self.zone = zone
    self.repeats = repeats
  }

  /// Tells the name from the time: all words are the time if that makes sense, else all but the
  /// first.
  func split(_ words: [String]) throws(CommandError) -> (name: String?, time: String) {
    if let zone, ZoneDatabase.zone(named: zone) == nil {
      throw .usage("there is no zone '\(zone)'; they are spelled like Europe/Berlin")
    }
    let all = words.joined(separator: " ")
    if isTime(all) { return (nil, all) }
    guard words.count > 1 else { throw .usage(mistake(in: all)) }
    let rest = words.dropFirst().joined(separator: " ")
    let front = words.dropLast().joined(separator: " ")
    if !isTime(rest), isTime(front), let name = words.last {
      throw .usage(
        "the name comes first: nightjar alarm \(Quoting.quoted(name)) \(Quoting.quoted(front))")
    }
    return (words[0], rest)
  }

  /// A point in time comes once; anything else, or with --repeat, is a calendar expression.
  func kind(_ text: String, rounds: Int64) throws(CommandError) -> NewTimer.Kind {
    if !repeats, let point = timestamp(text) {
      if point.usec > nowUsec { return .alarm(at: WallTime(usec: point.usec)) }
      if point.isTimeOfDay, let tomorrow = timestamp("tomorrow \(text)") {
        return .alarm(at: WallTime(usec: tomorrow.usec))
      }
      let past = LocalTime.short(point.usec, nowUsec: nowUsec)
      throw .usage("'\(text)' is past: it was \(past)")
    }
    guard let expression = calendar(text), comesAgain(expression) else {
      throw .usage(mistake(in: text))
    }
    if expression.zone != .local, zone != nil {
      throw .usage("'\(text)' names a zone; leave out --zone, or the zone in it")
    }
    guard expression.shortestUsec >= 100_000 else {
      throw .usage("'\(text)' comes too often: at least 100 ms lie between one time and the next")
    }
    // An expression without a zone goes by the caller's, if that is not the machine's.
    let own = getenv("TZ") == nil ? nil : local.name
    return .calendar(
      expression.description, zone: expression.zone == .local ? zone ?? own : nil, rounds: rounds)
  }

  private func isTime(_ text: String) -> Bool { timestamp(text) != nil || calendar(text) != nil }

  private func timestamp(_ text: String) -> Timestamp? {
    try? Timestamp(zoned(text), now: nowUsec, local: local)
  }

  private func calendar(_ text: String) -> CalendarExpression? {
    try? CalendarExpression(text, local: local)
  }

  private func comesAgain(_ expression: CalendarExpression) -> Bool {
    let rules = zone.flatMap { ZoneDatabase.zone(named: $0) }
    guard let rules = try? rules ?? expression.zone.rules(local: local) else { return true }
    return expression.next(afterUsec: nowUsec, in: rules) != nil
  }

  private func zoned(_ text: String) -> String { zone.map { "\(text) \($0)" } ?? text }

  /// What is wrong with a time that is neither: the sentence of whichever parser came farther.
  private func mistake(in text: String) -> String {
    let errors = [
      Self.error { () throws(TimeError) in
        _ = try Timestamp(zoned(text), now: nowUsec, local: local)
      },
      Self.error { () throws(TimeError) in _ = try CalendarExpression(text, local: local) },
    ].compactMap { $0 }
    if calendar(text) != nil {
      return "'\(text)' never comes again; nightjar analyze calendar \(Quoting.quoted(text)) tells"
    }
    let farthest = errors.max { $0.position < $1.position }
    return "'\(text)' is no time: \(farthest?.description ?? "write one such as 17:30")"
  }

  private static func error(_ body: () throws(TimeError) -> Void) -> TimeError? {
    do throws(TimeError) {
      try body()
      return nil
    } catch { return error }
  }
}
