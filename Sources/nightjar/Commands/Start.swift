import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Start: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a countdown.",
    usage: """
      nightjar start [NAME] DURATION [--clock CLOCK] [--replace | --if-absent] \
      [--label KEY=VALUE ...] [--data JSON] [--wake] [--json]
      nightjar DURATION
      """,
    discussion: """
      The duration is written as systemd.time(7) has it: 4min, 1h 30min, 1.5h; a bare number is \
      seconds, and M is months. Or as a clock shows it: 1:30 is minutes and seconds, 1:30:00 \
      hours, minutes and seconds.
      """)

  @Argument(
    help: ArgumentHelp("A name and how long; without a name it gets one.", valueName: "word"))
  var words: [String] = []

  @Option(help: "elapsed: real time; awake: time not slept; wall: the calendar's time.")
  var clock: ClockArgument?

  @Flag(help: "Start anew over a timer of that name.")
  var replace = false

  @Flag(help: "Leave a timer of that name as it is, if it is running or paused.")
  var ifAbsent = false

  @Option(help: ArgumentHelp("A label; may be given several times.", valueName: "key=value"))
  var label: [String] = []

  @Option(help: ArgumentHelp("An object of the owner's own.", valueName: "json"))
  var data: String?

  @Flag(help: "Wake the machine for it, if it sleeps then.")
  var wake = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let (name, text) = try StartArguments.understand(words)
    let duration = try DurationArgument(text)
    guard !(replace && ifAbsent) else {
      throw CommandError.usage("give --replace or --if-absent, not both")
    }
    guard !(wake && clock == .awake) else {
      throw CommandError.usage(
        "the clock awake stands still while the machine sleeps; leave out --wake or --clock awake")
    }
    let call = Call.start(
      name: name, durationUsec: duration.usec, clock: clock?.clock, replace: replace,
      ifAbsent: ifAbsent, labels: try LabelArguments.labels(label),
      data: try LabelArguments.data(data), wake: wake)
    let session = try Session.open(socket)
    switch try session.callAll([call])[0] {
    case .success(let reply):
      guard !format.isJSON else { return Output.line(reply.text) }
      let timer = try Session.timer(in: reply)
      let isNew = reply["created"]?.boolValue ?? true
      Output.line(isNew ? Self.echo(timer, note: duration.note) : Self.kept(timer))
    case .failure(.timerExists(let name)):
      throw try Self.exists(name, duration: text, session: session)
    case .failure(let refusal): throw session.explained(refusal)
    }
  }

  /// `tea: 4 min, rings at 14:32:10`.
  static func echo(_ timer: NightjarTimer, note: String = "") -> String {
    let duration = SpanFormat.people(usec: timer.durationUsec)
    return "\(timer.name): \(duration), \(TimerText(timer).state)\(TimerText(timer).wake)\(note)"
  }

  private static func kept(_ timer: NightjarTimer) -> String {
    "\(timer.name): left as it is, \(TimerText(timer).stateAndRemaining)"
  }

  private static func exists(
    _ name: String, duration: String, session: Session
  ) throws(CommandError) -> CommandError {
    let timer = try session.timer(named: name)
    let (word, span) = (Quoting.quoted(name), Quoting.quoted(duration))
    return CommandError(
      .refused,
      "'\(name)' is \(TimerText(timer).stateAndRemaining); use nightjar restart \(word), "
        + "nightjar extend \(word) \(span), or nightjar start \(word) \(span) --replace")
  }
}

/// Which time a countdown counts.
enum ClockArgument: String, ExpressibleByArgument, CaseIterable {
  case elapsed
  case awake
  case wall

  var clock: NightjarTimer.Clock { NightjarTimer.Clock(rawValue: rawValue) }
}
