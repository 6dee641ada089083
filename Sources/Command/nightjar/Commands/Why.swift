import ArgumentParser
import NightjarClient
import NightjarTime
import Varlink

struct Why: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Show what happened to a timer, and why it rang late.",
    discussion: """
      Each line is one event: the start, a change, a background span with its length, a change of \
      the wall clock, or a command. A summary and the present state of the timer follow. The \
      command also works for a removed timer, as long as its events are in the ledger.
      """)

  @Argument(
    help: "The timer; not needed if there is only one.", completion: TimerCompletion.names)
  var typed: String?

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let name = try typed ?? Candidate(command: "why") { _ in true }.name(in: session)
    if typed == nil { Output.line("\(name):") }
    let replies = try session.callAll([Call(Wire.Why(name: name)), Call(Wire.Get(name: name))])
    if case .failure(.timerNotFound) = replies[0],
      let reply = try storyOfRemovedTimer(name, session)
    {
      return try show(reply, nil, session)
    }
    try session.forEachAnswer(in: [replies[0]]) { (reply) throws(CommandError) in
      var timer: Wire.Timer?
      if case .success(let reply) = replies[1] { timer = try Session.timer(in: reply) }
      try show(reply, timer, session)
    }
  }

  /// The story of the last timer that had this name, from the ledger, in the form of the daemon's
  /// reply to `Why`. Nil: the ledger has no such timer.
  private func storyOfRemovedTimer(
    _ name: String, _ session: Session
  ) throws(CommandError) -> JSONValue? {
    let storage = try session.status().storage
    let oldest = max(storage.oldestSeq, storage.lastSeq - LedgerReader.searchedEvents)
    let (reader, after) = (LedgerReader(session: session), max(0, oldest - 1))
    var end: Wire.Event?
    try reader.read(after: after) { _, event in if event.name == name { end = event } }
    guard let end, let id = end.id else { return nil }
    // The timer may have had another name before, so its events are found by its id. Spans after
    // its end do not belong to the story.
    var events: [JSONValue] = []
    var spans: [Int64: JSONValue] = [:]
    try reader.read(after: after) { reply, event in
      guard event.seq <= end.seq else { return }
      if event.id == id {
        events.append(reply["event"] ?? .null)
      } else if let span = event.span, !events.isEmpty {
        // A later version of a span replaces the earlier one.
        spans[span.span] = reply["event"]?["span"]
      }
    }
    let inOrder = spans.sorted { $0.key < $1.key }.map(\.value)
    return ["spans": .array(inOrder), "events": .array(events)]
  }

  /// - Parameter timer: the timer now; nil: it was removed.
  private func show(
    _ reply: JSONValue, _ timer: Wire.Timer?, _ session: Session
  ) throws(CommandError) {
    guard !format.isJSON else { return Output.ready(reply.text) }
    let story = try CommandError.explaining { () throws(ClientError) in try Wire.Why.Reply(reply) }
    var machine = try aboutTheMachine(since: story.events.first?.seq, session)
    if timer == nil, let end = story.events.last?.seq { machine?.removeAll { $0.seq > end } }
    let text = StoryText(
      story, machine: machine ?? [], timer: timer, nowUsec: LocalTime.nowUsec())
    Output.lines(text.lines)
    if machine == nil {
      Output.line("Not searched for steps of the clock: the ledger has grown long since.")
    }
    if let sentence = text.summary?.sentence { Output.line("In all: \(sentence)") }
    Output.line("Now: \(timer.map { TimerText($0).stateAndRemaining } ?? "gone")")
  }

  /// The ledger's events about the machine since an event; nil if there are more entries since then
  /// than a search may read.
  private func aboutTheMachine(
    since first: Int64?, _ session: Session
  ) throws(CommandError) -> [Wire.Event]? {
    guard let first else { return [] }
    let storage = try session.status().storage
    guard storage.lastSeq - first <= LedgerReader.searchedEvents else { return nil }
    var events: [Wire.Event] = []
    try LedgerReader(session: session).read(after: max(first, storage.oldestSeq) - 1) {
      _, event in
      if event.name == nil { events.append(event) }
    }
    return events
  }
}
