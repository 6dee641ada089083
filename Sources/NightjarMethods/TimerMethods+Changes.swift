package import NightjarCore
internal import NightjarLedger
package import NightjarWire

extension Operation {
  /// The method's name on the wire.
  package var methodName: StaticString {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .cancel: "Cancel"
    case .restart: "Restart"
    case .extend: "Extend"
    case .snooze: "Snooze"
    case .dismiss: "Dismiss"
    case .remove: "Remove"
    case .update: "Update"
    case .advance: "Advance"
    case .lap: "Lap"
    }
  }
}

/// The methods that change something. Their replies wait for the commit.
extension TimerMethods {
  /// Refuses what could not be acknowledged: while the disk takes nothing, nothing changes.
  private func requireStorage() throws(CallError) {
    if let failure = service.journal.failure { throw .storageFailed(failure.description) }
  }

  package func start(
    _ call: VarlinkCall, _ writer: inout JSONWriter, at now: Moment
  ) throws(CallError) {
    var parameters = try Parameters(call)
    var name: String?
    var durationUsec: Int64?
    var clock = Timeline.elapsed
    var attachments = Attachments()
    var recipe = RecipeParameters()
    var (replace, ifAbsent, wakes) = (false, false, false)
    while let key = try parameters.next() {
      if key.equals("name") {
        name = try parameters.newName(key)
      } else if key.equals("duration_usec") {
        durationUsec = try parameters.integer(key)
      } else if key.equals("clock") {
        clock = try parameters.clock(key)
      } else if key.equals("replace") {
        replace = try parameters.bool(key)
      } else if key.equals("if_absent") {
        ifAbsent = try parameters.bool(key)
      } else if key.equals("wake") {
        wakes = try parameters.bool(key)
      } else if key.equals("labels") {
        attachments.labels = try parameters.labels(key)
      } else if key.equals("data") {
        attachments.data = try parameters.data(key)
      } else if key.equals("ring") {
        attachments.ring = try parameters.ring(key).sealed
      } else if try !recipe.read(key, from: &parameters) {
        throw .invalid(key.string)
      }
    }
    guard recipe.hasOwnLength == (durationUsec == nil) else { throw .invalid("duration_usec") }
    if replace, ifAbsent { throw .invalid("if_absent") }
    // It stands still while the machine sleeps: such a deadline never comes to be waited for.
    if wakes, clock == .awake { throw .invalid("wake") }
    let made = try recipe.recipe(calendar: calendar, defaults: defaults())
    try requireStorage()
    let started = name ?? engine.unusedName()
    let result: (slot: Int, created: Bool)
    do {
      result = try engine.start(
        started, durationUsec: durationUsec ?? 0, atUsec: recipe.alarm?.atUsec, clock: clock,
        recipe: made, attachments: attachments, wakes: wakes, replace: replace,
        ifAbsent: ifAbsent, at: now)
    } catch { throw CallError(error, name: started) }
    writer.beginReply()
    writer.key("timer")
    writer.timer(result.slot, of: engine, at: now)
    writer.member("created", result.created)
    writer.endReply()
  }

  package func change(
    _ operation: Operation, _ call: VarlinkCall, _ writer: inout JSONWriter, at now: Moment
  ) throws(CallError) {
    var parameters = try Parameters(call)
    var name: JSONText?
    var byUsec: Int64?
    let takesLength = operation == .extend || operation == .snooze
    while let key = try parameters.next() {
      if key.equals("name") {
        name = try parameters.text(key)
      } else if takesLength, key.equals("by_usec") {
        byUsec = try parameters.integer(key)
      } else {
        throw .invalid(key.string)
      }
    }
    guard let name else { throw .invalid("name") }
    if takesLength, byUsec == nil { throw .invalid("by_usec") }
    let slot = try slot(name)
    try requireStorage()
    // What is put away is answered with as it was: it is not there afterwards.
    let isPutAway =
      operation == .remove || operation == .dismiss && engine.record(at: slot).state == .fired
    let before = writer.bytes.count
    if isPutAway { reply(slot, &writer, at: now) }
    do {
      try engine.perform(operation, slot, byUsec: byUsec ?? 0, at: now)
    } catch {
      writer.bytes.removeSubrange(before...)
      throw CallError(error, name: name.string, duration: "by_usec")
    }
    if !isPutAway { reply(slot, &writer, at: now) }
  }

  package func update(
    _ call: VarlinkCall, _ writer: inout JSONWriter, at now: Moment
  ) throws(CallError) {
    var parameters = try Parameters(call)
    var name: JSONText?
    var labels: [Label]?
    var data: [UInt8]?
    var bands: [Band]?
    var change: RingChange?
    while let key = try parameters.next() {
      if key.equals("name") {
        name = try parameters.text(key)
      } else if key.equals("labels") {
        labels = try parameters.labels(key)
      } else if key.equals("data") {
        data = try parameters.data(key)
      } else if key.equals("bands") {
        bands = try parameters.bands(key)
      } else if key.equals("ring") {
        change = try parameters.ringChange(key)
      } else {
        throw .invalid(key.string)
      }
    }
    guard let name else { throw .invalid("name") }
    let slot = try slot(name)
    var ring: SealedRing??
    if let change {
      let old = engine.attachments(at: slot)?.ring
      ring = .some(try change.applied(to: old.map { RingPlan($0) } ?? RingPlan()).sealed)
    }
    try requireStorage()
    do {
      try engine.update(slot, labels: labels, data: data, bands: bands, ring: ring, at: now)
    } catch { throw CallError(error, name: name.string) }
    reply(slot, &writer, at: now)
  }
}

extension Engine {
  /// Does what is asked of the timer in `slot`; `byUsec` counts for those that take a length.
  package func perform(
    _ operation: Operation, _ slot: Int, byUsec: Int64, at now: Moment
  ) throws(EngineError) {
    switch operation {
    case .pause: try pause(slot, at: now)
    case .resume: try resume(slot, at: now)
    case .cancel: try cancel(slot, at: now)
    case .restart: try restart(slot, at: now)
    case .extend: try extend(slot, byUsec: byUsec, at: now)
    case .snooze: try snooze(slot, byUsec: byUsec, at: now)
    case .dismiss: try dismiss(slot, at: now)
    case .remove: try remove(slot, at: now)
    case .advance: try advance(slot, at: now)
    case .lap: try lap(slot, at: now)
    case .update: preconditionFailure("Update has parameters of its own")
    }
  }
}
