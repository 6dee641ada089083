import Glibc
import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarTrust
import Varlink

/// A connection of a command to the daemon. Its errors are sentences with a remedy.
struct Session {
  let path: String
  /// The other machine whose timers the socket serves; nil: the socket serves this machine's
  /// timers.
  let device: String?
  let timeout: CallTimeout
  let connection: Connection
  /// Whether a daemon is started if the present one ends.
  private var startsDaemon = true
  /// The queue that makes changes wait for another machine; nil: changes do not wait.
  private var queue: ChangeQueue?

  private init(path: String, device: String?, timeout: CallTimeout) throws(ClientError) {
    (self.path, self.device) = (path, device)
    self.timeout = timeout
    connection = try Connection(path: path, deadline: timeout.deadline)
  }

  /// Connects to the daemon, and starts it if none runs.
  ///
  /// - Parameter limit: the deadline of the whole command.
  /// - Throws: `CommandError`. It is `limitReached` only if there is a limit.
  static func open(
    _ option: SocketOption, limit: Deadline = .never
  ) throws(CommandError) -> Session {
    try open(option, limit: limit, waiting: nil)
  }

  /// - Parameter waiting: called with the reason while the command waits for a machine that the
  ///   bridge does not know yet. Nil: the command fails in that case.
  private static func open(
    _ option: SocketOption, limit: Deadline, waiting: ((_ reason: String) -> Void)?
  ) throws(CommandError) -> Session {
    let session = try connectOrStart(option, limit: limit, waiting: waiting)
    try session.checkDaemon()
    return session
  }

  /// Connects to the daemon, and starts it if none runs, for a command that changes something.
  ///
  /// - Parameter queue: whether a change waits for a machine that is asleep or away.
  static func open(
    _ option: SocketOption, _ queue: QueueOption
  ) throws(CommandError) -> Session {
    guard queue.isGiven else { return try open(option) }
    guard let device = option.device else {
      throw .usage(
        "--queue is for the timers of another machine, as in nightjar @NAME pause tea --queue; "
          + "leave it out")
    }
    guard !BridgePaths.isSession(try socketPath(option)) else {
      throw .usage("the timers of a session are changed by their owners only; leave out --queue")
    }
    var absence = RetrySchedule(isBounded: true)
    while true {
      try ChangeQueue.awaitBridge()
      do throws(CommandError) {
        var session = try open(option, limit: .never, waiting: ChangeQueue.sayOnce())
        session.queue = ChangeQueue(
          device: device, path: session.path, bridgePath: try BridgeSession.path(),
          connection: session.connection)
        return session
      } catch {
        // The bridge may have ended after `awaitBridge`, so this waits for it again.
        guard error.failure == .noBridge, absence.pause() else { throw error }
      }
    }
  }

  /// Connects to the daemon, and starts it if none runs, for a command that runs until the user
  /// ends it. If a signal has stopped the daemon, this prints a message, and waits until the daemon
  /// continues.
  static func openToFollow(_ option: SocketOption) throws(CommandError) -> Session {
    while true {
      let session = try connectOrStart(option, limit: .never, waiting: nil)
      guard let id = session.stoppedDaemon else { return session }
      let program = session.server
      Output.complain("\(program) (process \(id)) is stopped; waiting for kill -CONT \(id)")
      do throws(ClientError) {
        _ = try session.connection.answer(to: Call(Wire.Status()), deadline: .never)
        return session
      } catch {
        // The stopped daemon has ended. A new daemon may be running, so this connects again.
        guard case .connectionLost = error else { throw session.explained(error) }
      }
    }
  }

  /// Connects to the daemon; nil if none runs.
  static func openIfRunning(_ option: SocketOption) throws(CommandError) -> Session? {
    guard
      var session = try connectIfRunning(option, path: try socketPath(option), limit: .never)
    else { return nil }
    session.startsDaemon = false
    try session.checkDaemon()
    return session
  }

