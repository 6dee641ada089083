import NightjarClient

/// The timers that a command shows, updated by the daemon's changes.
struct Board {
  /// The selection of timers.
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

    /// A single timer is watched by prefix: a watch of one timer would end with it, and would miss
    /// a new start.
    var call: Call { .watch(prefix: prefix) }

    /// The common prefix; nil: none.
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
  /// Keys of the timers that rang. Outdated keys stay until a search finds and removes them.
  private var rung = Heap<TimerOrder.Key>()
  /// Keys of the timers that neither rang nor are cancelled. Outdated keys stay here as well.
  private var others = Heap<TimerOrder.Key>()
  /// The number of timers that are not cancelled.
  private(set) var activeCount = 0
  /// All timers in order; nil after the daemon reported a change.
  private var ordered: [LiveTimer]?
  /// The daemon has sent all timers.
  private(set) var isSynced = false
  /// The daemon is stopped or the machine is going to sleep: the reported causes, and when they
  /// were reported.
  private(set) var background: (causes: [Cause], since: ClockReading)?

  init(_ subject: Subject) { self.subject = subject }

  /// Applies one change from the daemon.
  mutating func apply(_ change: NightjarClient.Change, at now: ClockReading) {
    if let timer = change.timer {
      if subject.has(timer.name) { set(timer.name, to: LiveTimer(timer, said: now)) }
    } else if let name = change.goneName ?? change.event?.name,
      change.goneName != nil || change.event?.type.isTheEnd == true
    {
      set(name, to: nil)
    }
    switch change.event?.type {
    // An absence is no background span of the machine. The daemon reports for each timer whether it
    // stops.
    case _ where change.event?.span?.isAbsence == true: break
    case .didEnterBackground?: background = (change.event?.span?.causes ?? [], now)
    case .willEnterForeground?: background = nil
    default: break
    }
    if change.isSynced { isSynced = true }
  }

  /// Replaces all timers by those that the daemon has just sent.
  mutating func replace(with all: [NightjarTimer], at now: ClockReading) {
    (timers, ordered) = ([:], nil)
    for timer in all where subject.has(timer.name) {
      timers[timer.name] = LiveTimer(timer, said: now)
    }
    activeCount = timers.values.count { Self.isActive($0) }
    orderAnew()
    background = nil
  }

  /// The timer of a name.
  subscript(name: String) -> LiveTimer? { timers[name] }

  /// Fired timers first, the latest at the top; then by the next ring. O(n log n) after a change
  /// from the daemon, else O(1).
  mutating func inOrder() -> [LiveTimer] {
    if let ordered { return ordered }
    let all = timers.values.map { (key: TimerOrder.Key($0.timer), timer: $0) }
    let sorted = all.sorted { $0.key < $1.key }.map(\.timer)
    ordered = sorted
    return sorted
  }

  /// The timer that rang last. O(log n) for each change from the daemon.
  mutating func firstRung() -> LiveTimer? { Self.first(in: &rung, timers) }

  /// The first timer that neither rang nor is cancelled. O(log n) for each change from the daemon.
  mutating func firstOther() -> LiveTimer? { Self.first(in: &others, timers) }

  private static func first(
    in queue: inout Heap<TimerOrder.Key>, _ timers: [String: LiveTimer]
  ) -> LiveTimer? {
    while let key = queue.least {
      if let live = timers[key.name], isActive(live), TimerOrder.Key(live.timer) == key {
        return live
      }
      queue.removeLeast()
    }
    return nil
  }

  private static func isActive(_ live: LiveTimer) -> Bool { live.timer.state != .cancelled }

  private mutating func set(_ name: String, to live: LiveTimer?) {
    ordered = nil
    let old = timers[name]
    timers[name] = live
    let before = old.flatMap { Self.isActive($0) ? TimerOrder.Key($0.timer) : nil }
    let key = live.flatMap { Self.isActive($0) ? TimerOrder.Key($0.timer) : nil }
    activeCount += (key == nil ? 0 : 1) - (before == nil ? 0 : 1)
    guard let key, key != before else { return }
    if key.isRung { rung.insert(key) } else { others.insert(key) }
    // Rebuild when more than half of the keys are outdated.
    if rung.count + others.count > 2 * timers.count + 64 { orderAnew() }
  }

  /// O(n).
  private mutating func orderAnew() {
    let keys = timers.values.filter { Self.isActive($0) }.map { TimerOrder.Key($0.timer) }
    rung = Heap(keys.lazy.filter(\.isRung))
    others = Heap(keys.lazy.filter { !$0.isRung })
  }

  /// The clocks by which timers are shown: the awake clock stops while the daemon is stopped.
  func reading(_ now: ClockReading) -> ClockReading {
    guard let background, background.causes.contains(.stop) else { return now }
    var held = now
    held.monotonicUsec = background.since.monotonicUsec
    return held
  }
}
