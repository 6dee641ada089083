internal import Glibc
internal import NightjarEngine
internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSystem

/// Opens and closes background spans when the process gets signals and when logind announces sleep.
/// The process stops, and the machine sleeps, only after the beginning of the span is on disk, or
/// after `Commits.timeoutUsec`.
final class Lifecycle {
  /// A failure that did not end the daemon. `nightjar status` shows it.
  private(set) var warning: String?

  /// Changes of the lifecycle to which the other parts of the daemon react at once.
  enum Transition {
    /// SIGHUP arrived.
    case reload
    /// The process is about to be stopped by SIGTSTP. The server writes the output that is ready
    /// for clients. The wake-up alarms are disarmed, because a stopped daemon could not use them.
    case stopping
    /// The process was continued by SIGCONT.
    case continued
    /// The daemon has begun to exit: it accepts no more connections.
    case terminating
  }

  private enum Phase {
    case running
    /// SIGTSTP arrived, and the beginning of the background span is being written to disk.
    case stopping
    case terminating
  }

  private let loop: EventLoop
  private let core: TimerCore
  private let commits: Commits
  private let clock: LoopClock
  private let on: (Transition) -> Void
  private var phase = Phase.running
  /// The number of stops that were requested so far. A stop that SIGCONT has cancelled still waits
  /// for its commit. If another stop has begun when that commit is done, this number has changed,
  /// and the cancelled stop does nothing.
  private var stops = 0
  private var sources: [Source] = []
  /// Watches for SIGTSTP, which stays pending until the process has stopped.
  private var stopRequest: PendingSignal?
  private var logind: Logind?
  /// Whether the daemon wants logind to keep the machine awake.
  private var isToKeepAwake = false
  /// Whether logind has announced a sleep and has not announced its end.
  private var isSleepAhead = false
  /// Why logind refused the delay inhibitor when the daemon last asked for one; nil: it did not
  /// refuse.
  private var inhibitorRefusal: Logind.Refusal?
  private var sleepCheck: TimerSource?
  private var inhibitorRetry: TimerSource?
  private var inhibitorRetryUsec = Logind.refusalWaitsUsec.lowerBound

  /// The signals that the daemon handles. They must be blocked before the daemon starts its first
  /// thread.
  static let signals = [SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGHUP]

  init(
    loop: EventLoop, core: TimerCore, commits: Commits, clock: LoopClock,
    on: @escaping (Transition) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.core = core
    self.commits = commits
    self.clock = clock
    self.on = on
    // The source has a higher priority than requests of clients, so that busy sockets do not delay
    // a stop.
    stopRequest = try PendingSignal(SIGTSTP, on: loop, priority: -10) { [unowned self] in stop() }
    for signal in Self.signals where signal != SIGTSTP {
      sources.append(
        try loop.watchSignal(signal, priority: -10) { [unowned self] in received($0) })
    }
    sleepCheck = try loop.timer(on: .boottime) { [unowned self] in checkSleep() }
    inhibitorRetry = try loop.timer(on: .boottime) { [unowned self] in askAgain() }
  }

  /// Connects to logind and listens to its announcements of sleep.
  func watchSleep() {
    logind = Logind(loop: loop) { [unowned self] in heard($0) }
  }

  private func inhibitorRefused(_ mode: String, _ refusal: Logind.Refusal) {
    if mode == "delay" {
      inhibitorRefusal = refusal
      inhibitorRetry?.arm(atUsec: clock.now.boottimeUsec + inhibitorRetryUsec)
      inhibitorRetryUsec = min(inhibitorRetryUsec * 2, Logind.refusalWaitsUsec.upperBound)
    }
    let meaning =
      mode == "block"
      ? "the machine may go back to sleep before anyone has heard what woke it"
      : "the machine may go to sleep before the daemon has saved its state"
    Log.write(.warning, "logind gives no \(mode) inhibitor (\(refusal.reason)); \(meaning)")
  }

  /// Why the daemon does not know whether the user is at the machine; nil if it knows.
  var unseenPresence: String? {
    switch logind?.presence {
    case .here, .away: nil
    case .unknown(let reason): reason
    case nil: "logind has not been asked yet"
    }
  }

  private func presenceIs(_ reported: UserPresence) {
    guard phase != .terminating else { return }
    let presence: Presence =
      switch reported {
      case .here: .here
      case .away: .away
      case .unknown: .unknown
      }
    core.background.note(presence: presence, at: clock.now)
  }

  var sleep: SleepState {
    let unavailable = logind?.unavailableReason
    var state = SleepState(
      seen: logind != nil && unavailable == nil, inhibitor: logind?.holdsInhibitor ?? false)
    if let unavailable {
      state.reason = Sentence(unavailable)
    } else if !state.inhibitor, let inhibitorRefusal {
      (state.reason, state.denied) = (inhibitorRefusal.reason, inhibitorRefusal.isDenied)
    }
    return state
  }

