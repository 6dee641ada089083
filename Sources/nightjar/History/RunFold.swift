import NightjarClient

/// Folds the ledger to runs of timers: events in, in order, and runs out. What a run counted is worked out at
/// the end, when all corrections of reboots are known: it keeps a few numbers for each stretch of time that
/// was counted.
struct RunFold {
  private let isMeant: (_ name: String) -> Bool
  private let isWanted: (Run) -> Bool
  /// Where the counters stood, up to the last event.
  private(set) var log = CounterLog()
  private var ended: [OpenRun] = []
  private var open: [String: OpenRun] = [:]
  /// Timers by their ID whose start is older than the ledger and of which it has said nothing yet.
  private var known: [Int64: NightjarTimer]
  private var undoable = UndoableRuns()

  /// - Parameters:
  ///   - known: timers that there are now and whose start the ledger no longer has.
  ///   - isMeant: whether a timer of a name is of interest.
  ///   - isWanted: whether a run that has ended is.
  init(
    known: [NightjarTimer] = [], isMeant: @escaping (_ name: String) -> Bool = { _ in true },
    isWanted: @escaping (Run) -> Bool = { _ in true }
  ) {
    self.known = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    self.isMeant = isMeant
    self.isWanted = isWanted
  }

  /// The run of a timer that is under way, as it is now.
  func run(named name: String) -> OpenRun? { open[name] }

  /// The last run that has ended.
  var lastEnded: OpenRun? { ended.last }

  /// Takes in the next event of the ledger. O(1), beside the steps that a sequence goes through.
  mutating func take(_ event: Event) {
    log.take(event)
    guard let name = event.name else { return }
    if !known.isEmpty, open[name] == nil { adopt(event) }
    if event.type == .undone { return undo(event, of: name) }
    undoable.note(open[name], before: event)
    switch event.type {
    case .started:
      finish(name, .replaced, event)
      open[name] = OpenRun(event, log)
    case .restarted:
      guard let old = finish(name, .restarted, event) else { return }
      open[name] = OpenRun(restarting: old, with: event, log)
    case .dismissed, .expired, .removed: finish(name, .removed, event)
    case .renamedTo:
      guard var run = open.removeValue(forKey: name), let newName = event.newName else { return }
      run.run.name = newName
      open[newName] = run
    default:
      if let index = open.index(forKey: name) { open.values[index].take(event, log) }
    }
  }

  @discardableResult
  private mutating func finish(_ name: String, _ state: Run.State, _ event: Event) -> OpenRun? {
    guard var run = open.removeValue(forKey: name) else { return nil }
    run.finish(state, event, log)
    if isMeant(name), isWanted(run.run) { ended.append(run) }
    return run
  }

  /// A change was undone: the run goes on, and counts as if there had been no change. Where the ledger does not
  /// say what it was before, it stays as it is.
  private mutating func undo(_ event: Event, of name: String) {
    guard let seq = event.undoneSeq, let before = undoable.take(seq) else { return }
    ended.removeAll { $0.run.startSeq == before?.run.startSeq && $0.run.name == name }
    let labels = open[name]?.run.labels
    open[name] = before
    // It may have been renamed since.
    open[name]?.run.name = name
    if let labels, event.undoneType != EventType.updated.rawValue,
      before?.run.id == event.id
    {
      open[name]?.run.labels = labels
    }
  }

  /// Time was hidden, as the ledger's two events about it would say.
  mutating func liveThrough(_ span: BackgroundSpan) { log.liveThrough(span) }

  /// Nothing more has happened up to now.
  mutating func pass(to nowUsec: Int64) { log.pass(to: nowUsec) }

  /// All runs, those under way with the time counted up to now. O(stints × corrections + days).
  mutating func finish(nowUsec: Int64, days: LocalDays, _ tell: (Run) -> Void) {
    pass(to: nowUsec)
    for timer in known.values where isMeant(timer.name) {
      open[timer.name] = OpenRun(
        timer, in: Run.State(rawValue: timer.state.rawValue) ?? .fired, log)
    }
    let ruler = OpenRun.Ruler(log, days: days)
    for run in ended { tell(run.told(by: ruler)) }
    for run in open.values where isMeant(run.run.name) && isWanted(run.run) {
      tell(run.told(by: ruler))
    }
    (ended, open, known) = ([], [:], [:])
  }

  // MARK: What is older than the ledger

  /// Makes the run that an event is about, if it is the first of a timer's that the ledger has, and
  /// not its start.
  private mutating func adopt(_ event: Event) {
    guard let id = event.id, id != event.seq, let timer = known.removeValue(forKey: id) else {
      return
    }
    open[timer.name] = OpenRun(timer, in: Self.state(before: event), log)
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
