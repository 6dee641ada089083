import NightjarClient
import NightjarModel

/// A run that may still change. The events carry the time that it has counted; this notes to which
/// step and to which time of day that belongs.
struct OpenRun {
  /// Time that the run counted without a pause, up to an event.
  struct Stretch: Equatable {
    /// When the timer began to run, and when it stopped or was due.
    var from, until: Run.Instant
    var countedUsec: Int64
    /// The step, as an index of the run's steps; nil: the timer has no steps.
    let step: Int?
  }

  var run: Run
  /// The specification with which the timer was started; nil: unknown.
  let spec: NewTimer?
  /// In order.
  private(set) var stretches: [Stretch] = []
  private var pauses: [(from: Run.Instant, until: Run.Instant)] = []
  /// The number of the last event that carried the run's sums.
  private(set) var sumsSeq: Int64
  /// When the timer began to run, or when its present round or step began.
  private var since: Run.Instant
  /// How long the run had been paused before its last pause.
  private var pausedBeforeUsec: Int64 = 0
  /// The position of the present step of a sequence (see `Wire.Sequence.step(at:)`).
  private var position: Int64 = 0
  /// The present step, as an index of `run.steps`; nil: the timer has no steps.
  private var step: Int?

  /// A run that begins with the event `started`.
  init(_ start: Wire.Event) {
    let run = Run(
      id: start.id ?? 0, startSeq: start.seq, name: start.name ?? "",
      kind: start.kind ?? .other(""), clock: start.clock ?? .elapsed, labels: start.labels ?? [:],
      startedUsec: start.timeUsec)
    self.init(run, start.started)
  }

  /// The next run of the same timer, after a restart.
  init(restarting old: OpenRun, with event: Wire.Event) {
    let run = Run(
      id: old.run.id, startSeq: event.seq, name: old.run.name, kind: old.run.kind,
      clock: old.run.clock, labels: old.run.labels, startedUsec: event.timeUsec)
    self.init(run, old.spec)
  }

  /// A run whose start is older than the ledger. The daemon's present data describe the timer.
  init(_ timer: Wire.Timer, in state: Run.State) {
    var run = Run(
      id: timer.id, startSeq: timer.id, name: timer.name, kind: timer.kind, clock: timer.clock,
      labels: timer.labels, startedUsec: timer.startedUsec)
    (run.startsBeforeLedger, run.state) = (true, state)
    self.init(run, nil)
  }

  private init(_ run: Run, _ spec: NewTimer?) {
    (self.run, self.spec) = (run, spec)
    (sumsSeq, since) = (run.startSeq, Run.Instant(usec: run.startedUsec, seq: run.startSeq))
    enter(0, named: nil)
  }

  /// The length of the last pause, in real time.
  var lastPauseUsec: Int64 { run.pausedUsec - pausedBeforeUsec }

  private var sequence: Wire.Sequence? {
    if case .sequence(let sequence)? = spec { sequence } else { nil }
  }

  /// Begins a step: the time that is counted from now on belongs to it.
  private mutating func enter(_ next: Int64, named name: String?) {
    position = next
    let known = sequence?.step(at: next)
    guard let name = name ?? known?.name else { return }
    if let index = run.steps.firstIndex(where: { $0.name == name }) {
      step = index
    } else {
      step = run.steps.count
      run.steps.append(Run.StepTime(name: name, isBreak: known?.break ?? false))
    }
  }
}

// MARK: - Counting

extension OpenRun {
  /// The run had counted `usec` in all at `until`. It is less than before if a clock that was
  /// ahead is right again. It is below zero while the wall clock shows a time before the start, and
  /// then the run has counted nothing.
  private mutating func count(to usec: Int64, until: Run.Instant) {
    if run.state == .paused { pauses.append((since, until)) }
    var usec = max(0, usec) - run.countedUsec
    run.countedUsec += usec
    if usec > 0, run.state != .running, let last = stretches.indices.last {
      // A clock that was behind is right again.
      stretches[last].countedUsec += usec
    } else if usec > 0 {
      stretches.append(
        Stretch(from: since, until: until, countedUsec: usec, step: step))
    }
    while usec < 0, let last = stretches.popLast() {
      usec += last.countedUsec
      guard usec > 0 else { continue }
      var rest = last
      rest.countedUsec = usec
      stretches.append(rest)
    }
    since = until
  }

