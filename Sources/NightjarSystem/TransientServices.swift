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

  /// Why a service was not started: the manager's words, or ours.
  public struct Refusal: Error, CustomStringConvertible, Sendable {
    /// The words.
    public let description: String
  }

  /// The manager has so long to answer, in microseconds: to a greeting, and to a request.
  private static let patienceUsec: (greeting: Int64, answer: UInt64) = (1_000_000, 5_000_000)
  /// A service whose processes are to end has so long before they are killed, in microseconds.
  private static let stopUsec: UInt64 = 5_000_000
  /// The most processes of one service, with all their threads.
  private static let tasks: UInt64 = 512
  private static let path = "/org/freedesktop/systemd1"
  private static let interface = "\(UserManager.manager).Manager"
  private static let properties = "org.freedesktop.DBus.Properties"
  /// systemd.exec(5), "Process exit codes": EXIT_EXEC.
  private static let notExecuted: Int32 = 203

  private let loop: EventLoop
  private let address: String?
  private var connection: BusConnection?
  private var greeting: TimerSource?
  /// What waits for the greeting.
  private var waiting: [(Refusal?) -> Void] = []
  /// The services that are followed, by the path of their object.
  private var followed: [String: (State?) -> Void] = [:]
  /// Calls that have not been answered.
  private var unanswered = 0
  private var isResting = false

  /// - Parameter address: the bus; nil: `XDG_RUNTIME_DIR/bus`, or `DBUS_SESSION_BUS_ADDRESS`.
  public init(loop: EventLoop, address: String? = nil) throws(SystemError) {
    self.loop = loop
    self.address = address ?? UserManager.busAddress
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
    let prefix = "unix:path="
    guard address.hasPrefix(prefix) else { return true }
    let path = address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" }
    return access(String(path), F_OK) == 0
  }

  // MARK: What can be asked for

  /// Starts a service of this name; `output` is its standard output and error, of which the manager
  /// keeps copies.
  ///
  /// - Parameters:
  ///   - longestUsec: it is ended after that by the manager, should we not be there to do it.
  ///   - started: called once: the manager has taken it on, or will not.
  ///   - changed: called with its state whenever that may be another, until it is released; with nil
  ///     if the manager is lost.
  public func start(
    _ name: String, _ program: Program, description: String, output: Int32, longestUsec: Int64,
    started: @escaping (Refusal?) -> Void, changed: @escaping (State?) -> Void
  ) {
    greeted { [weak self] refusal in
      guard let self, refusal == nil, let connection else {
        return started(refusal ?? Refusal(description: "nobody listens any more"))
      }
      follow(name, changed)
      let call = BusCall(
        connection, destination: UserManager.manager, path: Self.path, interface: Self.interface,
        member: "StartTransientUnit")
      call.string(name)
      call.string("fail")
      call.array(of: "(sv)") {
        Self.describe(
          program, to: call, description: description, output: output, longestUsec: longestUsec)
      }
      call.array(of: "(sa(sv))") {}
      send(call) { [weak self] answer in
        if case .failure(let refusal) = answer {
          self?.forget(name)
          return started(refusal)
        }
        started(nil)
        self?.look(at: name)
      }
    }
  }

  /// Follows a service that was started before, perhaps by another process. `changed` is called with
  /// nil if there is none of this name.
  public func resume(_ name: String, changed: @escaping (State?) -> Void) {
    greeted { [weak self] refusal in
      guard let self, refusal == nil else { return changed(nil) }
      follow(name, changed)
      tell("RefUnit") { $0.string(name) }
      look(at: name)
    }
  }

  /// Sends a signal to all processes of a service.
  public func signal(_ name: String, _ number: Int32) {
    tell("KillUnit") { call in
      call.string(name)
      call.string("all")
      call.int32(number)
    }
  }

  /// Lets the manager forget a service that is over.
  public func release(_ name: String) {
    // Whichever it is in need of: the other one is refused, and changes nothing.
    tell("ResetFailedUnit") { $0.string(name) }
    tell("StopUnit") { call in
      call.string(name)
      call.string("replace")
    }
    tell("UnrefUnit") { $0.string(name) }
    forget(name)
    isResting = followed.isEmpty && waiting.isEmpty
  }
}

