import ArgumentParser
import NightjarClient
import NightjarTime

struct Alarm: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarm",
    abstract:
      "Ring at a time, once or repeatedly: alarm wake weekdays 7:00, alarm rent '*-*-03 18:00'.",
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
    let (said, time) = try (said(at: wall), time(at: wall))
    if said.everyUsec == nil {
      try CommandError.understanding { () throws(WordsProblem) in try time.check(said.text) }
    }
    _ = try (values(at: wall), options.start(name: nil))
    return nil
  }

  var settings: [any SettingOptions] { [days, ending, common, ring] }

  private func time(at wall: WallClock) throws(CommandError) -> AlarmTime {
    guard !(once && repeats) else { throw .usage("give --once or --repeat, not both") }
    return AlarmTime(
      zone: zone.last, repetition: once ? .once : repeats ? .repeating : .byRule, wall: wall)
  }

  private func said(at wall: WallClock) throws(CommandError) -> AlarmWords {
    let time = try time(at: wall)
    if naming.name == nil, words.count == 1, !time.isTime(words.phrase),
      let preset = try? Presets.read().named(words.phrase, at: wall)
    {
      throw .usage(
        "'\(words.phrase)' is no time, and there is a preset of that name: \(Typed.nightjar) start "
          + StartArguments.typed(preset.name))
    }
    return try CommandError.understanding { () throws(WordsProblem) in
      try AlarmWords(words, name: naming.name, time)
    }
  }

  func request(at wall: WallClock) throws(CommandError) -> StartRequest {
    let (said, time) = try (said(at: wall), time(at: wall))
    let asked = try rounds.checked()
    var values = try values(at: wall)
    if let message = said.message { values.set(.string(message), for: .message) }
    let start = try values.applied(to: options.start(name: said.name))
    let again =
      "\(Typed.nightjar) alarm \(Quoting.quoted(said.name ?? "NAME")) \(Quoting.phrase(said.text))"
    if let usec = said.everyUsec {
      return try StartRequest(
        start.setting("duration_usec", .integer(usec))
          .setting("repeat", ["rounds": .integer(asked)]),
        again: again)
    }
    let alarm = try CommandError.asking(said.text) { (text) throws(WordsProblem) in
      try time.alarm(text, name: said.name, rounds: asked)
    }
    if rounds.count != nil, alarm.atUsec != nil {
      throw CommandError.usage(
        "'\(said.text)' rings only once, and --rounds is for an alarm that repeats; leave out "
          + "--rounds")
    }
    var request = try StartRequest(time.completed(start, with: alarm, said.text), again: again)
    request.typed = said.text
    request.namesZone = time.isInNamedZone(said.text)
    return request
  }
}
