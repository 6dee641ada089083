internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSystem

/// Opens and closes background spans when the process gets signals and when logind announces sleep.
/// The beginning of a span is on disk before the process stops or the machine sleeps.
final class Lifecycle {
  /// How often, on BOOTTIME in microseconds, the daemon asks logind whether an announced sleep is
  /// still ahead.
  static let sleepCheckUsec: Int64 = 10_000_000
  /// How long, in microseconds, the daemon waits before it asks again for an inhibitor that logind
  /// refused. Each refusal doubles the wait.
  private static let inhibitorRetryUsec: (first: Int64, longest: Int64) = (
    10_000_000, 3_600_000_000
  )

  /// A failure that did not end the daemon. `nightjar status` shows it.
  private(set) var warning: String?

  /// Changes of the lifecycle to which the other parts of the daemon react at once.
  enum Turn {
    /// SIGHUP came.
    case reload
    /// The process is about to be stopped. Clients get the output that is ready for them. The
    /// wake-up alarms are disarmed, because a stopped daemon could not use them.
    case stopping
    /// The process was continued.
    case continued
    /// The daemon has begun to exit: it accepts no more connections.
    case terminating
  }

  private enum Phase {
    case running
    /// SIGTSTP came, and the beginning of the span is being committed.
    case stopping
    case terminating
  }

  private let loop: EventLoop
  private let core: TimerCore
  private let commits: Commits
  private let clock: PassClock
  private let on: (Turn) -> Void
  private var phase = Phase.running
  /// How many stops were requested. A stop that SIGCONT cancelled still waits for its commit. With
  /// this number, its handler recognizes that a later stop has begun, and does not carry out that
  /// stop.
  private var stops = 0
  private var sources: [Source] = []
  /// SIGTSTP, which stays pending until the process has stopped.
  private var stopRequest: PendingSignal?
  private var logind: Logind?
  /// The daemon wants the machine kept awake.
  private var isToKeepAwake = false
  /// logind has announced a sleep that is not over.
  private var isSleepAhead = false
  /// Why logind refused the delay inhibitor when the daemon last asked.
  private var inhibitorRefusal: String?
  private var sleepCheck: TimerSource?
  private var inhibitorRetry: TimerSource?
  private var inhibitorRetryUsec = Lifecycle.inhibitorRetryUsec.first

  /// The signals that the daemon handles. They must be blocked before any other thread is started.
  static let signals = [SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGHUP]

  init(
    loop: EventLoop, core: TimerCore, commits: Commits, clock: PassClock,
    on: @escaping (Turn) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.core = core
    self.commits = commits
    self.clock = clock
    self.on = on
    // Signals have a higher priority than requests: busy sockets do not delay a stop.
    stopRequest = try PendingSignal(SIGTSTP, on: loop, priority: -10) { [unowned self] in stop() }
    for signal in Self.signals where signal != SIGTSTP {
      sources.append(
        try loop.watchSignal(signal, priority: -10) { [unowned self] in received($0) })
    }
    sleepCheck = try loop.timer(on: .boottime) { [unowned self] in checkSleep() }
    inhibitorRetry = try loop.timer(on: .boottime) { [unowned self] in askAgain() }
  }

  /// Begins to listen to logind.
  func watchSleep() {
    let logind = Logind(loop: loop) { [unowned self] in heard($0) }
    logind.onInhibitorRefused = { [unowned self] mode, reason in
      if mode == "delay" {
        inhibitorRefusal = reason
        inhibitorRetry?.arm(atUsec: clock.now.boottimeUsec + inhibitorRetryUsec)
        inhibitorRetryUsec = min(inhibitorRetryUsec * 2, Self.inhibitorRetryUsec.longest)
      }
      let meaning =
        mode == "block"
        ? "the machine may go back to sleep before anyone has heard what woke it"
        : "a sleep may come unsaved"
      Log.write(.warning, "logind gives no \(mode) inhibitor (\(reason)); \(meaning)")
    }
    logind.onPresence = { [unowned self] in presenceIs($0) }
    self.logind = logind
  }

  /// Why the daemon does not know whether the user is there; nil if it knows.
  var unseenPresence: String? {
    switch logind?.presence {
    case .here, .away: nil
    case .untold(let reason): reason
    case nil: "logind has not been asked yet"
    }
  }

  private func presenceIs(_ told: UserPresence) {
    guard phase != .terminating else { return }
    let presence: Presence =
      switch told {
      case .here: .here
      case .away: .away
      case .untold: .untold
      }
    core.background.note(presence: presence, at: clock.now)
  }

  /// Whether logind's sleep signals arrive, whether the daemon holds the delay inhibitor, and the
  /// reason if either is false.
  var sleep: (seen: Bool, inhibitor: Bool, reason: String?) {
    let unavailable = logind?.unavailableReason
    let isHeld = logind?.holdsInhibitor ?? false
    return (
      logind != nil && unavailable == nil, isHeld,
      unavailable ?? (isHeld ? nil : inhibitorRefusal)
    )
  }

  /// Asks logind to keep the machine awake, or to stop doing so.
  func keepAwake(_ keeps: Bool) {
    isToKeepAwake = keeps
    if keeps { logind?.keepAwake() } else { logind?.letSleep() }
  }

