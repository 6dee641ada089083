import NightjarEngine
package import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarTime
internal import NightjarWords
internal import Varlink

/// The methods that read the state, and the methods that reply with a stream.
extension Methods: TimersService {
  /// The slot of the timer with this name. Throws `TimerNotFound` if there is none.
  func slot(_ name: String) throws(TimersError) -> Int {
    guard let slot = engine.slot(named: name) else { throw .timerNotFound(name: name) }
    return slot
  }

  package func get(
    _ call: Wire.Get, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    exchange.reply(try slot(call.name), of: engine)
    return .reply
  }

  package func list(
    _ call: Wire.List, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let states = try call.states?.map { (word) throws(TimersError) in
      try TimerState(word, named: \.name, "states")
    }
    let filter = TimerFilter(prefix: call.prefix, states: states, ringing: call.ringing)
    let after = try natural(call.after ?? 0, "after", upTo: Int64(DeadlineQueue.slotLimit))
    let limit = try natural(call.limit ?? .max, "limit", upTo: .max)
    guard limit > 0 else { throw .invalid("limit") }
    guard !exchange.call.more else {
      return .stream(ListStream(engine: engine, filter: filter, after: Int(after)))
    }
    page(filter, after: Int(after), limit: min(Limits.pageTimers, Int(limit)), &exchange)
    return .reply
  }

  private func natural(
    _ value: Int64, _ parameter: String, upTo limit: Int64
  ) throws(TimersError) -> Int64 {
    guard (0...limit).contains(value) else { throw .invalid(parameter) }
    return value
  }

  private func page(
    _ filter: TimerFilter, after: Int, limit: Int, _ exchange: inout Exchange
  ) {
    // The timers are written one by one, because a page ends when it is long enough.
    var slot = after
    let end = min(slot + Methods.slotsAtOnce, engine.slotEnd)
    exchange.writer.beginReply()
    exchange.writer.key("timers")
    exchange.writer.beginArray()
    let (begin, now) = (exchange.writer.count, exchange.now)
    var count = 0
    while slot < end, count < limit, exchange.writer.count - begin < WireLimits.outputBytes {
      if filter.matches(slot, of: engine) {
        Wire.Timer(slot, of: engine, at: now).write(to: &exchange.writer)
        count += 1
      }
      slot += 1
    }
    exchange.writer.endArray()
    if slot < engine.slotEnd { exchange.writer.member("next", Int64(slot)) }
    exchange.writer.endReply()
  }

  package func watch(
    _ call: Wire.Watch, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let name = call.name
    if let tickUsec = call.tickUsec,
      !(Limits.tickUsec...Limits.durationUsec).contains(tickUsec)
    {
      throw .invalid("tick_usec")
    }
    let after = try call.after.map { (after) throws(TimersError) in
      try natural(after, "after", upTo: .max)
    }
    let dependencies = try dependencies(for: exchange.call)
    guard exchange.call.more else { throw .varlink(.expectedMore) }
    try check(call.ledger)
    // The timer need not exist if the client continues an earlier watch: that watch may not have
    // sent the end of the timer yet.
    if let name, after == nil, engine.slot(named: name) == nil { throw .timerNotFound(name: name) }
    return .stream(
      WatchStream(
        engine: engine, filter: TimerFilter(prefix: call.prefix), name: name,
        tickUsec: call.tickUsec,
        ledgerName: core.ledgerName, lastSeq: core.journal.durableSeq,
        continued: try after.map { (after) throws(TimersError) in
          try cursor(after: after, dependencies)
        }))
  }

  package func events(
    _ call: Wire.Events, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let after = try natural(call.after ?? core.journal.durableSeq, "after", upTo: .max)
    let dependencies = try dependencies(for: exchange.call)
    guard exchange.call.more else { throw .varlink(.expectedMore) }
    try check(call.ledger)
    // If the client sends 0, the stream begins with the oldest event that is still in the ledger.
    let start = try cursor(after: after, zeroIsOldest: true, dependencies)
    return .stream(EventStream(core: core, filter: TimerFilter(prefix: call.prefix), from: start))
  }

