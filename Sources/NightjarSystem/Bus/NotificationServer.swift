import CSystemd
import Glibc
import NightjarModel

/// Whoever shows popups on the desktop: `org.freedesktop.Notifications` on the session bus (Desktop
/// Notifications Specification 1.2).
///
/// It is looked for and waited for without polling, and started by nothing but `need()`. All calls
/// are asynchronous and have a time limit; nothing here waits for the bus or for the server.
public final class NotificationServer {
  /// Whether popups can be shown now.
  public private(set) var state = State.unreachable(reason: "not connected to the session bus yet")
  /// Why the bus could not start a server when it was last asked to; nil once one was there.
  public private(set) var startFailure: String?

  /// The server that is there.
  public var identity: Identity? {
    if case .present(let identity) = state { identity } else { nil }
  }

  private static let busName = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// So long, in microseconds: a server that is asked what it can do; one that is asked to show or
  /// to close something; the bus that is asked to start one; a server that is asked whether it is paused.
  private static let patienceUsec: (asked: UInt64, shown: UInt64, started: UInt64, paused: UInt64) =
    (
      5_000_000, 30_000_000, 30_000_000, 500_000
    )
  /// Where servers say that they are paused: dunst, and Plasma.
  private static let pauses = [("org.dunstproject.cmd0", "paused"), (busName, "Inhibited")]
  /// A bus that was lost, or a server that does not answer, is asked again so much later, in
  /// microseconds, then after twice as long, and so on.
  private static let retryUsec: (first: Int64, longest: Int64) = (1_000_000, 60_000_000)
  /// So often a server that does not answer is asked again, or a bus that nobody listens at.
  private static let tries = 5
  /// The bus is asked to start a server so often at most, in microseconds: one that cannot run here
  /// would use up its own limit.
  private static let startsUsec: Int64 = 30_000_000

  private let loop: EventLoop
  private let address: String?
  private let onEvent: (Event) -> Void
  private var connection: BusConnection?
  private var retryTimer: TimerSource?
  private var socketWatch: FolderWatch?
  private var nextRetryUsec = NotificationServer.retryUsec.first
  /// The unique name of the server that is there: what anybody else says is not believed.
  private var owner: String?
  /// Counts what has become of the name; an answer to a question from before is void.
  private var generation = 0
  private var isStarting = false
  private var startedUsec = Int64.min / 2
  private var triesLeft = NotificationServer.tries
  /// Something is to be shown, and nobody could be asked or started yet.
  private var isNeeded = false
  /// Whether the bus has answered on this connection.
  private var hasGreeted = false

  /// Begins to connect in the loop's next pass.
  ///
  /// - Parameter address: the bus; nil: there is none.
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

// MARK: - What is asked of it

extension NotificationServer {
  /// Something is to be shown: has one started where that is possible, and asks one again that did
  /// not answer. What comes of it is a change of state.
  public func need() {
    isNeeded = true
    switch state {
    case .present: isNeeded = false
    case .asking: break
    case .unreachable: if connection == nil { connect() }
    case .absent(let isStartable): if isStartable { start() }
    case .mute:
      triesLeft = Self.tries
      look()
    }
  }

  /// Shows a notice.
  ///
  /// - Parameters:
  ///   - id: the popup whose place it takes; 0: none.
  ///   - completion: called once, in a later pass, with the popup's number, which may be another than
  ///     `id`.
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

  /// Closes a popup, if it is there. The completion is called once, in a later pass, whatever came
  /// of it.
  public func close(_ id: UInt32, completion: @escaping () -> Void) {
    // The error for one that is gone says what was wanted.
    call("CloseNotification", [.uint32(id)]) { _ in completion() }
  }

