internal import NightjarEngine
internal import NightjarInterface
internal import NightjarLedger
import NightjarModel
internal import NightjarParameters
internal import Varlink

/// `Watch`: the timers as they are now, then every change. If a client reads too slowly, the stream
/// first leaves out ticks. If that is not enough, it folds all changes of a timer into one reply.
/// If there are too many such timers, it sends all timers again.
///
/// A call with `after` continues an earlier watch whose connection was lost: the stream sends the
/// changes after that number from the ledger, and does not send all timers first.
final class WatchStream: ReplyStream {
  /// The most timers with folded changes. If there are more, all timers are sent again.
  private static let foldedTimers = 4096
  /// How often, in microseconds, the stream checks whether a client that does not read has room for
  /// a tick again.
  private static let slowTickUsec: Int64 = 250_000
  /// About how much memory a timer with folded changes takes, in bytes: an entry of `missed` and
  /// its name.
  private static let foldedBytes = 128

  private(set) var nextTickUsec: Int64?
  var writesPresent: Bool { cursor == nil }

  private let engine: Engine
  private let filter: TimerFilter
  /// The name of the only timer to watch; nil: watch all timers that match the filter.
  private let name: String?
  private let tickUsec: Int64?
  private let ledgerName: String
  /// The slot at which sending all timers continues; nil: all timers were sent.
  private var snapshotSlot: Int? = 0
  /// The number of the last event that this stream handled.
  private var lastSeq: Int64
  /// The place in the ledger that a continued watch has reached; nil: the watch has sent all
  /// changes on disk, or does not continue an earlier one.
  private var cursor: LedgerCursor?
  /// While the stream sends all timers again: the event number after which this replaces all
  /// changes. Otherwise nil.
  private var missedAll: Int64?
  /// The timers with changes that could not be written, by name. The value is the number before the
  /// first of these changes.
  private var missed: [String: Int64] = [:]
  /// The number before the first event about the machine that could not be written; nil: all were
  /// written.
  private var missedMachine: Int64?
  /// The slots of the timers that the next tick sends.
  private var ticking: Set<Int> = []
  /// The slot at which the last tick had no room left. The next tick begins there. If each tick
  /// began at the first slot, timers with high slots would never be sent.
  private var tickSlot = 0

  /// - Parameters:
  ///   - ledgerName: the name of the ledger to which the event numbers belong.
  ///   - lastSeq: the number of the last event that is on disk.
  ///   - continued: the place in the ledger at which an earlier watch continues; nil: begin with
  ///     all timers.
  init(
    engine: Engine, filter: TimerFilter, name: String?, tickUsec: Int64?, ledgerName: String,
    lastSeq: Int64, continued: LedgerCursor?
  ) {
    self.engine = engine
    self.filter = filter
    self.name = name
    self.tickUsec = tickUsec
    self.ledgerName = ledgerName
    self.lastSeq = continued?.lastSeq ?? lastSeq
    cursor = continued
  }

  private func matches(_ other: String) -> Bool {
    if let name { return name == other }
    return filter.matches(name: other)
  }

