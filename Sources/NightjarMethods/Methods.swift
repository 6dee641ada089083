package import NightjarCore
package import NightjarLedger
package import NightjarWire

/// What a method did with a call, beside what it wrote.
enum Answer {
  /// The reply is complete.
  case reply
  /// The replies come from here.
  case stream(any ReplyStream)
}

/// The methods of the two interfaces: decodes parameters, asks the engine, writes the reply. The daemon
/// answers its socket by these, and a stand-in its own.
package final class Methods {
  /// What whoever has the engine knows beside it.
  package struct Surroundings {
    /// How things are at present.
    package var status: () -> StatusReport
    /// Tries whether a ring would be noticed: a stream of one reply.
    package var testRing: () -> any ReplyStream
    /// Told what was to be read for a client, and why that went wrong.
    package var complain: (_ what: String, _ error: StoreError) -> Void

    package init(
      status: @escaping () -> StatusReport, testRing: @escaping () -> any ReplyStream,
      complain: @escaping (_ what: String, _ error: StoreError) -> Void
    ) {
      self.status = status
      self.testRing = testRing
      self.complain = complain
    }
  }

  private let service: TimerService
  private let reader: any LedgerReading
  private let timers: TimerMethods
  private let surroundings: Surroundings
  /// Where the ledger began when it could be read last.
  private var oldestSeq: Int64 = 0

  /// - Parameters:
  ///   - reader: what is on disk.
  ///   - defaults: what a timer has that does not say, as it is configured at present.
  package init(
    service: TimerService, reader: any LedgerReading, calendar: ZoneCalendar,
    surroundings: Surroundings, defaults: @escaping () -> RecipeDefaults
  ) {
    self.service = service
    self.reader = reader
    self.surroundings = surroundings
    timers = TimerMethods(service: service, calendar: calendar, defaults: defaults)
  }

  private var engine: Engine { service.engine }

  /// Answers one call: its reply, or what it is refused with, goes behind what `outlet` has. One that
  /// wants no reply gets none.
  ///
  /// - Returns: where the replies come from, if there is to be any number of them.
  package func answer(
    _ call: VarlinkCall, to outlet: Outlet, at now: Moment
  ) -> (any ReplyStream)? {
    let end = outlet.output.count
    var stream: (any ReplyStream)?
    JSONWriter.append(to: &outlet.output) { writer in
      do throws(CallError) {
        switch try perform(call, writer: &writer, at: now) {
        case .reply: break
        case .stream(let found): stream = found
        }
      } catch {
        writer.bytes.removeSubrange(end...)
        error.write(to: &writer)
      }
    }
    guard call.oneway else { return stream }
    outlet.output.removeSubrange(end...)
    return nil
  }

  /// Performs one call and writes its reply behind what `writer` has.
  private func perform(
    _ call: VarlinkCall, writer: inout JSONWriter, at now: Moment
  ) throws(CallError) -> Answer {
    if call.upgrade { throw .varlink(.methodNotImplemented(method: call.method.string)) }
    if let method = call.method(in: "org.nightjar.Timers") {
      return try perform(method, call, &writer, at: now)
    }
    if let method = call.method(in: "org.varlink.service") {
      try describe(method, call, &writer)
      return .reply
    }
    let name = call.method.string
    guard let dot = name.lastIndex(of: ".") else {
      throw .varlink(.methodNotFound(method: name))
    }
    throw .varlink(.interfaceNotFound(interface: String(name[..<dot])))
  }

  private func perform(
    _ method: JSONText, _ call: VarlinkCall, _ writer: inout JSONWriter, at now: Moment
  ) throws(CallError) -> Answer {
    if call.more, method.equals("List") { return try list(call) }
    // The most frequent first.
    if try timers.perform(method, call, &writer, at: now) { return .reply }
    if method.equals("Watch") { return try watch(call) }
    if method.equals("Events") { return try events(call) }
    if method.equals("Status") { return try status(call, &writer, at: now) }
    if method.equals("Why") { return try why(call) }
    if method.equals("TestRing") { return try testRing(call) }
    throw .varlink(.methodNotFound(method: call.method.string))
  }
}

// MARK: - Asking

extension Methods {
  private func list(_ call: VarlinkCall) throws(CallError) -> Answer {
    let page = try ListParameters(call)
    return .stream(ListStream(engine: engine, filter: page.filter, after: page.after))
  }

  private func watch(_ call: VarlinkCall) throws(CallError) -> Answer {
    var parameters = try Parameters(call)
    var filter = TimerFilter()
    var name: String?
    var tickUsec: Int64?
    var after: Int64?
    var ledger: String?
    while let key = try parameters.next() {
      if key.equals("name") {
        name = try parameters.text(key).string
      } else if key.equals("prefix") {
        filter.prefix = try parameters.text(key).withUTF8 { Array($0) }
      } else if key.equals("tick_usec") {
        tickUsec = try parameters.integer(key)
        if let tickUsec, !(Limits.tickUsec...Limits.durationUsec).contains(tickUsec) {
          throw .invalid(key.string)
        }
      } else if key.equals("after") {
        after = try parameters.natural(key, upTo: .max)
      } else if key.equals("ledger") {
        ledger = try parameters.text(key).string
      } else {
        throw .invalid(key.string)
      }
    }
    guard call.more else { throw .varlink(.expectedMore) }
    try check(ledger)
    // One that goes on may still have to be told of its timer's end.
    if let name, after == nil, engine.slot(of: name) == nil { throw .timerNotFound(name) }
    return .stream(
      WatchStream(
        engine: engine, filter: filter, name: name, tickUsec: tickUsec,
        ledgerName: service.ledgerName, lastSeq: service.journal.durableSeq,
        continued: try after.map { (after) throws(CallError) in try cursor(after: after) }))
  }

