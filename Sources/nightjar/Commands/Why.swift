import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Why: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell a timer's story: what happened to it, and what it lived through.",
    discussion: """
      Line by line: when and how it was started, what was done to it, what hid time from it and for \
      how long, when the machine's clock was set; then what that comes to, and what it is doing now. \
      Of timers that are gone, nightjar history has what they came to.
      """)

  @Argument(help: "The timer.", completion: TimerCompletion.names)
  var name: String

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  /// Beyond so many entries the ledger is not searched for what happened to the machine's clock.
  private static let searchedEvents: Int64 = 200_000

  func run() throws {
    let session = try Session.open(socket)
    let replies = try session.callAll([.why(name: name), .get(name: name)])
    try session.forEachAnswer(in: [replies[0]]) { (reply) throws(CommandError) in
      guard !format.isJSON else { return Output.line(reply.text) }
      let story: Story
      do throws(ClientError) {
        story = try Story(reply)
      } catch {
        throw CommandError(explaining: error)
      }
      var timer: NightjarTimer?
      if case .success(let reply) = replies[1] { timer = try Session.timer(in: reply) }
      try tell(story, timer, session)
    }
  }

  private func tell(
    _ story: Story, _ timer: NightjarTimer?, _ session: Session
  ) throws(CommandError) {
    let machine = try aboutTheMachine(since: story.events.first?.seq, session)
    let text = StoryText(
      story, machine: machine ?? [], timer: timer, nowUsec: LocalTime.nowUsec())
    Output.lines(text.lines)
    if machine == nil {
      Output.line("Not searched for steps of the clock: the ledger has grown long since.")
    }
    if let sentence = text.summary?.sentence { Output.line("In all: \(sentence)") }
    if let timer { Output.line("Now: \(TimerText(timer).stateAndRemaining)") }
  }

  /// What the ledger has about the machine since an event; nil if that would be too much to read.
  private func aboutTheMachine(
    since first: Int64?, _ session: Session
  ) throws(CommandError) -> [Event]? {
    guard let first else { return [] }
    let storage = try session.status().storage
    guard storage.lastSeq - first <= Self.searchedEvents else { return nil }
    var events: [Event] = []
    _ = try LedgerReader(session: session).read(after: max(first, storage.oldestSeq) - 1) {
      _, event in
      if event.name == nil { events.append(event) }
    }
    return events
  }
}

// MARK: - Manual

extension Why: Documented {
  static let manual = """
    A timer's story, from the ledger. That is kept for 90 days or a million events, unless \
    nightjar.toml(5) says otherwise.

    # EXAMPLES
    It rang late: was that a sleep, a stop, or a clock that was set?

      $ nightjar why egg

    # SEE ALSO
    nightjar(1), nightjar-events(1), nightjar-history(1), nightjar-show(1), nightjard(1)
    """
}
