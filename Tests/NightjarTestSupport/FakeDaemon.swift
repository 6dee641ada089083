import CLinux
import Foundation
import Glibc
import NightjarInterface
import Synchronization
public import Varlink

/// A Varlink server in this process, on a UNIX socket. The test chooses its answers.
public final class FakeDaemon: Sendable {
  /// A call that the server has received.
  public struct Request: Sendable {
    public let method: String
    /// The parameters, as a JSON object. `undo_id` is left out.
    public let parameters: JSONValue
    /// The parameter `undo_id`, which is different in each run; nil: the call has none.
    public let undoID: String?
    public let more: Bool
    /// The number of the connection. The first connection has the number 0.
    public let connection: Int
  }

  /// An action of the server after a call. After one call, several actions may follow.
  public enum Answer: Sendable {
    case reply(JSONValue, continues: Bool = false)
    /// An error. A name without dots is an error of `org.nightjar.Timers`; a name with dots is the
    /// full name of an error.
    case error(String, JSONValue = .object([]))
    case raw([UInt8])
    /// A wait until the test opens the gate.
    case wait(Gate)
    case close
  }

  /// A gate, which a test opens when the server may continue.
  public final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    public init() {}

    /// Opens the gate for one waiter.
    public func open() { semaphore.signal() }

    /// Waits until the gate is opened, for at most two minutes.
    ///
    /// - Returns: whether the gate was opened.
    @discardableResult
    public func wait() -> Bool { semaphore.wait(timeout: .now() + 120) == .success }
  }

  private struct State {
    var listener: Int32 = -1
    var connections: [Int32] = []
    var requests: [Request] = []
  }

  public let path: String
  private let folder: TestFolder?
  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)
  private let departures = DispatchSemaphore(value: 0)
  private let answer: @Sendable (Request) -> [Answer]

  /// Starts the server, with a socket at `path`.
  ///
  /// - Parameter answer: returns the actions for a call. It is called on the thread of the call's
  ///   connection.
  public init(path: String, answer: @escaping @Sendable (Request) -> [Answer]) throws {
    folder = nil
    self.path = path
    self.answer = answer
    try listen()
  }

  /// Starts the server, with a socket in a folder of its own.
  public init(answer: @escaping @Sendable (Request) -> [Answer]) throws {
    let folder = try TestFolder()
    self.folder = folder
    path = folder.path + "/socket"
    self.answer = answer
    try listen()
  }

  /// Starts a server whose `Status` has the name and the last number of a ledger.
  public convenience init(
    ledger: String, lastSeq: Int64, answer: @escaping @Sendable (Request) -> [Answer]
  ) throws {
    try self.init { request in
      guard request.method == "Status" else { return answer(request) }
      return [.reply(Self.status(ledger: ledger, lastSeq: lastSeq))]
    }
  }

  /// A reply to `Status` with the name and the last number of a ledger.
  public static func status(ledger: String, lastSeq: Int64) -> JSONValue {
    var status = Wire.Status.Reply.blank
    (status.storage.ledger, status.storage.lastSeq) = (ledger, lastSeq)
    return JSONValue(status)
  }

  deinit { stop() }

  /// The number of connections of clients that are open, as far as the server has noticed.
  public var openConnections: Int { state.withLock { $0.connections.count } }

  public var requests: [Request] { state.withLock { $0.requests } }

  /// Closes the socket and all connections, as a daemon that ends does.
  public func stop() {
    unlink(path)
    state.withLock { state in
      let open = state.connections + (state.listener >= 0 ? [state.listener] : [])
      state.connections = []
      state.listener = -1
      // Each thread closes its own descriptor, after shutdown(2) has ended its wait. The lock is
      // held, because a thread removes a descriptor from the list before it closes it. After that,
      // the number may belong to another file.
      for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Listens at the same path again, as a daemon that is started again does.
  public func listen() throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let bound = nj_unix_bind(listener, path)
    guard bound == 0, Glibc.listen(listener, 16) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: bound == 0 ? errno : -bound) ?? .EIO)
    }
    state.withLock { $0.listener = listener }
    Thread.detachNewThread { [weak self] in
      var number = 0
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        self?.serve(connection, number: number)
        number += 1
      }
      self?.state.withLock { if $0.listener == listener { $0.listener = -1 } }
      close(listener)
    }
  }

  private func serve(_ connection: Int32, number: Int) {
    let isListening = state.withLock { state in
      if state.listener >= 0 { state.connections.append(connection) }
      return state.listener >= 0
    }
    guard isListening else {
      close(connection)
      return
    }
    Thread.detachNewThread { [weak self] in
      let client = VarlinkConnection(owning: connection)
      while let self, !client.isBroken, !client.hasInputEnded {
        if let frame = client.nextFrame() {
          guard self.handle(frame, of: client, number: number) else { break }
        } else {
          _ = client.wait()
        }
      }
      self?.state.withLock { $0.connections.removeAll { $0 == connection } }
      self?.departures.signal()
      // A process that was started in the meantime may have inherited the connection. In that case
      // close(2) alone would not end it.
      shutdown(connection, Int32(SHUT_RDWR))
    }
  }

  /// - Returns: whether the connection stays open.
  private func handle(_ frame: [UInt8], of client: VarlinkConnection, number: Int) -> Bool {
    let request: Request
    do {
      request = try frame.withUnsafeBytes { frame in
        let call = try VarlinkCall.parse(frame)
        let parameters = try call.parameters.map { try JSONValue.parse($0) } ?? .object([])
        let rest = (parameters.objectValue ?? []).filter { $0.key != "undo_id" }
        return Request(
          method: call.method.string.split(separator: ".").last.map(String.init) ?? "",
          parameters: .object(rest), undoID: parameters["undo_id"]?.stringValue,
          more: call.more, connection: number)
      }
    } catch {
      return false
    }
    state.withLock { $0.requests.append(request) }
    arrivals.signal()
    for answer in self.answer(request) {
      switch answer {
      case .reply(let parameters, let continues):
        var members: [JSONValue.Member] = [.init("parameters", parameters)]
        if continues { members.append(.init("continues", true)) }
        send(JSONValue.object(members).bytes + [0], to: client)
      case .error(let name, let parameters):
        let full = name.contains(".") ? name : "\(TimersInterface.name).\(name)"
        send(
          JSONValue.object([.init("error", .string(full)), .init("parameters", parameters)]).bytes
            + [0], to: client)
      case .raw(let bytes): send(bytes, to: client)
      case .wait(let gate): gate.wait()
      case .close: return false
      }
    }
    return true
  }

  private func send(_ bytes: [UInt8], to client: VarlinkConnection) {
    client.outlet.output += bytes
    client.flushAll()
  }
}

