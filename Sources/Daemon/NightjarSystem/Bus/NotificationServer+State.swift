extension NotificationServer {
  /// A notification server, as it describes itself.
  public struct Identity: Equatable, Sendable {
    /// The name of the server, such as `dunst`.
    public let name: String
    /// The version of the server; empty if unknown.
    public let version: String
    /// The capabilities of the server, in the words of the specification.
    public let capabilities: Set<String>
    /// Identifies this run of the server on this bus. A popup exists only as long as the run lasts.
    public let place: String
  }

  /// Whether popups can be shown.
  public enum State: Equatable, Sendable {
    /// There is no session bus, or it does not answer.
    case unreachable(reason: String)
    /// The bus or a server was asked and has not answered yet.
    case asking
    /// No server is on the bus. `isStartable`: whether the bus could start one.
    case absent(isStartable: Bool)
    /// A server is on the bus and does not answer.
    case unresponsive(reason: String)
    /// A server is on the bus and answers.
    case present(Identity)
  }

  public enum Closing: Equatable, Sendable {
    /// The user closed the popup.
    case dismissed
    /// The popup expired, a program closed it, or the reason is unknown.
    case other
  }

  public enum Event: Equatable, Sendable {
    case stateChanged
    /// A button was pressed.
    case invoked(id: UInt32, action: String)
    /// A popup was closed. Its number has no meaning any more.
    case closed(id: UInt32, Closing)
  }
}