  /// Throws `LedgerChanged` if the client's event number belongs to another ledger.
  private func check(_ ledger: String?) throws(TimersError) {
    guard let ledger, ledger != core.ledgerName else { return }
    throw .ledgerChanged(ledger: core.ledgerName)
  }

  /// The place in the ledger after `after`, the event number that the client sent.
  private func cursor(
    after: Int64, zeroIsOldest: Bool = false, _ dependencies: Dependencies
  ) throws(TimersError) -> LedgerCursor {
    let last = core.journal.durableSeq
    guard after <= last else { throw .invalid("after") }
    let oldest: Int64
    do { oldest = try dependencies.reader.oldestSeq() ?? last + 1 } catch {
      throw .storageFailed(reason: error.description, inDoubt: false)
    }
    let start = after == 0 && zeroIsOldest ? oldest - 1 : after
    guard start >= oldest - 1 else { throw .eventsPruned(oldest: oldest) }
    return LedgerCursor(
      journal: core.journal, reader: dependencies.reader, after: start,
      reportReadFailure: dependencies.reportReadFailure)
  }

  package func why(
    _ call: Wire.Why, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let slot = try slot(call.name)
    let dependencies = try dependencies(for: exchange.call)
    return .stream(WhyStream(core: core, reader: dependencies.reader, slot: slot))
  }

  package func status(
    _ call: Wire.Status, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let dependencies = try dependencies(for: exchange.call)
    var report = dependencies.status()
    do throws(StoreError) { oldestSeq = try dependencies.reader.oldestSeq() ?? 0 } catch {
      // If the ledger cannot be read, the rest of the reply is still sent.
      report.storage.unreadable = error.description
      if error.isDamage { dependencies.reportReadFailure("the ledger's beginning", error) }
    }
    report.storage.oldestSeq = oldestSeq
    exchange.reply(Wire.Status.Reply(report, core, at: exchange.now))
    return .reply
  }

  package func testRing(
    _ call: Wire.TestRing, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    .stream(try dependencies(for: exchange.call).testRing())
  }

  package func holdRings(
    _ call: Wire.HoldRings, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let dependencies = try dependencies(for: exchange.call)
    guard exchange.call.more else { throw .varlink(.expectedMore) }
    return .stream(dependencies.holdRings())
  }

  package func releaseRings(
    _ call: Wire.ReleaseRings, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    guard try dependencies(for: exchange.call).releaseRings(call.hold) else {
      throw .holdNotFound(hold: call.hold)
    }
    exchange.reply(Wire.ReleaseRings.Reply())
    return .reply
  }

  package func understand(
    _ call: Wire.Understand, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let zone = try call.zone.map { (name) throws(TimersError) in
      guard let zone = ZoneDatabase.zone(named: name) else {
        throw .invalidValue(parameter: "zone", reason: ZoneDatabase.absence(of: name))
      }
      return zone
    }
    let wall = WallClock(
      nowUsec: call.nowUsec ?? exchange.now.realtimeUsec, zone: zone ?? calendar.local,
      foreignZone: call.zone == calendar.local.name ? nil : call.zone,
      locale: call.locale.map { WrittenLocale(numbers: $0, dates: $0) } ?? .here)
    do throws(WordsProblem) {
      exchange.reply(
        Wire.Understand.Reply(
          readings: try FirstWords(FirstWords.words(of: call.words), at: wall).understood { name in
            guard let spec = engine.slot(named: name).map(engine.timerSpec),
              spec.shared.kind == .countdown
            else { return nil }
            return spec.durationUsec
          }))
    } catch { throw .invalidValue(parameter: "words", reason: error.sentence) }
    return .reply
  }

  private func dependencies(for call: VarlinkCall) throws(TimersError) -> Dependencies {
    guard let dependencies else {
      throw .varlink(.methodNotImplemented(method: call.method.string))
    }
    return dependencies
  }
}
