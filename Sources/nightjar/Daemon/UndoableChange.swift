import NightjarClient
import NightjarVarlink

/// The changes that a person makes, which `nightjar undo` can revert.
enum UndoableChange {
  /// A new id for the changes of one command or key. Nil if the daemon runs this command, for a
  /// timer or as a hook, because then no person makes the change.
  static func newID() -> String? {
    guard (Environment.value("NIGHTJAR_SEQ") ?? "").isEmpty else { return nil }
    return String(UInt64.random(in: .min ... .max), radix: 16)
  }

  /// Whether the daemon refused the call because the daemon's version is too old for `undo_id`.
  static func isUnknown(_ refusal: NightjarError) -> Bool {
    refusal == .invalidParameter(name: "undo_id")
  }
}

extension Answering {
  /// Makes changes of a person, in their order. One undo reverts all of them.
  ///
  /// - Throws: `CommandError` if no daemon answers; a refusal is an answer.
  func changeAll(
    _ calls: [Call], undoID: String? = UndoableChange.newID()
  ) throws(CommandError) -> [Result<JSONValue, NightjarError>] {
    var results = try callAll(calls.map { $0.undoable(undoID) })
    let refused = results.indices.filter { index in
      if case .failure(let refusal) = results[index] {
        UndoableChange.isUnknown(refusal)
      } else {
        false
      }
    }
    guard !refused.isEmpty else { return results }
    for (index, result) in zip(refused, try callAll(refused.map { calls[$0] })) {
      results[index] = result
    }
    return results
  }

  /// Makes a change of a person.
  ///
  /// - Throws: `CommandError` if no daemon answers; a refusal is an answer.
  func change(
    _ call: Call, undoID: String? = UndoableChange.newID()
  ) throws(CommandError) -> Result<JSONValue, NightjarError> {
    let result = try answer(to: call.undoable(undoID))
    if case .failure(let refusal) = result, UndoableChange.isUnknown(refusal) {
      return try answer(to: call)
    }
    return result
  }
}
