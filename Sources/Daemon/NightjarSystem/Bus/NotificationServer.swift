import CSystemd
import Glibc
import NightjarModel

/// The program that shows popups on the desktop: `org.freedesktop.Notifications` on the session bus
/// (Desktop Notifications Specification 1.2).
///
/// The server is found without polling. Only `need()` starts a server. All calls are asynchronous
/// and have a time limit, so no function blocks.
public final class NotificationServer {
  /// Whether popups can be shown now.
  public private(set) var state = State.unreachable(reason: "not connected to the session bus yet")
  /// Why the bus could not start a server at the last attempt; nil: it was not tried, or a server
  /// has been present since.
  public private(set) var startFailure: String?

  /// The identity of the server that is present; nil: none is.
  public var identity: Identity? {
    if case .present(let identity) = state { identity } else { nil }
  }

  private static let busName = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// Time limits in microseconds. `asked`: for a server's description of itself. `shown`: for
  /// showing or closing a popup. `started`: for the bus to start a server. `paused`: for a server's
  /// answer whether it is paused.
  private static let timeoutUsec: (asked: UInt64, shown: UInt64, started: UInt64, paused: UInt64) =
    (
      5_000_000, 30_000_000, 30_000_000, 500_000
    )
  /// The interfaces and properties in which servers report that the user has paused them: dunst's
  /// and Plasma's.
  private static let pauses = [("org.dunstproject.cmd0", "paused"), (busName, "Inhibited")]
  /// How long to wait, in microseconds, before trying a lost bus or a silent server again: the
  /// first wait, and the longest one. The wait doubles each time.
  private static let retryUsec: (first: Int64, longest: Int64) = (1_000_000, 60_000_000)
  /// How many times in a row to retry a silent server, or a bus on which no process listens.
  private static let tries = 5
  /// The shortest time, in microseconds, between two requests to the bus to start a server. Without
  /// it, a server that cannot run here would reach its start limit.
  private static let startsUsec: Int64 = 30_000_000

  private let loop: EventLoop
  private let address: String?
  private let onEvent: (Event) -> Void
  private var connection: BusConnection?
  private var retryTimer: TimerSource?
  private var socketWatch: FolderWatch?
  private var nextRetryUsec = NotificationServer.retryUsec.first
  /// The unique bus name of the present server. Signals of any other sender are ignored.
  private var owner: String?
  /// Counts up each time the owner of the service name is forgotten. If it has counted up since a
  /// question, the answer to the question is ignored.
  private var generation = 0
  private var isStarting = false
  private var startedUsec = Int64.min / 2
  private var triesLeft = NotificationServer.tries
  /// Whether a popup is to be shown and no server could be asked or started yet.
  private var isNeeded = false
  /// Whether the bus has accepted this connection.
  private var hasGreeted = false

  /// Begins to connect in the loop's next iteration.
  ///
  /// - Parameter address: the D-Bus address of the bus; nil if there is none.
  public init(loop: EventLoop, address: String?, onEvent: @escaping (Event) -> Void) {
    self.loop = loop
    self.address = address
    self.onEvent = onEvent
    loop.later { [weak self] in self?.connect() }
  }

  deinit {
    retryTimer?.cancel()
    connection?.close()
  }

  private func become(_ state: State) {
    guard self.state != state else { return }
    self.state = state
    if case .present = state {
      (startFailure, isNeeded) = (nil, false)
      (triesLeft, nextRetryUsec) = (Self.tries, Self.retryUsec.first)
    }
    onEvent(.stateChanged)
  }
}

// MARK: - Requests

extension NotificationServer {
  /// Prepares for a popup: starts a server if the bus can, or asks a silent server again. The
  /// result is a change of `state`.
  public func need() {
    isNeeded = true
    switch state {
    case .present: isNeeded = false
    case .asking: break
    case .unreachable: if connection == nil { connect() }
    case .absent(let isStartable): if isStartable { start() }
    case .unresponsive:
      triesLeft = Self.tries
      look()
    }
  }

  /// Shows a notice.
  ///
  /// - Parameters:
  ///   - id: the number of the popup to replace; 0: show a new popup.
  ///   - completion: called once, in a later iteration, with the number of the popup, which may
  ///     differ from `id`.
  public func show(
    _ notice: Notice, replacing id: UInt32,
    completion: @escaping (Result<UInt32, SystemError>) -> Void
  ) {
    guard let identity else {
      let error = SystemError(operation: "show a notification", code: ENOTCONN)
      return loop.later { completion(.failure(error)) }
    }
    call("Notify", notice.arguments(replacing: id, for: identity.capabilities)) { reply in
      switch reply {
      case .success(let message):
        guard let id = message.readUInt32(), id != 0 else {
          return completion(.failure(SystemError(operation: "Notify", code: EBADMSG)))
        }
        completion(.success(id))
      case .failure(let code, let text):
        completion(.failure(SystemError(operation: "Notify (\(text))", code: code)))
      }
    }
  }

