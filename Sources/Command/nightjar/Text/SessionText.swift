import NightjarClient
import NightjarInterface
import NightjarModel

struct SessionText {
  let session: BridgeWire.Session

  init(_ session: BridgeWire.Session) { self.session = session }

  /// The text to print after `share` or `join`.
  var taken: String {
    let how = session.part == .shared ? "shared with" : "joined in"
    let head = "\(session.session): \(how) \(session.group)"
    guard session.complete else {
      return "\(head) as soon as the broker is connected"
        + (session.reason.map { " (\($0))" } ?? "")
    }
    guard session.part == .shared else { return "\(head), \(others)" }
    guard session.unpublished.isEmpty else { return "\(head), \(others); \(unpublished)" }
    return "\(head), \(others)" + (session.timers == 0 ? "; it has no timer yet" : "")
  }

  /// The text to print after `leave`.
  var left: String {
    let head = "\(session.session): left"
    if session.part == .left { return head }
    guard session.connected else {
      return "\(head); the broker forgets it when this machine is connected again"
    }
    return session.reason.map { "\(head), and the broker keeps what it has of it: \($0)" }
      ?? "\(head); the broker has not confirmed it yet, and is asked again"
  }

  /// The text about timers of this machine that the other members cannot see.
  var unpublished: String {
    let names = session.unpublished.map { "'\($0)'" }.joined(separator: ", ")
    return "without \(names): at most \(SessionAddress.timersOfMember) timers are shared, and no "
      + "very long names"
  }

  private var others: String {
    // The list of members contains this machine.
    let names = session.members.map { "\($0.person)/\($0.device)" }
    switch names.count {
    case ...1: return "with no other member so far"
    case 2...4: return "members \(names.joined(separator: ", "))"
    default: return "\(names.count) members"
    }
  }
}
