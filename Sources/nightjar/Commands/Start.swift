import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Start: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a countdown.",
    usage: """
      nightjar start [NAME] DURATION [--clock CLOCK] [--repeat [--rounds N]] [--band SPAN=NAME,...] \
      [--late POLICY] [--missed POLICY] [--replace | --if-absent] [--label KEY=VALUE ...] \
      [--data JSON] [--wake] [--json]
      nightjar DURATION
      """,
    discussion: """
      The duration is written as systemd.time(7) has it: 4min, 1h 30min, 1.5h; a bare number is \
      seconds, and M is months. 1:30 is minutes and seconds, 1:30:00 hours, minutes and seconds.

      With --repeat it rings again and again, the Nth time at its start and N times the duration, \
      whatever happened in between; what came due while nobody could see it rings once, and says how \
      often. See also alarm, stopwatch and sequence.
      """)

  @Argument(
    help: ArgumentHelp("A name and how long; without a name it gets one.", valueName: "word"))
  var words: [String] = []

  @Option(help: "elapsed: real time; awake: time not slept; wall: the calendar's time.")
  var clock: ClockArgument?

  @Flag(name: .customLong("repeat"), help: "Begin again whenever it rings.")
  var repeats = false

  @Option(help: ArgumentHelp("With --repeat: how often it rings.", valueName: "n"))
  var rounds: Int64?

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let (name, text) = try StartArguments.understand(words)
    let duration = try DurationArgument(text)
    guard rounds == nil || repeats else {
      throw CommandError.usage("--rounds is for --repeat")
    }
    let rounds = try Rounds.checked(rounds, option: "--rounds")
    var timer = NewTimer(
      name: name,
      repeats ? .repeating(usec: duration.usec, rounds: rounds) : .countdown(usec: duration.usec))
    timer.clock = clock?.clock
    try options.apply(to: &timer)
    try ending.apply(to: &timer)
    let again = "nightjar start \(Quoting.quoted(name ?? "NAME")) \(Quoting.quoted(text))"
    try Starter.start(
      timer, again: (again, text), note: duration.note, format: format, socket: socket)
  }
}

/// How often something comes round.
enum Rounds {
  /// - Returns: 0 for nil: without end.
  static func checked(_ rounds: Int64?, option: String) throws(CommandError) -> Int64 {
    guard let rounds else { return 0 }
    guard (1...1_000_000).contains(rounds) else {
      throw .usage("\(option) is from 1 to 1000000; leave it out for no end")
    }
    return rounds
  }
}

/// Which time a countdown counts.
enum ClockArgument: String, ExpressibleByArgument, CaseIterable {
  case elapsed
  case awake
  case wall

  var clock: NightjarTimer.Clock { NightjarTimer.Clock(rawValue: rawValue) }
}
