package import NightjarEngine
internal import NightjarLedger
import NightjarModel
internal import NightjarVarlink

/// `Watch`: what is there now, then every change. A client that reads too slowly loses ticks first;
/// then the changes of each timer are folded into one; then it is told all there is once more.
///
/// With `after` it goes on where another watch was cut: the changes behind that number, off the
/// ledger, stand in the place of what is there now.
final class WatchStream: ReplyStream {
  /// The most timers whose changes are folded one by one.
  private static let foldedTimers = 4096
  /// So often a client that does not read is looked at for another tick.
  private static let slowTickUsec: Int64 = 250_000
  /// What a timer whose changes were folded takes in memory, in bytes: an entry of `missed`, and its name.
  private static let foldedBytes = 128

  private(set) var nextTickUsec: Int64?
  var tellsPresent: Bool { cursor == nil }

  private let engine: Engine
  private let filter: TimerFilter
  /// The one timer it is about; nil: all that match.
  private let name: String?
  private let tickUsec: Int64?
  private let ledgerName: String
  /// Slots below this have been told; nil: all have.
  private var snapshotSlot: Int? = 0
  /// The number of the last event that was dealt with.
  private var lastSeq: Int64
  /// Where a continued watch is in the ledger; nil once it has caught up, and for any other.
  private var cursor: LedgerCursor?
  /// Everything behind this number was folded into what is being told now.
  private var missedAll: Int64?
  /// Timers whose changes could not be written, each with the number before the first of them.
  private var missed: [String: Int64] = [:]
  /// The number before the first event of the machine that could not be written.
  private var missedMachine: Int64?
  /// What is to be told at a tick.
  private var ticking: Set<Int> = []
  /// The slot at which the last tick ran out of room: the next one begins there, or those behind it
  /// would never have one.
  private var tickSlot = 0

  /// - Parameters:
  ///   - ledgerName: whose events' numbers these are.
  ///   - lastSeq: the last event that is on disk.
  ///   - continued: where it goes on; nil: with what is there now.
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
    // What is told in one go takes all into account that has happened, on its way to the disk too.
    if isAtOnce { lastSeq = engine.lastSeq }
    send(
      Reply(
        synced: true, seq: min(lastSeq, missed.values.min() ?? lastSeq), missedAfter: missedAll,
        ledger: ledgerName),
      to: outlet)
    missedAll = nil
  }

  /// A continued watch has told what was there; it only has to know for whom to tick.
  private func introduce(_ slot: Int, to outlet: Outlet, at now: Moment) {
    if cursor == nil { tell(slot, nil, to: outlet, at: now) } else { track(slot, at: now) }
  }

  /// Tells the changes since it was cut.
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
      // What is on its way to the disk is told from there: part of it may have been told to others.
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
    // What comes while it catches up is in the ledger by then.
    guard cursor == nil else { return .hasMore }
    for event in events where event.seq > lastSeq {
      // What is not on disk may get another number after a crash.
      if durable { lastSeq = event.seq }
      if tell(event, to: outlet, at: now) == .ended { return .ended }
    }
    return missed.isEmpty && snapshotSlot == nil ? .waiting : .hasMore
  }

  private func tell(_ event: Event, to outlet: Outlet, at now: Moment) -> StreamState {
    guard let subject = event.subject else {
      if let name = event.timerName, !matches(name) { return .waiting }
      guard snapshotSlot == nil, outlet.hasRoom, missed.isEmpty else {
        // What comes while all is told anew is told behind it, as one.
        missedMachine = missedMachine ?? event.seq - 1
        return .hasMore
      }
      tell(nil, event, to: outlet, at: now)
      return .waiting
    }
    guard matches(subject.name) else { return .waiting }
    // What the snapshot has still to tell it will tell as it is then.
    if cursor == nil, let snapshotSlot, subject.slot >= snapshotSlot { return .waiting }
    // While anything is folded everything is, or a number would be told before one that is lower; while
    // all is told once more too, or a client that is cut then would take that number for how far it got.
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

  /// There is no room for this change: it will be one with those behind it.
  private func fold(_ event: Event, about timer: String) {
    guard missed[timer] == nil else { return }
    missed[timer] = event.seq - 1
    guard missed.count > Self.foldedTimers else { return }
    // Names of timers that are long gone would gather without end.
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

  /// What is still to be told as it is now, or was folded, cannot be had from a number.
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
      // It has not read the last tick: there is no hurry to find out when it has.
      nextTickUsec = now.monotonicUsec + max(tickUsec, Self.slowTickUsec)
      return
    }
    ticking = ticking.filter { slot in
      filter.matches(slot, of: engine) && engine.record(at: slot).state == .running
    }
    // Nothing to tell while nothing runs.
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
  /// The slot of a timer, if there is one of this name.
  package func slot(of name: String) -> Int? {
    var name = name
    return name.withUTF8 { slot(named: UnsafeRawBufferPointer($0)) }
  }
}