  /// Closes the popup with this number, if it exists. The completion is called once, in a later
  /// iteration, also after an error.
  public func close(_ id: UInt32, completion: @escaping () -> Void) {
    // An error means that the popup does not exist any more.
    call("CloseNotification", [.uint32(id)]) { _ in completion() }
  }

  /// Asks the server whether the user has paused popups ("do not disturb"). dunst and KDE's server
  /// report this; no other server is known to do so.
  ///
  /// - Parameter completion: called once, in a later iteration. It gets false if the server does
  ///   not report a pause in time.
  public func askWhetherPaused(completion: @escaping (Bool) -> Void) {
    var (answers, isPaused) = (0, false)
    for (interface, property) in Self.pauses {
      ask(
        owner, "Get", [.string(interface), .string(property)],
        interface: "org.freedesktop.DBus.Properties", timeoutUsec: Self.timeoutUsec.paused
      ) { reply in
        if case .success(let message) = reply, message.readVariantBool() == true {
          isPaused = true
        }
        answers += 1
        if answers == Self.pauses.count { completion(isPaused) }
      }
    }
  }

  private func call(
    _ member: String, _ arguments: [BusArgument],
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    let asked = generation
    ask(owner, member, arguments, timeoutUsec: Self.timeoutUsec.shown) { [weak self] reply in
      if case .failure(let code, let text) = reply, code == ETIMEDOUT, let self,
        asked == generation
      {
        becomeUnresponsive("it takes too long to answer (\(text))")
      }
      completion(reply)
    }
  }

  /// Calls the server with this unique bus name. A call by a unique name never starts a server.
  private func ask(
    _ owner: String?, _ member: String, _ arguments: [BusArgument] = [],
    interface: String = busName, timeoutUsec: UInt64,
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    do throws(SystemError) {
      guard let connection, let owner else {
        throw SystemError(operation: member, code: ENOTCONN)
      }
      try connection.call(
        destination: owner, path: Self.path, interface: interface, member: member,
        arguments: arguments, timeoutUsec: timeoutUsec, completion: completion)
    } catch {
      loop.later { completion(.failure(code: error.code, text: error.description)) }
    }
  }

  private func askBus(
    _ member: String, _ arguments: [BusArgument] = [],
    timeoutUsec: UInt64 = NotificationServer.timeoutUsec.asked,
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    let bus = "org.freedesktop.DBus"
    do throws(SystemError) {
      guard let connection else { throw SystemError(operation: member, code: ENOTCONN) }
      try connection.call(
        destination: bus, path: "/org/freedesktop/DBus", interface: bus, member: member,
        arguments: arguments, timeoutUsec: timeoutUsec, completion: completion)
    } catch {
      loop.later { completion(.failure(code: error.code, text: error.description)) }
    }
  }
}

// MARK: - The bus

extension NotificationServer {
  private func connect() {
    connection?.close()
    connection = nil
    forgetOwner()
    hasGreeted = false
    guard let address else {
      return become(
        .unreachable(
          reason: "no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"))
    }
    if let missing = BusConnection.missingSocket(of: address), !address.contains(";") {
      become(.unreachable(reason: "no session bus: \(missing) does not exist"))
      return watchSocket()
    }
    do {
      let connection = try BusConnection(
        loop: loop, address: address, waits: false,
        onConnected: { [weak self] in self?.busGreeted() },
        onLost: { [weak self] in self?.busLost() })
      // Send the match rules first. If the owner were asked for before that, a change of the owner
      // between the two could be missed.
      let name = "sender='\(Self.busName)',interface='\(Self.busName)'"
      try connection.match("type='signal',\(name),member='ActionInvoked'") { [weak self] in
        self?.actionInvoked($0)
      }
      try connection.match("type='signal',\(name),member='NotificationClosed'") { [weak self] in
        self?.notificationClosed($0)
      }
      try connection.match(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(Self.busName)'"
      ) { [weak self] in self?.ownerChanged($0) }
      self.connection = connection
      become(.asking)
    } catch {
      become(.unreachable(reason: "no session bus: \(error)"))
      watchSocket()
      tryAgain()
    }
  }

  /// Waits for the bus's socket to appear. Only the folder of the socket is watched.
  private func watchSocket() {
    guard socketWatch == nil, let address, let path = BusConnection.socket(of: address),
      let slash = path.lastIndex(of: "/"), slash > path.startIndex
    else { return }
    do {
      socketWatch = try FolderWatch([String(path[..<slash])], on: loop) { [weak self] in
        guard let self, connection == nil else { return }
        if BusConnection.missingSocket(of: address) == nil { connect() }
      }
    } catch {
      become(.unreachable(reason: "\(error)"))
    }
  }

  private func busGreeted() {
    hasGreeted = true
    socketWatch = nil
    triesLeft = Self.tries
    look()
  }

  /// If the bus had accepted the connection, connects again. Otherwise no process listens on the
  /// socket, and the next `need()` tries again.
  private func busLost() {
    connection?.close()
    connection = nil
    forgetOwner()
    become(.unreachable(reason: "the connection to the session bus was lost"))
    if hasGreeted { retryLater() }
  }

