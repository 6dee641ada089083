import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Why: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell a timer's story: what happened to it, and what it lived through.")

  @Argument(help: "The timer.", completion: TimerCompletion.names)
  var name: String

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let replies = try session.callAll([.why(name: name), .get(name: name)])
    try session.forEachAnswer(in: [replies[0]]) { (reply) throws(CommandError) in
      guard !format.isJSON else { return Output.line(reply.text) }
      do throws(ClientError) {
        let story = try Story(reply)
        let nowUsec = LocalTime.nowUsec()
        Output.lines(Self.lines(story, nowUsec: nowUsec).map(\.text))
      } catch {
        throw CommandError(explaining: error)
      }
      if case .success(let reply) = replies[1] {
        let timer = try Session.timer(in: reply)
        Output.line("Now: \(TimerText(timer).stateAndRemaining)")
      }
    }
  }

  /// Events and spans in the order in which they happened. Events come in the ledger's order, which
  /// counts more than their times; a span stands before the first event that is later. One whose
  /// beginning was estimated begins with the last commit, which is the event that it must not stand
  /// before.
  static func lines(_ story: Story, nowUsec: Int64) -> [(timeUsec: Int64, text: String)] {
    var lines: [(timeUsec: Int64, text: String)] = []
    var spans = story.spans.sorted { $0.number < $1.number }[...]
    for event in story.events where !EventText(event).isAboutSpan {
      while let span = spans.first, span.enteredUsec < event.timeUsec {
        lines.append((span.enteredUsec, text(span, nowUsec: nowUsec)))
        spans.removeFirst()
      }
      let time = LocalTime.short(event.timeUsec, nowUsec: nowUsec)
      lines.append((event.timeUsec, "\(time)  \(EventText(event).sentence)"))
    }
    return lines + spans.map { ($0.enteredUsec, text($0, nowUsec: nowUsec)) }
  }

  private static func text(_ span: BackgroundSpan, nowUsec: Int64) -> String {
    let time = LocalTime.short(span.enteredUsec, nowUsec: nowUsec)
    let reason = TimerText.reasons(span.causes)
    guard let leftUsec = span.leftUsec else { return "\(time)  \(reason), and that lasts" }
    let about = span.isEstimated ? "about " : ""
    let length = SpanFormat.people(usec: span.elapsedUsec, units: 2)
    return "\(time)  \(reason), for \(about)\(length) until "
      + LocalTime.short(leftUsec, nowUsec: nowUsec)
  }
}

// MARK: - Manual

extension Why: Documented {
  static let manual = """
    Everything that has happened to a timer since it was started, in the order in which it \
    happened: also how long the machine slept or the daemon was down meanwhile, that the wall \
    clock was set, and how late it rang and why. It is read from the ledger, which is kept for 90 \
    days or a million events unless nightjar.toml(5) says otherwise.

    # EXAMPLES
      $ nightjar why tea
      14:28:10  started: 4 min
      14:29:02  paused, 03:08 left
      14:29:30  resumed
      Now: running, 02:40 left, rings at 14:32:38

    # SEE ALSO
    nightjar(1), nightjar-events(1), nightjar-show(1), nightjard(1)
    """
}