  /// Asks whether the user has paused it (do not disturb), as dunst and KDE's server say; no other is known
  /// to say so.
  ///
  /// - Parameter completion: called once, in a later pass; false where it does not say, or not soon.
  public func askWhetherPaused(completion: @escaping (Bool) -> Void) {
    var (answers, isPaused) = (0, false)
    for (interface, property) in Self.pauses {
      ask(
        owner, "Get", [.string(interface), .string(property)],
        interface: "org.freedesktop.DBus.Properties", patienceUsec: Self.patienceUsec.paused
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
    ask(owner, member, arguments, patienceUsec: Self.patienceUsec.shown) { [weak self] reply in
      if case .failure(let code, let text) = reply, code == ETIMEDOUT, let self,
        asked == generation
      {
        fallMute("it takes too long to answer (\(text))")
      }
      completion(reply)
    }
  }

  /// Calls the server of that unique name, which starts none.
  private func ask(
    _ owner: String?, _ member: String, _ arguments: [BusArgument] = [],
    interface: String = busName, patienceUsec: UInt64,
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    do throws(SystemError) {
      guard let connection, let owner else {
        throw SystemError(operation: member, code: ENOTCONN)
      }
      try connection.call(
        destination: owner, path: Self.path, interface: interface, member: member,
        arguments: arguments, patienceUsec: patienceUsec, completion: completion)
    } catch {
      loop.later { completion(.failure(code: error.code, text: error.description)) }
    }
  }

  private func askBus(
    _ member: String, _ arguments: [BusArgument] = [],
    patienceUsec: UInt64 = NotificationServer.patienceUsec.asked,
    completion: @escaping (BusConnection.Reply) -> Void
  ) {
    let bus = "org.freedesktop.DBus"
    do throws(SystemError) {
      guard let connection else { throw SystemError(operation: member, code: ENOTCONN) }
      try connection.call(
        destination: bus, path: "/org/freedesktop/DBus", interface: bus, member: member,
        arguments: arguments, patienceUsec: patienceUsec, completion: completion)
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
      // In this order on the wire: who asked for the owner first could miss the next.
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

  /// Waits for the bus to appear where it should be; nothing but its own folder is looked at.
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

  /// One that had greeted is looked for again. One that never did is not: its socket is nobody's,
  /// and the next who needs it tries.
  private func busLost() {
    connection?.close()
    connection = nil
    forgetOwner()
    become(.unreachable(reason: "the connection to the session bus was lost"))
    if hasGreeted { retryLater() }
  }

  /// A few times: it may have its name, or its socket, a moment before it answers there.
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
    case .mute: look()
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

  /// Asks the bus who has the name.
  private func look() {
    forgetOwner()
    become(.asking)
    let asked = generation
    askBus("GetNameOwner", [.string(Self.busName)]) { [weak self] reply in
      guard let self, asked == generation else { return }
      if case .success(let message) = reply, let owner = message.readString() {
        meet(owner)
      } else {
        lookForStarter()
      }
    }
  }

  /// Nobody has it: could somebody?
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

  /// Asks a server what it can do, and who it is.
  private func meet(_ owner: String) {
    forgetOwner()
    self.owner = owner
    become(.asking)
    let asked = generation
    ask(owner, "GetCapabilities", patienceUsec: Self.patienceUsec.asked) { [weak self] reply in
      guard let self, asked == generation else { return }
      switch reply {
      case .success(let message):
        guard let capabilities = message.readStrings() else {
          return fallMute("its GetCapabilities answers no list")
        }
        getToKnow(owner, capabilities: Set(capabilities))
      case .failure(_, let text): fallMute(text)
      }
    }
  }

  private func getToKnow(_ owner: String, capabilities: Set<String>) {
    let asked = generation
    ask(owner, "GetServerInformation", patienceUsec: Self.patienceUsec.asked) {
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

  /// It is asked again a few times, and then by the next who needs it.
  private func fallMute(_ reason: String) {
    forgetOwner()
    become(.mute(reason: reason))
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
      patienceUsec: Self.patienceUsec.started
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
      meet(newOwner)
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
