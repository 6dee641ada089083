import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Start: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a countdown.",
    usage: """
      nightjar start [NAME] DURATION [--clock CLOCK] [--repeat [--rounds N]] [--band SPAN=NAME,...] \
      [--late POLICY] [--missed POLICY] [--replace | --if-absent] [--label KEY=VALUE ...] \
      [--data JSON] [--wake] [--no-preset] \(RingOptions.usage) [--json]
      nightjar start PRESET
      nightjar DURATION
      """,
    discussion: """
      The duration is written as systemd.time(7) has it: 4min, 1h 30min, 1.5h; a bare number is \
      seconds, and M is months. 1:30 is minutes and seconds, 1:30:00 hours, minutes and seconds.

      With --repeat it rings again and again, the Nth time at its start and N times the duration, \
      whatever happened in between; what came due while nobody could see it rings once, and says how \
      often. See also alarm, stopwatch and sequence.

      --exec runs a command when it rings. What happened it finds in its environment (NIGHTJAR_NAME, \
      NIGHTJAR_EVENT, NIGHTJAR_LATE_USEC, NIGHTJAR_LABEL_..., NIGHTJAR_DATA, NIGHTJAR_JSON and others), \
      with the display, PATH and the like of whoever started the timer; what it prints is in the journal.

      A preset, a table [presets.NAME] in ~/.config/nightjar/config.toml, says what is not said here.
      """)

  @Argument(
    help: ArgumentHelp("A name and how long; without a name it gets one.", valueName: "word"),
    completion: TimerCompletion.presets)
  var words: [String] = []

  @Option(help: "elapsed: real time; awake: time not slept; wall: the calendar's time.")
  var clock: TimersInterface.Clock?

  @Flag(name: .customLong("repeat"), help: "Begin again whenever it rings.")
  var repeats = false

  @Option(help: ArgumentHelp("With --repeat: how often it rings.", valueName: "n"))
  var rounds: Int64?

  @Flag(help: "Leave out the preset of that name.")
  var noPreset = false

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) throws(CommandError) -> StartRequest {
    let said = try StartWords(words, withPresets: !noPreset, at: wall)
    var typed = said.timer
    typed.clock = clock?.clock
    try options.apply(to: &typed)
    try ending.apply(to: &typed)
    var timer = try said.timer(with: typed)
    try repeatIfAsked(&timer)
    return try said.request(timer, ring: ring.words())
  }

  /// --repeat, and how often.
  private func repeatIfAsked(_ timer: inout NewTimer) throws(CommandError) {
    let asked = try Rounds.checked(rounds, option: "--rounds")
    switch timer.kind {
    case .countdown(let duration) where repeats:
      timer.kind = .repeating(duration, rounds: asked)
    case .repeating(let duration, let preset):
      timer.kind = .repeating(duration, rounds: rounds == nil ? preset : asked)
    case .countdown, .alarm, .calendar, .stopwatch, .sequence:
      guard !repeats, rounds == nil else {
        throw repeats
          ? .usage("--repeat is for a countdown, and this is none")
          : .usage("--rounds is for --repeat")
      }
    }
  }
}

/// How often something comes round.
enum Rounds {
  /// - Parameters:
  ///   - limit: the most there may be.
  ///   - otherwise: what to write for no end, or nothing of the kind.
  /// - Returns: 0 for nil: without end.
  static func checked(
    _ rounds: Int64?, option: String, limit: Int64 = 1_000_000,
    otherwise: String = "leave it out for no end"
  ) throws(CommandError) -> Int64 {
    guard let rounds else { return 0 }
    guard (1...limit).contains(rounds) else {
      throw .usage("\(option) is from 1 to \(limit); \(otherwise)")
    }
    return rounds
  }
}

// MARK: - Manual

extension Start: Documented {
  static let manual = """
    Starts a timer that counts down and rings. The answer says what was understood: how long it \
    is, and when it rings. A timer without a name gets a short one, such as owl.

    A name is a path of segments with slashes between them, such as `run/4711/mate`: at most 255 \
    bytes. One that is running or paused is not started over: nightjar extend gives it more time, \
    nightjar restart begins it anew. One that rang or was cancelled is replaced.

    # CLOCKS
    What a countdown counts is up to its clock. nightjard(1) says what each of them does while the \
    machine sleeps, while the daemon is stopped, and when the clock on the wall is set.

    `elapsed`  Real time, awake or asleep, whatever the clock on the wall says. This is the \
    default.
    `awake`  The time in which the machine and the daemon were up. What is slept does not count.
    `wall`  Until a time that the clock on the wall shows. When that is set, the timer follows.

    # BANDS
    A band is a name for what remains: `15min=soon` begins when 15 minutes are left. Crossing into \
    one is an event, at exactly that moment, and status bars and nightjar watch show it. Several \
    are written with commas between them, or with --band for each, the most time remaining first.

    A band may have more, in this order, with colons between: a colour, a range of its own for the \
    progress, and a text. What is left empty is left out.

      10s=urgent:red:0.9..1:Hurry
      60s=last::0.5..0.9

    A colour is `#rrggbb`, `#rgb`, or one of these names of CSS: \(Color.names.joined(separator: ", ")).

    # COMMANDS AND SOUNDS
    A command for --exec is taken apart as systemd.service(5) has it: at blanks, with quotes and \
    backslashes. What only a shell would understand, such as a pipe, a variable or `*`, is refused \
    unless it is quoted; --shell takes it. A program without a slash in its name is looked for in the PATH that there \
    is now. How commands are run, what they find in their environment, and the events for \
    --exec-on are in nightjar-hooks(5).

    --sound is played in place of the sound that nightjar.toml(5) says, or else of a chime.

    # WHAT CAME DUE UNSEEN
    Nothing fires while the machine sleeps or the daemon is down. What came due meanwhile is dealt \
    with as soon as somebody sees it. First --late decides whether it rings:

    `fire`  However late it is. This is the default, unless nightjar.toml(5) has another.
    _SPAN_  If it is no later than that, as in --late 10min.
    `skip`  Not at all; the ledger says so.

    Then --missed decides about what came due several times, such as rounds of a repetition:

    `once`  It rings once, for the last, and counts the others. This is the default.
    `each`  It rings for each, with its own lateness; beyond 1,000 the oldest are one.
    `skip`  It does not ring; the ledger counts them.

    # EXAMPLES
    Tea, with a name and without:

      $ nightjar start tea 4min
      tea: 4 min, rings at 14:32:10
      $ nightjar 4min
      owl: 4 min, rings at 14:32:11

    Every three quarters of an hour, eight times:

      $ nightjar start stretch 45min --repeat --rounds 8
      stretch: every 45 min, rings at 15:13:12

    Only time at the desk counts, and the last minutes are shown in red:

      $ nightjar start focus 25min --clock awake --band 5min=last:red
      focus: 25 min, rings at 14:53:14, if awake until then

    In a script, whether or not it runs already:

      $ nightjar start backup 6h --if-absent --label host=nas
      backup: 6 h, rings at 20:28:15

    Wake the machine for it, and stay silent if that came to nothing for over an hour:

      $ nightjar start nap 90min --wake --late 1h

    Tell another program:

      $ nightjar start bread 50min --exec 'touch /tmp/bread-is-ready'

    # SEE ALSO
    nightjar(1), nightjar-alarm(1), nightjar-extend(1), nightjar-restart(1), nightjar-sequence(1), \
    nightjar-stopwatch(1), nightjar-wait(1), nightjard(1), nightjar-hooks(5), nightjar.toml(5), \
    nightjar.time(7), systemd.service(5)
    """
}
