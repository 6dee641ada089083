import NightjarClient
import NightjarVarlink

/// Follows timers across renames.
enum Renames {
  /// A timer's new name after an event; nil: the event does not rename it.
  ///
  /// - Parameter reply: the daemon's message, with the event.
  static func newName(in reply: JSONValue) -> String? {
    let event = reply["event"]
    return event?["type"] == "renamed_to" ? event?["new_name"]?.stringValue : nil
  }

  /// Follows a timer under each of its names in turn, with a connection for each name.
  ///
  /// - Parameters:
  ///   - session: the connection for the first name.
  ///   - limit: the deadline of the whole command.
  ///   - body: follows the timer under one name. `newName` is nil for the first name. Returns the
  ///     next name; nil: the end.
  static func follow(
    in session: Session, limit: Deadline = .never,
    _ body: (_ session: Session, _ newName: String?) throws(CommandError) -> String?
  ) throws(CommandError) {
    var name = try body(session, nil)
    while let newName = name {
      name = try body(session.openAgain(limit: limit), newName)
    }
  }
}
