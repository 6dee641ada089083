internal import NightjarEngine
package import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import Varlink

/// A call that changes a timer. All of these have three parameters in common.
protocol ChangeCall: WireMethod {
  var name: String { get }
  var undoId: String? { get }
  var ifSeq: Int64? { get }
  var request: String? { get }
}

extension Wire.Pause: ChangeCall {}
extension Wire.Resume: ChangeCall {}
extension Wire.Cancel: ChangeCall {}
extension Wire.Restart: ChangeCall {}
extension Wire.Dismiss: ChangeCall {}
extension Wire.Stop: ChangeCall {}
extension Wire.Remove: ChangeCall {}
extension Wire.Advance: ChangeCall {}
extension Wire.Lap: ChangeCall {}
extension Wire.Skip: ChangeCall {}
extension Wire.Unskip: ChangeCall {}
extension Wire.Extend: ChangeCall {}
extension Wire.Snooze: ChangeCall {}
extension Wire.Update: ChangeCall {}
extension Wire.Rename: ChangeCall {}

/// The methods that change the state or the name of a timer. Their replies wait for the commit.
extension Methods {
  package func pause(
    _ call: Wire.Pause, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.pause, call, &exchange)
  }

  package func resume(
    _ call: Wire.Resume, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.resume, call, &exchange)
  }

  package func cancel(
    _ call: Wire.Cancel, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.cancel, call, &exchange)
  }

  package func restart(
    _ call: Wire.Restart, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.restart, call, &exchange)
  }

  package func dismiss(
    _ call: Wire.Dismiss, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.dismiss, call, expiry: call.expiry, &exchange)
  }

  package func stop(
    _ call: Wire.Stop, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.stop, call, expiry: call.expiry, &exchange)
  }

  package func remove(
    _ call: Wire.Remove, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.remove, call, &exchange)
  }

  package func advance(
    _ call: Wire.Advance, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.advance, call, &exchange)
  }

  package func lap(
    _ call: Wire.Lap, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.lap, call, &exchange)
  }

  package func skip(
    _ call: Wire.Skip, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.skip, call, &exchange)
  }

  package func unskip(
    _ call: Wire.Unskip, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.unskip, call, &exchange)
  }

  package func extend(
    _ call: Wire.Extend, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try operate(.extend, call, byUsec: call.byUsec, &exchange)
  }

  package func snooze(
    _ call: Wire.Snooze, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let agoUsec = call.agoUsec ?? 0
    guard (0...Limits.durationUsec).contains(agoUsec) else { throw .invalid("ago_usec") }
    return try operate(
      .snooze, call, byUsec: call.byUsec, expiry: call.expiry, agoUsec: agoUsec, &exchange)
  }

  package func rename(
    _ call: Wire.Rename, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    let undoID = try Self.undoID(call.undoId)
    return try performOnce(call.request, &exchange) { (exchange) throws(TimersError) in
      let slot = try slot(call)
      let other = try Specification.newName(call.newName, parameter: "new_name")
      do throws(EngineError) {
        let now = exchange.now
        try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.rename(slot, to: other, at: now)
        }
      } catch {
        throw TimersError(error, name: other)
      }
      exchange.reply(slot, of: engine)
    }
  }

  private func operate(
    _ operation: Operation, _ call: some ChangeCall, byUsec: Int64 = 0, expiry: Int64? = nil,
    agoUsec: Int64 = 0, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    if let expiry, expiry < 1 { throw .invalid("expiry") }
    let undoID = try Self.undoID(call.undoId)
    return try performOnce(call.request, &exchange) { (exchange) throws(TimersError) in
      let slot = try slot(call)
      // If the call removes the timer, the reply shows the timer as it was before.
      let isRemoved = engine.removes(operation, slot) && !engine.isOutdated(expiry, slot)
      if isRemoved { exchange.reply(slot, of: engine) }
      do throws(EngineError) {
        let now = exchange.now
        try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.perform(
            operation, slot, byUsec: byUsec, expiry: expiry, agoUsec: agoUsec, at: now)
        }
      } catch {
        throw TimersError(
          error, name: call.name, duration: "by_usec", timer: (slot, engine, exchange.now))
      }
      if !isRemoved { exchange.reply(slot, of: engine) }
    }
  }

  /// The id that the changes of one user action share, so that `Undo` undoes them together; nil:
  /// the client is a program that acts by itself.
  static func undoID(_ id: String?) throws(TimersError) -> String? {
    try id.map { (id) throws(TimersError) in
      try self.id(id, "undo_id", upTo: Limits.undoIDBytes)
    }
  }

  static func id(
    _ id: String, _ parameter: String, upTo bytes: Int
  ) throws(TimersError) -> String {
    guard !id.isEmpty else { throw .invalid(parameter) }
    guard id.utf8.count <= bytes else {
      throw .limitExceeded(limit: "\(parameter)_bytes", value: Int64(bytes))
    }
    return id
  }

  package func undo(
    _ call: Wire.Undo, _ exchange: inout Exchange
  ) throws(TimersError) -> Answer {
    try performOnce(call.request, &exchange) { (exchange) throws(TimersError) in try undo(&exchange)
    }
  }

  private func undo(_ exchange: inout Exchange) throws(TimersError) {
    let now = exchange.now
    let undoing: Engine.Undoing
    do { undoing = try engine.undo(at: now) } catch { throw TimersError(error, name: "") }
    let shown = undoing.slots.prefix(Self.undoneShown)
    exchange.reply(
      Wire.Undo.Reply(
        type: Wire.EventType(rawValue: "\(undoing.type)"), agoUsec: undoing.agoUsec,
        timers: shown.map { Wire.Timer($0, of: engine, at: now) },
        count: Int64(undoing.slots.count), kept: Int64(undoing.kept.count),
        keptNames: Array(undoing.kept.prefix(Self.undoneShown))))
  }

  /// The most timers that a reply to `Undo` contains.
  private static let undoneShown = 256
}