  /// Whether logind has granted the inhibitor of `keepAwake(_:)`.
  var keepsAwake: Bool { logind?.keepsAwake ?? false }

  private func received(_ info: SignalInfo) {
    switch info.signal {
    case SIGCONT: continued()
    case SIGTERM, SIGINT: terminate()
    case SIGHUP: on(.reload)
    default: break
    }
  }

  private func warn(_ text: String) {
    warning = text
    Log.write(.warning, text)
  }
}

// MARK: - SIGTSTP and SIGCONT

extension Lifecycle {
  private func stop() {
    stopRequest?.isWatched = false
    guard phase == .running else { return }
    phase = .stopping
    stops += 1
    let stop = stops
    core.background.enter(.stop, at: clock.now)
    commits.whenDurable { [unowned self] durable in
      if stop == stops { stopNow(durable) }
    }
  }

  /// Cancels a stop because SIGCONT came before the process stopped. A SIGCONT at any other time
  /// opens no span: the daemon has already compared the clocks at the beginning of this iteration.
  private func continued() {
    guard phase == .stopping else { return }
    core.background.leave(.stop, at: clock.now)
    awaitNextStop()
  }

  private func stopNow(_ durable: Bool) {
    guard phase == .stopping else { return }
    warning = nil
    if !durable { warn("stopped by SIGTSTP before the entry timestamp was on disk") }
    // A stopped process that holds the inhibitor would delay every suspend by InhibitDelayMaxSec.
    logind?.releaseInhibitor()
    logind?.letSleep()
    let watchdogUsec = ServiceManager.watchdogUsec
    if watchdogUsec != nil { ServiceManager.setWatchdog(usec: 0) }
    ServiceManager.notify("STATUS=Stopped by SIGTSTP; SIGCONT continues.")
    on(.stopping)
    Signals.stopSelf(requestedBy: SIGTSTP)
    // The span ends here, before any other signal is handled: `systemctl stop` sends SIGTERM and
    // SIGCONT, and the loop reads SIGTERM first.
    let now = clock.reread()
    core.background.observe(now)
    core.background.leave(.stop, at: now)
    awaitNextStop()
    if let watchdogUsec { ServiceManager.setWatchdog(usec: watchdogUsec) }
    on(.continued)
    logind?.resynchronise { [unowned self] preparing in sleepIs(preparing ?? false) }
  }

  private func awaitNextStop() {
    phase = .running
    stopRequest?.isWatched = true
  }
}

// MARK: - SIGTERM

extension Lifecycle {
  private func terminate() {
    guard phase != .terminating else { return }
    let wasStopping = phase == .stopping
    phase = .terminating
    stopRequest?.isWatched = false
    ServiceManager.notify("STOPPING=1\nSTATUS=Saving.")
    core.background.enter(.down, at: clock.now)
    if wasStopping { core.background.leave(.stop, at: clock.now) }
    on(.terminating)
    commits.whenDurable { [unowned self] durable in
      if !durable {
        Log.write(.error, "ends before the last changes are on disk; they are lost")
      }
      loop.exit(durable ? 0 : 1)
    }
  }
}

// MARK: - logind

extension Lifecycle {
  private func heard(_ event: Logind.Event) {
    switch event {
    case .prepareForSleep(true): sleepIs(true)
    case .prepareForSleep(false): sleepIs(false)
    case .available(let preparing): sleepIs(preparing)
    case .unavailable(let reason):
      Log.write(
        .notice, "sleep is detected from the clocks: \(reason)", [("NIGHTJAR_SLEEP", "unseen")])
      sleepIs(false)
    }
  }

  private func sleepIs(_ preparing: Bool) {
    guard phase != .terminating else { return }
    isSleepAhead = preparing
    if preparing {
      core.background.enter(.sleep, at: clock.now)
      sleepCheck?.arm(atUsec: clock.now.boottimeUsec + Self.sleepCheckUsec)
      commits.whenDurable { [unowned self] durable in
        warning = nil
        if !durable { warn("let the machine sleep before the entry timestamp was on disk") }
        // If the sleep was cancelled or is over, the daemon holds a new inhibitor by now.
        if isSleepAhead { logind?.releaseInhibitor() }
      }
    } else {
      sleepCheck?.arm(atUsec: nil)
      core.background.leave(.sleep, at: clock.now)
      inhibitorRetryUsec = Self.inhibitorRetryUsec.first
      logind?.takeInhibitor()
      if isToKeepAwake { logind?.keepAwake() }
    }
  }

  /// Asks again for an inhibitor that logind refused or did not grant in time.
  private func askAgain() {
    if phase == .running, !isSleepAhead { logind?.takeInhibitor() }
  }

  /// Asks logind whether the sleep that it announced is still ahead: if logind was restarted, it
  /// does not report the end of that sleep.
  private func checkSleep() {
    logind?.readPreparingForSleep { [unowned self] preparing in
      if preparing == true {
        sleepCheck?.arm(atUsec: clock.now.boottimeUsec + Self.sleepCheckUsec)
      } else {
        sleepIs(false)
      }
    }
  }
}
