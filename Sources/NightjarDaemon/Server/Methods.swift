internal import NightjarCore
internal import NightjarLedger
internal import NightjarMethods
internal import NightjarStore
internal import NightjarSystem
internal import NightjarWire

/// What a method did with a call, beside what it wrote.
enum Answer {
  /// The reply is complete.
  case reply
  /// The replies come from here.
  case stream(any ReplyStream)
}

/// The methods of the two interfaces: decodes parameters, asks the engine, writes the reply.
final class Methods {
  private let service: TimerService
  private let reader: LedgerReader
  private let timers: TimerMethods
  let status: () -> StatusReport
  let notifier: Notifier
  /// A stream that waited for something else than events has what it waited for.
  var onReady: (any ReplyStream) -> Void = { _ in }

  init(
    service: TimerService, reader: LedgerReader, calendar: ZoneCalendar, settings: Settings,
    notifier: Notifier, status: @escaping () -> StatusReport
  ) {
    self.service = service
    self.reader = reader
    timers = TimerMethods(service: service, calendar: calendar) { settings.current.recipes }
    self.notifier = notifier
    self.status = status
  }

  var engine: Engine { service.engine }

  /// Performs one call and writes its reply behind what `writer` has.
  func perform(
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
      } else {
        throw .invalid(key.string)
      }
    }
    guard call.more else { throw .varlink(.expectedMore) }
    // One that goes on may still have to be told of its timer's end.
    if let name, after == nil, engine.slot(of: name) == nil { throw .timerNotFound(name) }
    return .stream(
      WatchStream(
        engine: engine, filter: filter, name: name, tickUsec: tickUsec,
        lastSeq: service.journal.durableSeq,
        continued: try after.map { (after) throws(CallError) in try cursor(after: after) }))
  }

  private func events(_ call: VarlinkCall) throws(CallError) -> Answer {
    var parameters = try Parameters(call)
    var filter = TimerFilter()
    var after = service.journal.durableSeq
    while let key = try parameters.next() {
      if key.equals("after") {
        after = try parameters.natural(key, upTo: .max)
      } else if key.equals("prefix") {
        filter.prefix = try parameters.text(key).withUTF8 { Array($0) }
      } else {
        throw .invalid(key.string)
      }
    }
    guard call.more else { throw .varlink(.expectedMore) }
    // From the very beginning means: from whatever is the oldest that is kept.
    let start = try cursor(after: after, zeroIsOldest: true).lastSeq
    return .stream(
      EventStream(journal: service.journal, reader: reader, filter: filter, after: start))
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
    return LedgerCursor(journal: service.journal, reader: reader, after: start)
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
    var report = status()
    report.storage.oldestSeq = try stored { () throws(StoreError) in try reader.oldestSeq() } ?? 0
    report.write(service: service, to: &writer, at: now)
    return .reply
  }

  private func testRing(_ call: VarlinkCall) throws(CallError) -> Answer {
    try refuseParameters(call)
    return .stream(TrialStream(of: notifier) { [unowned self] in onReady($0) })
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
