import CSystemd
import Glibc

/// Runs programs as transient services of the user's service manager (org.freedesktop.systemd1(5),
/// StartTransientUnit): outside of what our own unit is kept from, with an end that the manager sees
/// and remembers whatever becomes of us.
///
/// A service stays loaded after its end, until it is released, so that whoever comes after us can ask
/// what became of it. What it leaves running runs on. The connection is open while something runs and
/// no longer; nothing here waits.
public final class TransientServices {
  /// A service as the manager has it.
  public struct State: Equatable, Sendable {
    /// How its program ended; nil: it runs, or could not be started.
    public var end: ChildEnd?
    /// It is over.
    public var isOver: Bool
    /// The manager could not execute the program.
    public var isNotExecuted: Bool
    /// The manager's word for how it went.
    public var result: String
    /// CLOCK_MONOTONIC when the program was started, in microseconds; 0: it was not.
    public var startedUsec: Int64
    /// CLOCK_MONOTONIC when it ended; 0: it has not.
    public var endedUsec: Int64
  }

  /// What is known of a service.
  public enum Report: Sendable {
    /// The manager has it.
    case state(State)
    /// The manager has none of this name.
    case unknown
    /// Nobody can say: the manager or its bus is not there now, or does not answer. Nothing is
    /// followed any more; ask again.
    case unreachable(Refusal)
  }

  /// How long somebody may take, in microseconds.
  public struct Patience: Sendable {
    /// The bus, to greet.
    public var greetingUsec: Int64
    /// The manager, to answer a request.
    public var answerUsec: UInt64

    /// Makes one.
    public init(greetingUsec: Int64, answerUsec: UInt64) {
      self.greetingUsec = greetingUsec
      self.answerUsec = answerUsec
    }

    /// A bus greets at once, and a manager that loads units on a slow disk takes its time.
    public static let usual = Patience(greetingUsec: 1_000_000, answerUsec: 60_000_000)
  }

  /// Why a service was not started, or cannot be asked for: the manager's words, or ours.
  public struct Refusal: Error, CustomStringConvertible, Sendable {
    /// The words.
    public let description: String
    /// Nobody can say whether it was started all the same.
    public var isUncertain = false
    /// What it comes down to, as errno.
    var code: Int32 = EIO
    /// The manager has a service of this name, which runs or has not been released.
    public var isTaken: Bool { code == EEXIST }
  }

  /// A service whose processes are to end has so long before they are killed, in microseconds.
  public static let stopUsec: Int64 = 5_000_000
  /// The most processes of one service, with all their threads.
  private static let tasks: UInt64 = 512
  private static let path = "/org/freedesktop/systemd1"
  private static let interface = "\(UserManager.manager).Manager"
  private static let propertiesInterface = "org.freedesktop.DBus.Properties"
  /// systemd.exec(5), "Process exit codes": EXIT_EXEC.
  private static let notExecuted: Int32 = 203

  private let loop: EventLoop
  private let address: String?
  private let patience: Patience
  private var connection: BusConnection?
  private var greeting: TimerSource?
  /// What waits for the greeting.
  private var waiting: [(Refusal?) -> Void] = []
  /// The services that are followed, by the path of their object.
  private var followed: [String: (Report) -> Void] = [:]
  /// Calls that have not been answered.
  private var unanswered = 0
  private var isResting = false

  /// - Parameter address: the bus; nil: `XDG_RUNTIME_DIR/bus`, or `DBUS_SESSION_BUS_ADDRESS`.
  public init(
    loop: EventLoop, address: String? = nil, patience: Patience = .usual
  ) throws(SystemError) {
    self.loop = loop
    self.patience = patience
    self.address = address ?? SessionBus.address
    greeting = try loop.timer(on: .monotonic) { [unowned self] in
      close(because: "the bus of the user's service manager does not answer")
    }
  }

  deinit {
    greeting?.cancel()
    connection?.close()
  }

  /// Whether there could be a manager: a bus where one is looked for.
  public var isConceivable: Bool {
    guard let address else { return false }
    return BusConnection.missingSocket(of: address) == nil
  }

  // MARK: What can be asked for

