import NightjarClient
import NightjarInterface

/// A session in plain words.
struct SessionText {
  let session: BridgeStatus.Session

  init(_ session: BridgeStatus.Session) { self.session = session }

  /// What came of share or join.
  var taken: String {
    let how = session.part == "shared" ? "shared with" : "joined with"
    let head = "\(session.session): \(how) \(session.group)"
    guard session.isComplete else {
      return "\(head) as soon as the broker is connected"
        + (session.reason.map { " (\($0))" } ?? "")
    }
    let timers = session.part == "shared" && session.timers == 0 ? "; it has no timer yet" : ""
    return "\(head), \(others)\(timers)"
  }

  /// What came of leave.
  var left: String {
    session.isConnected
      ? "\(session.session): left"
      : "\(session.session): left; the broker forgets it when this machine is connected again"
  }

  private var others: String {
    // This machine is one of them.
    let names = session.members.map { "\($0.person)/\($0.device)" }
    switch names.count {
    case ...1: return "with no other member so far"
    case 2...4: return "members \(names.joined(separator: ", "))"
    default: return "\(names.count) members"
    }
  }
}
