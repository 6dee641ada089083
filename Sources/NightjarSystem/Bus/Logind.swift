import CSystemd
import Glibc
import NightjarModel

/// Receives logind's signals about sleep, and takes its inhibitors (org.freedesktop.login1(5)).
///
/// Without a system bus or a logind, this object is unavailable, and waits for them without
/// polling. After a lost bus it tries again, soon at first and then every 60 s. All calls are
/// asynchronous and all handlers are called on the loop.
public final class Logind {
  /// A message to the receiver.
  public enum Event: Equatable, Sendable {
    /// The machine is about to sleep (true), or has resumed (false).
    case prepareForSleep(Bool)
    /// logind answers: for the first time, after a restart, or over a new bus. No inhibitor is
    /// held; the receiver should take one. `preparing` is logind's PreparingForSleep property.
    /// Signals from before that property was read are not reported.
    case available(preparing: Bool)
    /// logind does not announce sleep for now. Reported again whenever the reason changes.
    case unavailable(reason: String)
  }

  /// Why logind does not announce sleep; nil while connected to a logind that answers.
  public private(set) var unavailableReason: String? = "not connected to the system bus yet"

  /// Called with an inhibitor's mode and logind's reason when it refuses one.
  public var onInhibitorRefused: (_ mode: String, _ reason: String) -> Void = { _, _ in }

  /// Called when the user left or came back, and once when the presence is first known.
  public var onPresence: (UserPresence) -> Void {
    get { sessions.onPresence }
    set { sessions.onPresence = newValue }
  }

  /// Whether the user is at the machine, according to the user's sessions.
  public var presence: UserPresence { sessions.presence }

  static let busName = "org.freedesktop.login1"
  private static let managerPath = "/org/freedesktop/login1"
  private static let managerInterface = "org.freedesktop.login1.Manager"
  private static let longestRetryUsec: Int64 = 60_000_000
  /// How long, in microseconds, logind may take to answer whether a sleep is ahead: timers wait for
  /// the answer.
  static let patienceUsec: UInt64 = 5_000_000

  private let loop: EventLoop
  private let address: String
  private let onEvent: (Event) -> Void

  private var connection: BusConnection?
  private var wasEverConnected = false
  private var retryTimer: TimerSource?
  private var retryDelayUsec: Int64 = 0

  /// logind's unique name, once it has answered. Signals about sleep from any other sender are
  /// ignored.
  private var owner: String?
  /// Counts the runs of logind that were seen; answers of an earlier run are ignored.
  private var generation = 0
  private var resynchronisations = 0

  private let sessions = UserSessions()
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

  /// This connection's name on the bus: for tests.
  var uniqueName: String? { connection?.uniqueName }

  // MARK: The inhibitor

  /// Whether a delay inhibitor is held. The machine then sleeps only after its release, or after
  /// logind's InhibitDelayMaxSec.
  public var holdsInhibitor: Bool { delay.descriptor != nil }

  /// Asks for a delay inhibitor. Does nothing if one is held or requested already, or while logind
  /// is unavailable.
  public func takeInhibitor() { take(delay) }

  /// Closes the delay inhibitor, or cancels the request for one: if it is granted later, it is
  /// closed at once.
  public func releaseInhibitor() { delay.release() }

  /// Whether a block inhibitor keeps the machine from sleeping by itself.
  public var keepsAwake: Bool { block.descriptor != nil }

  /// Asks for a block inhibitor, which keeps the machine awake until `letSleep`. polkit may refuse
  /// it to a user without a session.
  public func keepAwake() { take(block) }

  /// Closes the block inhibitor, or cancels the request for one.
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
        onInhibitorRefused(inhibitor.mode, refusal)
      }
    } catch {
      inhibitor.release()
      onInhibitorRefused(inhibitor.mode, "\(error)")
    }
  }

  // MARK: PreparingForSleep

  /// Reads logind's PreparingForSleep property; nil if it could not be read. `done` is called once,
  /// in a later iteration.
  public func readPreparingForSleep(_ done: @escaping (Bool?) -> Void) {
    getPreparingForSleep { answer in
      switch answer {
      case .success(let message): done(message.readVariantBool())
      case .failure: done(nil)
      }
    }
  }

  /// Reads again whether the machine is about to sleep, after a time in which the process did not
  /// run, such as a long stop. PrepareForSleep signals that have queued up meanwhile are outdated
  /// and dropped; the property counts.
  ///
  /// The bus keeps the order of one sender's messages, so a signal that arrives before the answer
  /// is older than it. `done` gets nil if the property could not be read.
  public func resynchronise(_ done: @escaping (Bool?) -> Void) {
    resynchronisations += 1
    readPreparingForSleep { [weak self] preparing in
      self?.resynchronisations -= 1
      done(preparing)
    }
  }

  private func getPreparingForSleep(_ completion: @escaping (BusConnection.Reply) -> Void) {
    do throws(SystemError) {
      // On a connection that waits for the bus to appear, the call would wait too.
      guard let connection, connection.isConnected else {
        throw SystemError(operation: "read PreparingForSleep", code: ENOTCONN)
      }
      try connection.call(
        destination: Logind.busName, path: Logind.managerPath,
        interface: "org.freedesktop.DBus.Properties", member: "Get",
        arguments: [.string(Logind.managerInterface), .string("PreparingForSleep")],
        patienceUsec: Logind.patienceUsec, completion: completion)
    } catch {
      loop.later { completion(.failure(code: error.code, text: "\(error)")) }
    }
  }

  // MARK: The connection

  private func connect() {
    connection?.close()
    connection = nil
    // Try again after any attempt, because an attempt that hangs reports no failure.
    if wasEverConnected { scheduleRetry() }
    do {
      let connection = try BusConnection(
        loop: loop, address: address,
        onConnected: { [weak self] in self?.busGreeted() },
        onLost: { [weak self] in self?.busLost() })
      // The match rules are sent first. If the property were read before them, a signal could be
      // missed.
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

  /// Tries again at once the first time, then after 1 s, 2 s, and so on up to 60 s.
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

  /// Reads the property from logind. The answer shows that logind is there, its unique name, and
  /// whether a sleep is ahead.
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
        // A connection that is being lost fails its calls first and reports the loss right after.
        guard let connection, connection.isOpen else { return }
        becomeUnavailable("logind does not answer: \(text)")
        // Without a logind, the bus reports when one appears. A logind that hangs has to be asked
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

  /// Drops everything that depends on one run of logind, because the next run does not know it.
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

/// A lock granted by logind that lasts as long as its descriptor is open.
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

  /// The number of a new request; nil if a request is pending or granted.
  func begin() -> Int? {
    guard descriptor == nil, awaited == nil else { return nil }
    requests += 1
    awaited = requests
    return requests
  }

  /// Takes logind's answer.
  ///
  /// - Returns: logind's reason if it refuses.
  func finish(_ reply: BusConnection.Reply, request: Int) -> String? {
    // The inhibitor was released meanwhile, or the answer is from an earlier logind. The descriptor
    // in the message is closed with the message.
    guard awaited == request else { return nil }
    awaited = nil
    switch reply {
    case .success(let message):
      do {
        descriptor = try message.readDescriptor()
        return nil
      } catch {
        return "\(error)"
      }
    case .failure(_, let text): return text
    }
  }

  func release() {
    descriptor = nil
    awaited = nil
  }
}
