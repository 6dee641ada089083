import Glibc
import NightjarClient
import NightjarInterface
import NightjarModel
import Varlink

/// A connection to the bridge, `nightjar-mqtt`.
struct BridgeSession {
  private let connection: Connection
  private let timeout: CallTimeout

  /// Connects to the bridge beside the daemon's usual socket; nil if no bridge runs.
  static func openIfRunning() throws(CommandError) -> BridgeSession? {
    let timeout = try CallTimeout(limit: .never)
    do throws(ClientError) {
      let connection = try Connection(
        path: BridgePaths.status(in: try folderOfDaemon()), deadline: timeout.deadline)
      return BridgeSession(connection: connection, timeout: timeout)
    } catch {
      if Session.isAbsence(error) { return nil }
      throw timeout.explained(error)
    }
  }

  func answer(to call: Call) throws(CommandError) -> Result<JSONValue, TimersError> {
    do throws(ClientError) {
      return try connection.answer(to: call, deadline: timeout.deadline)
    } catch {
      switch error {
      case .timedOut, .connectionLost, .cancelled:
        throw CommandError(
          .noDaemon,
          "nightjar-mqtt did not answer, and may still do it; nightjar mqtt status shows whether it has"
        )
      default: throw CommandError(explaining: error)
      }
    }
  }

  func statusReply() throws(CommandError) -> JSONValue {
    do throws(ClientError) {
      return try connection.call(
        Call(method: "\(BridgeInterface.name).Status"), deadline: timeout.deadline)
    } catch {
      // The bridge ended before it answered.
      throw error == .connectionLost ? Self.notRunning : CommandError(explaining: error)
    }
  }

  func status() throws(CommandError) -> BridgeWire.Status.Reply {
    let reply = try statusReply()
    return try CommandError.explaining { () throws(ClientError) in
      try BridgeWire.Status.Reply(reply)
    }
  }

  /// The path of the bridge's own socket.
  static func path() throws(CommandError) -> String { BridgePaths.status(in: try folder()) }

  /// The folder that contains the sockets of the daemon and of the bridge.
  static func folder() throws(CommandError) -> String {
    try CommandError.explaining { () throws(ClientError) in try folderOfDaemon() }
  }

  private static func folderOfDaemon() throws(ClientError) -> String {
    guard let path = Environment.socketPath, let slash = path.lastIndex(of: "/") else {
      throw .daemonUnreachable(path: "$XDG_RUNTIME_DIR/nightjar/mqtt", code: 2)
    }
    return String(path[..<slash])
  }

  static let notRunning = CommandError(
    .noDaemon,
    "nightjar-mqtt does not run, so other machines cannot be reached; start it with systemctl --user "
      + "start nightjar-mqtt, see nightjar-mqtt(1)", failure: .noBridge)

  /// Waits until the bridge has a socket for a machine. The bridge knows all machines once it has
  /// read the broker's retained messages.
  ///
  /// - Parameter waiting: called with the reason while the bridge does not know the machine: it has
  ///   no connection to the broker, or the broker has lost its data and the machine is not back. A
  ///   mistyped name is waited for, too; the reason lists the known names. Nil: the command fails.
  /// - Throws: `CommandError`: the reason why there is no socket.
  static func awaitMachine(
    _ device: String, waiting: ((_ reason: String) -> Void)? = nil
  ) throws(CommandError) {
    var reading = RetrySchedule(isBounded: true)
    var absent = RetrySchedule(isBounded: false)
    while let bridge = try openIfRunning() {
      let status = try bridge.status()
      guard !status.devices.contains(where: { $0.device == device }) else { return }
      // The bridge is still connecting for the first time, or still reading the retained messages.
      let isUnderWay = status.connected ? !status.complete : status.reason == nil
      if isUnderWay, reading.pause() { continue }
      guard let waiting, status.device != device else { throw absence(of: device, status) }
      waiting(
        status.connected
          ? "\(absence(of: device, status).message)"
          : BridgeText(status, nowUsec: LocalTime.nowUsec()).disconnection)
      _ = absent.pause()
    }
    throw notRunning
  }

  /// The error that says why there is no socket for a session.
  static func absence(ofSession path: String) throws(CommandError) -> CommandError {
    guard let bridge = try openIfRunning() else { return notRunning }
    let sessions = try bridge.status().sessions.map { "@\($0.session)" }
    let word = Quoting.quoted(path)
    return CommandError(
      .noDaemon,
      "this machine takes part in no session called \(word)"
        + (sessions.isEmpty
          ? "" : ", but in \(sessions.map(Quoting.quoted).joined(separator: ", "))")
        + "; take part with nightjar mqtt join \(word)")
  }

  /// Whether a socket does not exist because this machine has left its session. If there is another
  /// reason, the bridge may create the socket again.
  static func hasLeft(_ path: String) -> Bool {
    guard BridgePaths.isSession(path), access(path, F_OK) != 0,
      let status = try? openIfRunning()?.status()
    else { return false }
    return !status.sessions.contains {
      $0.part != .leaving && path.hasSuffix("/\(SessionAddress.word(of: $0.session))")
    }
  }

  /// Warns that the timers of absent machines are shown in their last known state. The warning goes
  /// to standard error, because scripts read standard output.
  static func sayWhoIsAway(of devices: [String], _ status: BridgeWire.Status.Reply) {
    let text = BridgeText(status, nowUsec: LocalTime.nowUsec())
    let reasons = status.connected ? devices.compactMap(text.absence) : [text.disconnection]
    let what =
      status.devices.isEmpty ? "no other machine is known" : "timers are shown as they were then"
    for reason in reasons { Output.complain("\(reason); \(what)") }
  }

  /// Warns that the timers of a session are shown in their last known state, if the bridge has no
  /// connection to the broker.
  static func sayIfDisconnected() throws(CommandError) {
    guard let status = try openIfRunning()?.status(), !status.connected else { return }
    let text = BridgeText(status, nowUsec: LocalTime.nowUsec())
    Output.complain("\(text.disconnection); timers are shown as they were then")
  }

  /// Warns that the timers of one machine are shown in their last known state, if that machine is
  /// away.
  static func sayIfAway(_ device: String) throws(CommandError) {
    if let status = try openIfRunning()?.status() { sayWhoIsAway(of: [device], status) }
  }

  private static func absence(of device: String, _ status: BridgeWire.Status.Reply) -> CommandError
  {
    if status.device == device {
      return CommandError(.noDaemon, "this machine is '\(device)': leave out @\(device)")
    }
    guard status.connected else {
      return CommandError(
        .noDaemon,
        "no machine called '\(device)' is known, and there is no connection to the broker: "
          + (status.reason ?? "it is being made"))
    }
    let names = status.devices.map { "@\($0.device)" }
    return CommandError(
      .noDaemon,
      "no machine called '\(device)' is known, and this machine takes part in no session of that name; "
        + (names.isEmpty ? "there is no other" : "there are \(names.joined(separator: ", "))"))
  }
}
