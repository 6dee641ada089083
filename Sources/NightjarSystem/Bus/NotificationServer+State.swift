/// The states and the events of a notification server.
extension NotificationServer {
  /// One server, as it describes itself.
  public struct Identity: Equatable, Sendable {
    /// Its own name, such as `dunst`.
    public let name: String
    /// Its version; empty if unknown.
    public let version: String
    /// Its capabilities, in the specification's words.
    public let capabilities: Set<String>
    /// Identifies this run of this server on this bus: popups do not outlive it.
    public let place: String
  }

  /// Whether popups can be shown.
  public enum State: Equatable, Sendable {
    /// There is no session bus, or none that answers.
    case unreachable(reason: String)
    /// The bus or a server is being asked.
    case asking
    /// No server is on the bus. The value says whether the bus could start one.
    case absent(isStartable: Bool)
    /// A server is on the bus and does not answer.
    case mute(reason: String)
    /// A server is on the bus and answers.
    case present(Identity)
  }

  /// Why a popup is gone, as far as it matters.
  public enum Closing: Equatable, Sendable {
    /// The user closed it.
    case dismissed
    /// It expired, or a program closed it, or the reason is unknown.
    case other
  }

  /// An event of the server.
  public enum Event: Equatable, Sendable {
    /// `state` has changed.
    case stateChanged
    /// A button was pressed.
    case invoked(id: UInt32, action: String)
    /// A popup is gone, and its number has no meaning any more.
    case closed(id: UInt32, Closing)
  }
}
