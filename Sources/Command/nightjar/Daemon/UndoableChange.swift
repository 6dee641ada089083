import NightjarClient
import Varlink

/// The changes that a person makes, which `nightjar undo` can revert.
enum UndoableChange {
  /// A new id for the changes of one command or key. Nil if the daemon runs this command, for a
  /// timer or as a hook, because then no person makes the change.
  static func newID() -> String? {
    guard (Environment.value("NIGHTJAR_SEQ") ?? "").isEmpty else { return nil }
    return String(UInt64.random(in: .min ... .max), radix: 16)
  }
}

extension Answering {
  /// Makes changes of a person, in their order. One undo reverts all of them.
  ///
  /// - Throws: `CommandError` if no daemon answers; a refusal is an answer.
  func changeAll(
    _ calls: [Call], undoID: String? = UndoableChange.newID()
  ) throws(CommandError) -> [Result<JSONValue, TimersError>] {
    try callAll(calls.map { $0.undoable(undoID) })
  }

  /// Makes a change of a person.
  ///
  /// - Throws: `CommandError` if no daemon answers; a refusal is an answer.
  func change(
    _ call: Call, undoID: String? = UndoableChange.newID()
  ) throws(CommandError) -> Result<JSONValue, TimersError> {
    try answer(to: call.undoable(undoID))
  }
}