  func openAgain(limit: Deadline = .never) throws(CommandError) -> Session {
    let timeout = try CallTimeout(limit: limit)
    let session = try Self.connect(path: path, device: device, timeout: timeout)
    try session.checkDaemon()
    return session
  }

  /// The name, for messages, of the program that serves the socket.
  var server: String { device == nil ? "the daemon" : "nightjar-mqtt" }

  private static func connectOrStart(
    _ option: SocketOption, limit: Deadline, waiting: ((_ reason: String) -> Void)?
  ) throws(CommandError) -> Session {
    let path = try socketPath(option)
    if let session = try connectIfRunning(option, path: path, limit: limit) { return session }
    // The bridge serves the timers of another machine; a daemon on that socket would have none of
    // them.
    if let device = option.device {
      guard !BridgePaths.isSession(path) else {
        throw try BridgeSession.absence(ofSession: device)
      }
      try BridgeSession.awaitMachine(device, waiting: waiting)
      guard let session = try connectIfRunning(option, path: path, limit: limit) else {
        throw BridgeSession.notRunning
      }
      return session
    }
    // No daemon is started on another machine's socket, because the bridge could then not listen
    // there.
    if let bridge = BridgePaths.status(besideDevice: path), access(bridge, F_OK) == 0 {
      throw BridgeSession.notRunning
    }
    let isUsual = isUsualPath(option.path)
    try DaemonStarter(socketPath: path, isUsualPath: isUsual, limit: limit).start()
    return try connect(path: path, device: nil, timeout: try CallTimeout(limit: limit))
  }

  private static func connectIfRunning(
    _ option: SocketOption, path: String, limit: Deadline
  ) throws(CommandError) -> Session? {
    let timeout = try CallTimeout(limit: limit)
    do throws(ClientError) {
      return try Session(path: path, device: option.device, timeout: timeout)
    } catch {
      if isAbsence(error) { return nil }
      throw timeout.explained(error, of: option.device)
    }
  }

  private static func connect(
    path: String, device: String?, timeout: CallTimeout
  ) throws(CommandError) -> Session {
    do throws(ClientError) {
      return try Session(path: path, device: device, timeout: timeout)
    } catch {
      throw timeout.explained(error, of: device)
    }
  }

  /// Whether an error means that no process listens at the socket.
  static func isAbsence(_ error: ClientError) -> Bool {
    guard case .daemonUnreachable(_, let code) = error else { return false }
    return code == ENOENT || code == ECONNREFUSED || code == ENOTDIR
  }

  /// The path of the socket of the daemon, or of the bridge for another machine.
  static func socketPath(_ option: SocketOption) throws(CommandError) -> String {
    if let device = option.device {
      return try path(ofMachineOrSession: device)
    }
    if let given = option.path { return given }
    guard let path = Environment.socketPath else {
      throw CommandError(
        .noDaemon,
        "cannot tell where the daemon's socket is; set XDG_RUNTIME_DIR or HOME, or give --socket")
    }
    return path
  }

  /// The path at which the bridge listens for a machine or a session of that name. A machine takes
  /// precedence.
  private static func path(ofMachineOrSession name: String) throws(CommandError) -> String {
    let isMachine = DeviceAddress.isWord(name)
    guard isMachine || SessionAddress.isPath(name) else {
      throw .usage(
        "'@\(name)' is no machine and no session; a machine's name has 1 to "
          + "\(DeviceAddress.wordBytes) letters, digits, _ and -")
    }
    let folder = try BridgeSession.folder()
    let session = BridgePaths.session(SessionAddress.word(of: name), in: folder)
    guard isMachine else { return session }
    let machine = BridgePaths.device(name, in: folder)
    return access(machine, F_OK) != 0 && access(session, F_OK) == 0 ? session : machine
  }

  /// Whether the socket's path is the one in the unit files.
  private static func isUsualPath(_ given: String?) -> Bool {
    given == nil && (Environment.value("NIGHTJAR_SOCKET") ?? "").isEmpty
  }
}

// MARK: - Calls

