import Glibc

/// Whether the user is at the machine.
public enum UserPresence: Equatable, Sendable {
  /// A graphical session of the user is neither locked nor idle.
  case here
  /// Every graphical session of the user is locked or idle.
  case away
  /// The presence is unknown, because the user has no graphical session, or because no logind
  /// reports on it.
  case unknown(reason: String)
}

/// Reports whether this user's graphical sessions are locked (LockedHint) or idle (IdleHint), as
/// the desktop reported it to logind (org.freedesktop.login1(5)).
///
/// Sessions on terminals are ignored: logind computes their IdleHint from the terminal's file only
/// when asked, and sends no signal. Only signals about this user and this user's sessions wake the
/// process.
final class UserSessions {
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let interface = "org.freedesktop.login1.Session"
  private static let graphicalTypes = ["x11", "wayland", "mir"]
  private static let userPath = "/org/freedesktop/login1/user/_\(getuid())"

  /// The presence that was last reported.
  private(set) var presence = UserPresence.unknown(reason: "logind has not been asked yet")
  private var isReported = false
  private let onPresence: (UserPresence) -> Void

  private var connection: BusConnection?
  /// Returns the unique bus name of logind. Messages of other senders are ignored.
  private var owner: () -> String? = { nil }
  /// The number of requests for the list of sessions. An answer to an earlier request is ignored.
  private var generation = 0
  /// The sessions of the last list, by path. The value is nil until the session's properties are
  /// known.
  private var sessions: [String: Session?] = [:]

  private struct Session: Equatable {
    /// Whether it is a desktop session of the user: neither a greeter nor a session that is being
    /// closed.
    var isDesktop: Bool
    var isLeft: Bool
  }

  /// - Parameter onPresence: called when the user's presence has changed, and with its first value,
  ///   even if that is `unknown`.
  init(onPresence: @escaping (UserPresence) -> Void) { self.onPresence = onPresence }

  /// Listens to logind's signals about the user on a new connection. Sends the match rule before it
  /// reads the properties: otherwise a signal between the two could be missed.
  func listen(
    on connection: BusConnection, owner: @escaping () -> String?
  ) throws(SystemError) {
    (self.connection, self.owner) = (connection, owner)
    try connection.match(Self.rule(path: Self.userPath)) { [weak self] message in
      guard let self, message.sender == owner(), message.sender != nil else { return }
      read()
    }
  }

  /// Asks logind for the list of the user's sessions. When a session begins or ends, logind sends a
  /// signal about the user.
  func read() {
    generation += 1
    let asked = generation
    ask(Self.userPath, "Get", ["org.freedesktop.login1.User", "Sessions"]) { [weak self] reply in
      guard let self, asked == generation else { return }
      switch reply {
      case .success(let message): take(paths: message.readVariantPaths() ?? [])
      case .failure(ETIMEDOUT, _): read()
      // logind knows a user only if the user has a session or lingers.
      case .failure: take(paths: [])
      }
    }
  }

  /// Forgets all sessions, because logind does not answer any more.
  func forget(_ reason: String) {
    forgetAnswers()
    report(.unknown(reason: reason))
  }

  /// Ignores the answers that are pending. `presence` does not change until the next report.
  func forgetAnswers() {
    generation += 1
    for path in sessions.keys { connection?.unfollow(path) }
    sessions = [:]
  }

  private func take(paths: [String]) {
    for path in sessions.keys where !paths.contains(path) {
      connection?.unfollow(path)
      sessions[path] = nil
    }
    for path in paths {
      if sessions[path] == nil {
        sessions[path] = .some(nil)
        do {
          try connection?.follow(path, Self.rule(path: path)) { [weak self] (message: BusMessage) in
            guard let self, message.sender != nil, message.sender == owner() else { return }
            read(session: path)
          }
        } catch {
          return forget("the signals of a session cannot be received: \(error)")
        }
      }
      read(session: path)
    }
    settle()
  }

  private func read(session path: String) {
    let asked = generation
    ask(path, "GetAll", [Self.interface]) { [weak self] reply in
      guard let self, asked == generation, sessions[path] != nil else { return }
      switch reply {
      case .success(let message):
        sessions[path] = .some(Self.session(message.readProperties() ?? [:]))
      case .failure(ETIMEDOUT, _): return read(session: path)
      // The session has just ended. A signal about the user will report that.
      case .failure: sessions[path] = .some(Session(isDesktop: false, isLeft: false))
      }
      settle()
    }
  }

  private static func session(_ properties: [String: BusMessage.Property]) -> Session {
    let isGraphical = graphicalTypes.contains { properties["Type"] == .text($0) }
    let isUser = properties["Class"].map { $0 == .text("user") || $0 == .text("user-early") }
    return Session(
      isDesktop: isGraphical && isUser ?? true && properties["State"] != .text("closing"),
      isLeft: properties["LockedHint"] == .flag(true) || properties["IdleHint"] == .flag(true))
  }

  /// Reports the presence as soon as the properties of every session are known.
  private func settle() {
    let answers = sessions.values.compactMap(\.self)
    guard answers.count == sessions.count else { return }
    let desktops = answers.filter(\.isDesktop)
    guard !desktops.isEmpty else {
      return report(.unknown(reason: "logind knows no graphical session of this user"))
    }
    report(desktops.allSatisfy(\.isLeft) ? .away : .here)
  }

  private func report(_ current: UserPresence) {
    guard current != presence || !isReported else { return }
    (presence, isReported) = (current, true)
    onPresence(current)
  }

  private func ask(
    _ path: String, _ member: String, _ arguments: [String],
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    // An error means that the connection is being lost. `forget` is called when that is reported.
    try? connection?.call(
      destination: Logind.busName, path: path, interface: Self.properties, member: member,
      arguments: arguments.map { .string($0) }, timeoutUsec: Logind.timeoutUsec,
      completion: completion)
  }

  private static func rule(path: String) -> String {
    "type='signal',sender='\(Logind.busName)',path='\(path)',interface='\(properties)',"
      + "member='PropertiesChanged'"
  }
}
