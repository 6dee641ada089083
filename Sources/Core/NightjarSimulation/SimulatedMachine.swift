public import NightjarEngine
public import NightjarLedger
public import NightjarModel

/// A machine on which the real `TimerCore` runs in simulated time, with clocks, power, a disk and
/// crashes.
///
/// This class plays the part of the kernel. It runs a loop iteration at exactly the readings for
/// which the loop is armed. It runs none while the machine sleeps, or while the daemon is stopped,
/// frozen or not running.
public final class SimulatedMachine: NotificationObserver {
  public var clocks = SimulatedClocks()
  /// The disk, which survives the daemon.
  public let disk: SimulatedDisk
  /// The daemon's core; nil while it is not running.
  public private(set) var core: TimerCore?
  /// The events that clients were shown since the last `takePublished()`.
  private var published: [Event] = []
  /// Called with the events that clients are shown. If it is set, `takePublished()` returns
  /// nothing.
  public var onPublished: (([Event]) -> Void)?
  /// Whether a commit is on the disk as soon as it was submitted.
  public var commitsAtOnce = true
  /// Makes an observer that injects a fault, to show that tests find it. It is registered last at
  /// each start.
  public var saboteur: ((TimerCore) -> any NotificationObserver)?

  /// By how much each wake-up of the loop is late, in microseconds.
  public var wakeDelayUsec: Int64 = 0

  /// The engine's calendar.
  public let calendar: any Calendar
  /// The fingerprint of the present rules of the zones.
  public var zone: Int64 = 1
  /// The name of the machine's own zone.
  public var zoneName = "Simulated"
  /// Whether the wall clock is synchronised. False after the clock was set, or after a boot with a
  /// wrong clock, until `synchronize()`.
  var isSynchronized = true
  /// The presence that logind reports to a daemon right after its start.
  public var presence = Presence.unknown
  /// Why no timer can wake the machine; nil: timers can. The daemon reads this when it starts.
  public var wakeObstacle: WakeObstacle?
  /// The configured rings. The daemon reads this when it starts.
  public var usualRing = UsualRing()

  private var wake = Wake()
  private var saboteurs: [any NotificationObserver] = []
  private let maximumTimers: Int
  private let eventsPerCommit: Int

  /// A machine with an empty disk, on which the daemon does not run yet.
  public init(
    disk: SimulatedDisk = SimulatedDisk(), calendar: any Calendar = NoCalendar(),
    maximumTimers: Int = 100_000, eventsPerCommit: Int = Journal.eventsPerCommit
  ) {
    self.eventsPerCommit = eventsPerCommit
    self.disk = disk
    self.calendar = calendar
    self.maximumTimers = maximumTimers
  }

  /// Collects the events that clients are shown.
  public func observe(_ notification: Notification, at moment: Moment) {
    guard case .committed(let events, _) = notification else { return }
    if let onPublished { onPublished(events) } else { published += events }
  }

  /// The events that clients were shown since the last call of this function.
  public func takePublished() -> [Event] {
    defer { published = [] }
    return published
  }

  /// Starts the daemon.
  ///
  /// - Parameters:
  ///   - downSince: MONOTONIC when the service manager saw the last run end; nil: unknown.
  ///   - synchronized: whether the wall clock is synchronised; nil: the value of `isSynchronized`.
  public func boot(downSince: Int64? = nil, synchronized: Bool? = nil) throws(StoreError) {
    let core = try TimerCore(
      reader: disk, committer: disk, calendar: calendar, maximumTimers: maximumTimers,
      eventsPerCommit: eventsPerCommit, at: clocks.now)
    core.bus.register(self)
    if let saboteur {
      let observer = saboteur(core)
      saboteurs.append(observer)
      core.bus.register(observer)
    }
    core.engine.wakeObstacle = wakeObstacle
    core.engine.usualRing = usualRing
    self.core = core
    core.start(
      at: clocks.now, downSince: downSince, synchronized: synchronized ?? isSynchronized,
      zone: (zoneName, zone))
    core.background.note(presence: presence, at: clocks.now)
    try finishIteration()
  }

  /// Runs one loop iteration in which `body` is called.
  public func runIteration(_ body: (TimerCore) -> Void = { _ in }) throws(StoreError) {
    guard let core else { return }
    core.beginIteration(at: clocks.now)
    body(core)
    try finishIteration()
  }

  private func finishIteration() throws(StoreError) {
    guard let core else { return }
    var isMoreDue = true
    while isMoreDue {
      (wake, isMoreDue) = core.endIteration(at: clocks.now)
      if commitsAtOnce { try settle(.durable) }
    }
  }

  /// Finishes the submitted commit and all commits that were gathered after it.
  public func settle(_ fate: SimulatedDisk.Fate) throws(StoreError) {
    guard let core else { return }
    while let error = disk.settle(fate) {
      try core.commitFinished(error, at: clocks.now)
      core.journal.commitPending(at: clocks.now)
    }
  }

  public func crash(underwayIsDurable: Bool = false) {
    core = nil
    saboteurs = []
    disk.crash(underwayIsDurable: underwayIsDurable)
  }

  /// Lets time pass while the machine is awake and the daemon runs. There is one loop iteration at
  /// each reading for which the loop is armed.
  ///
  /// - Parameter shouldContinue: called before each iteration. If it returns false, this function
  ///   ends and no more time passes.
  public func advance(
    usec: Int64, while shouldContinue: () -> Bool = { true }
  ) throws(StoreError) {
    var rest = usec
    while let next = untilWake(), next <= rest {
      guard shouldContinue() else { return }
      clocks.advance(usec: next)
      rest -= next
      try runIteration()
    }
    clocks.advance(usec: rest)
    try runIteration()
  }

  /// The time until the loop wakes, in microseconds; nil: the loop is not armed.
  public func untilWake() -> Int64? {
    guard core != nil else { return nil }
    let now = clocks.now
    return [
      wake.boottimeUsec.map { $0 - now.boottimeUsec },
      wake.monotonicUsec.map { $0 - now.monotonicUsec },
      wake.realtimeUsec.map { $0 - now.realtimeUsec },
    ].compactMap { $0 }.min().map { max(0, $0) + wakeDelayUsec }
  }
}
