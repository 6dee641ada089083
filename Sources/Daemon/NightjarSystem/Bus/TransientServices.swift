import CSystemd
import Glibc

/// Runs programs as transient services of the user's service manager (org.freedesktop.systemd1(5),
/// StartTransientUnit). The restrictions of the daemon's own unit do not apply to such a service.
/// The manager records the end of a service even if the daemon does not run then.
///
/// A service stays loaded after its end until it is released, so that the next daemon can ask for
/// its result. Processes that its program leaves behind keep running. The connection is open only
/// while a service runs. No function blocks.
public final class TransientServices {
  /// The state of a service as the manager reports it.
  public struct State: Equatable, Sendable {
    /// How the service's program ended; nil while it runs, or if it could not be started.
    public var end: ChildEnd?
    public var isOver: Bool
    /// Whether the manager failed to execute the program.
    public var isNotExecuted: Bool
    /// The manager's word for the result of the service.
    public var result: String
    /// CLOCK_MONOTONIC when the program was started, in microseconds; 0: it was not started.
    public var startedUsec: Int64
    /// CLOCK_MONOTONIC when the program ended, in microseconds; 0: it has not ended.
    public var endedUsec: Int64
  }

  /// The answer to a question about a service.
  public enum Report: Sendable {
    /// The manager knows the service.
    case state(State)
    /// The manager knows no service of this name.
    case unknown
    /// The state is unknown: the manager or its bus does not run, or does not answer. No further
    /// report on this service follows, unless the caller asks again with `resume`.
    case unreachable(Refusal)
  }

  /// How long to wait for an answer, in microseconds.
  public struct Timeouts: Sendable {
    /// For the bus to accept the connection.
    public var greetingUsec: Int64
    /// For the manager's answer to a request.
    public var answerUsec: UInt64

    public init(greetingUsec: Int64, answerUsec: UInt64) {
      self.greetingUsec = greetingUsec
      self.answerUsec = answerUsec
    }

    /// The time limits of the daemon. A bus accepts a connection at once, but a manager that loads
    /// units from a slow disk needs longer to answer.
    public static let usual = Timeouts(greetingUsec: 1_000_000, answerUsec: 60_000_000)
  }

  /// Why a service was not started, or why its state is unknown: the manager's words, or a sentence
  /// of this module.
  public struct Refusal: Error, CustomStringConvertible, Sendable {
    public let description: String
    /// Whether the service may have been started all the same.
    public var isUncertain = false
    /// The reason as an errno.
    var code: Int32 = EIO
    /// Whether another service with this name runs or has not been released.
    public var isTaken: Bool { code == EEXIST }
  }

  /// How long, in microseconds, the manager waits for the processes of a service to end before it
  /// kills them.
  public static let stopUsec: Int64 = 5_000_000
  /// The most tasks (processes and threads) of one service.
  private static let tasks: UInt64 = 512
  private static let path = "/org/freedesktop/systemd1"
  private static let interface = "\(UserManager.manager).Manager"
  private static let propertiesInterface = "org.freedesktop.DBus.Properties"
  /// The exit status with which a service ends if the program could not be executed: EXIT_EXEC of
  /// systemd.exec(5), "Process exit codes".
  private static let notExecuted: Int32 = 203

  private let loop: EventLoop
  private let address: String?
  private let timeouts: Timeouts
  private var connection: BusConnection?
  private var greeting: TimerSource?
  /// Requests that wait until the bus accepts the connection.
  private var waiting: [(Refusal?) -> Void] = []
  /// The handlers that get reports on services, by the services' object paths.
  private var followed: [String: (Report) -> Void] = [:]
  /// The number of calls that have no answer yet.
  private var unanswered = 0
  private var isIdle = false

