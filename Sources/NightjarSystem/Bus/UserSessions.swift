import Glibc

/// Whether the user is at the machine.
public enum UserPresence: Equatable, Sendable {
  /// A graphical session of the user's is neither locked nor idle.
  case here
  /// Each of them is locked or idle.
  case away
  /// There is none, or no logind that says.
  case untold(reason: String)
}

/// What logind says of this user's graphical sessions: whether they are locked (LockedHint) or idle
/// (IdleHint), as the desktop told it (org.freedesktop.login1(5)).
///
/// A session on a terminal says nothing: logind works out its IdleHint from the terminal's file whenever it
/// is asked, and sends no signal. Only signals about this user and its sessions wake the process.
final class UserSessions {
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let interface = "org.freedesktop.login1.Session"
  private static let graphicalTypes = ["x11", "wayland", "mir"]
  private static let userPath = "/org/freedesktop/login1/user/_\(getuid())"

  /// What was told last.
  private(set) var presence = UserPresence.untold(reason: "logind has not been asked yet")
  private var isTold = false
  var onPresence: (UserPresence) -> Void = { _ in }

  private var connection: BusConnection?
  /// logind's unique name on the bus: no other sender is believed.
  private var owner: () -> String? = { nil }
  /// Counts the lists that were asked for; an answer to an earlier question is void.
  private var generation = 0
  /// The sessions that were listed last, by path; nil: its answer is to come.
  private var sessions: [String: Session?] = [:]

  private struct Session: Equatable {
    /// A desktop that the user sits at: no greeter, and not one that is being closed.
    var isDesktop: Bool
    var isLeft: Bool
  }

  /// Listens to what a new connection has of the user. Signals are asked for before properties: else one
  /// could be missed.
  func listen(
    on connection: BusConnection, owner: @escaping () -> String?
  ) throws(SystemError) {
    (self.connection, self.owner) = (connection, owner)
    try connection.match(Self.rule(path: Self.userPath)) { [weak self] message in
      guard let self, message.sender == owner(), message.sender != nil else { return }
      read()
    }
  }

  /// Asks which sessions there are. logind changes the user's properties when one comes or goes.
  func read() {
    generation += 1
    let asked = generation
    ask(Self.userPath, "Get", ["org.freedesktop.login1.User", "Sessions"]) { [weak self] reply in
      guard let self, asked == generation else { return }
      switch reply {
      case .success(let message): take(paths: message.readVariantPaths() ?? [])
      case .failure(ETIMEDOUT, _): read()
      // logind knows no user without a session or lingering.
      case .failure: take(paths: [])
      }
    }
  }

  /// logind is gone.
  func forget(_ reason: String) {
    forgetAnswers()
    tell(.untold(reason: reason))
  }

  /// Answers that are under way are void. What was told stays until there is another word.
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
      // It has just ended, which the user's properties will say.
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

  /// Says what is so, once every session has answered.
  private func settle() {
    let answers = sessions.values.compactMap(\.self)
    guard answers.count == sessions.count else { return }
    let desktops = answers.filter(\.isDesktop)
    guard !desktops.isEmpty else {
      return tell(.untold(reason: "logind knows no graphical session of this user"))
    }
    tell(desktops.allSatisfy(\.isLeft) ? .away : .here)
  }

  private func tell(_ told: UserPresence) {
    guard told != presence || !isTold else { return }
    (presence, isTold) = (told, true)
    onPresence(told)
  }

  private func ask(
    _ path: String, _ member: String, _ arguments: [String],
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    // One that is being lost says so, and all is forgotten.
    try? connection?.call(
      destination: Logind.busName, path: path, interface: Self.properties, member: member,
      arguments: arguments.map { .string($0) }, patienceUsec: Logind.patienceUsec,
      completion: completion)
  }

  private static func rule(path: String) -> String {
    "type='signal',sender='\(Logind.busName)',path='\(path)',interface='\(properties)',"
      + "member='PropertiesChanged'"
  }
}
