internal import NightjarCore
internal import NightjarStore
internal import NightjarSystem
internal import NightjarWire

/// `Events`: the ledger from a number on, then what comes. What the client has no room for is read
/// from disk later, so nothing is ever left out or told twice.
final class EventStream: ReplyStream {
  /// So many events are read from disk in one pass of the loop.
  static let eventsAtOnce = 1024

  private let service: TimerService
  private let reader: LedgerReader
  private let filter: TimerFilter
  /// The number of the last event that was dealt with.
  private var lastSeq: Int64

  init(service: TimerService, reader: LedgerReader, filter: TimerFilter, after: Int64) {
    self.service = service
    self.reader = reader
    self.filter = filter
    lastSeq = after
  }

  func pump(_ session: Session, at now: Moment) -> StreamState {
    guard lastSeq < service.journal.durableSeq else { return .waiting }
    var budget = Self.eventsAtOnce
    do throws(StoreError) {
      try reader.forEachEvent(after: lastSeq) { event throws(StoreError) in
        guard event.seq == lastSeq + 1 else { return false }
        write(event, to: session, at: now)
        budget -= 1
        return budget > 0 && session.hasRoom && lastSeq < service.journal.durableSeq
      }
    } catch {
      Log.write(.error, "the ledger could not be read for a client: \(error)")
      return refuse(session) { .storageFailed(error.description) }
    }
    if budget == Self.eventsAtOnce { return refuseAsPruned(session) }
    return lastSeq < service.journal.durableSeq ? .hasMore : .waiting
  }

  func tell(
    _ events: [Event], durable: Bool, to session: Session, at now: Moment
  ) -> StreamState {
    // What is not on disk may get another number after a crash; it is told when it is.
    guard durable else { return .waiting }
    for event in events where event.seq == lastSeq + 1 && session.hasRoom {
      write(event, to: session, at: now)
    }
    return lastSeq < service.journal.durableSeq ? .hasMore : .waiting
  }

  private func write(_ event: Event, to session: Session, at now: Moment) {
    lastSeq = event.seq
    if let subject = event.subject, !filter.matches(name: subject.name) { return }
    JSONWriter.append(to: &session.output) { writer in
      writer.beginReply()
      writer.key("event")
      writer.event(event)
      writer.endReply(continues: true)
    }
  }

  /// The events behind the last one are gone: retention was faster than this client.
  private func refuseAsPruned(_ session: Session) -> StreamState {
    do throws(StoreError) {
      let oldest = try reader.oldestSeq() ?? service.journal.durableSeq + 1
      return refuse(session) { .eventsPruned(oldest: oldest) }
    } catch {
      return refuse(session) { .storageFailed(error.description) }
    }
  }

  private func refuse(_ session: Session, _ error: () -> CallError) -> StreamState {
    JSONWriter.append(to: &session.output) { error().write(to: &$0) }
    return .ended
  }
}
