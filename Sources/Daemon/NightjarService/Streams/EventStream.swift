internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import Varlink

/// `Events`: the events of the ledger after a number, and then new events as they happen. If an
/// event does not fit into the client's output, it is read from disk later. So no event is left out
/// or sent twice.
final class EventStream: ReplyStream {
  private let core: TimerCore
  private let filter: TimerFilter
  private var cursor: LedgerCursor
  /// Whether the client has received the name of the ledger.
  private var hasNamedLedger = false

  init(core: TimerCore, filter: TimerFilter, from cursor: LedgerCursor) {
    self.core = core
    self.filter = filter
    self.cursor = cursor
  }

  func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    let outcome = cursor.advance { event in
      write(event, to: outlet)
      return outlet.hasRoom
    }
    switch outcome {
    case .caughtUp: return .waiting
    case .hasMore: return .hasMore
    case .refused(let error):
      JSONWriter.append(to: &outlet.output) { error.write(to: &$0) }
      return .ended
    }
  }

  func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState {
    // An event that is not on disk yet may get another number after a crash, so it is sent only
    // when it is on disk.
    guard durable else { return .waiting }
    for event in events where event.seq == cursor.lastSeq + 1 && outlet.hasRoom {
      cursor.lastSeq = event.seq
      write(event, to: outlet)
    }
    return cursor.lastSeq < core.journal.durableSeq ? .hasMore : .waiting
  }

  private func write(_ event: Event, to outlet: Outlet) {
    if let name = event.timerName, !filter.matches(name: name) { return }
    var reply = Wire.Events.Reply(event: Wire.Event(event))
    reply.ledger = hasNamedLedger ? nil : core.ledgerName
    JSONWriter.append(to: &outlet.output) { $0.reply(reply, continues: true) }
    hasNamedLedger = true
  }

  let canBeCut = true

  var position: Int64? { cursor.lastSeq }
}
