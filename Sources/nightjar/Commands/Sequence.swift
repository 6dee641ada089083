import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct SequenceCommand: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "sequence", abstract: "Go from step to step, such as work and rest.",
    discussion: """
      It rings at the end of each step. It then goes on by itself, or with --wait when it is told \
      to: nightjar advance pomodoro. A step called rest, break or pause, or ending in that, is a \
      break, and so are those named by --break.

      --after-sleep says what a sleep means that a break would have had room in, or a time in which \
      the daemon was stopped or down, or the machine off or frozen: continue as the clock says; pause \
      with what remained; or restart the step, unless it was a break that is over by then: the sleep \
      was the break. A freeze counts from the first deadline that nobody was there for; a step whose \
      own end that was is over.
      """)

  @Argument(
    help: ArgumentHelp("A name, and the steps with their lengths.", valueName: "name-and-steps"))
  var words: [String] = []

  @Option(help: ArgumentHelp("How often to go through it: a number, or forever.", valueName: "n"))
  var loop: String?

  @Option(help: ArgumentHelp("How long a step takes in long rounds.", valueName: "step=span"))
  var long: [String] = []

  @Option(help: ArgumentHelp("Every so many rounds are long.", valueName: "n"))
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
      "What a sleep, a stop or a reboot does to it: continue, pause, restart.", valueName: "policy")
  )
  var afterSleep: TimersInterface.AfterSleep?

  @Option(help: "elapsed: real time; awake: time not slept; wall: the calendar's time.")
  var clock: TimersInterface.Clock?

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) throws(CommandError) -> StartRequest {
    let (name, sequence) = try SequenceArguments(
      words: words, loop: loop, long: long, longEvery: longEvery, waits: wait,
      waitAfter: waitAfter, breaks: breaks,
      afterSleep: afterSleep?.policy
    ).understand()
    var timer = NewTimer(name: name, .sequence(sequence))
    timer.clock = clock?.clock
    try options.apply(to: &timer)
    try ending.apply(to: &timer)
    timer.ring = try ring.words()?.ring()
    return StartRequest(
      timer: timer,
      again: "nightjar sequence \(words.map(Quoting.quoted).joined(separator: " "))")
  }
}

/// A sequence as it was typed.
struct SequenceArguments {
  let words: [String]
  let loop: String?
  let long: [String]
  let longEvery: Int64?
  let waits: Bool
  let waitAfter: [String]
  let breaks: [String]
  let afterSleep: AfterSleep?

  /// - Throws: `CommandError`: no steps, or something that names none.
  func understand() throws(CommandError) -> (name: String?, NewTimer.Sequence) {
    var steps = words
    var name: String?
    if let first = words.first, !first.contains("=") {
      name = first
      steps.removeFirst()
    }
    guard !steps.isEmpty else {
      throw .usage(
        "a sequence has at least one step: nightjar sequence pomodoro work=25min rest=5min")
    }
    var sequence = NewTimer.Sequence(steps: [], rounds: try rounds())
    for word in steps { sequence.steps.append(try step(word)) }
    for word in waitAfter { try mark(word, in: &sequence) { $0.waits = true } }
    for word in breaks { try mark(word, in: &sequence) { $0.isBreak = true } }
    for word in long {
      let (name, usec) = try Self.named(word)
      try mark(name, in: &sequence) { $0.long = .microseconds(usec) }
    }
    guard (longEvery != nil) == !long.isEmpty else {
      throw .usage("--long and --long-every belong together: --long rest=20min --long-every 4")
    }
    if let longEvery {
      sequence.longEvery = try Rounds.checked(
        longEvery, option: "--long-every", limit: 100, otherwise: "leave it out for none")
    }
    sequence.afterSleep = afterSleep
    return (name, sequence)
  }

  private func rounds() throws(CommandError) -> Int64 {
    guard let loop else { return 1 }
    if loop == "forever" { return 0 }
    guard let number = Int64(loop) else {
      throw .usage("--loop is a number or forever, not '\(loop)'")
    }
    return try Rounds.checked(number, option: "--loop", otherwise: "or write forever")
  }

  private func step(_ word: String) throws(CommandError) -> NewTimer.Step {
    let (name, usec) = try Self.named(word)
    return NewTimer.Step(
      name, for: .microseconds(usec), waits: waits, isBreak: Self.isBreak(name))
  }

  /// Whether a step of this name is a break where nobody says.
  static func isBreak(_ name: String) -> Bool {
    ["rest", "break", "pause"].contains { name.lowercased().hasSuffix($0) }
  }

  /// `work=25min`.
  private static func named(
    _ word: String
  ) throws(CommandError) -> (name: String, usec: Int64) {
    guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
      throw .usage("a step is written name=span, such as work=25min, not '\(word)'")
    }
    let span = try DurationArgument(String(word[word.index(after: equals)...]))
    return (String(word[..<equals]), span.usec)
  }

  private func mark(
    _ name: String, in sequence: inout NewTimer.Sequence, _ body: (inout NewTimer.Step) -> Void
  ) throws(CommandError) {
    var isThere = false
    for index in sequence.steps.indices where sequence.steps[index].name == name {
      body(&sequence.steps[index])
      isThere = true
    }
    guard isThere else {
      let names = sequence.steps.map(\.name).joined(separator: ", ")
      throw .usage("no step is called '\(name)'; there are \(names)")
    }
  }
}