  func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    if snapshotSlot != nil { snapshot(outlet, at: now) }
    guard snapshotSlot == nil else { return .hasMore }
    if cursor != nil { return continueEarlierWatch(outlet, at: now) }
    while let (timer, after) = missed.first, outlet.hasRoom {
      missed[timer] = nil
      let slot = engine.slot(named: timer)
      if slot == nil, name != nil {
        send(.missed(after: after), to: outlet, continues: false)
        return .ended
      }
      var reply = Wire.Watch.Reply.missed(after: after)
      if let slot {
        reply.timer = Wire.Timer(slot, of: engine, at: now)
      } else {
        reply.name = timer
      }
      send(reply, to: outlet)
      track(slot, at: now)
    }
    if missed.isEmpty, let after = missedMachine, outlet.hasRoom {
      missedMachine = nil
      send(.missed(after: after), to: outlet)
    }
    return missed.isEmpty && missedMachine == nil ? .waiting : .hasMore
  }

  private func snapshot(_ outlet: Outlet, at now: Moment) {
    let isAtOnce = snapshotSlot == 0
    if let name {
      if let slot = engine.slot(named: name) { introduce(slot, to: outlet, at: now) }
      snapshotSlot = nil
    } else if var slot = snapshotSlot {
      let end = min(slot + Methods.slotsAtOnce, engine.slotEnd)
      while slot < end, outlet.hasRoom {
        if filter.matches(slot, of: engine) { introduce(slot, to: outlet, at: now) }
        slot += 1
      }
      snapshotSlot = slot < engine.slotEnd ? slot : nil
    }
    guard snapshotSlot == nil, cursor == nil else { return }
    // If all timers are sent in one step, they include all events so far, even events that are not
    // on disk yet.
    if isAtOnce { lastSeq = engine.lastSeq }
    var reply = Wire.Watch.Reply()
    reply.synced = true
    reply.seq = min(lastSeq, missed.values.min() ?? lastSeq)
    reply.missedAfter = missedAll
    reply.ledger = ledgerName
    send(reply, to: outlet)
    missedAll = nil
  }

  /// Handles a timer while all timers are being sent. A continued watch does not send the timer,
  /// because the earlier watch sent it, and only records whether the timer needs ticks.
  private func introduce(_ slot: Int, to outlet: Outlet, at now: Moment) {
    if cursor == nil { deliver(slot, nil, to: outlet, at: now) } else { track(slot, at: now) }
  }

  /// Sends the changes since the earlier watch ended.
  private func continueEarlierWatch(_ outlet: Outlet, at now: Moment) -> StreamState {
    guard var cursor else { return .waiting }
    var hasEnded = false
    let outcome = cursor.advance { event in
      hasEnded = deliver(event, to: outlet, at: now) == .ended
      return !hasEnded && outlet.hasRoom
    }
    lastSeq = cursor.lastSeq
    if hasEnded { return .ended }
    switch outcome {
    case .hasMore:
      self.cursor = cursor
      return .hasMore
    case .caughtUp:
      // The journal is writing changes to disk. Wait, and read them from disk afterwards, because
      // `deliver` may have ignored events about them.
      guard !cursor.isCommitUnderWay else {
        self.cursor = cursor
        return .waiting
      }
      self.cursor = nil
      if let name, engine.slot(named: name) == nil {
        return refuse(outlet, .timerNotFound(name: name))
      }
      return .waiting
    case .refused(let error): return refuse(outlet, error)
    }
  }

  private func refuse(_ outlet: Outlet, _ error: TimersError) -> StreamState {
    JSONWriter.append(to: &outlet.output) { error.write(to: &$0) }
    return .ended
  }

  func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState {
    // The stream still reads old events from the ledger, and will read this event there, too.
    guard cursor == nil else { return .hasMore }
    for event in events where event.seq > lastSeq {
      // An event that is not on disk yet may get another number after a crash, so it does not count
      // as handled.
      if durable { lastSeq = event.seq }
      if deliver(event, to: outlet, at: now) == .ended { return .ended }
    }
    return missed.isEmpty && snapshotSlot == nil ? .waiting : .hasMore
  }

  private func deliver(_ event: Event, to outlet: Outlet, at now: Moment) -> StreamState {
    guard let subject = event.subject else {
      if let name = event.timerName, !matches(name) { return .waiting }
      guard snapshotSlot == nil, outlet.hasRoom, missed.isEmpty else {
        // While all timers are sent again, events about the machine are folded, and one reply for
        // them follows.
        missedMachine = missedMachine ?? event.seq - 1
        return .hasMore
      }
      deliver(nil, event, to: outlet, at: now)
      return .waiting
    }
    guard matches(subject.name) else { return .waiting }
    // The timer has not been sent yet. When it is sent, it shows this change.
    if cursor == nil, let snapshotSlot, subject.slot >= snapshotSlot { return .waiting }
    // While the changes of one timer are folded, fold the changes of all timers: otherwise the
    // client would get a number before a lower one. Also fold changes while all timers are sent
    // again: otherwise a client whose stream is cut then would take the number of this change for
    // its position.
    guard outlet.hasRoom, missed.isEmpty, snapshotSlot == nil || missedAll == nil else {
      fold(event, about: subject.name)
      return .hasMore
    }
    let slot = engine.slot(named: subject.name)
    if name != nil, event.leavesName {
      write(slot, event, to: outlet, continues: false, at: now)
      return .ended
    }
    deliver(slot, event, to: outlet, at: now)
    if event.leavesName { ticking.remove(subject.slot) }
    return .waiting
  }

  /// Folds a change for which the output has no room. Later changes of the same timer are folded
  /// with it.
  private func fold(_ event: Event, about timer: String) {
    guard missed[timer] == nil else { return }
    missed[timer] = event.seq - 1
    guard missed.count > Self.foldedTimers else { return }
    // Too many timers have folded changes, so send all timers again. Otherwise the names of timers
    // that were removed long ago would fill memory without limit.
    missedAll = min(missedAll ?? .max, missed.values.min() ?? event.seq - 1)
    missed = [:]
    ticking = []
    snapshotSlot = 0
  }

  private func deliver(_ slot: Int?, _ event: Event?, to outlet: Outlet, at now: Moment) {
    write(slot, event, to: outlet, continues: true, at: now)
    track(slot, at: now)
  }

  private func write(
    _ slot: Int?, _ event: Event?, to outlet: Outlet, continues: Bool, at now: Moment
  ) {
    var reply = Wire.Watch.Reply()
    reply.timer = slot.map { Wire.Timer($0, of: engine, at: now) }
    reply.event = event.map { Wire.Event($0) }
    send(reply, to: outlet, continues: continues)
  }

  private func send(_ reply: Wire.Watch.Reply, to outlet: Outlet, continues: Bool = true) {
    JSONWriter.append(to: &outlet.output) { $0.reply(reply, continues: continues) }
  }

  // MARK: Continuing

  let canBeCut = true

  var deferredBytes: Int { missed.count * Self.foldedBytes }

  var position: Int64? {
    guard snapshotSlot == nil || cursor != nil else { return nil }
    return ([lastSeq, missedMachine].compactMap { $0 } + missed.values).min()
  }

  // MARK: Ticks

  private func track(_ slot: Int?, at now: Moment) {
    guard let tickUsec, let slot else { return }
    if engine.timer(at: slot).state == .running {
      ticking.insert(slot)
      if nextTickUsec == nil { nextTickUsec = now.monotonicUsec + tickUsec }
    } else {
      ticking.remove(slot)
    }
  }

  func tick(_ outlet: Outlet, at now: Moment) {
    guard let tickUsec else { return }
    guard outlet.hasRoomForExtra else {
      // The client has not read the last tick. Check again later.
      nextTickUsec = now.monotonicUsec + max(tickUsec, Self.slowTickUsec)
      return
    }
    ticking = ticking.filter { slot in
      filter.matches(slot, of: engine) && engine.timer(at: slot).state == .running
    }
    // In a background span no timer runs, so no tick has anything new.
    if !engine.isInBackground {
      let slots = ticking.sorted()
      let start = slots.firstIndex { $0 >= tickSlot } ?? 0
      tickSlot = 0
      for slot in slots[start...] + slots[..<start] {
        guard outlet.hasRoom else {
          tickSlot = slot
          break
        }
        write(slot, nil, to: outlet, continues: true, at: now)
      }
    }
    nextTickUsec = ticking.isEmpty ? nil : now.monotonicUsec + tickUsec
  }
}

extension Wire.Watch.Reply {
  /// - Parameter seq: the number after which the client missed events.
  fileprivate static func missed(after seq: Int64) -> Self {
    var reply = Self()
    reply.missedAfter = seq
    return reply
  }
}
