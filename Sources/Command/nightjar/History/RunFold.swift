import NightjarClient

/// Converts the events of the ledger, in order, to runs of timers.
struct RunFold {
  private let isIncluded: (_ name: String) -> Bool
  private let isWanted: (Run) -> Bool
  private(set) var hidden = HiddenTime()
  /// The sum of the steps of the wall clock since the last reboot.
  private var steppedUsec: Int64 = 0
  private var ended: [OpenRun] = []
  private var open: [String: OpenRun] = [:]
  /// The timers as they are now, by ID.
  private let present: [Int64: Wire.Timer]
  /// Those whose start is older than the ledger. A timer is removed from here at its first event in
  /// the ledger.
  private var older: Set<Int64>
  private var undoable = UndoableRuns()

  /// - Parameters:
  ///   - present: the timers as they are now.
  ///   - oldestSeq: the number of the first event that the ledger still has.
  ///   - isIncluded: whether the timers of a name are included.
  ///   - isWanted: whether an ended run is included.
  init(
    present: [Wire.Timer] = [], oldestSeq: Int64 = 0,
    isIncluded: @escaping (_ name: String) -> Bool = { _ in true },
    isWanted: @escaping (Run) -> Bool = { _ in true }
  ) {
    self.present = Dictionary(present.map { ($0.id, $0) }) { first, _ in first }
    older = Set(present.lazy.map(\.id).filter { $0 < oldestSeq })
    self.isIncluded = isIncluded
    self.isWanted = isWanted
  }

  /// The active run of a timer.
  func run(named name: String) -> OpenRun? { open[name] }

  var lastEnded: OpenRun? { ended.last }

  /// Adds the next event of the ledger. O(1), or O(steps) if a sequence has gone through several
  /// steps.
  mutating func take(_ event: Wire.Event) {
    switch event.type {
    case .willEnterForeground:
      guard let span = event.span else { break }
      hidden.add(span)
      if span.causes.contains(.reboot) { steppedUsec = 0 }
    case .spanCorrected: correct(event)
    case .clockStepped:
      steppedUsec += event.offsetUsec ?? 0
      undoable.step(byUsec: event.offsetUsec ?? 0)
    default: break
    }
    guard let name = event.name else { return }
    if !older.isEmpty, open[name] == nil { adopt(event) }
    if event.type == .undone { return undo(event, of: name) }
    // No undo takes back an expiry. A timer that repeats may have many, and a note costs O(run).
    if ![.rang, .didNotRing, .joined].contains(event.type) {
      undoable.note(open[name], before: event)
    }
    switch event.type {
    case .started:
      finish(name, .replaced, event)
      open[name] = OpenRun(event)
    case .restarted:
      guard let old = finish(name, .restarted, event) else { return }
      open[name] = OpenRun(restarting: old, with: event)
    case .renamedTo:
      guard var run = open.removeValue(forKey: name), let newName = event.newName else { return }
      run.run.name = newName
      open[newName] = run
    case _ where event.isTheEnd: finish(name, .removed, event)
    default:
      if let index = open.index(forKey: name) { open.values[index].take(event, hidden) }
    }
  }

  /// The wall clock was wrong since a reboot, and it is right again: the times since then move with
  /// its step. Of several reboots, this is done for the first.
  private mutating func correct(_ event: Wire.Event) {
    guard let span = event.span, let sinceSeq = event.sinceSeq else { return }
    let byUsec = steppedUsec
    steppedUsec = 0
    hidden.correct(span, byUsec: byUsec)
    for index in open.values.indices {
      open.values[index].correct(sinceSeq: sinceSeq, byUsec: byUsec)
    }
    for index in ended.indices { ended[index].correct(sinceSeq: sinceSeq, byUsec: byUsec) }
  }

  @discardableResult
  private mutating func finish(_ name: String, _ state: Run.State, _ event: Wire.Event) -> OpenRun?
  {
    guard var run = open.removeValue(forKey: name) else { return nil }
    run.finish(state, event, hidden)
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
    open[name]?.goOn(event, hidden)
  }

  /// Adds a background span whose events are not in the ledger any more.
  mutating func add(_ span: Wire.Span) { hidden.add(span) }

  /// Calls `body` with all runs. Active runs have the time counted up to `nowUsec`.
  mutating func finish(nowUsec: Int64, days: LocalDays, _ body: (Run) -> Void) {
    for id in older {
      guard let timer = present[id], isIncluded(timer.name) else { continue }
      open[timer.name] = OpenRun(timer, in: Run.State(rawValue: timer.state.rawValue) ?? .over)
    }
    var stopping: [Wire.Clock: [Range<Int64>]] = [:]
    for clock in [.awake, .present] as [Wire.Clock] { stopping[clock] = hidden.stopping(clock) }
    func report(_ run: OpenRun) {
      body(run.finished(stopping[run.run.clock] ?? [], days: days))
    }
    for run in ended { report(run) }
    for run in open.values where isIncluded(run.run.name) && isWanted(run.run) {
      report(self.present[run.run.id].map { run.counted(in: $0, nowUsec: nowUsec) } ?? run)
    }
    (ended, open, older) = ([], [:], [])
  }

  // MARK: Timers that are older than the ledger

  /// Creates a run for a timer whose first event in the ledger is not its start.
  private mutating func adopt(_ event: Wire.Event) {
    guard let id = event.id, id != event.seq, older.remove(id) != nil, let timer = present[id]
    else { return }
    open[timer.name] = OpenRun(timer, in: Self.state(before: event))
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
