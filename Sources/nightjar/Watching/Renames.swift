import NightjarClient
import NightjarVarlink

/// Timers that get another name while a command follows them.
enum Renames {
  /// The name that a timer has from an event on; nil: the event gives it no other.
  ///
  /// - Parameter reply: what the daemon sent, with the event.
  static func newName(in reply: JSONValue) -> String? {
    let event = reply["event"]
    return event?["type"] == "renamed_to" ? event?["new_name"]?.stringValue : nil
  }

  /// Follows a timer under one name after the other, each over a connection of its own.
  ///
  /// - Parameters:
  ///   - session: the connection for the first name.
  ///   - limit: how long the command may take altogether.
  ///   - body: follows the timer under a name, which is nil for the first, and returns the next one;
  ///     nil: that was all.
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
