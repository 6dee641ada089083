import NightjarClient

/// The timers that somebody looks at, as the daemon's changes have them.
struct Board {
  /// Which they are.
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

    /// Of one timer all of that prefix: its own watch would end with it, and not see it started anew.
    var call: Call { .watch(prefix: prefix) }

    /// What all of them are under; nil: nothing.
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
  /// Those that rang, and what they were ordered by before, until that is found out of date.
  private var rung = Heap<TimerOrder.Key>()
  /// Likewise those that neither rang nor are cancelled.
  private var others = Heap<TimerOrder.Key>()
  /// How many are not cancelled.
  private(set) var activeCount = 0
  /// All of them in order, until the daemon says something.
  private var ordered: [LiveTimer]?
  /// All there was has been told.
  private(set) var isSynced = false
  /// The daemon is stopped or the machine on its way to sleep: what the daemon said of that, and when.
  private(set) var background: (causes: [Cause], since: ClockReading)?

  init(_ subject: Subject) { self.subject = subject }

  /// Takes one word of the daemon's into account.
  mutating func apply(_ change: NightjarClient.Change, at now: ClockReading) {
    if let timer = change.timer {
      if subject.has(timer.name) { set(timer.name, to: LiveTimer(timer, said: now)) }
    } else if let name = change.goneName ?? change.event?.name,
      change.goneName != nil || change.event?.type.isTheEnd == true
    {
      set(name, to: nil)
    }
    switch change.event?.type {
    // An absence is no background. The daemon says of each timer whether it stands still.
    case _ where change.event?.span?.isAbsence == true: break
    case .didEnterBackground?: background = (change.event?.span?.causes ?? [], now)
    case .willEnterForeground?: background = nil
    default: break
    }
    if change.isSynced { isSynced = true }
  }

  /// Takes in all there is, as the daemon has just said it.
  mutating func replace(with all: [NightjarTimer], at now: ClockReading) {
    (timers, ordered) = ([:], nil)
    for timer in all where subject.has(timer.name) {
      timers[timer.name] = LiveTimer(timer, said: now)
    }
    activeCount = timers.values.count { Self.isActive($0) }
    orderAnew()
    background = nil
  }

  /// The one of a name.
  subscript(name: String) -> LiveTimer? { timers[name] }

  /// Those that rang first, the latest of them at the top; then by what rings next. O(n log n) after the
  /// daemon has said something, else O(1).
  mutating func inOrder() -> [LiveTimer] {
    if let ordered { return ordered }
    let all = timers.values.map { (key: TimerOrder.Key($0.timer), timer: $0) }
    let sorted = all.sorted { $0.key < $1.key }.map(\.timer)
    ordered = sorted
    return sorted
  }

  /// The latest that rang. O(log n) for each word of the daemon's.
  mutating func firstRung() -> LiveTimer? { Self.first(in: &rung, timers) }

  /// The first of those that neither rang nor are cancelled. O(log n) for each word of the daemon's.
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
    // Keys that are out of date are more than half.
    if rung.count + others.count > 2 * timers.count + 64 { orderAnew() }
  }

  /// O(n).
  private mutating func orderAnew() {
    let keys = timers.values.filter { Self.isActive($0) }.map { TimerOrder.Key($0.timer) }
    rung = Heap(keys.lazy.filter(\.isRung))
    others = Heap(keys.lazy.filter { !$0.isRung })
  }

  /// The clocks as timers are to be shown by: time that is awake stands still while the daemon is
  /// stopped.
  func reading(_ now: ClockReading) -> ClockReading {
    guard let background, background.causes.contains(.stop) else { return now }
    var held = now
    held.monotonicUsec = background.since.monotonicUsec
    return held
  }
}
