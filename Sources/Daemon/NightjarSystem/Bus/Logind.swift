import CSystemd
import Glibc
public import NightjarInterface
import NightjarModel

/// Receives logind's signals about sleep, and takes its inhibitors (org.freedesktop.login1(5)).
///
/// If there is no system bus or no logind, the state is `unavailable`, and this object waits for
/// them without polling. If the bus is lost, it tries to connect again: at once, then after waits
/// that grow to 60 s. All calls are asynchronous, and all handlers are called on the loop.
public final class Logind {
  /// What logind reports to the receiver.
  public enum Event: Sendable {
    /// True: the machine is about to sleep. False: the machine has resumed, or the sleep was
    /// cancelled.
    case prepareForSleep(Bool)
    /// logind has answered for the first time, after a restart of logind, or over a new bus. The
    /// process holds no inhibitor now, so the receiver should take one. `preparing` is logind's
    /// property PreparingForSleep. Signals that arrived before the property was read are not
    /// reported.
    case available(preparing: Bool)
    /// logind cannot announce sleep at present. This is reported again whenever the reason changes.
    case unavailable(reason: String)
    /// logind has refused an inhibitor of this mode, `delay` or `block`, or could not be asked.
    case inhibitorRefused(mode: String, Refusal)
    /// The user's presence has changed. The first value is reported, too, even if it is `unknown`.
    case presence(UserPresence)
  }

  /// Why the process gets no inhibitor.
  public struct Refusal: Sendable {
    /// Whether polkit does not allow the inhibitor.
    public let isDenied: Bool
    /// The words of logind or of the system.
    public let reason: Sentence

    init(isDenied: Bool = false, _ reason: Sentence) {
      (self.isDenied, self.reason) = (isDenied, reason)
    }
  }

  /// Why logind does not announce sleep; nil: it does.
  public private(set) var unavailableReason: String? = "not connected to the system bus yet"

  /// Whether the user is at the machine, according to the user's sessions.
  public var presence: UserPresence { sessions.presence }

  /// How often the receiver asks whether an announced sleep is over, in microseconds on
  /// CLOCK_BOOTTIME. A logind that was restarted after the announcement does not report the end of
  /// the sleep.
  public static let sleepCheckUsec: Int64 = 10_000_000
  /// How long after a refusal the receiver asks for the inhibitor again, in microseconds on
  /// CLOCK_BOOTTIME: the first wait, and the longest one. Each refusal doubles the wait.
  public static let refusalWaitsUsec: ClosedRange<Int64> = 10_000_000...3_600_000_000

  static let busName = "org.freedesktop.login1"
  private static let managerPath = "/org/freedesktop/login1"
  private static let managerInterface = "org.freedesktop.login1.Manager"
  private static let longestRetryUsec: Int64 = 60_000_000
  /// How long, in microseconds, logind may take to answer whether the machine is about to sleep.
  /// Timers wait for the answer.
  static let timeoutUsec: UInt64 = 5_000_000

  private let loop: EventLoop
  private let address: String
  private let onEvent: (Event) -> Void

  private var connection: BusConnection?
  private var wasEverConnected = false
  private var retryTimer: TimerSource?
  private var retryDelayUsec: Int64 = 0

  /// The unique bus name of the logind that has answered; nil: none has. Signals about sleep from
  /// any other sender are ignored.
  private var owner: String?
  /// The number of runs of logind that were seen. An answer of an earlier run is ignored.
  private var generation = 0
  private var resynchronisations = 0

  private let sessions: UserSessions
  private let delay: Inhibitor
  private let block = Inhibitor(mode: "block", why: "A timer woke the machine")

  /// Begins to connect in the loop's next iteration.
  ///
  /// - Parameters:
  ///   - address: the bus; nil means `DBUS_SYSTEM_BUS_ADDRESS`, or else the system bus's usual
  ///     socket.
  ///   - why: the purpose of the delay inhibitor, as `systemd-inhibit --list` shows it.
  public init(
    loop: EventLoop, address: String? = nil, why: String = "Persist timers before sleep",
    onEvent: @escaping (Event) -> Void
  ) {
    self.loop = loop
    sessions = UserSessions { onEvent(.presence($0)) }
    delay = Inhibitor(mode: "delay", why: why)
    self.address =
      address ?? getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
      ?? "unix:path=/run/dbus/system_bus_socket"
    self.onEvent = onEvent
    loop.later { [weak self] in self?.connect() }
  }

  deinit {
    retryTimer?.cancel()
    connection?.close()
  }

  /// The unique bus name of this connection, for tests.
  var uniqueName: String? { connection?.uniqueName }

