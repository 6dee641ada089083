internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
package import NightjarParameters
package import Varlink

/// The methods that change the state or the name of a timer. Their replies wait for the commit.
extension Methods {
  package func pause(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.pause, name, change, &exchange)
  }

  package func resume(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.resume, name, change, &exchange)
  }

  package func cancel(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.cancel, name, change, &exchange)
  }

  package func restart(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.restart, name, change, &exchange)
  }

  package func extend(
    name: JSONText, byUsec: Int64, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.extend, name, byUsec: byUsec, change, &exchange)
  }

  package func snooze(
    name: JSONText, byUsec: Int64, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.snooze, name, byUsec: byUsec, change, &exchange)
  }

  package func dismiss(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.dismiss, name, change, &exchange)
  }

  package func remove(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.remove, name, change, &exchange)
  }

  package func advance(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.advance, name, change, &exchange)
  }

  package func lap(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.lap, name, change, &exchange)
  }

  package func skip(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.skip, name, change, &exchange)
  }

  package func unskip(
    name: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try operate(.unskip, name, change, &exchange)
  }

  package func rename(
    name: JSONText, newName: JSONText, change: Parameters.Change, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let undoID = try Self.undoID(change)
    return try performOnce(change.request, &exchange) { (exchange) throws(CallError) in
      let slot = try slot(name, ifSeq: change.ifSeq)
      let other = try Specification.newName(newName, parameter: "new_name")
      do throws(EngineError) {
        let now = exchange.now
        try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.rename(slot, to: other, at: now)
        }
      } catch {
        throw CallError(error, name: other)
      }
      exchange.reply(slot, of: engine)
    }
  }

  private func operate(
    _ operation: Operation, _ name: JSONText, byUsec: Int64 = 0, _ change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    let undoID = try Self.undoID(change)
    return try performOnce(change.request, &exchange) { (exchange) throws(CallError) in
      let slot = try slot(name, ifSeq: change.ifSeq)
      // If the call removes the timer, the reply shows the timer as it was before.
      let isRemoved = operation == .remove || operation == .dismiss && engine.isOver(slot)
      if isRemoved { exchange.reply(slot, of: engine) }
      do throws(EngineError) {
        let now = exchange.now
        try engine.asPerson(undoID) { () throws(EngineError) in
          try engine.perform(operation, slot, byUsec: byUsec, at: now)
        }
      } catch {
        throw CallError(error, name: name.string, duration: "by_usec")
      }
      if !isRemoved { exchange.reply(slot, of: engine) }
    }
  }

  /// The id that the changes of one user action share, so that `Undo` undoes them together; nil:
  /// the client is a program that acts by itself.
  static func undoID(_ change: Parameters.Change) throws(CallError) -> String? {
    try change.undoId.map { (text) throws(CallError) in
      try id(text, "undo_id", upTo: Limits.undoIDBytes)
    }
  }

  static func id(
    _ text: JSONText, _ parameter: String, upTo bytes: Int
  ) throws(CallError) -> String {
    let id = text.string
    guard !id.isEmpty else { throw .invalid(parameter) }
    guard id.utf8.count <= bytes else {
      throw .limitExceeded(limit: "\(parameter)_bytes", value: Int64(bytes))
    }
    return id
  }

  package func undo(
    request: JSONText?, _ exchange: inout Exchange
  ) throws(CallError) -> Answer {
    try performOnce(request, &exchange) { (exchange) throws(CallError) in try undo(&exchange) }
  }

  private func undo(_ exchange: inout Exchange) throws(CallError) {
    let now = exchange.now
    let undoing: Engine.Undoing
    do { undoing = try engine.undo(at: now) } catch { throw CallError(error, name: "") }
    let shown = undoing.slots.prefix(Self.undoneShown)
    UndoResult(
      type: undoing.type, agoUsec: undoing.agoUsec,
      timers: shown.map { TimerReply($0, of: engine, at: now) },
      count: Int64(undoing.slots.count), kept: Int64(undoing.kept.count),
      keptNames: Array(undoing.kept.prefix(Self.undoneShown))
    ).write(to: &exchange.writer)
  }

  /// The most timers that a reply to `Undo` contains.
  private static let undoneShown = 256
}

private struct UndoResult: UndoReply {
  let type: StaticString
  let agoUsec: Int64
  let timers: [TimerReply]
  let count: Int64
  let kept: Int64
  let keptNames: [String]
}