  /// - Parameter address: the bus; nil means `DBUS_SESSION_BUS_ADDRESS`, or else
  ///   `XDG_RUNTIME_DIR/bus`.
  public init(
    loop: EventLoop, address: String? = nil, timeouts: Timeouts = .usual
  ) throws(SystemError) {
    self.loop = loop
    self.timeouts = timeouts
    self.address = address ?? SessionBus.address
    greeting = try loop.timer(on: .monotonic) { [unowned self] in
      close(because: "the bus of the user's service manager does not answer")
    }
  }

  deinit {
    greeting?.cancel()
    connection?.close()
  }

  /// Whether the bus of the user's service manager exists. If it does not, no manager runs.
  public var hasBus: Bool {
    guard let address else { return false }
    return BusConnection.missingSocket(of: address) == nil
  }

  // MARK: Requests

  /// Starts a service. The manager keeps copies of `output`, which becomes the service's standard
  /// output and standard error.
  ///
  /// - Parameters:
  ///   - longestUsec: the manager ends the service after this time, in case the daemon does not run
  ///     then.
  ///   - started: called once, when the manager has accepted or refused the service.
  ///   - changed: called with the state whenever it may have changed, until the service is released
  ///     or its state is unknown.
  public func start(
    _ name: String, _ program: Program, description: String, output: Int32, longestUsec: Int64,
    started: @escaping (Refusal?) -> Void, changed: @escaping (Report) -> Void
  ) {
    greeted { [weak self] refusal in
      guard let self, refusal == nil else {
        return started(refusal ?? Self.connectionClosed)
      }
      if let refusal = follow(name, changed) { return started(refusal) }
      let properties = Self.properties(
        of: program, description: description, output: output, longestUsec: longestUsec)
      call(
        "StartTransientUnit",
        [
          .string(name), .string("fail"), .properties(properties), .array(of: "(sa(sv))", []),
        ]
      ) { [weak self] answer in
        if case .failure(let refusal) = answer {
          self?.forget(name)
          return started(refusal)
        }
        started(nil)
        self?.look(at: name)
      }
    }
  }

  /// Requests reports on a service that was started before, perhaps by another process.
  public func resume(_ name: String, changed: @escaping (Report) -> Void) {
    // The manager owns the bus's socket. If there is no socket, there is no manager, and so no
    // service.
    guard hasBus else { return changed(.unknown) }
    greeted { [weak self] refusal in
      guard let self, refusal == nil else {
        return changed(.unreachable(refusal ?? Self.connectionClosed))
      }
      if let refusal = follow(name, changed) { return changed(.unreachable(refusal)) }
      send("RefUnit", [.string(name)])
      look(at: name)
    }
  }

  /// Sends a signal to all processes of a service.
  public func signal(_ name: String, _ number: Int32) {
    send("KillUnit", [.string(name), .string("all"), .int32(number)])
  }

  /// Makes the manager unload a service that has ended.
  public func release(_ name: String) {
    // Only one of the first two calls applies to the service. The manager refuses the other call,
    // which has no effect then.
    send("ResetFailedUnit", [.string(name)])
    send("StopUnit", [.string(name), .string("replace")])
    send("UnrefUnit", [.string(name)])
    forget(name)
  }
}

// MARK: - Services

extension TransientServices {
  private static func properties(
    of program: Program, description: String, output: Int32, longestUsec: Int64
  ) -> [(key: String, value: BusArgument)] {
    let command = BusArgument.structure([
      .string(program.path), .strings(program.arguments), .strings(["no-env-expand"]),
    ])
    return [
      ("Description", .string(description)),
      // The service counts as started when its program has been executed.
      ("Type", .string("exec")),
      // A daemon that starts later can ask for the result until the service is released.
      ("RemainAfterExit", .boolean(true)),
      // While this daemon runs, the reference also keeps the service loaded if another client stops
      // it.
      ("AddRef", .boolean(true)),
      // Processes that the program leaves behind keep running.
      ("KillMode", .string("process")),
      ("ExecStartEx", .array(of: "(sasas)", [command])),
      ("Environment", .strings(program.environment.map(acceptable))),
      ("WorkingDirectory", .string("-\(program.folder)")),
      ("StandardInput", .string("null")),
      ("StandardOutputFileDescriptor", .descriptor(output)),
      ("StandardErrorFileDescriptor", .descriptor(output)),
      ("IgnoreSIGPIPE", .boolean(false)),
      ("RuntimeMaxUSec", .uint64(UInt64(longestUsec))),
      ("TimeoutStopUSec", .uint64(UInt64(stopUsec))),
      ("TasksMax", .uint64(tasks)),
    ]
  }

