internal import NightjarEngine
package import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import Varlink

/// The methods that take a specification or a part of one. Their replies wait for the commit.
extension Methods {
  package func start(
    _ call: Wire.Start, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let undoID = try Self.undoID(call.undoId)
    let wanted = try call.name.map { (name) throws(TimersError) in try Specification.newName(name) }
    if call.replace, call.ifAbsent { throw .invalid("if_absent") }
    let spec = try Specification.timer(call, calendar: calendar, defaults: defaults())
    return try performOnce(call.request, &exchange) { (exchange) throws(TimersError) in
      let started = wanted ?? engine.unusedName()
      if let ifSeq = call.ifSeq { try check(ifSeq, engine.slot(named: started), started) }
      let result: (slot: Int, created: Bool)
      do throws(EngineError) {
        let now = exchange.now
        result = try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.start(
            started, spec, replace: call.replace, ifAbsent: call.ifAbsent, at: now)
        }
      } catch { throw TimersError(error, name: started) }
      exchange.reply(
        Wire.Start.Reply(
          timer: Wire.Timer(result.slot, of: engine, at: exchange.now), created: result.created))
    }
  }

  package func update(
    _ call: Wire.Update, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let undoID = try Self.undoID(call.undoId)
    return try performOnce(call.request, &exchange) { (exchange) throws(TimersError) in
      let slot = try slot(call)
      var spec = engine.timerSpec(at: slot)
      if let labels = call.labels { spec.attachments.labels = Specification.labels(labels) }
      if let data = call.data { spec.attachments.data = data.bytes }
      if let message = call.message { spec.attachments.message = message }
      if let bands = call.bands { spec.shared.bands = try Specification.bands(bands) }
      if let calendar = call.calendar {
        try Specification.setCalendar(calendar, of: &spec.shared.schedule, by: self.calendar)
      }
      try Specification.setDays(
        except: call.except, until: call.until, of: &spec.shared.schedule)
      if call.ring != nil || !call.ringWithout.isEmpty {
        var plan = spec.attachments.ring.map { RingPlan($0) } ?? RingPlan()
        for part in call.ringWithout { try plan.remove(part) }
        if let ring = call.ring { plan = try plan.changed(by: ring) }
        spec.attachments.ring = plan.encoded
      }
      do throws(EngineError) {
        let now = exchange.now
        try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.update(slot, to: spec, at: now)
        }
      } catch { throw TimersError(error, name: call.name) }
      exchange.reply(slot, of: engine)
    }
  }
}
