package import NightjarEngine
internal import NightjarLedger
package import NightjarModel
package import NightjarVarlink

/// The methods that change what a timer does. Their replies wait for the commit.
extension Methods {
  /// Refuses a change that could not be acknowledged: while the disk takes nothing, nothing changes.
  func requireStorage() throws(CallError) {
    if let failure = service.journal.failure {
      throw .storageFailed(reason: failure.description, inDoubt: false)
    }
  }

  package func pause(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.pause, name, &exchange)
  }

  package func resume(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.resume, name, &exchange)
  }

  package func cancel(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.cancel, name, &exchange)
  }

  package func restart(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.restart, name, &exchange)
  }

  package func extend(
    name: JSONText, byUsec: Int64, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.extend, name, byUsec: byUsec, &exchange)
  }

  package func snooze(
    name: JSONText, byUsec: Int64, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.snooze, name, byUsec: byUsec, &exchange)
  }

  package func dismiss(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.dismiss, name, &exchange)
  }

  package func remove(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.remove, name, &exchange)
  }

  package func advance(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.advance, name, &exchange)
  }

  package func lap(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.lap, name, &exchange)
  }

  package func skip(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.skip, name, &exchange)
  }

  package func unskip(
    name: JSONText, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try change(.unskip, name, &exchange)
  }

  private func change(
    _ operation: Operation, _ name: JSONText, byUsec: Int64 = 0, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let slot = try slot(name)
    try requireStorage()
    // The reply has a timer that is removed as it was before.
    let isRemoved =
      operation == .remove || operation == .dismiss && engine.record(at: slot).state == .fired
    let before = exchange.writer.bytes.count
    if isRemoved { exchange.reply(slot, of: engine) }
    do {
      try engine.perform(operation, slot, byUsec: byUsec, at: exchange.now)
    } catch {
      exchange.writer.bytes.removeSubrange(before...)
      throw CallError(error, name: name.string, duration: "by_usec")
    }
    if !isRemoved { exchange.reply(slot, of: engine) }
    return .reply
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
    case .skip: try skip(slot, at: now)
    case .unskip: try unskip(slot, at: now)
    case .update: preconditionFailure("Update has parameters of its own")
    }
  }
}