  /// Replaces control characters with spaces, except tabs and newlines: systemd accepts no other
  /// control characters in a variable.
  private static func acceptable(_ assignment: String) -> String {
    let isFine = assignment.unicodeScalars.allSatisfy { !isRefused($0) }
    guard !isFine else { return assignment }
    var text = String.UnicodeScalarView()
    for scalar in assignment.unicodeScalars { text.append(isRefused(scalar) ? " " : scalar) }
    return String(text)
  }

  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    (scalar.value < 0x20 || scalar.value == 0x7F) && scalar != "\t" && scalar != "\n"
  }

  /// Begins to receive the signals about a service.
  ///
  /// - Returns: why that fails; nil: it does not.
  private func follow(_ name: String, _ body: @escaping (Report) -> Void) -> Refusal? {
    guard let connection, let path = Self.objectPath(name) else { return Self.noBus }
    do {
      try connection.follow(
        path,
        "type='signal',interface='\(Self.propertiesInterface)',member='PropertiesChanged',"
          + "path='\(path)'"
      ) { [weak self] in self?.look(at: name) }
    } catch {
      return Refusal(description: "\(error)")
    }
    followed[path] = body
    return nil
  }

  /// Closes the connection after the last answer, if no reports on a service are requested any
  /// more.
  private func closeIfIdle() {
    if isIdle, unanswered == 0, followed.isEmpty, waiting.isEmpty { close(because: nil) }
  }

  private func forget(_ name: String) {
    guard let path = Self.objectPath(name) else { return }
    followed[path] = nil
    connection?.unfollow(path)
    isIdle = followed.isEmpty && waiting.isEmpty
  }

  private static func objectPath(_ name: String) -> String? {
    var path: UnsafeMutablePointer<CChar>?
    guard sd_bus_path_encode("\(Self.path)/unit", name, &path) >= 0, let path else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// Asks the manager for the state of a service, and passes the answer to the service's handler.
  private func look(at name: String) {
    guard let path = Self.objectPath(name) else { return }
    // The empty name stands for all interfaces of the object.
    call("GetAll", [.string("")], of: path, interface: Self.propertiesInterface) {
      [weak self] answer in
      guard let self, let body = followed[path] else { return }
      let report = Self.report(answer)
      // If the answer is not a state, this is the last report on the service. The caller has to ask
      // again.
      if case .state = report {} else { forget(name) }
      body(report)
    }
  }

  private static func report(_ answer: Answer) -> Report {
    switch answer {
    case .success(let message): state(in: message).map { .state($0) } ?? .unknown
    // For an object that does not exist, sd-bus reports EBADR.
    case .failure(let refusal) where refusal.code == ENOENT || refusal.code == EBADR: .unknown
    case .failure(let refusal): .unreachable(refusal)
    }
  }

  /// The state of a service; nil if the manager knows none of this name.
  private static func state(in message: BusMessage) -> State? {
    var (load, active, sub, result) = ("", "", "", "")
    var (code, status): (Int32, Int32) = (0, 0)
    var hasJob = false
    var state = State(
      end: nil, isOver: false, isNotExecuted: false, result: "", startedUsec: 0, endedUsec: 0)
    message.forEachProperty { name, value in
      switch name {
      case "LoadState": load = value.string() ?? ""
      case "ActiveState": active = value.string() ?? ""
      case "SubState": sub = value.string() ?? ""
      case "Job": hasJob = value.job() != 0
      case "Result": result = value.string() ?? ""
      case "ExecMainCode": code = value.int32() ?? 0
      case "ExecMainStatus": status = value.int32() ?? 0
      case "ExecMainStartTimestampMonotonic": state.startedUsec = Int64(value.uint64() ?? 0)
      case "ExecMainExitTimestampMonotonic": state.endedUsec = Int64(value.uint64() ?? 0)
      default: break
      }
    }
    // The manager has an object even for a name without a unit.
    guard load != "not-found", !active.isEmpty else { return nil }
    state.result = result
    // A unit that is inactive and has a job is about to be started.
    state.isOver = sub == "exited" || active == "failed" || active == "inactive" && !hasJob
    guard state.isOver else { return state }
    // `code` has the values that waitid(2) defines.
    switch code {
    case Int32(CLD_EXITED): state.end = .exited(status)
    case Int32(CLD_KILLED), Int32(CLD_DUMPED): state.end = .killed(status)
    default: break
    }
    state.isNotExecuted = state.end == .exited(notExecuted) && active == "failed"
    return state
  }
}

