import NightjarClient

/// Converts the events of the ledger, in order, to runs of timers. The time of a run is computed
/// after the last event, because only then all corrections of reboots are known. Until then, a few
/// numbers are stored for each stint.
struct RunFold {
  private let isIncluded: (_ name: String) -> Bool
  private let isWanted: (Run) -> Bool
  /// The counters, up to the last event.
  private(set) var log = CounterLog()
  private var ended: [OpenRun] = []
  private var open: [String: OpenRun] = [:]
  /// The timers whose start is older than the ledger, by ID. A timer is removed from here at its
  /// first event in the ledger.
  private var known: [Int64: Wire.Timer]
  private var undoable = UndoableRuns()

  /// - Parameters:
  ///   - known: existing timers whose start was pruned from the ledger.
  ///   - isIncluded: whether the timers of a name are included.
  ///   - isWanted: whether an ended run is included.
  init(
    known: [Wire.Timer] = [], isIncluded: @escaping (_ name: String) -> Bool = { _ in true },
    isWanted: @escaping (Run) -> Bool = { _ in true }
  ) {
    self.known = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    self.isIncluded = isIncluded
    self.isWanted = isWanted
  }

  /// The active run of a timer.
  func run(named name: String) -> OpenRun? { open[name] }

  var lastEnded: OpenRun? { ended.last }

  /// Adds the next event of the ledger. O(1), or O(steps) if a sequence has gone through several
  /// steps.
  mutating func take(_ event: Wire.Event) {
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
    case .renamedTo:
      guard var run = open.removeValue(forKey: name), let newName = event.newName else { return }
      run.run.name = newName
      open[newName] = run
    case _ where event.isTheEnd: finish(name, .removed, event)
    default:
      if let index = open.index(forKey: name) { open.values[index].take(event, log) }
    }
  }

  @discardableResult
  private mutating func finish(_ name: String, _ state: Run.State, _ event: Wire.Event) -> OpenRun?
  {
    guard var run = open.removeValue(forKey: name) else { return nil }
    run.finish(state, event, log)
    if isIncluded(name), isWanted(run.run) { ended.append(run) }
    return run
  }

  /// Undoes a change: the run continues, and its time counts as if there had been no change. If the
  /// ledger lacks the state before the change, the run stays as it is.
  private mutating func undo(_ event: Wire.Event, of name: String) {
    guard let seq = event.undoneSeq, let before = undoable.take(seq) else { return }
    ended.removeAll { $0.run.startSeq == before?.run.startSeq && $0.run.name == name }
    let labels = open[name]?.run.labels
    open[name] = before
    // The timer may have been renamed after the change.
    open[name]?.run.name = name
    if let labels, event.undoneType != .updated,
      before?.run.id == event.id
    {
      open[name]?.run.labels = labels
    }
  }

  /// Adds a background span without events. The effect is that of the two events with which the
  /// ledger records a span.
  mutating func addSpan(_ span: Wire.Span) { log.addSpan(span) }

  /// Adds a reading for the time `nowUsec`, without an event.
  mutating func pass(to nowUsec: Int64) { log.pass(to: nowUsec) }

  /// Calls `body` with all runs. Active runs have the time counted up to `nowUsec`. O(stints ×
  /// corrections + days).
  mutating func finish(nowUsec: Int64, days: LocalDays, _ body: (Run) -> Void) {
    pass(to: nowUsec)
    for timer in known.values where isIncluded(timer.name) {
      open[timer.name] = OpenRun(
        timer, in: Run.State(rawValue: timer.state.rawValue) ?? .over, log)
    }
    let timelines = OpenRun.DayTimelines(log, days: days)
    for run in ended { body(run.finished(by: timelines)) }
    for run in open.values where isIncluded(run.run.name) && isWanted(run.run) {
      body(run.finished(by: timelines))
    }
    (ended, open, known) = ([], [:], [:])
  }

  // MARK: Timers that are older than the ledger

  /// Creates a run for a timer whose first event in the ledger is not its start.
  private mutating func adopt(_ event: Wire.Event) {
    guard let id = event.id, id != event.seq, let timer = known.removeValue(forKey: id) else {
      return
    }
    open[timer.name] = OpenRun(timer, in: Self.state(before: event), log)
  }

  /// The state of a timer before an event. For some events, such as `extended`, the timer may have
  /// been running or paused. The result is then `running`; if the timer was paused, a later event
  /// corrects that.
  private static func state(before event: Wire.Event) -> Run.State {
    switch event.type {
    case .resumed: .paused
    case _ where event.removes: .over
    case .restarted, .forgotten: .over
    case .advanced: .waiting
    default: .running
    }
  }
}
