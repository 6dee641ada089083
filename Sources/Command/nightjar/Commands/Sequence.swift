import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarTime
import Varlink

struct SequenceCommand: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "sequence",
    abstract: "Start a timer with steps: sequence focus work=25min rest=5min --loop 4.",
    discussion: """
      The timer rings at the end of each step, and the next step starts at once. With --wait the \
      timer waits at the end of a step until the user calls nightjar advance. A step is a break if \
      its name ends in rest, break or pause, or if --break names it.

      --after-sleep takes effect after a background span: a sleep, or a time in which the daemon \
      was stopped or did not run, or in which the machine was off or frozen. The span must be at \
      least as long as the shortest break of the sequence. Then the sequence continues on its \
      clock, is paused with the remaining time, or restarts its step. If the step was a break that \
      ended in the span, the next step starts. A freeze begins at the first deadline that passed \
      in it; if that was the end of the step, the step is over.
      """)

  @Argument(
    help: ArgumentHelp(
      "The name of the sequence, and the names and the lengths of its steps.",
      valueName: "name-and-steps"))
  var words: [String] = []

  @OptionGroup var command: CommandArguments

  @Option(
    help: ArgumentHelp(
      "How many rounds of all steps to run: a number, or forever. By default one round.",
      valueName: "n"))
  var loop: String?

  @Option(help: ArgumentHelp("The length of a step in long rounds.", valueName: "step=span"))
  var long: [String] = []

  @Option(
    help: ArgumentHelp("Which rounds are long: 4 means every fourth round.", valueName: "n"))
  var longEvery: Int64?

  @Flag(help: "Wait at the end of each step.")
  var wait = false

  @Option(help: ArgumentHelp("Wait at the end of this step.", valueName: "step"))
  var waitAfter: [String] = []

  @Option(
    name: .customLong("break"), help: ArgumentHelp("A step that is a break.", valueName: "step"))
  var breaks: [String] = []

  @Option(
    help: ArgumentHelp(
      "What the sequence does after a sleep, a stop or a reboot.", valueName: "policy"))
  var afterSleep: Wire.AfterSpan?

  @Option(
    help: ArgumentHelp(
      "What the sequence does after an absence of the user; it is then on the clock present.",
      valueName: "policy"))
  var afterAway: Wire.AfterSpan?

  @OptionGroup var clock: ClockOption

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> StartRequest {
    let (name, sequence) = try SequenceArguments(
      words: words, loop: loop, long: long, longEvery: longEvery, waits: wait,
      waitAfter: waitAfter, breaks: breaks,
      afterSleep: afterSleep, afterAway: afterAway
    ).parsed()
    let start = try options.start(name: name).setting("sequence", JSONValue(sequence))
    return try StartRequest(
      values(at: wall).applied(to: start),
      again: "\(Typed.nightjar) sequence \(words.map(Quoting.quoted).joined(separator: " "))")
  }

  var settings: [any SettingOptions] { [clock, ending, common, ring] }
}
