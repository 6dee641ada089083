import ArgumentParser
import NightjarClient
import Varlink

struct Start: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start a countdown: start tea 4min, start talk 30min --warn 5min, start oven 1h "
      + "--exec 'paplay bell.oga'.",
    discussion: """
      The duration is written as in systemd.time(7), or in words: 4min, 1h30, 90 mins, half an \
      hour. A number without a unit means seconds, and the unit M means months. 1:30 means minutes \
      and seconds; 1:30:00 means hours, minutes and seconds. nightjar 4min is short for nightjar \
      start 4min. nightjar.time(7) lists all notations.

      With --repeat the timer rings again and again. The Nth ring is N durations after the start, \
      even if earlier rings were late or snoozed. If the timer expired several times in the \
      background, it rings once, and the ring shows how often it expired. See also alarm, \
      stopwatch and sequence.

      --exec runs a command when the timer rings. The environment of the command describes the \
      ring (NIGHTJAR_NAME, NIGHTJAR_EVENT, NIGHTJAR_LATE_USEC, NIGHTJAR_LABEL_..., NIGHTJAR_DATA, \
      NIGHTJAR_MESSAGE, NIGHTJAR_JSON and others). It also has the display, PATH and similar \
      variables of the user who started the timer. The output of the command is in the journal. \
      The command may also be given word by word after --: nightjar start job 1h -- touch done.

      A table [presets.NAME] in ~/.config/nightjar/config.toml is a preset: it supplies the \
      settings that the command line does not give. nightjar start NAME starts the preset. Without \
      a preset of that name, nightjar start NAME uses the duration with which the last countdown \
      of that name was started.
      """)

  @Argument(
    help: ArgumentHelp(
      "The name and the duration of the timer, or a preset. Without a name the daemon chooses one.",
      valueName: "name-and-duration"),
    completion: TimerCompletion.presets)
  var words: [String] = []

  @OptionGroup var command: CommandArguments

  @OptionGroup var naming: NameOption

  @OptionGroup var clock: ClockOption

  @Flag(name: .customLong("repeat"), help: "Start again each time the timer rings.")
  var repeats = false

  @OptionGroup var rounds: RoundsOption

  @Flag(help: "Ignore the preset of that name.")
  var noPreset = false

  @Flag(help: "Also save the timer as a preset of its name.")
  var save = false

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  var settings: [any SettingOptions] { [clock, ending, common, ring] }

  func request(at wall: WallClock) throws(CommandError) -> StartRequest {
    var values = try values(at: wall)
    let (words, message) = WordsEnd.message(of: words, wall.isSpan)
    if let message { values.set(.string(message), for: .message) }
    let said = try StartWords(
      words, name: naming.name, withPresets: !noPreset, isSaved: save, at: wall)
    var flags = try options.start(name: nil)
    if let rounds = try repetition(over: said) {
      flags = flags.setting("repeat", ["rounds": .integer(rounds)])
    }
    return try said.request(values, flags)
  }

  /// How often it rings, 0 without end; nil: the preset's repetition applies.
  private func repetition(over said: StartWords) throws(CommandError) -> Int64? {
    let asked = try rounds.checked()
    guard repeats || rounds.count != nil else { return nil }
    guard said.isCountdown else {
      throw repeats
        ? .usage("--repeat is for a countdown, and this timer is not one; leave out --repeat")
        : .usage("--rounds is for --repeat; add --repeat, or leave out --rounds")
    }
    let repeatsAnyway = said.parameters["repeat"] != nil
    guard repeats || repeatsAnyway else {
      throw .usage("--rounds is for --repeat; add --repeat, or leave out --rounds")
    }
    guard rounds.count != nil || !repeatsAnyway else { return nil }
    return asked
  }
}
