import ArgumentParser
import NightjarClient
import NightjarVarlink

struct Events: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Show the ledger: what happened, in order.")

  @Argument(
    help: ArgumentHelp(
      "Only what happened to this timer or under run/…, and to the machine.", valueName: "name"),
    completion: TimerCompletion.names)
  var name: String?

  @Option(help: ArgumentHelp("Begin behind this number.", valueName: "number"))
  var after: Int64?

  @Option(
    help: ArgumentHelp(
      "Whose number that is; refuse if another ledger was begun since.", valueName: "ledger"))
  var ledger: String?

  @Flag(help: "Continue with each new event.")
  var follow = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    if let after, after < 0 {
      throw CommandError.usage("--after takes a number, and none below zero: '\(after)'")
    }
    let session = try follow ? Session.openToFollow(socket) : Session.open(socket)
    var lines: [String] = []
    // What a span did to a timer comes right behind the end of the span.
    var span: BackgroundSpan?
    let place = try LedgerReader(session: session).read(after: after, ledger: ledger) {
      reply, event in
      span = event.span ?? span
      guard isMeant(event) else { return }
      lines.append(line(reply, event, in: span))
      if lines.count >= Output.linesAtOnce {
        Output.ready(lines)
        lines.removeAll(keepingCapacity: true)
      }
    }
    Output.ready(lines)
    guard follow else { return }

    var stream = try LiveStream(
      session: session, call: .events(after: place.last, ledger: ledger), ledger: place.ledger)
    while case .reply(let reply) = try stream.next() {
      let event = try Event(reply["event"] ?? .null)
      span = event.span ?? span
      if isMeant(event) { Output.ready(line(reply, event, in: span)) }
    }
  }

  /// What happened to the machine is meant, too: it explains the rest.
  private func isMeant(_ event: Event) -> Bool {
    guard let name, let timer = event.name else { return true }
    return NamePattern(name).matches(timer)
  }

  private func line(_ reply: JSONValue, _ event: Event, in span: BackgroundSpan?) -> String {
    guard !format.isJSON else { return reply.text }
    let time = LocalTime(usec: event.timeUsec)
    let point = time.dateAndTime(now: LocalTime(usec: LocalTime.nowUsec()))
    let sentence = VisibleText.visible(EventText(event, in: span).sentenceWithName)
    guard Terminal.isOutput else { return "\(event.seq)\t\(point)\t\(sentence)" }
    let padding = String(repeating: " ", count: max(0, 6 - "\(event.seq)".count))
    return "\(padding)\(event.seq)  \(Terminal.styled(point, .dim))  \(sentence)"
  }
}