// MARK: - The service

extension TransientServices {
  private static func describe(
    _ program: Program, to call: BusCall, description: String, output: Int32, longestUsec: Int64
  ) {
    call.property("Description", "s") { call.string(description) }
    // Started is what has been executed.
    call.property("Type", "s") { call.string("exec") }
    // Its end can be asked for until it is released, by whoever is here then.
    call.property("RemainAfterExit", "b") { call.bool(true) }
    // And as long as we are here, also if somebody else stops it.
    call.property("AddRef", "b") { call.bool(true) }
    // What it has left running is none of its business any more.
    call.property("KillMode", "s") { call.string("process") }
    call.property("ExecStartEx", "a(sasas)") {
      call.array(of: "(sasas)") {
        call.structure("sasas") {
          call.string(program.path)
          call.strings(program.arguments)
          call.strings(["no-env-expand"])
        }
      }
    }
    call.property("Environment", "as") { call.strings(program.environment.map(acceptable)) }
    call.property("WorkingDirectory", "s") { call.string("-\(program.folder)") }
    call.property("StandardInput", "s") { call.string("null") }
    call.property("StandardOutputFileDescriptor", "h") { call.descriptor(output) }
    call.property("StandardErrorFileDescriptor", "h") { call.descriptor(output) }
    call.property("IgnoreSIGPIPE", "b") { call.bool(false) }
    call.property("RuntimeMaxUSec", "t") { call.uint64(UInt64(longestUsec)) }
    call.property("TimeoutStopUSec", "t") { call.uint64(stopUsec) }
    call.property("TasksMax", "t") { call.uint64(tasks) }
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

  private func follow(_ name: String, _ body: @escaping (State?) -> Void) {
    guard let connection, let path = Self.objectPath(name) else { return body(nil) }
    followed[path] = body
    do {
      try connection.follow(
        path,
        "type='signal',interface='\(Self.properties)',member='PropertiesChanged',"
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
  }

  private static func objectPath(_ name: String) -> String? {
    var path: UnsafeMutablePointer<CChar>?
    guard sd_bus_path_encode("\(Self.path)/unit", name, &path) >= 0, let path else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// Asks how a service is, and tells whoever follows it.
  private func look(at name: String) {
    guard let connection, let path = Self.objectPath(name) else { return }
    let call = BusCall(
      connection, destination: UserManager.manager, path: path, interface: Self.properties,
      member: "GetAll")
    // Of all its interfaces.
    call.string("")
    send(call) { [weak self] answer in
      guard let body = self?.followed[path] else { return }
      switch answer {
      case .failure: body(nil)
      case .success(let message): body(Self.state(in: message))
      }
    }
  }

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
      greeting?.arm(atUsec: Clocks.monotonicUsec() + Self.patienceUsec.greeting)
    } catch {
      close(because: "\(error)")
    }
  }

  private func connected() {
    greeting?.arm(atUsec: nil)
    // Without it the manager tells of no changes.
    tell("Subscribe") { _ in }
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
    for body in bodies { body(Refusal(description: reason ?? "nobody listens any more")) }
    for body in lost.values { body(nil) }
  }

  private func send(_ call: BusCall, _ done: @escaping (Answer) -> Void) {
    do {
      try call.send(patienceUsec: Self.patienceUsec.answer) { [weak self] reply in
        self?.unanswered -= 1
        switch reply {
        case .success(let message): done(.success(message))
        case .failure(_, let text): done(.failure(Refusal(description: text)))
        }
        self?.restIfDone()
      }
      unanswered += 1
    } catch {
      done(.failure(Refusal(description: "\(error)")))
    }
  }

  /// Calls a method of the manager's whose answer changes nothing.
  private func tell(_ member: String, _ body: (BusCall) -> Void) {
    guard let connection else { return }
    let call = BusCall(
      connection, destination: UserManager.manager, path: Self.path, interface: Self.interface,
      member: member)
    body(call)
    send(call) { _ in }
  }
}
