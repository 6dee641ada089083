internal import NightjarModel
internal import NightjarSystem

/// Does what must be done before and after a sleep of the machine.
protocol SleepWatchDelegate: AnyObject {
  /// Publishes that the machine is asleep.
  ///
  /// - Returns: the number of the message; nil: there is no connection.
  func machineWillSleep() -> Int32?
  /// Closes the connection to the broker cleanly. Not called from within a callback of the session.
  ///
  /// - Returns: whether there is a connection. If so, the delegate calls `connectionEnded` when it
  ///   has ended.
  func machineSleeps() -> Bool
  /// The machine is awake again, or its sleep was cancelled.
  func machineWoke()
  /// The user left the machine or came back.
  func presenceChanged()
}

/// Delays the machine's sleep until the broker has the status that the other machines should see.
///
/// The broker must acknowledge the message before the bridge closes the connection, and the bridge
/// must close it before the network goes down. Otherwise the broker would publish the will, and
/// `asleep` would become `offline`. Without logind no sleep is announced, and this class does
/// nothing.
final class SleepWatch {
  /// How long the broker may take to acknowledge, in microseconds. logind waits for 5 s
  /// (`InhibitDelayMaxSec=` of logind.conf(5)).
  static let patienceUsec: Int64 = 3_000_000
  /// How often this class asks logind whether an announced sleep is over, in microseconds on
  /// CLOCK_BOOTTIME. A logind that was restarted meanwhile does not report the end of the sleep.
  private static let checkUsec: Int64 = 10_000_000
  /// How long after a refusal the inhibitor is requested again, in microseconds; the time doubles
  /// with each refusal.
  private static let refusedUsec: ClosedRange<Int64> = 10_000_000...3_600_000_000

  private enum Phase {
    case awake
    /// The message with this number has been sent.
    case announcing(mid: Int32)
    case asleep
  }

  private let loop: EventLoop
  private let patienceUsec: Int64
  private weak var delegate: (any SleepWatchDelegate)?
  private var phase = Phase.awake
  private var logind: Logind?
  private var patience: TimerSource?
  /// Asks logind again if a report or the inhibitor is missing.
  private var check: TimerSource?
  private var refusedUsec = SleepWatch.refusedUsec.lowerBound

  /// Connects to logind.
  ///
  /// - Parameters:
  ///   - address: the bus; nil: the system bus.
  ///   - patienceUsec: how long the broker may take to acknowledge.
  init(
    loop: EventLoop, address: String? = nil, patienceUsec: Int64 = SleepWatch.patienceUsec,
    delegate: any SleepWatchDelegate
  ) throws(SystemError) {
    self.loop = loop
    self.patienceUsec = patienceUsec
    self.delegate = delegate
    patience = try loop.timer(on: .boottime) { [weak self] in self?.brokerIsLate() }
    check = try loop.timer(on: .boottime) { [weak self] in self?.askAgain() }
    let logind = Logind(loop: loop, address: address, why: "Tell other machines of the sleep") {
      [weak self] in self?.heard($0)
    }
    logind.onInhibitorRefused = { [weak self] _, reason in self?.inhibitorRefused(reason) }
    logind.onPresence = { [weak self] _ in self?.delegate?.presenceChanged() }
    self.logind = logind
  }

  /// Whether no sleep is announced or in progress; otherwise there should be no connection.
  var isAwake: Bool {
    if case .awake = phase { return true }
    return false
  }

  // MARK: - logind

  private func heard(_ event: Logind.Event) {
    switch event {
    case .prepareForSleep(true), .available(preparing: true): sleepIsAhead()
    case .prepareForSleep(false): wake()
    case .available(preparing: false):
      // logind has just become available, so it has no inhibitor of the bridge.
      if isAwake { logind?.takeInhibitor() } else { wake() }
    case .unavailable(let reason):
      Log.write(.notice, "other machines do not know when this one sleeps: \(reason)")
      if !isAwake { wake() }
    }
  }

  private func sleepIsAhead() {
    guard isAwake else { return }
    check?.arm(atUsec: loop.now.boottimeUsec + Self.checkUsec)
    guard let mid = delegate?.machineWillSleep() else { return endConnection() }
    phase = .announcing(mid: mid)
    patience?.arm(atUsec: loop.now.boottimeUsec + patienceUsec)
  }

  private func wake() {
    phase = .awake
    patience?.arm(atUsec: nil)
    check?.arm(atUsec: nil)
    refusedUsec = Self.refusedUsec.lowerBound
    logind?.takeInhibitor()
    delegate?.machineWoke()
  }

  private func inhibitorRefused(_ reason: String) {
    guard isAwake else { return }
    if refusedUsec == Self.refusedUsec.lowerBound {
      Log.write(
        .warning,
        "logind gives no delay inhibitor (\(reason)); this machine may sleep before others know")
    }
    check?.arm(atUsec: loop.now.boottimeUsec + refusedUsec)
    refusedUsec = min(refusedUsec * 2, Self.refusedUsec.upperBound)
  }

  private func askAgain() {
    guard !isAwake else {
      logind?.takeInhibitor()
      return
    }
    logind?.readPreparingForSleep { [weak self] preparing in
      guard let self, !isAwake else { return }
      if preparing == true {
        check?.arm(atUsec: loop.now.boottimeUsec + Self.checkUsec)
      } else {
        wake()
      }
    }
  }

  // MARK: - The broker

  /// The broker acknowledged a message.
  func acknowledged(_ mid: Int32) {
    guard isAwaited(mid) else { return }
    // Deferred, because the connection cannot be closed under the lock of libmosquitto's callback.
    loop.later { [weak self] in
      // If the sleep was cancelled meanwhile, the connection stays.
      if let self, isAwaited(mid) { endConnection() }
    }
  }

  private func isAwaited(_ mid: Int32) -> Bool {
    if case .announcing(let awaited) = phase { return awaited == mid }
    return false
  }

  /// The connection is lost: no acknowledgement will arrive.
  func connectionEnded() {
    switch phase {
    case .awake: break
    case .announcing: endConnection()
    case .asleep: letSleep()
    }
  }

  private func brokerIsLate() {
    guard case .announcing = phase else { return }
    Log.write(
      .warning, "the broker did not acknowledge in time that this machine sleeps; it sleeps anyway")
    endConnection()
  }

  /// Closes the connection, and lets the machine sleep.
  private func endConnection() {
    phase = .asleep
    patience?.arm(atUsec: nil)
    // Closing a connection takes a second at most.
    if delegate?.machineSleeps() != true { letSleep() }
  }

  private func letSleep() { logind?.releaseInhibitor() }
}
