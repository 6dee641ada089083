import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarTime
import NightjarVarlink

struct SequenceCommand: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "sequence", abstract: "Go from step to step, such as work and rest.",
    discussion: """
      It rings at the end of each step. It then continues by itself, or with --wait when the user \
      calls nightjar advance pomodoro. A step called rest, break or pause, or ending in that, is a \
      break, and so are those named by --break.

      --after-sleep says what it does after a background span that was at least as long as its \
      shortest break: a sleep, or a time in which the daemon was stopped or down, or the machine off \
      or frozen. It can continue as its clock says, be paused with what remained, or restart its step. \
      If the step was a break that is over by then, the next step starts. A freeze begins at the first \
      deadline that passed in it; if that was the end of the step, the step is over.
      """)

  @Argument(
    help: ArgumentHelp("A name, and the steps with their lengths.", valueName: "name-and-steps"))
  var words: [String] = []

  @OptionGroup var command: CommandArguments

  @Option(
    help: ArgumentHelp(
      "How often to go through it: a number, or forever; once unless given.", valueName: "n"))
  var loop: String?

  @Option(help: ArgumentHelp("How long a step takes in long rounds.", valueName: "step=span"))
  var long: [String] = []

  @Option(help: ArgumentHelp("Which rounds are long: 4 is every fourth.", valueName: "n"))
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
      "What a sleep, a stop or a reboot does to it.", valueName: "policy")
  )
  var afterSleep: TimersInterface.AfterSleep?

  @OptionGroup var clock: ClockOption

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) throws(CommandError) -> StartRequest {
    let (name, sequence) = try SequenceArguments(
      words: words, loop: loop, long: long, longEvery: longEvery, waits: wait,
      waitAfter: waitAfter, breaks: breaks,
      afterSleep: afterSleep?.policy
    ).understand()
    var timer = NewTimer(name: name, .sequence(sequence))
    timer.clock = clock.word?.clock
    try options.apply(to: &timer)
    try ending.apply(to: &timer)
    timer.ring = try ring.words(behindTerminator: command.command)?.said
    return try StartRequest(
      timer,
      again: "\(Typed.nightjar) sequence \(words.map(Quoting.quoted).joined(separator: " "))")
  }
}