  /// Asks logind to keep the machine awake, or to stop doing so. The daemon calls this at the end
  /// of each loop iteration.
  func keepAwake(_ keeps: Bool) {
    guard keeps != isToKeepAwake else { return }
    isToKeepAwake = keeps
    if keeps { logind?.keepAwake() } else { logind?.letSleep() }
  }

  /// Whether logind has granted the inhibitor that `keepAwake(_:)` requested.
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

  /// If SIGCONT arrives after SIGTSTP and before the process has stopped, cancels the stop. At any
  /// other time, opens no span for a stop by SIGSTOP: if a deadline passed in it, this iteration
  /// has noticed that from the clocks at its beginning.
  private func continued() {
    guard phase == .stopping else { return resynchronise() }
    core.background.leave(.stop, at: clock.now)
    awaitNextStop()
  }

  private func stopNow(_ durable: Bool) {
    guard phase == .stopping else { return }
    warning = nil
    if !durable { warn("stopped by SIGTSTP before the entry timestamp was on disk") }
    // Release the inhibitors: while the process is stopped, a held delay inhibitor would delay
    // every suspend by InhibitDelayMaxSec.
    logind?.releaseInhibitor()
    logind?.letSleep()
    let watchdogUsec = ServiceManager.watchdogUsec
    if watchdogUsec != nil { ServiceManager.setWatchdog(usec: 0) }
    ServiceManager.notify("STATUS=Stopped by SIGTSTP; SIGCONT continues.")
    on(.stopping)
    Signals.stopSelf(requestedBy: SIGTSTP)
    // The span ends here, before the loop handles any other signal: `systemctl stop` sends SIGTERM
    // and SIGCONT, and the loop reads SIGTERM first.
    let now = clock.reread()
    core.background.observe(now)
    core.background.leave(.stop, at: now)
    awaitNextStop()
    if let watchdogUsec { ServiceManager.setWatchdog(usec: watchdogUsec) }
    on(.continued)
    resynchronise()
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
    case .available(let preparing): sleepMayBeAhead(preparing)
    case .unavailable(let reason):
      Log.write(
        .notice, "sleep is detected from the clocks: \(reason)", [("NIGHTJAR_SLEEP", "unseen")])
      sleepIs(false)
    case .inhibitorRefused(let mode, let refusal): inhibitorRefused(mode, refusal)
    case .presence(let presence): presenceIs(presence)
    }
  }

  /// The process did not run for some time. Announcements of logind from that time are outdated,
  /// because the clocks show its sleeps, so logind is asked whether the machine is about to sleep.
  func resynchronise() {
    logind?.resynchronise { [unowned self] in sleepMayBeAhead($0 ?? false) }
  }

  /// Until a resume is complete, logind answers that the machine is about to sleep. If the last
  /// span has that sleep, no other one begins.
  private func sleepMayBeAhead(_ preparing: Bool) {
    let resumed = core.background.last.flatMap { $0.causes.contains(.sleep) ? $0.left : nil }
    let sinceUsec = clock.now.boottimeUsec - (resumed?.boottimeUsec ?? .min / 2)
    sleepIs(preparing && (isSleepAhead || sinceUsec > Logind.sleepCheckUsec))
  }

  private func sleepIs(_ preparing: Bool) {
    guard phase != .terminating else { return }
    isSleepAhead = preparing
    if preparing {
      core.background.enter(.sleep, at: clock.now)
      sleepCheck?.arm(atUsec: clock.now.boottimeUsec + Logind.sleepCheckUsec)
      commits.whenDurable { [unowned self] durable in
        warning = nil
        if !durable { warn("let the machine sleep before the entry timestamp was on disk") }
        // If the sleep was cancelled or is over by now, the daemon has taken a new inhibitor, which
        // it must keep.
        if isSleepAhead { logind?.releaseInhibitor() }
      }
    } else {
      sleepCheck?.arm(atUsec: nil)
      core.background.leave(.sleep, at: clock.now)
      inhibitorRetryUsec = Logind.refusalWaitsUsec.lowerBound
      logind?.takeInhibitor()
      if isToKeepAwake { logind?.keepAwake() }
    }
  }

  /// Asks logind again for an inhibitor that it refused or did not grant in time.
  private func askAgain() {
    if phase == .running, !isSleepAhead { logind?.takeInhibitor() }
  }

  /// Asks logind whether the machine is still about to sleep. If logind was restarted, it does not
  /// announce the end of that sleep.
  private func checkSleep() {
    logind?.readPreparingForSleep { [unowned self] preparing in
      if preparing == true {
        sleepCheck?.arm(atUsec: clock.now.boottimeUsec + Logind.sleepCheckUsec)
      } else {
        sleepIs(false)
      }
    }
  }
}
