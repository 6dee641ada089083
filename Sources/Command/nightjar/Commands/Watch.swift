import ArgumentParser
import NightjarClient
import NightjarModel
import NightjarTime
import Varlink

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract:
      "Show timers live, on a screen or in a bar: watch, watch --format plain, --format waybar.",
    discussion: """
      On a terminal the command shows a live screen; press ? for its keys. When a timer rings, the \
      command rings the terminal. If the output is not a terminal, the command prints a line for \
      each timer, and then a line for every change. If a timer is renamed, these lines continue \
      with the new name.

      --format is for status bars: it prints a new line each time the text of the bar changes. The \
      bar shows a ring while it sounds, and for 10 minutes more if its timer is over. Then it shows \
      the timer that rings next, and the number of unanswered rings. --template sets the text of \
      the line. Set up the status bar to read these lines:

      waybar         "exec": "nightjar watch --format waybar", "return-type": "json"
      polybar        type = custom/script, tail = true
      i3blocks       interval=persist, format=json
      i3status-rust  block = "custom", persistent = true, json = true
      tmux           #(nightjar watch --format tmux) in status-right
      """)

  @Argument(
    help: ArgumentHelp(
      "Show only this timer, or the timers under a path such as run/….", valueName: "name"),
    completion: TimerCompletion.names)
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Also print a line at this interval for each timer that runs. The interval is 10ms or more.",
      valueName: "span"))
  var tick: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      "Print lines for a status bar: plain, json, waybar, polybar, i3blocks, i3status-rs or tmux.",
      valueName: "bar"))
  var bar: BarLine.Format?

  @Option(
    help: ArgumentHelp(
      "The text of the bar, with fields in braces: '{name} {remaining}'.", valueName: "text"))
  var template: String?

  @OptionGroup var quiet: QuietOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    if let bar {
      guard !format.isJSON, tick == nil else {
        throw CommandError.usage("give --format or \(tick == nil ? "--json" : "--tick"), not both")
      }
      let template = try template.map { (text) throws(CommandError) in try BarTemplate(text) }
      return try BarWatch.run(
        Board.Subject(name), format: bar, template: template, socket: socket)
    }
    guard template == nil else {
      throw CommandError.usage("--template is for --format: \(Typed.nightjar) watch --format plain")
    }
    let isScreen = !format.isJSON && tick == nil && Terminal.isInteractive
    if isScreen {
      return try LiveScreen.run(Board.Subject(name), isQuiet: quiet.isQuiet, socket: socket)
    }
    try printLines()
  }

  /// Prints a line for each timer, and a line for each change after that.
  private func printLines() throws {
    let tickUsec = try tick.map { (text) throws(CommandError) in try Self.tickUsec(text) }
    let session = try Session.openToFollow(socket)
    var terminal = TerminalRing(quiet.isQuiet || format.isJSON ? .none : .ofOutput)
    defer { terminal.end() }
    try Renames.follow(in: session) { (session, newName) throws(CommandError) in
      try printLines(of: newName ?? name, tickUsec: tickUsec, in: session, &terminal)
    }
  }

  /// - Returns: the timer's new name if it was renamed; nil: the watch has ended.
  private func printLines(
    of name: String?, tickUsec: Int64?, in session: Session, _ terminal: inout TerminalRing
  ) throws(CommandError) -> String? {
    var stream = try LiveStream(session: session, call: Self.call(of: name, tickUsec: tickUsec))
    var isAnyThere = false
    var ringing: [Wire.Timer] = []
    var newName: String?
    while case .reply(let reply) = try stream.nextForReader() {
      if case .name? = name.map(NamePattern.init), let given = Renames.newName(in: reply) {
        newName = given
      }
      guard !format.isJSON else {
        Output.ready(reply.text)
        continue
      }
      let change = try CommandError.explaining { () throws(ClientError) in
        try Wire.Watch.Reply(reply)
      }
      if change.synced, !isAnyThere, let name {
        Output.complain("nothing called '\(name)' yet")
      }
      isAnyThere = true
      if let seq = change.missedAfter {
        Output.complain("could not keep up; see \(Typed.nightjar) events --after \(seq)")
      }
      if let line = Self.line(change.timer, event: change.event) { Output.line(line) }
      if let timer = change.timer, change.event.map(TerminalRing.isHeard) == true {
        terminal.ring(for: timer)
      }
      let name = change.timer?.name ?? change.name ?? change.event?.name
      ringing.removeAll { $0.name == name }
      if let timer = change.timer, timer.showsRing { ringing.append(timer) }
      terminal.show(ringing.last.map(TerminalRing.title))
    }
    return newName
  }

  private static func tickUsec(_ text: String) throws(CommandError) -> Int64 {
    let usec = try DurationArgument(text).usec
    guard usec >= Limits.tickUsec else {
      throw .usage("--tick is \(SpanFormat.text(usec: Limits.tickUsec)) or more, not '\(text)'")
    }
    return usec
  }

  private static func call(of name: String?, tickUsec: Int64?) -> Call {
    var call = Wire.Watch()
    call.tickUsec = tickUsec
    switch name.map(NamePattern.init) {
    case .name(let name): call.name = name
    case .prefix(let prefix): call.prefix = prefix
    case nil: break
    }
    return Call(call)
  }

  /// The text of the event, or of the timer's state if there is no event.
  private static func line(_ timer: Wire.Timer?, event: Wire.Event?) -> String? {
    guard let event else {
      return timer.map { "\($0.name): \(TimerText($0).stateAndRemaining)" }
    }
    let time = LocalTime.short(event.timeUsec, nowUsec: LocalTime.nowUsec())
    return "\(time)  \(EventText(event).sentenceWithName)"
  }
}

extension BarLine.Format: ExpressibleByArgument {}
