public import NightjarEngine
public import NightjarLedger
public import NightjarModel

/// A machine on which the real core runs in simulated time: clocks, power, a disk, crashes.
///
/// The kernel's part is played here: a pass of the loop is made at exactly the reading the loop is
/// armed for, and none while the daemon is stopped, frozen or not running, or the machine asleep.
public final class SimulatedMachine: NotificationObserver {
  /// What the clocks show.
  public var clocks = SimulatedClocks()
  /// What survives the daemon.
  public let disk: SimulatedDisk
  /// The daemon's core; nil while it is down.
  public private(set) var core: TimerCore?
  /// What people have been told since the last `takeTold()`.
  private var told: [Event] = []
  /// Hears what people are told, when they are, in the place of `takeTold()`.
  public var onTold: (([Event]) -> Void)?
  /// Whether a commit is on the disk as soon as it is submitted.
  public var commitsAtOnce = true
  /// Adds something wrong, to show that it is found: registered as the last observer of each start.
  public var saboteur: ((TimerCore) -> any NotificationObserver)?

  /// By how much each wake-up comes too late.
  public var wakeDelayUsec: Int64 = 0

  /// What stands for the calendar.
  public let calendar: any Calendar
  /// Stands for the rules of the zones as they are.
  public var zone: Int64 = 1
  /// What the machine's own zone is called.
  public var zoneName = "Simulated"
  /// Whether the kernel vouches for the wall clock: from a boot with a clock that is right, or a
  /// synchronisation, to the next time that the clock is set.
  var isVouched = true
  /// Whether the user is there, as logind says when a daemon asks: right behind its start.
  public var presence = Presence.untold
  /// Why no timer can wake the machine; nil: one can. For the daemon from its next start on.
  public var wakeObstacle: String?

  private var wake = Wake()
  private var saboteurs: [any NotificationObserver] = []
  private let maximumTimers: Int
  private let eventsPerCommit: Int

  /// A machine with an empty disk; the daemon is not running.
  public init(
    disk: SimulatedDisk = SimulatedDisk(), calendar: any Calendar = NoCalendar(),
    maximumTimers: Int = 100_000, eventsPerCommit: Int = Journal.eventsPerCommit
  ) {
    self.eventsPerCommit = eventsPerCommit
    self.disk = disk
    self.calendar = calendar
    self.maximumTimers = maximumTimers
  }

  /// Notes what people are told.
  public func observe(_ notification: Notification, at moment: Moment) {
    guard case .committed(let events, _) = notification else { return }
    if let onTold { onTold(events) } else { told += events }
  }

  /// What people have been told since this was last asked.
  public func takeTold() -> [Event] {
    defer { told = [] }
    return told
  }

  /// Starts the daemon.
  ///
  /// - Parameter synchronized: whether the wall clock is vouched for; as the machine has it, unless given.
  public func boot(downSince: Moment? = nil, synchronized: Bool? = nil) throws(StoreError) {
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
    self.core = core
    core.start(
      at: clocks.now, downSince: downSince, synchronized: synchronized ?? isVouched,
      zone: (zoneName, zone))
    core.background.note(presence: presence, at: clocks.now)
    try finishPass()
  }

  /// Makes one pass of the loop, in which `body` is dispatched.
  public func pass(_ body: (TimerCore) -> Void = { _ in }) throws(StoreError) {
    guard let core else { return }
    core.beginPass(at: clocks.now)
    body(core)
    try finishPass()
  }

  private func finishPass() throws(StoreError) {
    guard let core else { return }
    var isMoreDue = true
    while isMoreDue {
      (wake, isMoreDue) = core.endPass(at: clocks.now)
      if commitsAtOnce { try settle(.durable) }
    }
  }

  /// Lets the commit under way end, and those that gathered behind it.
  public func settle(_ fate: SimulatedDisk.Fate) throws(StoreError) {
    guard let core else { return }
    while let error = disk.settle(fate) {
      try core.commitFinished(error, at: clocks.now)
      core.journal.seal(at: clocks.now)
    }
  }

  /// The daemon is gone without a word.
  public func crash(underwayIsKept: Bool = false) {
    core = nil
    saboteurs = []
    disk.crash(underwayIsKept: underwayIsKept)
  }

  /// Time passes with everything up: a pass at each reading that the loop is armed for.
  ///
  /// - Parameter goesOn: asked before each of them; false: no more time passes.
  public func advance(
    usec: Int64, while goesOn: () -> Bool = { true }
  ) throws(StoreError) {
    var rest = usec
    while let next = untilWake(), next <= rest {
      guard goesOn() else { return }
      clocks.advance(usec: next)
      rest -= next
      try pass()
    }
    clocks.advance(usec: rest)
    try pass()
  }

  /// How long until the loop is woken, in microseconds; nil if it is armed for nothing.
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
