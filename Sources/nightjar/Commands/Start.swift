import ArgumentParser
import NightjarClient
import NightjarVarlink

struct Start: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a countdown.",
    discussion: """
      The duration is written as systemd.time(7) has it, or as people say it: 4min, 1h30, 90 mins, \
      half an hour; a bare number is seconds, and M is months. 1:30 is minutes and seconds, 1:30:00 \
      hours, minutes and seconds. nightjar 4min is short for nightjar start 4min; nightjar.time(7) \
      has all that is understood.

      With --repeat it rings again and again. The Nth ring is N durations after the start, even if \
      earlier rings were late or snoozed. If it expired several times in the background, it rings once and \
      says how often. See also alarm, stopwatch and sequence.

      --exec runs a command when it rings. It finds what happened in its environment (NIGHTJAR_NAME, \
      NIGHTJAR_EVENT, NIGHTJAR_LATE_USEC, NIGHTJAR_LABEL_..., NIGHTJAR_DATA, NIGHTJAR_MESSAGE, \
      NIGHTJAR_JSON and others), with the display, PATH and similar variables of the user who started \
      the timer; its output is in the journal. A command may also follow --, word by word: \
      nightjar start job 1h -- touch done.

      A preset, a table [presets.NAME] in ~/.config/nightjar/config.toml, supplies what is not given here; \
      nightjar start NAME starts it as it is. Without a preset of that name, nightjar start NAME \
      gets the duration with which the last countdown of that name was started.
      """)

  @Argument(
    help: ArgumentHelp(
      "A name and how long; without a name it gets one. Or a preset.",
      valueName: "name-and-duration"),
    completion: TimerCompletion.presets)
  var words: [String] = []

  @OptionGroup var command: CommandArguments

  @OptionGroup var naming: NameOption

  @OptionGroup var clock: ClockOption

  @Flag(name: .customLong("repeat"), help: "Begin again whenever it rings.")
  var repeats = false

  @OptionGroup var rounds: RoundsOption

  @Flag(help: "Leave out the preset of that name.")
  var noPreset = false

  @Flag(help: "Save it as a preset of its name, too.")
  var save = false

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) throws(CommandError) -> StartRequest {
    let said = try StartWords(
      words, name: naming.name, withPresets: !noPreset, isSaved: save, at: wall)
    // The kind `.stopwatch` is a placeholder, because only the options are read here. The words or
    // the preset supply the kind.
    var typed = NewTimer(name: nil, .stopwatch)
    typed.clock = clock.word?.clock
    try options.apply(to: &typed)
    try ending.apply(to: &typed)
    let asked = try repetition(over: said)
    typed.ring = try ring.words(behindTerminator: command.command)?.said
    return try said.request(typed, repeat: asked)
  }

  /// The repetition according to the options; nil: the preset's repetition applies.
  private func repetition(over said: StartWords) throws(CommandError) -> JSONValue? {
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
    return rounds.count == nil && repeatsAnyway ? nil : ["rounds": .integer(asked)]
  }
}