// MARK: - The connection

extension TransientServices {
  private enum Answer {
    case success(BusMessage)
    case failure(Refusal)
  }

  private static let noBus = Refusal(description: "there is no bus")
  private static let connectionClosed = Refusal(description: "the connection was closed")

  /// Connects if necessary, and runs `body` when the bus has accepted the connection, with nil, or
  /// with the reason why there is no connection.
  private func greeted(_ body: @escaping (Refusal?) -> Void) {
    isIdle = false
    if connection?.isConnected == true { return body(nil) }
    guard let address, hasBus else {
      return body(Refusal(description: "this user has no service manager"))
    }
    waiting.append(body)
    guard connection == nil else { return }
    do {
      connection = try BusConnection(
        loop: loop, address: address,
        onConnected: { [weak self] in self?.connected() },
        onLost: { [weak self] in self?.close(because: "the service manager's bus was lost") })
      greeting?.arm(atUsec: Clocks.monotonicUsec() + timeouts.greetingUsec)
    } catch {
      close(because: "\(error)")
    }
  }

  private func connected() {
    greeting?.arm(atUsec: nil)
    // The manager sends signals about changes only to subscribers.
    send("Subscribe", [])
    let bodies = waiting
    waiting = []
    for body in bodies { body(nil) }
  }

  private func close(because reason: String?) {
    greeting?.arm(atUsec: nil)
    connection?.close()
    connection = nil
    unanswered = 0
    isIdle = false
    let (bodies, lost) = (waiting, followed)
    (waiting, followed) = ([], [:])
    let refusal = reason.map { Refusal(description: $0) } ?? Self.connectionClosed
    for body in bodies { body(refusal) }
    for body in lost.values { body(.unreachable(refusal)) }
  }

  private func call(
    _ member: String, _ arguments: [BusArgument], of path: String = TransientServices.path,
    interface: String = TransientServices.interface, _ done: @escaping (Answer) -> Void
  ) {
    guard let connection else { return done(.failure(Self.noBus)) }
    do {
      try connection.call(
        destination: UserManager.manager, path: path, interface: interface, member: member,
        arguments: arguments, timeoutUsec: timeouts.answerUsec
      ) { [weak self] reply in
        self?.unanswered -= 1
        switch reply {
        case .success(let message): done(.success(message))
        case .failure(let code, let text):
          let isUncertain = code == ETIMEDOUT || code == ECONNRESET
          done(.failure(Refusal(description: text, isUncertain: isUncertain, code: code)))
        }
        self?.closeIfIdle()
      }
      unanswered += 1
    } catch {
      done(.failure(Refusal(description: "\(error)")))
    }
  }

  /// Calls a method of the manager, and ignores its answer.
  private func send(_ member: String, _ arguments: [BusArgument]) {
    guard connection != nil else { return }
    call(member, arguments) { _ in }
  }
}