  // MARK: The inhibitor

  /// Whether the process holds a delay inhibitor. While it does, the machine sleeps only after the
  /// release of the inhibitor, or after logind's InhibitDelayMaxSec.
  public var holdsInhibitor: Bool { delay.descriptor != nil }

  /// Requests a delay inhibitor. Does nothing if one is held or requested already, or while logind
  /// is unavailable.
  public func takeInhibitor() { take(delay) }

  /// Releases the delay inhibitor, or cancels the request for one. If logind grants a cancelled
  /// request later, that inhibitor is released at once.
  public func releaseInhibitor() { delay.release() }

  /// Whether the process holds a block inhibitor, which keeps the machine from sleeping by itself.
  public var keepsAwake: Bool { block.descriptor != nil }

  /// Requests a block inhibitor, which keeps the machine awake until `letSleep` is called. polkit
  /// may refuse it to a user without a session.
  public func keepAwake() { take(block) }

  /// Releases the block inhibitor, or cancels the request for one.
  public func letSleep() { block.release() }

  private func take(_ inhibitor: Inhibitor) {
    guard unavailableReason == nil, let connection, let request = inhibitor.begin() else { return }
    do {
      try connection.call(
        destination: Logind.busName, path: Logind.managerPath, interface: Logind.managerInterface,
        member: "Inhibit",
        arguments: [
          .string("sleep"), .string("Nightjar"), .string(inhibitor.why), .string(inhibitor.mode),
        ]
      ) { [weak self] in
        guard let self, let refusal = inhibitor.finish($0, request: request) else { return }
        onEvent(.inhibitorRefused(mode: inhibitor.mode, refusal))
      }
    } catch {
      inhibitor.release()
      onEvent(.inhibitorRefused(mode: inhibitor.mode, Refusal("\(error)")))
    }
  }

  // MARK: PreparingForSleep

  /// Reads logind's property PreparingForSleep. `done` is called once, in a later iteration, with
  /// nil if the property could not be read.
  public func readPreparingForSleep(_ done: @escaping (Bool?) -> Void) {
    getPreparingForSleep { answer in
      switch answer {
      case .success(let message): done(message.readVariantBool())
      case .failure: done(nil)
      }
    }
  }

  /// Reads again whether the machine is about to sleep. The daemon calls this after a time in which
  /// the process did not run, for example after SIGCONT. PrepareForSleep signals that have queued
  /// up in that time are outdated and are dropped.
  ///
  /// The bus delivers the messages of one sender in order, so a signal that arrives before the
  /// answer is older than the answer. `done` gets nil if the property could not be read.
  public func resynchronise(_ done: @escaping (Bool?) -> Void) {
    resynchronisations += 1
    readPreparingForSleep { [weak self] preparing in
      self?.resynchronisations -= 1
      done(preparing)
    }
  }

  private func getPreparingForSleep(_ completion: @escaping (BusConnection.Reply) -> Void) {
    do throws(SystemError) {
      // If the connection still waits for the bus to appear, a call would wait as well.
      guard let connection, connection.isConnected else {
        throw SystemError(operation: "read PreparingForSleep", code: ENOTCONN)
      }
      try connection.call(
        destination: Logind.busName, path: Logind.managerPath,
        interface: "org.freedesktop.DBus.Properties", member: "Get",
        arguments: [.string(Logind.managerInterface), .string("PreparingForSleep")],
        timeoutUsec: Logind.timeoutUsec, completion: completion)
    } catch {
      loop.later { completion(.failure(code: error.code, text: "\(error)")) }
    }
  }

  // MARK: The connection

  private func connect() {
    connection?.close()
    connection = nil
    // Schedule another attempt in any case, because an attempt that hangs reports no failure.
    if wasEverConnected { scheduleRetry() }
    do {
      let connection = try BusConnection(
        loop: loop, address: address,
        onConnected: { [weak self] in self?.busGreeted() },
        onLost: { [weak self] in self?.busLost() })
      // Send the match rules first. If the property were read before that, a signal between the two
      // could be missed.
      try connection.match(
        "type='signal',sender='\(Logind.busName)',path='\(Logind.managerPath)',"
          + "interface='\(Logind.managerInterface)',member='PrepareForSleep'"
      ) { [weak self] in self?.prepareForSleep($0) }
      try connection.match(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(Logind.busName)'"
      ) { [weak self] in self?.ownerChanged($0) }
      try sessions.listen(on: connection) { [weak self] in self?.owner }
      self.connection = connection
      if let missing = BusConnection.missingSocket(of: address) {
        becomeUnavailable("no system bus: \(missing) does not exist")
      }
    } catch {
      becomeUnavailable("\(error)")
    }
  }

