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
    var call: Call {
      switch self {
      case .all: .watch()
      case .name(let name), .prefix(let name): .watch(prefix: name)
      }
    }

    func has(_ name: String) -> Bool {
      if case .name(let only) = self { return name == only }
      return true
    }
  }

  private let subject: Subject
  private var timers: [String: LiveTimer] = [:]
  /// The names told since all there was had been told the last time.
  private var told: Set<String> = []
  /// The number of the last event.
  private var lastSeq: Int64 = 0
  /// All there was has been told.
  private(set) var isSynced = false

  init(_ subject: Subject) { self.subject = subject }

  /// Takes one word of the daemon's into account.
  mutating func apply(_ change: NightjarClient.Change, at now: ClockReading) {
    if let event = change.event {
      // Another ledger was begun: what was in the old one is gone.
      if event.seq < lastSeq { timers = [:] }
      lastSeq = event.seq
    }
    if let timer = change.timer {
      guard subject.has(timer.name) else { return }
      timers[timer.name] = LiveTimer(timer, said: now)
      told.insert(timer.name)
    } else if let name = change.event?.name, change.event?.type.isTheEnd == true {
      timers[name] = nil
      told.remove(name)
    }
    guard change.isSynced else { return }
    // All there is has been told once more; those that were not told are not there any more.
    timers = timers.filter { told.contains($0.key) }
    told = []
    isSynced = true
  }

  /// Replaces one, without a change: its time was hidden from somebody.
  mutating func correct(_ timer: NightjarTimer, at now: ClockReading) {
    guard timers[timer.name] != nil else { return }
    timers[timer.name] = LiveTimer(timer, said: now)
  }

  /// Those on a clock that a span has moved, which only the daemon knows by how much.
  var namesOnAwakeTime: [String] {
    timers.values.filter { $0.timer.clock == .awake && $0.timer.state == .running }
      .map(\.timer.name)
  }

  /// The one of a name.
  subscript(name: String) -> LiveTimer? { timers[name] }

  /// Those that rang first, the latest of them at the top; then by what rings next. O(n log n).
  var inOrder: [LiveTimer] {
    timers.values.sorted { TimerOrder.isBefore($0.timer, $1.timer) }
  }

  /// How long until one of them reads otherwise, in microseconds; nil: as long as nobody does anything.
  func nextChangeUsec(after now: ClockReading, in resolution: LiveTimer.Resolution) -> Int64? {
    timers.values.compactMap { $0.nextChangeUsec(after: now, in: resolution) }.min()
  }
}
