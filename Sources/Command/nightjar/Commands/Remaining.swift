import ArgumentParser
import NightjarClient
import NightjarTime
import Varlink

struct Remaining: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remaining",
    abstract: "Print what rings next, in one line for a prompt, or the remaining time of timers: "
      + "remaining --template '{remaining}'.",
    discussion: """
      Without names the command prints what rings, or the timer that rings next, such as tea 03:12; \
      nothing if there is none. It starts no daemon.

      For one timer the command prints only the value. For several timers it prints a line for \
      each, with the name, a tab and the value. For a stopwatch it prints the elapsed time. A time \
      of a day or more is printed as 31 d 2 h on a terminal, and as 746:00:00 otherwise.
      """)

  @OptionGroup var selection: Selection

  @Option(
    help: ArgumentHelp(
      "Without names: the text of the line, with fields in braces: '{name} {remaining}'.",
      valueName: "text"))
  var template: String?

  @Flag(help: "Print the number of seconds, such as 192 instead of 03:12.")
  var seconds = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    if selection.names.isEmpty, !selection.isAll, !seconds, !format.isJSON {
      return try printNext()
    }
    guard template == nil else {
      throw CommandError.usage("--template is for the line without names; leave out the names")
    }
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [], command: "remaining", in: session)
    let isOne = names.count == 1 && names == selection.names
    let results = try session.callAll(names.map { Call(Wire.Get(name: $0)) })
    try session.forEachAnswer(in: results) { (reply) throws(CommandError) in
      guard !format.isJSON else { return Output.ready(reply.text) }
      let timer = try Session.timer(in: reply)
      let value = seconds ? Self.seconds(of: timer) : Self.text(of: timer)
      Output.line(isOne ? value : "\(timer.name)\t\(value)")
    }
  }

  /// Prints the line about what rings or rings next. Without a daemon there is none.
  private func printNext() throws(CommandError) {
    let template = try template.map { (text) throws(CommandError) in try BarTemplate(text) }
    guard let session = try Session.openIfRunning(socket) else { return }
    var board = Board(.all)
    // A ring that nobody answered does not hide what rings next.
    let timers = try session.timers().filter {
      $0.state == .running && $0.kind != .stopwatch
        || [.ringing, .snoozed].contains($0.ringing)
    }
    board.replace(with: timers, at: .now)
    let line = BarLine(&board, for: .plain, template: template, at: .now).text(in: .plain)
    if !line.isEmpty { Output.ready(line) }
  }

  /// The remaining time: `746:00:00` in the output for scripts, `31 d 2 h` on a terminal.
  private static func text(of timer: Wire.Timer) -> String {
    let text = TimerText(timer)
    return Terminal.isOutput ? text.remaining : text.remainingInHours
  }

  /// The remaining time in seconds. For a stopwatch it is the elapsed time, because a stopwatch has
  /// no remaining time.
  private static func seconds(of timer: Wire.Timer) -> String {
    timer.kind == .stopwatch
      ? "\(timer.elapsedUsec / 1_000_000)"
      : "\(SpanFormat.wholeSeconds(remainingUsec: timer.remainingUsec))"
  }
}