extension FakeDaemon {
  /// Waits until the server has received a call for which `isIncluded` is true.
  ///
  /// - Returns: whether such a call was received in time.
  @discardableResult public func awaitRequest(
    within seconds: Double = 10, _ isIncluded: (Request) -> Bool
  ) -> Bool {
    wait(for: arrivals, within: seconds) { requests.contains(where: isIncluded) }
  }

  /// Waits for a call, as `awaitRequest` does, for tests that must not block their thread.
  public func requested(_ isIncluded: @escaping @Sendable (Request) -> Bool) async -> Bool {
    await elsewhere { $0.awaitRequest(within: 600, isIncluded) }
  }

  /// Waits until no client has a connection, for at most two minutes. It does not block the thread.
  ///
  /// - Returns: whether all connections are closed.
  public func closed() async -> Bool {
    await elsewhere { daemon in
      daemon.wait(for: daemon.departures, within: 120) { daemon.openConnections == 0 }
    }
  }

  private func wait(
    for signal: DispatchSemaphore, within seconds: Double, until isMet: () -> Bool
  ) -> Bool {
    let limit = Date(timeIntervalSinceNow: seconds)
    while !isMet() {
      guard signal.wait(timeout: .now() + 0.05) == .success || Date() < limit else { return false }
    }
    return true
  }

  private func elsewhere(_ body: @escaping @Sendable (FakeDaemon) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body(self)) }
    }
  }
}
