package import NightjarCore
package import NightjarLedger
package import NightjarWire

/// The methods of `org.nightjar.Timers` that ask for timers and change them: decodes parameters, asks the
/// engine, writes the reply. Whoever has an engine has these: the daemon, a simulation, a stand-in.
package final class TimerMethods {
  /// So many slots are looked at for one page or in one pass, so that nobody waits for a long
  /// table.
  package static let slotsAtOnce = 16_384

  let service: TimerService
  let calendar: ZoneCalendar
  let defaults: () -> RecipeDefaults

  /// - Parameter defaults: what a timer has that does not say, as it is configured at present.
  package init(
    service: TimerService, calendar: ZoneCalendar, defaults: @escaping () -> RecipeDefaults
  ) {
    self.service = service
    self.calendar = calendar
    self.defaults = defaults
  }

  var engine: Engine { service.engine }

  /// Performs one call and writes its reply behind what `writer` has.
  ///
  /// - Returns: false if the method is none of these.
  package func perform(
    _ method: JSONText, _ call: VarlinkCall, _ writer: inout JSONWriter, at now: Moment
  ) throws(CallError) -> Bool {
    // The most frequent first.
    if method.equals("Get") {
      reply(try named(call), &writer, at: now)
    } else if method.equals("Start") {
      try start(call, &writer, at: now)
    } else if method.equals("List") {
      page(try ListParameters(call), &writer, at: now)
    } else if method.equals("Update") {
      try update(call, &writer, at: now)
    } else if let operation = Operation.allCases.first(where: { method.equals($0.methodName) }) {
      try change(operation, call, &writer, at: now)
    } else {
      return false
    }
    return true
  }

  func reply(_ slot: Int, _ writer: inout JSONWriter, at now: Moment) {
    writer.beginReply()
    writer.key("timer")
    writer.timer(slot, of: engine, at: now)
    writer.endReply()
  }

  /// The slot of the timer that the call's only parameter names.
  package func named(_ call: VarlinkCall) throws(CallError) -> Int {
    var parameters = try Parameters(call)
    var name: JSONText?
    while let key = try parameters.next() {
      guard key.equals("name") else { throw .invalid(key.string) }
      name = try parameters.text(key)
    }
    guard let name else { throw .invalid("name") }
    return try slot(name)
  }

  func slot(_ name: JSONText) throws(CallError) -> Int {
    guard let slot = name.withUTF8({ engine.slot(named: $0) }) else {
      throw .timerNotFound(name.string)
    }
    return slot
  }

  private func page(
    _ wanted: ListParameters, _ writer: inout JSONWriter, at now: Moment
  ) {
    let begin = writer.count
    let end = min(wanted.after + Self.slotsAtOnce, engine.slotEnd)
    var slot = wanted.after
    var count = 0
    writer.beginReply()
    writer.key("timers")
    writer.beginArray()
    while slot < end, count < wanted.limit, writer.count - begin < Limits.outputBytes {
      if wanted.filter.matches(slot, of: engine) {
        writer.timer(slot, of: engine, at: now)
        count += 1
      }
      slot += 1
    }
    writer.endArray()
    if slot < engine.slotEnd { writer.member("next", Int64(slot)) }
    writer.endReply()
  }
}

/// The parameters of `List`.
package struct ListParameters {
  /// Which timers are wanted.
  package private(set) var filter = TimerFilter()
  /// The slot to begin at.
  package private(set) var after = 0
  /// At most so many of them in a page.
  private(set) var limit = Limits.pageTimers

  package init(_ call: VarlinkCall) throws(CallError) {
    var parameters = try Parameters(call)
    while let key = try parameters.next() {
      if key.equals("prefix") {
        filter.prefix = try parameters.text(key).withUTF8 { Array($0) }
      } else if key.equals("states") {
        filter.states = try parameters.states(key)
      } else if key.equals("after") {
        after = Int(try parameters.natural(key, upTo: Int64(DeadlineQueue.slotLimit)))
      } else if key.equals("limit") {
        limit = min(limit, Int(try parameters.natural(key, upTo: .max)))
        guard limit > 0 else { throw .invalid(key.string) }
      } else {
        throw .invalid(key.string)
      }
    }
  }
}

/// What a timer has that does not say.
package struct RecipeDefaults {
  /// What becomes of what came due unseen.
  package var late: LatePolicy
  /// The same of what came due more than once.
  package var missed: MissedPolicy

  package init(late: LatePolicy = .fire, missed: MissedPolicy = .once) {
    self.late = late
    self.missed = missed
  }
}
