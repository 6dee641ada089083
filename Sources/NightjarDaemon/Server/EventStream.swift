internal import NightjarCore
internal import NightjarLedger
internal import NightjarMethods
internal import NightjarStore
internal import NightjarSystem
internal import NightjarWire

/// `Events`: the ledger from a number on, then what comes. What the client has no room for is read
/// from disk later, so nothing is ever left out or told twice.
final class EventStream: ReplyStream {
  private let journal: Journal
  private let filter: TimerFilter
  private var cursor: LedgerCursor

  init(journal: Journal, reader: LedgerReader, filter: TimerFilter, after: Int64) {
    self.journal = journal
    self.filter = filter
    cursor = LedgerCursor(journal: journal, reader: reader, after: after)
  }

  func pump(_ session: Session, at now: Moment) -> StreamState {
    let outcome = cursor.advance { event in
      write(event, to: session)
      return session.hasRoom
    }
    switch outcome {
    case .caughtUp: return .waiting
    case .hasMore: return .hasMore
    case .refused(let error):
      JSONWriter.append(to: &session.output) { error.write(to: &$0) }
      return .ended
    }
  }

  func tell(
    _ events: [Event], durable: Bool, to session: Session, at now: Moment
  ) -> StreamState {
    // What is not on disk may get another number after a crash; it is told when it is.
    guard durable else { return .waiting }
    for event in events where event.seq == cursor.lastSeq + 1 && session.hasRoom {
      cursor.lastSeq = event.seq
      write(event, to: session)
    }
    return cursor.lastSeq < journal.durableSeq ? .hasMore : .waiting
  }

  private func write(_ event: Event, to session: Session) {
    if let name = event.timerName, !filter.matches(name: name) { return }
    JSONWriter.append(to: &session.output) { writer in
      writer.beginReply()
      writer.key("event")
      writer.event(event)
      writer.endReply(continues: true)
    }
  }

  var position: Int64? { cursor.lastSeq }

  func writeContinuation(behind position: Int64, to writer: inout JSONWriter) {
    writer.call("Events") { writer in
      writer.member("after", position)
      if let prefix = filter.prefix {
        writer.member("prefix", String(decoding: prefix, as: UTF8.self))
      }
    }
  }
}
