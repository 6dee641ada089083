package import NightjarEngine
internal import NightjarLedger
import NightjarModel
internal import NightjarVarlink

/// `Watch`: the timers as they are now, then every change. If a client reads too slowly, the stream
/// first leaves out ticks. Next it folds the changes of each timer into one. At last it sends all
/// timers once more.
///
/// With `after` it continues an earlier watch that was cut: it sends the changes after that number
/// from the ledger, and not the timers as they are now.
final class WatchStream: ReplyStream {
  /// The most timers whose changes are folded separately.
  private static let foldedTimers = 4096
  /// How often the stream checks whether a client that does not read has room for a tick, in
  /// microseconds.
  private static let slowTickUsec: Int64 = 250_000
  /// The memory of a timer whose changes are folded, in bytes: an entry of `missed` and its name.
  private static let foldedBytes = 128

  private(set) var nextTickUsec: Int64?
  var tellsPresent: Bool { cursor == nil }

  private let engine: Engine
  private let filter: TimerFilter
  /// The only timer to watch; nil: all that match the filter.
  private let name: String?
  private let tickUsec: Int64?
  private let ledgerName: String
  /// The slot at which the first list of timers continues; nil: the list is complete.
  private var snapshotSlot: Int? = 0
  /// The number of the last event that was handled.
  private var lastSeq: Int64
  /// The place of a continued watch in the ledger; nil: it has caught up, or the watch is not a
  /// continued one.
  private var cursor: LedgerCursor?
  /// While all timers are sent once more: the number after which all changes are folded into this
  /// list. Nil otherwise.
  private var missedAll: Int64?
  /// Timers whose changes could not be written, each with the number before the first of these
  /// changes.
  private var missed: [String: Int64] = [:]
  /// The number before the first event about the machine that could not be written.
  private var missedMachine: Int64?
  /// The slots of the timers to send at a tick.
  private var ticking: Set<Int> = []
  /// The slot at which the last tick ran out of room. The next tick begins there; otherwise the
  /// timers after that slot would never be sent.
  private var tickSlot = 0

