import ArgumentParser
import NightjarClient
import NightjarTime

struct Alarm: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarm",
    abstract: "Ring at a time, once or repeatedly: alarm wake weekdays 7:00.",
    discussion: """
      An alarm repeats if its time has a day of the week or a set of days: mon 9:30, friday 5pm, \
      weekdays 7:00, daily 9:00, weekends 10:00. An alarm also repeats if its time is a calendar \
      expression of systemd.time(7), such as Mon..Fri 9:30 or *-*-01 12:00. An alarm rings once if \
      its time is a date or a time of day, or has a word such as tomorrow, in or next: 24 Dec \
      18:00, 17:30, 9am, tomorrow 9:00, in 5 minutes, next monday 9:00. A time of day that has \
      passed today means tomorrow. --once and --repeat override these rules, and the answer always \
      says whether the alarm repeats. nightjar.time(7) lists all notations.

      An alarm follows the wall clock, in the machine's time zone, or in the zone that is given \
      after the time or with --zone. If the clocks are put forward over its time, the alarm rings \
      at that moment. If an hour occurs twice, the alarm rings the first time. A paused alarm does \
      not ring. If its time passes during the pause, it rings when it is resumed.
      """)

  @Argument(
    help: ArgumentHelp(
      "The name and the time of the alarm. Without a name the daemon chooses one.",
      valueName: "name-and-time"))
  var words: [String] = []

  @OptionGroup var command: CommandArguments

  @OptionGroup var naming: NameOption

  @Option(.zone) var zone: [String]

  @Flag(help: "Ring once, at the next such time.")
  var once = false

  @Flag(
    name: .customLong("repeat"),
    help: "Ring again and again: at a time of day every day, at a date every year.")
  var repeats = false

  @OptionGroup var rounds: RoundsOption

  @OptionGroup(title: "Days") var days: DaysOptions

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  /// Checks the words and options of the command. It does not check whether the time is in the
  /// future, because that depends on the moment at which the command runs.
  func check(at wall: WallClock) throws(CommandError) -> StartRequest? {
    let text = try split(at: wall).time
    if Self.interval(text) == nil { try time(at: wall).check(text) }
    _ = try (values(at: wall), options.start(name: nil))
    return nil
  }

  var settings: [any SettingOptions] { [days, ending, common, ring] }

  private func time(at wall: WallClock) throws(CommandError) -> AlarmTime {
    guard !(once && repeats) else { throw .usage("give --once or --repeat, not both") }
    return AlarmTime(
      zone: zone.last, repetition: once ? .once : repeats ? .repeating : .byRule, wall: wall)
  }

  private func split(
    at wall: WallClock
  ) throws(CommandError) -> (name: String?, time: String, message: String?) {
    guard !words.isEmpty else {
      throw CommandError.usage("say when: \(Typed.nightjar) alarm tea 17:30")
    }
    if let name = naming.name { return (name, words.phrase, nil) }
    let time = try time(at: wall)
    // A text in quotes after a name and a time is the message.
    if words.count > 2, let text = words.last, text.contains(" "), !time.isTime(words.phrase),
      !time.isTime(words.dropFirst().phrase),
      let (name, when) = try? time.split(Array(words.dropLast())), let name
    {
      return (name, when, text)
    }
    let (name, when) = try time.split(words)
    return (name, when, nil)
  }

  /// The time span of a text such as `every 2 hours`, which no calendar can express in general:
  /// such a timer is a countdown that repeats. Nil: the text is another one.
  private static func interval(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard let first = words.first, PhraseWords.isEvery(String(first)),
      let span = try? DurationArgument(words.dropFirst().joined(separator: " "))
    else { return nil }
    return span.usec
  }

  func request(at wall: WallClock) throws(CommandError) -> StartRequest {
    let (name, text, message) = try split(at: wall)
    let asked = try rounds.checked()
    var values = try values(at: wall)
    if let message { values.set(.string(message), for: .message) }
    if let usec = Self.interval(text) {
      let start = try values.applied(to: options.start(name: name)).setting(
        "duration_usec", .integer(usec))
      return try StartRequest(
        start.setting("repeat", ["rounds": .integer(asked)]),
        again: "\(Typed.nightjar) alarm \(Quoting.quoted(name ?? "NAME")) \(Quoting.phrase(text))")
    }
    let kind = try time(at: wall).kind(text, name: name, rounds: asked)
    if rounds.count != nil, case .alarm = kind {
      throw CommandError.usage(
        "'\(text)' rings only once, and --rounds is for an alarm that repeats; leave out --rounds")
    }
    let start = try values.applied(to: options.start(name: name))
    var request = try StartRequest(
      time(at: wall).completed(start, with: kind, text),
      again: "\(Typed.nightjar) alarm \(Quoting.quoted(name ?? "NAME")) \(Quoting.phrase(text))")
    request.typed = text
    request.namesZone = try time(at: wall).isInNamedZone(text)
    return request
  }
}