  /// The wall clock was wrong since event `sinceSeq`, the end of a reboot, and it is right again.
  mutating func correct(sinceSeq: Int64, byUsec: Int64) {
    func move(_ instant: inout Run.Instant) {
      if instant.seq >= sinceSeq { instant.usec += byUsec }
    }
    for index in stretches.indices {
      move(&stretches[index].from)
      move(&stretches[index].until)
    }
    for index in pauses.indices {
      move(&pauses[index].from)
      move(&pauses[index].until)
    }
    for index in run.ringTimes.indices { move(&run.ringTimes[index].at) }
    move(&since)
  }

  /// The run with its final values, and the counted time of each day. O(stretches × days).
  ///
  /// - Parameter stopping: when the run's clock stood still.
  func finished(_ stopping: [Range<Int64>], days: LocalDays) -> Run {
    var finished = run
    finished.pauses = pauses.map { $0.usec..<max($0.usec, $1.usec) }
    for (stretch, parts) in placed(stopping) {
      if let step = stretch.step { finished.steps[step].countedUsec += stretch.countedUsec }
      finished.days += parts.flatMap(days.split).map {
        Run.DayShare(day: $0.day, step: stretch.step, range: $0.range)
      }
    }
    return finished
  }

  /// The times of day of each stretch, the last one first.
  func placed(
    _ stopping: [Range<Int64>]
  ) -> [(stretch: Stretch, parts: [Range<Int64>])] {
    var end = Int64.max
    return stretches.reversed().map { stretch in
      let parts = stopping.placing(stretch.countedUsec, before: min(end, stretch.until.usec))
      end = parts.last?.lowerBound ?? end
      return (stretch, parts)
    }
  }

  /// The run up to now.
  ///
  /// - Parameter timer: the timer as the daemon shows it now.
  func counted(in timer: Wire.Timer, nowUsec: Int64) -> OpenRun {
    guard timer.id == run.id, timer.seq >= sumsSeq, run.state.isActive else { return self }
    var counted = self
    // The moment at which the daemon counted, not that at which its answer is read.
    let nowUsec = timer.countedAtUsec ?? nowUsec
    // On a clock that never stands still the time ends where it was counted to, which is a little
    // before now.
    let usec = timer.countedUsec - run.countedUsec
    let isSteady =
      run.state == .running && run.clock != .awake && run.clock != .present
      && !run.startsBeforeLedger
    let untilUsec = isSteady ? min(since.usec + max(0, usec), nowUsec) : nowUsec
    counted.count(to: timer.countedUsec, until: Run.Instant(usec: untilUsec, seq: .max))
    counted.run.pausedUsec =
      (timer.pausedUsec ?? 0) + (timer.pausedSinceUsec.map { max(0, nowUsec - $0) } ?? 0)
    return counted
  }
}

extension Wire.Timer {
  /// When the daemon counted, on CLOCK_REALTIME; nil: only running timers with a deadline say that.
  fileprivate var countedAtUsec: Int64? {
    state == .running && remainingUsec > 0 ? deadlineUsec.map { $0 - remainingUsec } : nil
  }

  /// The time that the run has counted.
  var countedUsec: Int64 {
    kind == .alarm ? 0 : max(0, (countedBeforeUsec ?? 0) + elapsedUsec)
  }
}

// MARK: - Events

extension OpenRun {
  /// Applies an event that neither begins nor ends a run.
  mutating func take(_ event: Wire.Event, _ hidden: HiddenTime) {
    let pausedUsec = run.pausedUsec
    note(event, hidden)
    switch event.type {
    case .paused, .pausedAfterSpan: (run.state, pausedBeforeUsec) = (.paused, pausedUsec)
    case .resumed:
      run.state = .running
      since = Run.Instant(usec: event.timeUsec, seq: event.seq)
    case .extended: run.extendedUsec += event.byUsec ?? 0
    case .updated: run.labels = event.labels ?? run.labels
    case .lapped: run.laps += 1
    case .rang where event.snoozed: ring(event)
    case .rang:
      ring(event)
      expire(event, .over)
    case .didNotRing:
      run.missed += 1
      run.missLate = Run.Lateness(event)
      expire(event, .missed)
    case .joined: expire(event, .over)
    case .rangAgain: run.lack = nil
    case .unnoticed:
      run.lack = TimerText.unnoticed(unseen: event.unseen, unheard: event.unheard)
      if event.unseen != nil, event.unheard != nil { run.unnoticed += 1 }
    case .advanced, .restartedAfterSpan: advance(event)
    case .rescheduled: if let number = event.stepNumber { enter(number - 1, named: event.stepName) }
    case .ranOut: close(.over, event)
    case .cancelled: close(.cancelled, event)
    // No other event changes a run: such as those of bands, snoozes and answers, and events of
    // newer daemons.
    default: break
    }
  }

