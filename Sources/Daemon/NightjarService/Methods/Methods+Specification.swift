internal import NightjarEngine
package import NightjarInterface
internal import NightjarLedger
package import NightjarModel
package import NightjarParameters
package import Varlink

private struct Started: StartReply {
  let timer: TimerReply
  let created: Bool
}

/// The methods that take a specification or a part of one. Their replies wait for the commit.
extension Methods {
  package func start(
    name: JSONText?, durationUsec: Int64?, repeat: Parameters.Repeat?, alarm: Parameters.Alarm?,
    stopwatch: Bool?, sequence: Parameters.Sequence?, bands: [Parameters.Band]?,
    late: TimersInterface.Late?, fireWithinUsec: Int64?, missed: MissedPolicy?, clock: Timeline?,
    replace: Bool?, ifAbsent: Bool?, labels: [Parameters.Member]?, data: UnsafeRawBufferPointer?,
    wake: Bool?, ring: Parameters.Ring?, message: JSONText?, change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let undoID = try Self.undoID(change)
    let wanted = try name.map { (name) throws(CallError) in try Specification.newName(name) }
    let (replace, ifAbsent) = (replace ?? false, ifAbsent ?? false)
    if replace, ifAbsent { throw .invalid("if_absent") }
    let spec = try Specification.timer(
      durationUsec: durationUsec, repeat: `repeat`, alarm: alarm, stopwatch: stopwatch,
      sequence: sequence, bands: bands, late: late, fireWithinUsec: fireWithinUsec, missed: missed,
      clock: clock, labels: labels, data: data, wake: wake, ring: ring, message: message,
      calendar: calendar, defaults: defaults())
    return try performOnce(change.request, &exchange) { (exchange) throws(CallError) in
      let started = wanted ?? engine.unusedName()
      if let ifSeq = change.ifSeq {
        try check(ifSeq, engine.slot(of: started), started)
      }
      let result: (slot: Int, created: Bool)
      do throws(EngineError) {
        let now = exchange.now
        result = try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.start(started, spec, replace: replace, ifAbsent: ifAbsent, at: now)
        }
      } catch { throw CallError(error, name: started) }
      Started(
        timer: TimerReply(result.slot, of: engine, at: exchange.now), created: result.created
      ).write(to: &exchange.writer)
    }
  }

  package func update(
    name: JSONText, labels: [Parameters.Member]?, data: UnsafeRawBufferPointer?,
    bands: [Parameters.Band]?, ring: Parameters.Ring?, ringWithout: [JSONText]?,
    message: JSONText?, except: [JSONText]?, until: JSONText?, calendar: JSONText?,
    change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let undoID = try Self.undoID(change)
    return try performOnce(change.request, &exchange) { (exchange) throws(CallError) in
      let slot = try slot(name, ifSeq: change.ifSeq)
      var spec = engine.timerSpec(at: slot)
      if let labels { spec.attachments.labels = Specification.labels(labels) }
      if let data { spec.attachments.data = Array(data) }
      if let message { spec.attachments.message = message.string }
      if let bands { spec.shared.bands = try Specification.bands(bands) }
      if let calendar {
        try Specification.setCalendar(
          calendar.string, of: &spec.shared.schedule, by: self.calendar)
      }
      try Specification.setDays(except: except, until: until, of: &spec.shared.schedule)
      if ring != nil || ringWithout != nil {
        var plan = spec.attachments.ring.map { RingPlan($0) } ?? RingPlan()
        for part in ringWithout ?? [] { try plan.remove(part.string) }
        if let ring { plan = try RingChange(ring).applied(to: plan) }
        spec.attachments.ring = plan.encoded
      }
      do throws(EngineError) {
        let now = exchange.now
        try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.update(slot, to: spec, at: now)
        }
      } catch { throw CallError(error, name: name.string) }
      exchange.reply(slot, of: engine)
    }
  }
}
