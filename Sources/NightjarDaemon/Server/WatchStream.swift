internal import NightjarCore
internal import NightjarStore
internal import NightjarWire

/// `Watch`: what is there now, then every change. A client that reads too slowly loses ticks first;
/// then the changes of each timer are folded into one.
final class WatchStream: ReplyStream {
  private(set) var nextTickUsec: Int64?

  private let engine: Engine
  private let filter: TimerFilter
  /// The one timer it is about; nil: all that match.
  private let name: String?
  private let tickUsec: Int64?
  /// Slots below this have been told; nil: all have.
  private var snapshotSlot: Int? = 0
  /// Timers whose changes could not be written, each with the number before the first of them.
  private var missed: [String: Int64] = [:]
  /// What is to be told at a tick.
  private var ticking: Set<Int> = []

  init(engine: Engine, filter: TimerFilter, name: String?, tickUsec: Int64?) {
    self.engine = engine
    self.filter = filter
    self.name = name
    self.tickUsec = tickUsec
  }

  private func matches(_ other: String) -> Bool {
    if let name { return name == other }
    return filter.matches(name: other)
  }

  func pump(_ session: Session, at now: Moment) -> StreamState {
    if snapshotSlot != nil { snapshot(session, at: now) }
    while let (timer, after) = missed.first, session.hasRoom {
      missed[timer] = nil
      let slot = engine.slot(of: timer)
      if slot == nil, name != nil {
        reply(session, continues: false) { $0.member("missed_after", after) }
        return .ended
      }
      reply(session) { writer in
        if let slot {
          writer.key("timer")
          writer.timer(slot, of: engine, at: now)
        }
        writer.member("missed_after", after)
      }
      track(slot, at: now)
    }
    return snapshotSlot != nil || !missed.isEmpty ? .hasMore : .waiting
  }

  private func snapshot(_ session: Session, at now: Moment) {
    if let name {
      if let slot = engine.slot(of: name) { tell(slot, nil, to: session, at: now) }
      snapshotSlot = nil
    } else if var slot = snapshotSlot {
      let end = min(slot + ListStream.slotsAtOnce, engine.slotEnd)
      while slot < end, session.hasRoom {
        if filter.matches(slot, of: engine) { tell(slot, nil, to: session, at: now) }
        slot += 1
      }
      snapshotSlot = slot < engine.slotEnd ? slot : nil
    }
    if snapshotSlot == nil { reply(session) { $0.member("synced", true) } }
  }

  func tell(
    _ events: [Event], durable: Bool, to session: Session, at now: Moment
  ) -> StreamState {
    for event in events {
      guard let subject = event.subject else {
        if snapshotSlot == nil, session.hasRoom { tell(nil, event, to: session, at: now) }
        continue
      }
      guard matches(subject.name) else { continue }
      // What the snapshot has still to tell it will tell as it is then.
      if let snapshotSlot, subject.slot >= snapshotSlot { continue }
      guard session.hasRoom, missed[subject.name] == nil else {
        if missed[subject.name] == nil { missed[subject.name] = event.seq - 1 }
        continue
      }
      let slot = engine.slot(of: subject.name)
      if name != nil, event.isTheEnd {
        write(slot, event, to: session, continues: false, at: now)
        return .ended
      }
      tell(slot, event, to: session, at: now)
      if event.isTheEnd { ticking.remove(subject.slot) }
    }
    return missed.isEmpty && snapshotSlot == nil ? .waiting : .hasMore
  }

  private func tell(_ slot: Int?, _ event: Event?, to session: Session, at now: Moment) {
    write(slot, event, to: session, continues: true, at: now)
    track(slot, at: now)
  }

  private func write(
    _ slot: Int?, _ event: Event?, to session: Session, continues: Bool, at now: Moment
  ) {
    reply(session, continues: continues) { writer in
      if let slot {
        writer.key("timer")
        writer.timer(slot, of: engine, at: now)
      }
      if let event {
        writer.key("event")
        writer.event(event)
      }
    }
  }

  private func reply(
    _ session: Session, continues: Bool = true, _ body: (inout JSONWriter) -> Void
  ) {
    JSONWriter.append(to: &session.output) { writer in
      writer.beginReply()
      body(&writer)
      writer.endReply(continues: continues)
    }
  }

  // MARK: Ticks

  private func track(_ slot: Int?, at now: Moment) {
    guard let tickUsec, let slot else { return }
    if engine.record(at: slot).state == .running {
      ticking.insert(slot)
      if nextTickUsec == nil { nextTickUsec = now.monotonicUsec + tickUsec }
    } else {
      ticking.remove(slot)
    }
  }

  func tick(_ session: Session, at now: Moment) {
    guard let tickUsec else { return }
    ticking = ticking.filter { slot in
      filter.matches(slot, of: engine) && engine.record(at: slot).state == .running
    }
    // Nothing to tell while nothing runs, or while the client has not read the last tick.
    if session.isDrained, !engine.isInBackground {
      for slot in ticking.sorted() where session.hasRoom {
        write(slot, nil, to: session, continues: true, at: now)
      }
    }
    nextTickUsec = ticking.isEmpty ? nil : now.monotonicUsec + tickUsec
  }
}

extension Event {
  /// The timer is no longer there afterwards.
  fileprivate var isTheEnd: Bool {
    switch kind {
    case .dismissed, .removed, .expired: true
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .fired,
      .cancelled, .enteredBackground, .leftBackground, .spanCorrected, .clockStepped:
      false
    }
  }
}

extension Engine {
  /// The slot of a timer, if there is one of this name.
  func slot(of name: String) -> Int? {
    var name = name
    return name.withUTF8 { slot(named: UnsafeRawBufferPointer($0)) }
  }
}
