/// What can be known of a notification server, and what it says.
extension NotificationServer {
  /// One server, as it has presented itself.
  public struct Identity: Equatable, Sendable {
    /// Its own name, such as `dunst`.
    public let name: String
    /// Its version; empty if it does not say.
    public let version: String
    /// What it can do, in the specification's words.
    public let capabilities: Set<String>
    /// Stands for this life of this server on this bus: popups last no longer.
    public let place: String
  }

  /// Whether popups can be shown.
  public enum State: Equatable, Sendable {
    /// There is no session bus, or none that answers.
    case unreachable(reason: String)
    /// Somebody is being asked.
    case asking
    /// No server is on the bus; whether the bus could start one.
    case absent(isStartable: Bool)
    /// One is on the bus that does not answer.
    case mute(reason: String)
    /// One answers.
    case present(Identity)
  }

  /// Why a popup is not there any more, as far as it matters.
  public enum Closing: Equatable, Sendable {
    /// A person closed it.
    case dismissed
    /// It expired, it was asked for, or nobody knows.
    case other
  }

  /// What happened.
  public enum Event: Equatable, Sendable {
    /// `state` is another.
    case stateChanged
    /// A button was pressed.
    case invoked(id: UInt32, action: String)
    /// A popup is not there any more, and its number means nothing.
    case closed(id: UInt32, Closing)
  }
}