  /// Starts a service of this name; `output` is its standard output and error, of which the manager
  /// keeps copies.
  ///
  /// - Parameters:
  ///   - longestUsec: it is ended after that by the manager, should we not be there to do it.
  ///   - started: called once: the manager has taken it on, or will not.
  ///   - changed: called with its state whenever that may be another, until it is released, or
  ///     nobody can say any more.
  public func start(
    _ name: String, _ program: Program, description: String, output: Int32, longestUsec: Int64,
    started: @escaping (Refusal?) -> Void, changed: @escaping (Report) -> Void
  ) {
    greeted { [weak self] refusal in
      guard let self, refusal == nil else {
        return started(refusal ?? Self.nobody)
      }
      follow(name, changed)
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

  /// Follows a service that was started before, perhaps by another process.
  public func resume(_ name: String, changed: @escaping (Report) -> Void) {
    // Its bus's socket is the manager's own: they are gone together, and its services with them.
    guard isConceivable else { return changed(.unknown) }
    greeted { [weak self] refusal in
      guard let self, refusal == nil else {
        return changed(.unreachable(refusal ?? Self.nobody))
      }
      follow(name, changed)
      tell("RefUnit", [.string(name)])
      look(at: name)
    }
  }

  /// Sends a signal to all processes of a service.
  public func signal(_ name: String, _ number: Int32) {
    tell("KillUnit", [.string(name), .string("all"), .int32(number)])
  }

  /// Lets the manager forget a service that is over.
  public func release(_ name: String) {
    // Whichever it is in need of: the other one is refused, and changes nothing.
    tell("ResetFailedUnit", [.string(name)])
    tell("StopUnit", [.string(name), .string("replace")])
    tell("UnrefUnit", [.string(name)])
    forget(name)
  }
}

// MARK: - The service

extension TransientServices {
  private static func properties(
    of program: Program, description: String, output: Int32, longestUsec: Int64
  ) -> [(key: String, value: BusArgument)] {
    let command = BusArgument.structure([
      .string(program.path), .strings(program.arguments), .strings(["no-env-expand"]),
    ])
    return [
      ("Description", .string(description)),
      // Started is what has been executed.
      ("Type", .string("exec")),
      // Its end can be asked for until it is released, by whoever is here then.
      ("RemainAfterExit", .boolean(true)),
      // And as long as we are here, also if somebody else stops it.
      ("AddRef", .boolean(true)),
      // What it has left running is none of its business any more.
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

  /// systemd takes no control characters in a variable, but for tabs and newlines.
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

  private func follow(_ name: String, _ body: @escaping (Report) -> Void) {
    guard let connection, let path = Self.objectPath(name) else {
      return body(.unreachable(Self.noBus))
    }
    followed[path] = body
    do {
      try connection.follow(
        path,
        "type='signal',interface='\(Self.propertiesInterface)',member='PropertiesChanged',"
          + "path='\(path)'"
      ) { [weak self] in self?.look(at: name) }
    } catch {
      // Asked for once after the start, and again when its time is up.
    }
  }

  /// Nothing is followed: the connection is closed when the last call has been answered.
  private func restIfDone() {
    if isResting, unanswered == 0, followed.isEmpty, waiting.isEmpty { close(because: nil) }
  }

  private func forget(_ name: String) {
    guard let path = Self.objectPath(name) else { return }
    followed[path] = nil
    connection?.unfollow(path)
    isResting = followed.isEmpty && waiting.isEmpty
  }

  private static func objectPath(_ name: String) -> String? {
    var path: UnsafeMutablePointer<CChar>?
    guard sd_bus_path_encode("\(Self.path)/unit", name, &path) >= 0, let path else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// Asks how a service is, and tells whoever follows it.
  private func look(at name: String) {
    guard let path = Self.objectPath(name) else { return }
    // Of all its interfaces.
    call("GetAll", [.string("")], of: path, interface: Self.propertiesInterface) {
      [weak self] answer in
      guard let self, let body = followed[path] else { return }
      let report = Self.report(answer)
      // Whoever wants to know more asks again.
      if case .state = report {} else { forget(name) }
      body(report)
    }
  }

  private static func report(_ answer: Answer) -> Report {
    switch answer {
    case .success(let message): state(in: message).map { .state($0) } ?? .unknown
    // NoSuchUnit, and as sd-bus has it, an object that is not there.
    case .failure(let refusal) where refusal.code == ENOENT || refusal.code == EBADR: .unknown
    case .failure(let refusal): .unreachable(refusal)
    }
  }

  /// Nil: there is none of this name.
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
    // A name that nothing is called by has an object all the same.
    guard load != "not-found", !active.isEmpty else { return nil }
    state.result = result
    // One that is inactive and has a job is about to start.
    state.isOver = sub == "exited" || active == "failed" || active == "inactive" && !hasJob
    guard state.isOver else { return state }
    // The codes of waitid(2).
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
  private static let nobody = Refusal(description: "nobody listens any more")

  /// Runs `body` once the bus has greeted.
  private func greeted(_ body: @escaping (Refusal?) -> Void) {
    isResting = false
    if connection?.isConnected == true { return body(nil) }
    guard let address, isConceivable else {
      return body(Refusal(description: "there is no service manager of the user's"))
    }
    waiting.append(body)
    guard connection == nil else { return }
    do {
      connection = try BusConnection(
        loop: loop, address: address,
        onConnected: { [weak self] in self?.connected() },
        onLost: { [weak self] in self?.close(because: "the service manager's bus was lost") })
      greeting?.arm(atUsec: Clocks.monotonicUsec() + patience.greetingUsec)
    } catch {
      close(because: "\(error)")
    }
  }

  private func connected() {
    greeting?.arm(atUsec: nil)
    // Without it the manager tells of no changes.
    tell("Subscribe", [])
    let bodies = waiting
    waiting = []
    for body in bodies { body(nil) }
  }

  private func close(because reason: String?) {
    greeting?.arm(atUsec: nil)
    connection?.close()
    connection = nil
    unanswered = 0
    isResting = false
    let (bodies, lost) = (waiting, followed)
    (waiting, followed) = ([], [:])
    let refusal = reason.map { Refusal(description: $0) } ?? Self.nobody
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
        arguments: arguments, patienceUsec: patience.answerUsec
      ) { [weak self] reply in
        self?.unanswered -= 1
        switch reply {
        case .success(let message): done(.success(message))
        case .failure(let code, let text):
          let isUncertain = code == ETIMEDOUT || code == ECONNRESET
          done(.failure(Refusal(description: text, isUncertain: isUncertain, code: code)))
        }
        self?.restIfDone()
      }
      unanswered += 1
    } catch {
      done(.failure(Refusal(description: "\(error)")))
    }
  }

  /// Calls a method of the manager's whose answer changes nothing.
  private func tell(_ member: String, _ arguments: [BusArgument]) {
    guard connection != nil else { return }
    call(member, arguments) { _ in }
  }
}