  private func busGreeted() {
    wasEverConnected = true
    retryTimer?.arm(atUsec: nil)
    probe()
  }

  private func busLost() {
    connection?.close()
    connection = nil
    becomeUnavailable("the connection to the system bus was lost")
    if wasEverConnected { scheduleRetry() }
  }

  /// Schedules the next attempt to connect: the first one at once, the next ones after 1 s, 2 s,
  /// and so on up to 60 s.
  private func scheduleRetry() {
    do {
      let timer = try retryTimer ?? loop.timer(on: .boottime) { [weak self] in self?.retry() }
      retryTimer = timer
      timer.arm(atUsec: loop.now.boottimeUsec + retryDelayUsec)
      retryDelayUsec = min(max(retryDelayUsec * 2, 1_000_000), Logind.longestRetryUsec)
    } catch {
      becomeUnavailable("\(error)")
    }
  }

  private func retry() {
    if let connection, connection.isConnected { probe() } else { connect() }
  }

  // MARK: logind

  /// Reads the property PreparingForSleep from logind. The answer shows that logind runs, what its
  /// unique name is, and whether the machine is about to sleep.
  private func probe() {
    forgetLogind()
    let asked = generation
    getPreparingForSleep { [weak self] reply in
      guard let self, asked == generation else { return }
      switch reply {
      case .success(let message):
        guard let preparing = message.readVariantBool() else {
          becomeUnavailable("logind's PreparingForSleep is no boolean")
          return
        }
        owner = message.sender
        retryDelayUsec = 0
        unavailableReason = nil
        onEvent(.available(preparing: preparing))
        sessions.read()
      case .failure(let code, let text):
        // When a connection is lost, its calls fail first, and the loss is reported right after
        // that.
        guard let connection, connection.isOpen else { return }
        becomeUnavailable("logind does not answer: \(text)")
        // If no logind runs, the bus reports when one starts. If a logind hangs, it has to be asked
        // again.
        if code == ETIMEDOUT { scheduleRetry() }
      }
    }
  }

  private func prepareForSleep(_ message: BusMessage) {
    guard resynchronisations == 0, let owner, message.sender == owner,
      let sleeps = message.readBool()
    else { return }
    onEvent(.prepareForSleep(sleeps))
  }

  private func ownerChanged(_ message: BusMessage) {
    guard message.sender == "org.freedesktop.DBus", message.readString() == Logind.busName,
      message.readString() != nil, let newOwner = message.readString()
    else { return }
    if newOwner.isEmpty {
      becomeUnavailable("logind has left the system bus")
    } else {
      probe()
    }
  }

  /// Drops all data that belongs to one run of logind, because the next run knows nothing of it.
  private func forgetLogind() {
    generation += 1
    owner = nil
    sessions.forgetAnswers()
    delay.release()
    block.release()
    if unavailableReason == nil { unavailableReason = "logind has not answered yet" }
  }

  private func becomeUnavailable(_ reason: String) {
    forgetLogind()
    sessions.forget(reason)
    guard unavailableReason != reason else { return }
    unavailableReason = reason
    onEvent(.unavailable(reason: reason))
  }
}

/// An inhibitor of logind, which lasts as long as its descriptor is open, and the request for one.
private final class Inhibitor {
  let mode: String
  let why: String
  private(set) var descriptor: Descriptor?
  private var requests = 0
  private var awaited: Int?

  init(mode: String, why: String) {
    self.mode = mode
    self.why = why
  }

  /// Begins a request, and returns its number; nil if a request is pending or an inhibitor is held.
  func begin() -> Int? {
    guard descriptor == nil, awaited == nil else { return nil }
    requests += 1
    awaited = requests
    return requests
  }

  /// Handles logind's answer to a request.
  ///
  /// - Returns: logind's reason if it refused the request; nil otherwise.
  func finish(_ reply: BusConnection.Reply, request: Int) -> Logind.Refusal? {
    // The request was cancelled in the meantime, or the answer is from an earlier run of logind.
    // The descriptor in the message is closed with the message.
    guard awaited == request else { return nil }
    awaited = nil
    switch reply {
    case .success(let message):
      do {
        descriptor = try message.readDescriptor()
        return nil
      } catch {
        return Logind.Refusal("\(error)")
      }
    // sd-bus has EACCES for AccessDenied and for InteractiveAuthorizationRequired.
    case .failure(let code, let text):
      return Logind.Refusal(isDenied: [EACCES, EPERM].contains(code), Sentence(text))
    }
  }

  func release() {
    descriptor = nil
    awaited = nil
  }
}
