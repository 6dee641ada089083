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
  /// All there was has been told.
  private(set) var isSynced = false
  /// The daemon is stopped or the machine on its way to sleep: what the daemon said of that, and when.
  private(set) var background: (causes: [Cause], since: ClockReading)?

  init(_ subject: Subject) { self.subject = subject }

  /// Takes one word of the daemon's into account.
  mutating func apply(_ change: NightjarClient.Change, at now: ClockReading) {
    if let timer = change.timer {
      if subject.has(timer.name) { timers[timer.name] = LiveTimer(timer, said: now) }
    } else if let name = change.goneName ?? change.event?.name,
      change.goneName != nil || change.event?.type.isTheEnd == true
    {
      timers[name] = nil
    }
    switch change.event?.type {
    case .didEnterBackground?: background = (change.event?.span?.causes ?? [], now)
    case .willEnterForeground?: background = nil
    default: break
    }
    if change.isSynced { isSynced = true }
  }

  /// Takes in all there is, as the daemon has just said it.
  mutating func replace(with all: [NightjarTimer], at now: ClockReading) {
    timers = [:]
    for timer in all where subject.has(timer.name) {
      timers[timer.name] = LiveTimer(timer, said: now)
    }
    background = nil
  }

  /// The one of a name.
  subscript(name: String) -> LiveTimer? { timers[name] }

  /// Those that rang first, the latest of them at the top; then by what rings next. O(n log n).
  var inOrder: [LiveTimer] {
    timers.values.sorted { TimerOrder.isBefore($0.timer, $1.timer) }
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
