internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem

/// Delays the machine's sleep until the broker has the status `asleep`, which the other machines
/// should see.
///
/// The broker must acknowledge the status before the bridge closes the connection, and the bridge
/// must close the connection before the network is switched off. Otherwise the broker would publish
/// the will, and the status would become `offline`. Without logind, no sleep is announced, and this
/// class does nothing.
final class SleepWatch {
  /// How long the broker may take to acknowledge the status, in microseconds. logind waits for 5 s
  /// (`InhibitDelayMaxSec=` of logind.conf(5)).
  private static let timeoutUsec: Int64 = 3_000_000

  private enum Phase: Equatable {
    case awake
    /// The status with this message number was sent, and the broker has not acknowledged it.
    case announcing(mid: Int32)
    case asleep
  }

  private let loop: EventLoop
  private unowned let bridge: Bridge
  private var phase = Phase.awake
  private var logind: Logind?
  private var timeout: TimerSource?
  /// Asks logind again if it has not reported the end of a sleep, or has not granted the inhibitor.
  private var check: TimerSource?
  private var refusedUsec = Logind.refusalWaitsUsec.lowerBound

  /// Connects to logind.
  init(loop: EventLoop, bridge: Bridge) throws(SystemError) {
    self.loop = loop
    self.bridge = bridge
    timeout = try loop.timer(on: .boottime) { [weak self] in self?.brokerIsLate() }
    check = try loop.timer(on: .boottime) { [weak self] in self?.askAgain() }
    logind = Logind(loop: loop, why: "Tell other machines of the sleep") {
      [weak self] in self?.heard($0)
    }
  }

  /// Whether no sleep is announced or in progress. While false, the bridge must not connect.
  var isAwake: Bool { phase == .awake }

  // MARK: - logind

  private func heard(_ event: Logind.Event) {
    switch event {
    case .prepareForSleep(true), .available(preparing: true): sleepIsAhead()
    case .prepareForSleep(false): wake()
    case .available(preparing: false):
      // logind has just started or become reachable, so it has no inhibitor of the bridge.
      if isAwake { logind?.takeInhibitor() } else { wake() }
    case .unavailable(let reason):
      Log.write(.notice, "other machines do not know when this one sleeps: \(reason)")
      if !isAwake { wake() }
    case .inhibitorRefused(_, let refusal): inhibitorRefused(refusal.reason)
    case .presence: bridge.askStatusSoon()
    }
  }

  private func sleepIsAhead() {
    guard isAwake else { return }
    check?.arm(atUsec: loop.now.boottimeUsec + Logind.sleepCheckUsec)
    guard let mid = bridge.machineWillSleep() else { return endConnection() }
    phase = .announcing(mid: mid)
    timeout?.arm(atUsec: loop.now.boottimeUsec + Self.timeoutUsec)
  }

  private func wake() {
    phase = .awake
    timeout?.arm(atUsec: nil)
    check?.arm(atUsec: nil)
    refusedUsec = Logind.refusalWaitsUsec.lowerBound
    logind?.takeInhibitor()
    bridge.machineWoke()
  }

  private func inhibitorRefused(_ reason: Sentence) {
    guard isAwake else { return }
    if refusedUsec == Logind.refusalWaitsUsec.lowerBound {
      Log.write(
        .warning,
        "logind gives no delay inhibitor (\(reason)); this machine may sleep before others know")
    }
    check?.arm(atUsec: loop.now.boottimeUsec + refusedUsec)
    refusedUsec = min(refusedUsec * 2, Logind.refusalWaitsUsec.upperBound)
  }

  private func askAgain() {
    guard !isAwake else {
      logind?.takeInhibitor()
      return
    }
    logind?.readPreparingForSleep { [weak self] preparing in
      guard let self, !isAwake else { return }
      if preparing == true {
        check?.arm(atUsec: loop.now.boottimeUsec + Logind.sleepCheckUsec)
      } else {
        wake()
      }
    }
  }

  // MARK: - The broker

  /// Handles the broker's acknowledgement of a message.
  func acknowledged(_ mid: Int32) {
    guard phase == .announcing(mid: mid) else { return }
    // In a later iteration, because the connection cannot be closed under the lock of
    // libmosquitto's callback.
    loop.later { [weak self] in
      // If the sleep was cancelled in the meantime, the connection stays.
      if let self, phase == .announcing(mid: mid) { endConnection() }
    }
  }

  /// Handles the end of the connection, after which no acknowledgement will arrive.
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

  /// Closes the connection, and then allows the machine to sleep.
  private func endConnection() {
    phase = .asleep
    timeout?.arm(atUsec: nil)
    // Closing the connection takes at most a second.
    if !bridge.machineSleeps() { letSleep() }
  }

  private func letSleep() { logind?.releaseInhibitor() }
}
