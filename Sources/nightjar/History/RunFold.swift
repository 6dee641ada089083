import NightjarClient

/// Folds the ledger to runs of timers: events in, in order, and runs out, each when it is over. It
/// keeps what is under way and no more: one pass, O(1) for an event, beside the midnights that a run
/// has lived through, and the steps of a sequence for as long as the correction of a reboot may take
/// them back.
struct RunFold {
  private let days: LocalDays
  private let keepsStints: Bool
  private let isMeant: (_ name: String) -> Bool
  private let tell: (Run) -> Void

  /// The machine's counters after the last event.
  private(set) var clock: MachineClock
  /// Where the ledger begins, on both counters; nil before the first event.
  private var beginUsec: Int64?
  private var open: [String: OpenRun] = [:]
  /// Timers by their ID whose start is older than the ledger and of which it has said nothing yet.
  private var known: [Int64: NightjarTimer]
  /// The last correction of a reboot, and the event that tells of it.
  private(set) var lastCorrection: (of: MachineClock.Correction, toldBy: Event)?

  /// - Parameters:
  ///   - days: what the time counted is told apart by.
  ///   - known: timers that there are now and whose start the ledger no longer has.
  ///   - keepsStints: whether a run is told with its stints.
  ///   - isMeant: whether a timer of a name is of interest.
  ///   - tell: is handed the runs.
  init(
    days: LocalDays, known: [NightjarTimer] = [], keepsStints: Bool = false,
    isMeant: @escaping (_ name: String) -> Bool = { _ in true },
    tell: @escaping (Run) -> Void
  ) {
    self.days = days
    self.known = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    self.keepsStints = keepsStints
    self.isMeant = isMeant
    self.tell = tell
    clock = MachineClock(wallUsec: 0, days: days)
  }

  /// The run of a timer that is under way, as it is now.
  func run(named name: String) -> OpenRun? { open[name] }

  /// Takes in the next event of the ledger.
  mutating func take(_ event: Event) {
    if beginUsec == nil { begin(at: Self.beginning(event)) }
    if event.type != .spanCorrected { endCorrections() }
    guard let name = event.name else { return takeForMachine(event) }
    clock.advance(to: event.timeUsec)
    guard isMeant(name) else { return }
    if !known.isEmpty, open[name] == nil { adopt(event) }
    let index = open.index(forKey: name)
    switch event.type {
    case .started:
      if let index { tell(open.values[index].finish(.replaced, event, at: clock)) }
      open[name] = OpenRun(event, keepsStints: keepsStints, at: clock)
    case .restarted:
      guard let index else { return }
      tell(open.values[index].finish(.restarted, event, at: clock))
      open.values[index] = OpenRun(restarting: open.values[index], with: event, at: clock)
    case .dismissed, .expired, .removed:
      guard let index else { return }
      tell(open.values[index].finish(.removed, event, at: clock))
      open.remove(at: index)
    default:
      if let index { open.values[index].take(event, at: clock) }
    }
  }

  /// Tells what is still under way, with the time counted up to now.
  mutating func finish(nowUsec: Int64) {
    pass(to: nowUsec)
    for run in open.values { tell(run.told(at: clock)) }
    for timer in known.values where isMeant(timer.name) {
      tell(adopted(timer, in: Run.State(rawValue: timer.state.rawValue)).told(at: clock))
    }
    (open, known) = ([:], [:])
  }

  /// What the wall clock showed before the first event of a ledger.
  private static func beginning(_ event: Event) -> Int64 {
    if let span = event.span { return span.enteredUsec }
    return event.timeUsec - (event.offsetUsec ?? 0)
  }

  private mutating func begin(at wallUsec: Int64) {
    clock = MachineClock(wallUsec: wallUsec, days: days)
    beginUsec = clock.elapsedUsec
  }

  private mutating func takeForMachine(_ event: Event) {
    switch event.type {
    case .didEnterBackground:
      if let span = event.span { clock.enter(span, at: event.timeUsec) }
    case .willEnterForeground:
      guard let span = event.span else { return }
      clock.leave(span, seq: event.seq)
    case .spanCorrected: correct(event)
    case .clockStepped: clock.step(byUsec: event.offsetUsec ?? 0, to: event.timeUsec)
    default: clock.advance(to: event.timeUsec)
    }
  }

  /// Time was hidden, as the ledger's two events about it would say.
  mutating func liveThrough(_ span: BackgroundSpan) {
    if beginUsec == nil { begin(at: span.enteredUsec) }
    endCorrections()
    clock.enter(span, at: span.enteredUsec)
    clock.leave(span, seq: 0)
  }

  /// Nothing more has happened up to now.
  mutating func pass(to nowUsec: Int64) {
    if beginUsec == nil { begin(at: nowUsec) }
    endCorrections()
    clock.advance(to: nowUsec)
  }

  private mutating func correct(_ event: Event) {
    guard let sinceSeq = event.sinceSeq, let byUsec = event.byUsec,
      let correction = clock.correct(since: sinceSeq, byUsec: byUsec)
    else { return }
    lastCorrection = (correction, event)
    for index in open.indices where open.values[index].setSeq > sinceSeq {
      open.values[index].shift(byUsec: byUsec, beyond: correction.knownUsec.lowerBound)
    }
  }

  /// Behind the last correction of a synchronisation: only then the counter is where it belongs, and what
  /// was counted beyond that has not passed.
  private mutating func endCorrections() {
    guard clock.areDaysStale else { return }
    clock.endCorrections()
    for index in open.indices { open.values[index].takeBack(at: clock) }
  }
}

// MARK: - What is older than the ledger

extension RunFold {
  /// Makes the run that an event is about, if it is the first of a timer's that the ledger has, and
  /// not its start.
  private mutating func adopt(_ event: Event) {
    guard let id = event.id, id != event.seq, let timer = known.removeValue(forKey: id) else {
      return
    }
    open[timer.name] = adopted(timer, in: Self.state(before: event))
  }

  private func adopted(_ timer: NightjarTimer, in state: Run.State?) -> OpenRun {
    OpenRun(
      timer, in: state ?? .fired, keepsStints: keepsStints,
      sinceUsec: beginUsec ?? clock.elapsedUsec)
  }

  /// What a timer was doing that something happens to. `extended` and others may happen to one that
  /// is paused, too; then the next event says so.
  private static func state(before event: Event) -> Run.State {
    switch event.type {
    case .resumed: .paused
    case .snoozed, .restarted, .dismissed, .expired: .fired
    case .advanced: .waiting
    default: .running
    }
  }
}
