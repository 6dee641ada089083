import NightjarEngine
internal import NightjarLedger
package import NightjarModel
package import NightjarParameters
package import Varlink

/// The methods that read the state, and the methods that reply with a stream.
extension Methods: TimersService {
  /// The slot of the timer with this name. Throws `TimerNotFound` if there is none.
  func slot(_ name: JSONText) throws(CallError) -> Int {
    guard let slot = name.withUTF8({ engine.slot(named: $0) }) else {
      throw .timerNotFound(name: name.string)
    }
    return slot
  }

  package func get(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    exchange.reply(try slot(name), of: engine)
    return .reply
  }

  package func list(
    prefix: JSONText?, states: [TimerState]?, after: Int64?, limit: Int64?,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let filter = TimerFilter(prefix: prefix, states: states)
    let after = try natural(after ?? 0, "after", upTo: Int64(DeadlineQueue.slotLimit))
    let limit = try natural(limit ?? .max, "limit", upTo: .max)
    guard limit > 0 else { throw .invalid("limit") }
    guard !exchange.call.more else {
      return .stream(ListStream(engine: engine, filter: filter, after: Int(after)))
    }
    page(filter, after: Int(after), limit: min(Limits.pageTimers, Int(limit)), &exchange)
    return .reply
  }

  private func natural(
    _ value: Int64, _ parameter: String, upTo limit: Int64
  ) throws(CallError) -> Int64 {
    guard (0...limit).contains(value) else { throw .invalid(parameter) }
    return value
  }

  private func page(
    _ filter: TimerFilter, after: Int, limit: Int, _ exchange: inout Exchange
  ) {
    let page = TimerPage(
      engine: engine, filter: filter, after: after, limit: limit, at: exchange.now)
    Page(timers: page).write(to: &exchange.writer)
  }

  private struct Page: ListReply {
    let timers: TimerPage
    /// Must be read after the timers of the page have been written, because writing them moves
    /// `slot`.
    var next: Int64? { timers.slot < timers.engine.slotEnd ? Int64(timers.slot) : nil }
  }

  /// A page of timers: as many as fit into one reply.
  private final class TimerPage: JSONWritable {
    let engine: Engine
    let filter: TimerFilter
    let limit: Int
    let now: Moment
    /// The slot at which the next page begins.
    private(set) var slot: Int

    init(engine: Engine, filter: TimerFilter, after: Int, limit: Int, at now: Moment) {
      self.engine = engine
      self.filter = filter
      self.limit = limit
      self.now = now
      slot = after
    }

    func write(to writer: inout JSONWriter) {
      let begin = writer.count
      let end = min(slot + Methods.slotsAtOnce, engine.slotEnd)
      var count = 0
      writer.beginArray()
      while slot < end, count < limit, writer.count - begin < Limits.outputBytes {
        if filter.matches(slot, of: engine) {
          TimerReply(slot, of: engine, at: now).write(to: &writer)
          count += 1
        }
        slot += 1
      }
      writer.endArray()
    }
  }

  package func watch(
    name: JSONText?, prefix: JSONText?, tickUsec: Int64?, after: Int64?, ledger: JSONText?,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    if let tickUsec, !(Limits.tickUsec...Limits.durationUsec).contains(tickUsec) {
      throw .invalid("tick_usec")
    }
    let after = try after.map { (after) throws(CallError) in
      try natural(after, "after", upTo: .max)
    }
    let dependencies = try dependencies(for: exchange.call)
    guard exchange.call.more else { throw .varlink(.expectedMore) }
    try check(ledger)
    let name = name?.string
    // The timer need not exist if the client continues an earlier watch: that watch may not have
    // sent the end of the timer yet.
    if let name, after == nil, engine.slot(of: name) == nil { throw .timerNotFound(name: name) }
    return .stream(
      WatchStream(
        engine: engine, filter: TimerFilter(prefix: prefix), name: name, tickUsec: tickUsec,
        ledgerName: core.ledgerName, lastSeq: core.journal.durableSeq,
        continued: try after.map { (after) throws(CallError) in
          try cursor(after: after, dependencies)
        }))
  }

  package func events(
    after: Int64?, prefix: JSONText?, ledger: JSONText?, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let after = try natural(after ?? core.journal.durableSeq, "after", upTo: .max)
    let dependencies = try dependencies(for: exchange.call)
    guard exchange.call.more else { throw .varlink(.expectedMore) }
    try check(ledger)
    // If the client sends 0, the stream begins with the oldest event that is still in the ledger.
    let start = try cursor(after: after, zeroIsOldest: true, dependencies)
    return .stream(EventStream(core: core, filter: TimerFilter(prefix: prefix), from: start))
  }

  /// Throws `LedgerChanged` if the client's event number belongs to another ledger.
  private func check(_ ledger: JSONText?) throws(CallError) {
    guard let ledger, ledger.string != core.ledgerName else { return }
    throw .ledgerChanged(ledger: core.ledgerName)
  }

  /// The place in the ledger after `after`, the event number that the client sent.
  private func cursor(
    after: Int64, zeroIsOldest: Bool = false, _ dependencies: Dependencies
  ) throws(CallError) -> LedgerCursor {
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
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let slot = try slot(name)
    let dependencies = try dependencies(for: exchange.call)
    return .stream(WhyStream(core: core, reader: dependencies.reader, slot: slot))
  }

  package func status(_ exchange: inout Exchange) throws(CallError) -> Answer {
    let dependencies = try dependencies(for: exchange.call)
    var report = dependencies.status()
    do throws(StoreError) { oldestSeq = try dependencies.reader.oldestSeq() ?? 0 } catch {
      // If the ledger cannot be read, the rest of the reply is still sent.
      report.storage.unreadable = error.description
      if error.isDamage { dependencies.reportReadFailure("the ledger's beginning", error) }
    }
    report.storage.oldestSeq = oldestSeq
    Status(report: report, core: core, now: exchange.now).write(to: &exchange.writer)
    return .reply
  }

  package func testRing(_ exchange: inout Exchange) throws(CallError) -> Answer {
    .stream(try dependencies(for: exchange.call).testRing())
  }

  package func holdRings(_ exchange: inout Exchange) throws(CallError) -> Answer {
    let dependencies = try dependencies(for: exchange.call)
    guard exchange.call.more else { throw .varlink(.expectedMore) }
    return .stream(dependencies.holdRings())
  }

  package func releaseRings(
    hold: Int64, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    guard try dependencies(for: exchange.call).releaseRings(hold) else {
      throw .holdNotFound(hold: hold)
    }
    exchange.reply { _ in }
    return .reply
  }

  private func dependencies(for call: VarlinkCall) throws(CallError) -> Dependencies {
    guard let dependencies else {
      throw .varlink(.methodNotImplemented(method: call.method.string))
    }
    return dependencies
  }
}