extension Session: Answering {
  func answer(to call: Call) throws(CommandError) -> Result<JSONValue, TimersError> {
    if let queue, !call.isQuestion { return try queue.answer(to: call) }
    return try ask([call]) { (connection) throws(ClientError) in
      try connection.answer(to: call, deadline: timeout.deadline)
    }
  }

  /// Calls several methods at once, with one deadline for all. Changes that may wait for a machine
  /// are made one after the other instead, so that they keep their order.
  func callAll(
    _ calls: [Call]
  ) throws(CommandError) -> [Result<JSONValue, TimersError>] {
    if queue != nil, !calls.allSatisfy(\.isQuestion) {
      return try calls.map { (call) throws(CommandError) in try answer(to: call) }
    }
    return try ask(calls) { (connection) throws(ClientError) in
      try connection.callAll(calls, deadline: timeout.deadline)
    }
  }

  /// Sends calls to the daemon. If the daemon ends before it answers, this sends them to the next
  /// daemon, which the service manager starts. Only queries are sent again, because the daemon may
  /// have made a change before it ended.
  private func ask<Answer>(
    _ calls: [Call], _ body: (Connection) throws(ClientError) -> Answer
  ) throws(CommandError) -> Answer {
    let isChange = !calls.allSatisfy(\.isQuestion)
    if isChange { try awaitDaemon() }
    do throws(ClientError) {
      return try body(connection)
    } catch {
      guard case .connectionLost = error, !isChange, let next = reconnected() else {
        throw explained(error, isChange: isChange)
      }
      do throws(ClientError) { return try body(next) } catch { throw explained(error) }
    }
  }

  /// A connection to the next daemon, after one ended before it answered a query. If none runs, one
  /// is started; nil: that is not possible.
  private func reconnected() -> Connection? {
    if let next = try? Connection(path: path, deadline: timeout.deadline) { return next }
    let isUsual = Self.isUsualPath(path == Environment.socketPath ? nil : path)
    let starter = DaemonStarter(socketPath: path, isUsualPath: isUsual, limit: timeout.limit)
    guard device == nil, startsDaemon, (try? starter.start()) != nil else { return nil }
    return try? Connection(path: path, deadline: timeout.deadline)
  }

  /// Waits until a daemon answers, before a change is sent. The service manager accepts connections
  /// to its socket while no daemon runs. A change that waited in such a connection would be made
  /// when a daemon starts at last, long after the command has failed.
  private func awaitDaemon() throws(CommandError) {
    guard device == nil, !connection.hasAnswered, let peer = connection.peerProcessID,
      ProcessState.isProcess(peer, named: "systemd")
    else { return }
    do throws(ClientError) {
      _ = try connection.answer(to: Call(Wire.Get(name: "-")), deadline: timeout.deadline)
    } catch {
      let failure = explained(error)
      guard failure.status == .noDaemon, error == .timedOut || error == .connectionLost else {
        throw failure
      }
      throw CommandError(
        .noDaemon,
        "the daemon does not start, so nothing was changed; \(Typed.nightjar) doctor says why")
    }
  }

  /// Calls a method with `more`. Only the sending has a deadline, because a reply may arrive at any
  /// later time.
  func stream(_ call: Call) throws(ClientError) -> ReplyStream {
    try connection.stream(call, deadline: timeout.deadline)
  }

  /// Calls a method with `more`, and connects again when the daemon restarts. The stream owns the
  /// connection from this call on.
  func liveStream(
    _ call: Call, continuesBySeq: Bool, ledger: String? = nil
  ) throws(ClientError) -> NightjarClient.LiveStream {
    try NightjarClient.LiveStream(
      path: path, connection: connection, call: call, continuesBySeq: continuesBySeq,
      ledger: ledger, deadline: timeout.deadline)
  }

  static func timer(in reply: JSONValue) throws(CommandError) -> Wire.Timer {
    try timer(reply["timer"] ?? .null)
  }