  /// Tries again after a wait, a few times. A server may own its name a moment before it answers. A
  /// bus may have its socket a moment before it accepts.
  private func tryAgain() {
    guard triesLeft > 0 else { return }
    triesLeft -= 1
    retryLater()
  }

  private func retryLater() {
    do {
      let timer = try retryTimer ?? loop.timer(on: .boottime) { [weak self] in self?.retry() }
      retryTimer = timer
      timer.arm(atUsec: loop.now.boottimeUsec + nextRetryUsec)
      nextRetryUsec = min(nextRetryUsec * 2, Self.retryUsec.longest)
    } catch {
      become(.unreachable(reason: "\(error)"))
    }
  }

  private func retry() {
    switch state {
    case .unreachable: connect()
    case .unresponsive: look()
    case .asking, .absent, .present: break
    }
  }
}

// MARK: - The name

extension NotificationServer {
  private func forgetOwner() {
    generation += 1
    owner = nil
  }

  /// Asks the bus which server owns the name of the notification service.
  private func look() {
    forgetOwner()
    become(.asking)
    let asked = generation
    askBus("GetNameOwner", [.string(Self.busName)]) { [weak self] reply in
      guard let self, asked == generation else { return }
      if case .success(let message) = reply, let owner = message.readString() {
        ownerAppeared(owner)
      } else {
        lookForStarter()
      }
    }
  }

  /// Asks the bus whether it could start a server, because none owns the name.
  private func lookForStarter() {
    forgetOwner()
    let asked = generation
    askBus("ListActivatableNames") { [weak self] reply in
      guard let self, asked == generation else { return }
      guard case .success(let message) = reply, let names = message.readStrings() else {
        return become(.absent(isStartable: false))
      }
      let isStartable = names.contains(Self.busName)
      become(.absent(isStartable: isStartable))
      if isStartable, isNeeded { start() }
    }
  }

  /// Asks the server with the unique bus name `owner` for its capabilities, its name and its
  /// version.
  private func ownerAppeared(_ owner: String) {
    forgetOwner()
    self.owner = owner
    become(.asking)
    let asked = generation
    ask(owner, "GetCapabilities", timeoutUsec: Self.timeoutUsec.asked) { [weak self] reply in
      guard let self, asked == generation else { return }
      switch reply {
      case .success(let message):
        guard let capabilities = message.readStrings() else {
          return becomeUnresponsive("its answer to GetCapabilities is not a list")
        }
        readIdentity(owner, capabilities: Set(capabilities))
      case .failure(_, let text): becomeUnresponsive(text)
      }
    }
  }

  private func readIdentity(_ owner: String, capabilities: Set<String>) {
    let asked = generation
    ask(owner, "GetServerInformation", timeoutUsec: Self.timeoutUsec.asked) {
      [weak self] reply in
      guard let self, asked == generation else { return }
      var (name, version) = ("a notification server", "")
      if case .success(let message) = reply, let said = message.readString() {
        name = said
        _ = message.readString()
        version = message.readString() ?? ""
      }
      become(
        .present(
          Identity(
            name: name, version: version, capabilities: capabilities,
            place: "\(connection?.busID ?? "") \(owner)")))
    }
  }

  /// Records that the server is silent. It is asked again a few times, and after that only at the
  /// next `need()`.
  private func becomeUnresponsive(_ reason: String) {
    forgetOwner()
    become(.unresponsive(reason: reason))
    tryAgain()
  }

  private func start() {
    isNeeded = false
    let now = loop.now.boottimeUsec
    guard !isStarting, now - startedUsec > Self.startsUsec else { return }
    isStarting = true
    startedUsec = now
    askBus(
      "StartServiceByName", [.string(Self.busName), .uint32(0)],
      timeoutUsec: Self.timeoutUsec.started
    ) { [weak self] reply in
      guard let self else { return }
      isStarting = false
      guard case .failure(_, let text) = reply else { return }
      startFailure = text
      onEvent(.stateChanged)
    }
  }

  private func ownerChanged(_ message: BusMessage) {
    guard message.sender == "org.freedesktop.DBus", message.readString() == Self.busName,
      message.readString() != nil, let newOwner = message.readString()
    else { return }
    if newOwner.isEmpty {
      become(.absent(isStartable: false))
      lookForStarter()
    } else {
      (triesLeft, nextRetryUsec) = (Self.tries, Self.retryUsec.first)
      ownerAppeared(newOwner)
    }
  }

  private func actionInvoked(_ message: BusMessage) {
    guard let owner, message.sender == owner, let id = message.readUInt32(),
      let action = message.readString()
    else { return }
    onEvent(.invoked(id: id, action: action))
  }

  private func notificationClosed(_ message: BusMessage) {
    guard let owner, message.sender == owner, let id = message.readUInt32(),
      let reason = message.readUInt32()
    else { return }
    onEvent(.closed(id: id, reason == 2 ? .dismissed : .other))
  }
}
