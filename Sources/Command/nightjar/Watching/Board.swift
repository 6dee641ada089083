import NightjarClient

/// The timers that a command shows. The daemon's changes update them.
struct Board {
  /// The timers to show.
  enum Subject: Equatable {
    case all
    case name(String)
    case prefix(String)

    init(_ word: String?) {
      switch word.map(NamePattern.init) {
      case .name(let name): self = .name(name)
      case .prefix(let prefix): self = .prefix(prefix)
      case nil: self = .all
      }
    }

    /// The call that watches the timers. A single timer is watched by prefix, because a watch of
    /// one timer ends when the timer is removed, and would not show that it is started again.
    var call: Call {
      var watch = Wire.Watch()
      watch.prefix = prefix
      return Call(watch)
    }

    /// The prefix that the names of all timers to show have in common; nil: there is none.
    var prefix: String? {
      switch self {
      case .all: nil
      case .name(let name), .prefix(let name): name
      }
    }

    func has(_ name: String) -> Bool {
      if case .name(let only) = self { return name == only }
      return true
    }
  }

  let subject: Subject
  private var timers: [String: LiveTimer] = [:]
  /// The keys of the timers that show a ring. An outdated key stays here until a search finds it.
  private var rings = Heap<TimerOrder.Key>()
  /// The keys, by what rings next, of the timers that are not cancelled. An outdated key stays here
  /// until a search finds it.
  private var next = Heap<TimerOrder.Key>()
  /// The number of timers that are not cancelled.
  private(set) var activeCount = 0
  /// The number of rings that nobody has answered.
  private(set) var unansweredCount = 0
  /// All timers in the order of the list; nil: the daemon has reported a change since they were
  /// sorted.
  private var ordered: [LiveTimer]?
  /// Whether the daemon has sent all timers.
  private(set) var isSynced = false
  /// The causes that the daemon reported when it was stopped, or when the machine was about to
  /// sleep, and the time of the report. Nil: the daemon is in the foreground.
  private(set) var background: (causes: [Wire.Cause], since: ClockReading)?

  init(_ subject: Subject) { self.subject = subject }

  mutating func apply(_ change: Wire.Watch.Reply, at now: ClockReading) {
    if let timer = change.timer {
      if subject.has(timer.name) { set(timer.name, to: LiveTimer(timer, asOf: now)) }
    } else if let name = change.name ?? change.event?.name,
      change.name != nil || change.event?.isTheEnd == true
    {
      set(name, to: nil)
    }
    switch change.event?.type {
    // An absence of the user does not put the daemon into the background. For each timer, the
    // daemon reports whether the absence stops it.
    case _ where change.event?.span?.isAbsence == true: break
    case .didEnterBackground?: background = (change.event?.span?.causes ?? [], now)
    case .willEnterForeground?: background = nil
    default: break
    }
    if change.synced { isSynced = true }
  }

  /// Replaces all timers by those that the daemon has just listed.
  mutating func replace(with all: [Wire.Timer], at now: ClockReading) {
    (timers, ordered) = ([:], nil)
    for timer in all where subject.has(timer.name) {
      timers[timer.name] = LiveTimer(timer, asOf: now)
    }
    orderAnew()
    background = nil
  }

  /// The timer with a name; nil: there is none.
  subscript(name: String) -> LiveTimer? { timers[name] }

  /// All timers in the order of `TimerOrder`: open rings first, then by the next ring. O(n log n)
  /// after a change from the daemon, otherwise O(1).
  mutating func inOrder() -> [LiveTimer] {
    if let ordered { return ordered }
    let all = timers.values.map { (key: TimerOrder.Key($0.timer), timer: $0) }
    let sorted = all.sorted { $0.key < $1.key }.map(\.timer)
    ordered = sorted
    return sorted
  }

  /// The first timer that shows its ring; nil: none does. O(log n) for each change from the daemon.
  mutating func firstRing() -> LiveTimer? { Self.first(in: &rings, timers, Self.ringKey) }

  /// The timer that rings next; nil: all are cancelled. O(log n) for each change from the daemon.
  mutating func firstNext() -> LiveTimer? { Self.first(in: &next, timers, Self.nextKey) }

  private static func first(
    in queue: inout Heap<TimerOrder.Key>, _ timers: [String: LiveTimer],
    _ key: (LiveTimer) -> TimerOrder.Key?
  ) -> LiveTimer? {
    while let least = queue.least {
      if let live = timers[least.name], key(live) == least { return live }
      queue.removeLeast()
    }
    return nil
  }

  private static func ringKey(_ live: LiveTimer) -> TimerOrder.Key? {
    live.timer.showsRing ? TimerOrder.Key(live.timer) : nil
  }

  private static func nextKey(_ live: LiveTimer) -> TimerOrder.Key? {
    live.timer.state == .cancelled ? nil : TimerOrder.Key(next: live.timer)
  }

  private mutating func set(_ name: String, to live: LiveTimer?) {
    ordered = nil
    let old = timers[name]
    timers[name] = live
    count(old, -1)
    count(live, 1)
    if let key = live.flatMap(Self.ringKey), key != old.flatMap(Self.ringKey) { rings.insert(key) }
    if let key = live.flatMap(Self.nextKey), key != old.flatMap(Self.nextKey) { next.insert(key) }
    // If more than half of the keys are outdated, the heaps are built again.
    if rings.count + next.count > 3 * timers.count + 64 { orderAnew() }
  }

  private mutating func count(_ live: LiveTimer?, _ by: Int) {
    guard let timer = live?.timer else { return }
    if timer.state != .cancelled { activeCount += by }
    if timer.ringing == .unanswered { unansweredCount += by }
  }

  /// Builds both heaps again, without outdated keys, and counts anew. O(n).
  private mutating func orderAnew() {
    rings = Heap(timers.values.compactMap(Self.ringKey))
    next = Heap(timers.values.compactMap(Self.nextKey))
    (activeCount, unansweredCount) = (0, 0)
    for live in timers.values { count(live, 1) }
  }

  /// The readings of the clocks from which times are computed. While the daemon is stopped, the
  /// clock `awake` keeps the reading that it had when the daemon stopped.
  func reading(_ now: ClockReading) -> ClockReading {
    guard let background, background.causes.contains(.stop) else { return now }
    var stopped = now
    stopped.monotonicUsec = background.since.monotonicUsec
    return stopped
  }
}