  static func timer(_ json: JSONValue) throws(CommandError) -> Wire.Timer {
    do throws(ClientError) {
      return try Wire.Timer(json)
    } catch {
      throw CommandError(explaining: error)
    }
  }

  static func timers(in page: JSONValue) throws(CommandError) -> [Wire.Timer] {
    do throws(ClientError) {
      var timers: [Wire.Timer] = []
      for timer in page["timers"]?.arrayValue ?? [] { timers.append(try Wire.Timer(timer)) }
      return timers
    } catch {
      throw CommandError(explaining: error)
    }
  }

  /// The state of affairs of which the user was last warned. It is beside the socket, in a folder
  /// that the user's last logout empties.
  var ringWarning: Note { Note(path: "\(path).warned") }

  func status() throws(CommandError) -> Wire.Status.Reply {
    let reply = try call(Call(Wire.Status()))
    do throws(ClientError) {
      let status = try Wire.Status.Reply(reply)
      if let state = status.ringState, ringWarning.text != state { ringWarning.remove() }
      return status
    } catch {
      throw CommandError(explaining: error)
    }
  }
}

// MARK: - Errors

extension Session {
  /// The error to throw when this machine leaves a session while a command follows the session's
  /// timers.
  var leftSession: CommandError {
    CommandError(.noDaemon, "this machine has left \(device ?? "")")
  }
}

extension Session {
  /// The error for a failed connection, with facts about the process at its other end.
  ///
  /// - Parameter isChange: whether a change was being made.
  func explained(_ error: ClientError, isChange: Bool = false) -> CommandError {
    if case .refused(let refusal) = error { return explained(refusal, isChange: isChange) }
    let sentence = timeout.explained(error, of: device, isChange: isChange)
    guard sentence.status == .noDaemon, error == .timedOut else { return sentence }
    // A signal may have stopped the process while the command waited for it.
    return (stoppedDaemon ?? stoppedService).map(Self.stopped) ?? sentence
  }

  /// The process id of the daemon that runs as the service, if a signal has stopped the daemon;
  /// otherwise nil. Nil also for a session with another machine.
  private var stoppedService: Int32? {
    guard device == nil else { return nil }
    return ServiceUnit.mainProcessID.flatMap { ProcessState.isStopped($0) ? $0 : nil }
  }

  private static func stopped(_ id: Int32) -> CommandError {
    let isBridge = ProcessState.isStopped(id, named: "nightjar-mqtt")
    let program = isBridge ? "nightjar-mqtt" : "the daemon"
    return CommandError(
      .noDaemon,
      "\(program) (process \(id)) is stopped and cannot answer; continue it with kill -CONT \(id)")
  }

  /// - Throws: `CommandError` if a signal has stopped the daemon, because a stopped daemon never
  ///   answers.
  private func checkDaemon() throws(CommandError) {
    if let id = stoppedDaemon { throw Self.stopped(id) }
  }

  /// The process id of the daemon, if /proc shows that the daemon was stopped; otherwise nil. If
  /// the service manager opened the socket, the connection's peer is the service manager, and the
  /// daemon's process id comes from the lock file in the state folder.
  private var stoppedDaemon: Int32? {
    if let id = connection.peerProcessID, ProcessState.isStopped(id) { return id }
    guard Self.isUsualPath(nil), path == Environment.socketPath,
      let folder = Environment.stateDirectory,
      let id = ProcessState.holder(of: "\(folder)/lock"), id != connection.peerProcessID
    else { return nil }
    return ProcessState.isStopped(id, named: "nightjard") ? id : nil
  }

  /// The error for a refusal. If there is no timer of that name, the error suggests the name that
  /// the user probably meant.
  func explained(_ refusal: TimersError, isChange: Bool) -> CommandError {
    CommandError(explaining: refusal, of: device, isChange: isChange) {
      do throws(ClientError) {
        return try TimerNames.read(from: connection, deadline: timeout.deadline)
      } catch {
        // The refusal is printed without a suggestion.
        return []
      }
    }
  }
}