  /// Ends the run, if it has not ended.
  mutating func finish(_ state: Run.State, _ event: Wire.Event, _ hidden: HiddenTime) {
    guard run.state.isActive else { return }
    note(event, hidden)
    close(state, event)
  }

  /// Continues the run after the undoing of a change.
  mutating func goOn(_ event: Wire.Event, _ hidden: HiddenTime) {
    note(event, hidden)
    if run.state == .running { since = Run.Instant(usec: event.timeUsec, seq: event.seq) }
  }

  private mutating func close(_ state: Run.State, _ event: Wire.Event) {
    (run.state, run.endedUsec) = (state, event.timeUsec)
  }

  /// Notes the sums that an event carries.
  private mutating func note(_ event: Wire.Event, _ hidden: HiddenTime) {
    guard let usec = event.countedUsec, run.state.isActive else { return }
    sumsSeq = event.seq
    // Before the event, the timer was due, or a span began.
    let isAfterSpan = event.type == .pausedAfterSpan || event.type == .restartedAfterSpan
    let spanUsec = isAfterSpan ? hidden.enteredUsec(event.spanId) : nil
    let dueUsec = event.lateCause == .step ? nil : event.dueUsec
    passSteps(event)
    let untilUsec = min(spanUsec ?? dueUsec ?? event.timeUsec, event.timeUsec)
    // A span that a reboot ended began when the clock was right.
    count(to: usec, until: Run.Instant(usec: untilUsec, seq: spanUsec == nil ? event.seq : 0))
    run.pausedUsec = event.pausedUsec ?? 0
  }

  /// The most steps that are counted one by one for an event. This is enough for more than a day of
  /// the shortest steps.
  private static let stepsPerEvent: Int64 = 1_000_000

  /// Counts the steps that ended before the one that the event is about, because they have no
  /// events.
  private mutating func passSteps(_ event: Wire.Event) {
    let passed = passed(event)
    guard passed > 0, passed <= Self.stepsPerEvent, let sequence, let usec = event.countedUsec,
      let dueUsec = event.dueUsec
    else { return }
    let ended = position + 1...position + passed
    var left = ended.reduce(0) { $0 + (sequence.usec(at: $1) ?? 0) }
    for next in ended {
      count(to: usec - left, until: Run.Instant(usec: dueUsec - left, seq: event.seq))
      left -= sequence.usec(at: next) ?? 0
      enter(next, named: nil)
    }
  }

  /// How many expiries passed before the one that the event reports.
  private func passed(_ event: Wire.Event) -> Int64 {
    (event.missed ?? 0) + (event.type == .joined ? (event.count ?? 1) - 1 : 0)
  }

  private mutating func ring(_ event: Wire.Event) {
    let at = Run.Instant(usec: event.timeUsec, seq: event.seq)
    run.ringTimes.append(Run.RingTime(at: at, late: Run.Lateness(event)))
    run.lack = nil
  }

  /// - Parameter end: how the run ends, if this is its last expiry.
  private mutating func expire(_ event: Wire.Event, _ end: Run.State) {
    run.missed += event.missed ?? 0
    switch event.state {
    case .running: if let number = event.stepNumber { enter(number - 1, named: event.stepName) }
    case .waiting: run.state = .waiting
    default: close(end, event)
    }
  }

  private mutating func advance(_ event: Wire.Event) {
    guard event.state == .running else { return close(.finished, event) }
    enter((event.stepNumber ?? 1) - 1, named: event.stepName)
    (run.state, since) = (.running, Run.Instant(usec: event.timeUsec, seq: event.seq))
  }
}

/// Access to steps by position. A position is the number of a step, counted from 0 through all
/// rounds.
extension Wire.Sequence {
  fileprivate func step(at position: Int64) -> Wire.Step? {
    steps.isEmpty || position < 0 ? nil : steps[Int(position % Int64(steps.count))]
  }

  /// The length of a step, in microseconds; nil: unknown.
  fileprivate func usec(at position: Int64) -> Int64? {
    guard let step = step(at: position) else { return nil }
    let isLong = SharedSpec.isLong(
      at: position, stepCount: steps.count, longEvery: longEvery ?? 0)
    return isLong ? step.longUsec ?? step.durationUsec : step.durationUsec
  }
}
