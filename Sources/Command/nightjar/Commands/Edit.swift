import ArgumentParser
import NightjarClient
import NightjarConfig
import NightjarTime
import Varlink

struct Edit: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change timers: edit wake 7:15, edit tea 6min, edit tea --message 'Take it out'.",
    discussion: """
      A time span is the total length of a countdown, with the time that has passed. A time is the \
      new time of an alarm; a time of day alone keeps the days of an alarm that repeats. Options \
      change settings: --except, --label and --env add to those of the timer, the others replace \
      the old value, and --without removes settings. A new command inherits nothing from the old \
      one. --name gives one timer another name.

      Without a time and options, the command opens the settings of the timer in $VISUAL or \
      $EDITOR. If there is a mistake in the text, the command names its line, and the text is not \
      lost.
      """)

  @Argument(
    help: ArgumentHelp("Names of timers, followed by a new time.", valueName: "names-and-time"),
    completion: TimerCompletion.names)
  var words: [String] = []

  @OptionGroup var all: AllFlag

  @Option(name: .customLong("name"), help: ArgumentHelp("The new name.", valueName: "new-name"))
  var given: String?

  @Flag(help: .hidden) var isRename = false

  /// The new name; of `rename`, it is the last word.
  private var name: String? { isRename && words.count == 2 ? words.last : given }

  @Option(
    help: ArgumentHelp(
      "Remove settings, by their names: labels,until,volume.", valueName: "setting,..."),
    completion: .list(Setting.changeable.map(\.key)))
  var without: [String] = []

  @OptionGroup var common: CommonOptions
  @OptionGroup var band: BandOption
  @OptionGroup(title: "Days of an alarm that repeats") var days: DaysOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let (names, change) = try change(at: .here)
    guard change.isEmpty, name == nil, !all.isGiven, names.count < 2 else { return try runChange() }
    let session = try Session.open(socket, queue)
    let only = Candidate(command: "edit") { $0.isActive }
    let name = if let first = names.first { first } else { try only.name(in: session) }
    try TimerEditor(name: name, session: session, isJSON: format.isJSON).edit()
  }

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let (names, change) = try change(at: wall)
    guard !change.isEmpty || name != nil else {
      throw .usage(
        "say what to change: \(Typed.nightjar) edit wake 7:15, or an option such as --message TEXT")
    }
    guard name == nil || names.count == 1 && !all.isGiven else {
      throw .usage("--name is for one timer: \(Typed.nightjar) edit OLD --name NEW")
    }
    let moved = MovedTimers()
    var steps: [(Wire.Timer) -> Result<Call, TimersError>?] = [
      { timer in
        moved.note(timer)
        return change.time?.call(for: timer)
      },
      { change.call(for: $0) },
    ]
    if let name { steps.append { .success(Call(Wire.Rename(name: $0.name, newName: name))) } }
    return ChangeRequest(
      "edit", names, isAll: all.isGiven,
      Change(
        call: { Call(Wire.Get(name: $0)) }, echo: { moved.echo($0, change) }, next: steps))
  }

  /// The names, and what the user wants to change.
  private func change(
    at wall: WallClock
  ) throws(CommandError) -> (names: [String], change: TimerChange) {
    var change = TimerChange()
    try common.add(to: &change.values, at: wall)
    try band.add(to: &change.values, at: wall)
    try days.add(to: &change.values, at: wall)
    try ring.add(to: &change.values, at: wall)
    for key in without.flatMap({ $0.split(separator: ",").map(String.init) }) {
      guard let setting = Setting.named(key), setting.isChangeable else {
        let keys = Setting.changeable.map(\.key)
        let near = NearName.nearest(to: key, among: keys).map { "did you mean \($0)?" }
        throw .usage(
          "--without: no setting is called '\(key)'; \(near ?? "there are \(keys.joined(separator: ", "))")"
        )
      }
      guard !change.values.has(setting) else {
        throw .usage("give --\(setting.option) or --without \(setting.key), not both")
      }
      change.removed.append(setting)
    }
    let words = words.map(Sign.typed)
    guard !isRename else { return (words.dropLast(), change) }
    let count = timeCount(words, at: wall)
    if count > 0 { change.time = NewTime(words.suffix(count).phrase, at: wall) }
    return (words.dropLast(count), change)
  }

  /// The number of words at the end that are a time. The first word is a name, unless it begins
  /// with a digit and there is no other.
  private func timeCount(_ words: [String], at wall: WallClock) -> Int {
    let isNamed = !all.isGiven && (words.count > 1 || !words.allSatisfy(Sign.isMeantAsSpan))
    let begin = words.indices.dropFirst(isNamed ? 1 : 0)
    if let index = begin.first(where: { NewTime.isTime(words[$0...].phrase, at: wall) }) {
      return words.count - index
    }
    // A wrong time is a time, too, so that the error is about it and not about names.
    let index = begin.first {
      PhraseWords.isOfTime(words[$0]) || Sign.isMeantAsSpan(words[$0])
    }
    return index.map { words.count - $0 } ?? 0
  }
}

/// The timers of a change, each as it was before.
private final class MovedTimers {
  private var before: [Int64: Wire.Timer] = [:]

  func note(_ timer: Wire.Timer) { before[timer.id] = timer }

  /// The text that confirms the change.
  func echo(_ timer: Wire.Timer, _ change: TimerChange) -> String {
    let text = TimerText(timer)
    let old = before[timer.id]
    if let old, old.name != timer.name { return "was \(old.name), \(text.stateAndRemaining)" }
    let changesDays =
      change.values.values.contains { $0.setting.path.first == "alarm" }
      || change.removed.contains { $0.path.first == "alarm" }
    guard change.time != nil || changesDays else { return "updated" }
    guard timer.kind == .alarm else {
      return "updated, \(text.what)\(text.state)\(change.time?.note ?? "")"
    }
    let alarm = AlarmText(text)
    let answer = alarm.answer(typed: nil, namesZone: change.time?.isInNamedZone ?? false)
    return "updated, \(answer ?? text.state)\(old.flatMap(alarm.lostSkips) ?? "")"
  }
}
