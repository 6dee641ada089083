import NightjarClient
import Varlink

enum Renames {
  /// The new name of a timer after an event; nil: the event does not rename the timer.
  ///
  /// - Parameter reply: the daemon's reply with the event.
  static func newName(in reply: JSONValue) -> String? {
    let event = reply["event"]
    return event?["type"] == "renamed_to" ? event?["new_name"]?.stringValue : nil
  }

  /// Follows a timer under its present name, and after each rename under the new name, with a
  /// connection for each name.
  ///
  /// - Parameters:
  ///   - session: the connection for the first name.
  ///   - limit: the deadline of the whole command.
  ///   - body: follows the timer under one name. `newName` is nil for the first name. The result is
  ///     the timer's next name; nil: the command ends.
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