  private func events(_ call: VarlinkCall) throws(CallError) -> Answer {
    var parameters = try Parameters(call)
    var filter = TimerFilter()
    var after = service.journal.durableSeq
    var ledger: String?
    while let key = try parameters.next() {
      if key.equals("after") {
        after = try parameters.natural(key, upTo: .max)
      } else if key.equals("prefix") {
        filter.prefix = try parameters.text(key).withUTF8 { Array($0) }
      } else if key.equals("ledger") {
        ledger = try parameters.text(key).string
      } else {
        throw .invalid(key.string)
      }
    }
    guard call.more else { throw .varlink(.expectedMore) }
    try check(ledger)
    // From the very beginning means: from whatever is the oldest that is kept.
    let start = try cursor(after: after, zeroIsOldest: true)
    return .stream(EventStream(service: service, filter: filter, from: start))
  }

  /// Refuses numbers of another ledger than this one.
  private func check(_ ledger: String?) throws(CallError) {
    guard let ledger, ledger != service.ledgerName else { return }
    throw .ledgerChanged(service.ledgerName)
  }

  /// The place in the ledger behind a number that a client has given.
  private func cursor(
    after: Int64, zeroIsOldest: Bool = false
  ) throws(CallError) -> LedgerCursor {
    let last = service.journal.durableSeq
    guard after <= last else { throw .invalid("after") }
    let oldest = try stored { () throws(StoreError) in try reader.oldestSeq() } ?? last + 1
    let start = after == 0 && zeroIsOldest ? oldest - 1 : after
    guard start >= oldest - 1 else { throw .eventsPruned(oldest: oldest) }
    return LedgerCursor(
      journal: service.journal, reader: reader, after: start, complain: surroundings.complain)
  }

  private func stored<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(CallError) -> Result {
    do { return try body() } catch { throw .storageFailed(error.description) }
  }

  private func why(_ call: VarlinkCall) throws(CallError) -> Answer {
    let slot = try timers.named(call)
    return .stream(WhyStream(service: service, reader: reader, slot: slot))
  }

  private func status(
    _ call: VarlinkCall, _ writer: inout JSONWriter, at now: Moment
  ) throws(CallError) -> Answer {
    try refuseParameters(call)
    var report = surroundings.status()
    do throws(StoreError) { oldestSeq = try reader.oldestSeq() ?? 0 } catch {
      // Whoever asks wants to know this, and all the rest.
      report.storage.unreadable = error.description
      if error.isDamage { surroundings.complain("the ledger's beginning", error) }
    }
    report.storage.oldestSeq = oldestSeq
    report.write(service: service, to: &writer, at: now)
    return .reply
  }

  private func testRing(_ call: VarlinkCall) throws(CallError) -> Answer {
    try refuseParameters(call)
    return .stream(surroundings.testRing())
  }

  private func refuseParameters(_ call: VarlinkCall) throws(CallError) {
    var parameters = try Parameters(call)
    if let key = try parameters.next() { throw .invalid(key.string) }
  }
}

// MARK: - org.varlink.service

extension Methods {
  private func describe(
    _ method: JSONText, _ call: VarlinkCall, _ writer: inout JSONWriter
  ) throws(CallError) {
    if method.equals("GetInfo") {
      try refuseParameters(call)
      writer.beginReply()
      writer.member("vendor", "Nightjar" as StaticString)
      writer.member("product", "nightjard" as StaticString)
      writer.member("version", NightjarVersion.current)
      writer.member("url", "man:nightjard(1)" as StaticString)
      writer.key("interfaces")
      writer.beginArray()
      writer.string(ServiceInterface.name)
      writer.string(TimersInterface.name)
      writer.endArray()
      writer.endReply()
    } else if method.equals("GetInterfaceDescription") {
      var parameters = try Parameters(call)
      var interface: String?
      while let key = try parameters.next() {
        guard key.equals("interface") else { throw .invalid(key.string) }
        interface = try parameters.text(key).string
      }
      guard let interface else { throw .invalid("interface") }
      let known = [
        ServiceInterface.name: ServiceInterface.description,
        TimersInterface.name: TimersInterface.description,
      ]
      guard let description = known[interface] else {
        throw .varlink(.interfaceNotFound(interface: interface))
      }
      writer.beginReply()
      writer.member("description", description)
      writer.endReply()
    } else {
      throw .varlink(.methodNotFound(method: call.method.string))
    }
  }
}