  /// - Parameters:
  ///   - ledgerName: the ledger to which the numbers belong.
  ///   - lastSeq: the number of the last event on disk.
  ///   - continued: where a continued watch continues; nil: begin with the timers as they are now.
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
    if cursor != nil { return goOn(outlet, at: now) }
    while let (timer, after) = missed.first, outlet.hasRoom {
      missed[timer] = nil
      let slot = engine.slot(of: timer)
      if slot == nil, name != nil {
        send(Reply(missedAfter: after), to: outlet, continues: false)
        return .ended
      }
      send(
        Reply(
          timer: slot.map { TimerReply($0, of: engine, at: now) }, missedAfter: after,
          name: slot == nil ? timer : nil),
        to: outlet)
      track(slot, at: now)
    }
    if missed.isEmpty, let after = missedMachine, outlet.hasRoom {
      missedMachine = nil
      send(Reply(missedAfter: after), to: outlet)
    }
    return missed.isEmpty && missedMachine == nil ? .waiting : .hasMore
  }

  private func snapshot(_ outlet: Outlet, at now: Moment) {
    let isAtOnce = snapshotSlot == 0
    if let name {
      if let slot = engine.slot(of: name) { introduce(slot, to: outlet, at: now) }
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
    // If the whole list is sent at once, it covers all events so far, including those that are not
    // on disk yet.
    if isAtOnce { lastSeq = engine.lastSeq }
    send(
      Reply(
        synced: true, seq: min(lastSeq, missed.values.min() ?? lastSeq), missedAfter: missedAll,
        ledger: ledgerName),
      to: outlet)
    missedAll = nil
  }

  /// Sends a timer of the first list. A continued watch has sent its list before, and only notes
  /// which timers need ticks.
  private func introduce(_ slot: Int, to outlet: Outlet, at now: Moment) {
    if cursor == nil { tell(slot, nil, to: outlet, at: now) } else { track(slot, at: now) }
  }

  /// Sends the changes since the earlier watch was cut.
  private func goOn(_ outlet: Outlet, at now: Moment) -> StreamState {
    guard var cursor else { return .waiting }
    var hasEnded = false
    let outcome = cursor.advance { event in
      hasEnded = tell(event, to: outlet, at: now) == .ended
      return !hasEnded && outlet.hasRoom
    }
    lastSeq = cursor.lastSeq
    if hasEnded { return .ended }
    switch outcome {
    case .hasMore:
      self.cursor = cursor
      return .hasMore
    case .caughtUp:
      // Changes that are being written to disk are read from disk afterwards, because `tell` may
      // have ignored events about them.
      guard !cursor.isCommitUnderWay else {
        self.cursor = cursor
        return .waiting
      }
      self.cursor = nil
      if let name, engine.slot(of: name) == nil {
        return refuse(outlet, .timerNotFound(name: name))
      }
      return .waiting
    case .refused(let error): return refuse(outlet, error)
    }
  }

  private func refuse(_ outlet: Outlet, _ error: CallError) -> StreamState {
    JSONWriter.append(to: &outlet.output) { error.write(to: &$0) }
    return .ended
  }

  func tell(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState {
    // While the stream catches up, it reads new events from the ledger later.
    guard cursor == nil else { return .hasMore }
    for event in events where event.seq > lastSeq {
      // An event that is not on disk may get another number after a crash.
      if durable { lastSeq = event.seq }
      if tell(event, to: outlet, at: now) == .ended { return .ended }
    }
    return missed.isEmpty && snapshotSlot == nil ? .waiting : .hasMore
  }

  private func tell(_ event: Event, to outlet: Outlet, at now: Moment) -> StreamState {
    guard let subject = event.subject else {
      if let name = event.timerName, !matches(name) { return .waiting }
      guard snapshotSlot == nil, outlet.hasRoom, missed.isEmpty else {
        // While all timers are sent once more, events about the machine are folded and sent
        // afterwards.
        missedMachine = missedMachine ?? event.seq - 1
        return .hasMore
      }
      tell(nil, event, to: outlet, at: now)
      return .waiting
    }
    guard matches(subject.name) else { return .waiting }
    // The rest of the first list will show this change.
    if cursor == nil, let snapshotSlot, subject.slot >= snapshotSlot { return .waiting }
    // While one timer's changes are folded, all changes are folded; otherwise a number would be
    // sent before a lower one. Changes are also folded while all timers are sent once more. A
    // client whose stream is cut then would otherwise take this number for its position.
    guard outlet.hasRoom, missed.isEmpty, snapshotSlot == nil || missedAll == nil else {
      fold(event, about: subject.name)
      return .hasMore
    }
    let slot = engine.slot(of: subject.name)
    if name != nil, event.leavesName {
      write(slot, event, to: outlet, continues: false, at: now)
      return .ended
    }
    tell(slot, event, to: outlet, at: now)
    if event.leavesName { ticking.remove(subject.slot) }
    return .waiting
  }

  /// Folds a change for which there is no room with the later changes of the timer.
  private func fold(_ event: Event, about timer: String) {
    guard missed[timer] == nil else { return }
    missed[timer] = event.seq - 1
    guard missed.count > Self.foldedTimers else { return }
    // Otherwise the names of timers that were removed long ago would fill memory without limit.
    missedAll = min(missedAll ?? .max, missed.values.min() ?? event.seq - 1)
    missed = [:]
    ticking = []
    snapshotSlot = 0
  }

  private func tell(_ slot: Int?, _ event: Event?, to outlet: Outlet, at now: Moment) {
    write(slot, event, to: outlet, continues: true, at: now)
    track(slot, at: now)
  }

  private func write(
    _ slot: Int?, _ event: Event?, to outlet: Outlet, continues: Bool, at now: Moment
  ) {
    let reply = Reply(
      timer: slot.map { TimerReply($0, of: engine, at: now) }, event: event.map(LedgerEntry.init))
    send(reply, to: outlet, continues: continues)
  }

  private struct Reply: WatchReply {
    var timer: TimerReply?
    var event: LedgerEntry?
    var synced = false
    var seq: Int64?
    var missedAfter: Int64?
    var name: String?
    var ledger: String?
  }

  private func send(_ reply: Reply, to outlet: Outlet, continues: Bool = true) {
    JSONWriter.append(to: &outlet.output) { reply.write(to: &$0, continues: continues) }
  }

  // MARK: Across a restart

  let canBeCut = true

  var heldBytes: Int { missed.count * Self.foldedBytes }

  /// Nil while the first list is not complete or changes are folded: a number alone is not enough
  /// to continue from there.
  var position: Int64? {
    guard snapshotSlot == nil || cursor != nil, missed.isEmpty, missedMachine == nil else {
      return nil
    }
    return lastSeq
  }

  var positionBeforeFolded: Int64? {
    guard snapshotSlot == nil || cursor != nil else { return nil }
    return ([lastSeq, missedMachine].compactMap { $0 } + missed.values).min()
  }

  func writeContinuation(behind position: Int64, to writer: inout JSONWriter) {
    writer.call("Watch") { writer in
      writer.member("after", position)
      writer.member("ledger", ledgerName)
      if let name { writer.member("name", name) }
      if let prefix = filter.prefix {
        writer.member("prefix", String(decoding: prefix, as: UTF8.self))
      }
      if let tickUsec { writer.member("tick_usec", tickUsec) }
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

  func tick(_ outlet: Outlet, at now: Moment) {
    guard let tickUsec else { return }
    guard outlet.hasRoomForTick else {
      // The client has not read the last tick, so check again later.
      nextTickUsec = now.monotonicUsec + max(tickUsec, Self.slowTickUsec)
      return
    }
    ticking = ticking.filter { slot in
      filter.matches(slot, of: engine) && engine.record(at: slot).state == .running
    }
    // In the background no timer runs, so nothing has changed.
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

extension Engine {
  /// The slot of the timer with this name; nil: there is none.
  package func slot(of name: String) -> Int? {
    var name = name
    return name.withUTF8 { slot(named: UnsafeRawBufferPointer($0)) }
  }
}
