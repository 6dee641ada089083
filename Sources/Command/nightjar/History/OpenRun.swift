import NightjarClient

/// A run that may still change. It has the state of the timer and the time counted so far, both
/// computed from events.
struct OpenRun {
  enum Phase { case running, paused, waiting, over }

  var run: Run
  var phase = Phase.waiting
  /// The specification with which the timer was started; nil: unknown.
  let spec: NewTimer?
  /// The duration of the timer, or of its first step; nil: it has none.
  private let originalUsec: Int64?
  /// The value of `log.estimatedReadings` when the run began. A higher value at the end means that
  /// the run's time depends on computed readings.
  private let estimatedReadingsBefore: Int

  /// The stints in order. The last has no end while the timer runs.
  var stints: [Stint] = []
  /// The pauses in order, in real time. If the timer is paused, the last pause has no end.
  private var pauses: [(from: Reading, end: Reading?)] = []
  /// The time that remained when the timer was paused, and the time that was added to it during the
  /// pause.
  private var pausedTime: (remainingUsec: Int64?, addedUsec: Int64) = (nil, 0)
  /// For a sequence, the position of the present step (see `Wire.Sequence.step(at:)`). For a
  /// repeating timer, the number of the round.
  var position: Int64 = 0
  /// The present step of a sequence, as an index of `run.steps`; nil: the timer has no steps.
  var step: Int?

  /// A run that begins with the event `started`.
  init(_ start: Wire.Event, _ log: CounterLog) {
    run = Run(
      id: start.id ?? 0, startSeq: start.seq, name: start.name ?? "",
      kind: start.kind ?? .other(""), clock: start.clock ?? .elapsed, labels: start.labels ?? [:],
      startedUsec: start.timeUsec)
    (spec, originalUsec) = (start.started, start.durationUsec)
    estimatedReadingsBefore = log.estimatedReadings
    begin(log)
  }

  /// Begins the next run of the same timer, after a restart.
  init(restarting old: OpenRun, with event: Wire.Event, _ log: CounterLog) {
    run = Run(
      id: old.run.id, startSeq: event.seq, name: old.run.name, kind: old.run.kind,
      clock: old.run.clock, labels: old.run.labels, startedUsec: event.timeUsec)
    (spec, originalUsec) = (old.spec, old.originalUsec)
    estimatedReadingsBefore = log.estimatedReadings
    begin(log)
  }

  /// Begins a run whose start is older than the ledger. The daemon's present data describe the
  /// timer, and the time is counted from the ledger's beginning.
  init(_ timer: Wire.Timer, in state: Run.State, _ log: CounterLog) {
    run = Run(
      id: timer.id, startSeq: timer.id, name: timer.name, kind: timer.kind, clock: timer.clock,
      labels: timer.labels, startedUsec: timer.startedUsec)
    (run.startsBeforeLedger, run.state) = (true, state)
    spec = timer.repeat?.periodUsec.map { .repeating(.microseconds($0), rounds: 0) }
    originalUsec = nil
    estimatedReadingsBefore = log.estimatedReadings
    let from = log.first ?? log.last
    switch state {
    case .running:
      count(on: counter, start: .at(from))
      phase = .running
    case .paused: (phase, pauses) = (.paused, [(from, nil)])
    case .waiting: phase = .waiting
    case .over, .cancelled, .missed, .finished, .removed, .restarted, .replaced: phase = .over
    }
  }

  private mutating func begin(_ log: CounterLog) {
    enter(position, named: nil)
    run(for: originalUsec, log)
  }

  /// The counter that measures the run. For the wall clock it is `elapsed`, so that a step of the
  /// clock does not make the run longer.
  var counter: Counter {
    switch run.clock {
    case .awake: .awake
    case .present: .present
    case .elapsed, .wall, .other: .elapsed
    }
  }

  /// Whether the timer is due at a known reading of `counter`. A timer on the wall clock is due
  /// when that clock shows a certain time, and a stopwatch is never due.
  var hasEnd: Bool { run.clock != .wall && run.kind != .stopwatch }

  /// Whether the run counts time. An alarm counts none, because it only waits for a time of day.
  private var countsTime: Bool {
    switch run.kind {
    case .countdown, .stopwatch, .sequence: true
    case .alarm, .other: false
    }
  }

  var sequence: Wire.Sequence? {
    if case .sequence(let sequence)? = spec { sequence } else { nil }
  }

  // MARK: Stints

  /// Starts a stint at the last event.
  ///
  /// - Parameter usec: the length of the stint; nil: unknown.
  mutating func run(for usec: Int64?, continues: Bool = false, _ log: CounterLog) {
    count(
      on: counter, start: .at(log.last), limitUsec: hasEnd ? usec : nil,
      continues: continues && hasEnd)
    (phase, run.state, run.endedUsec) = (.running, .running, nil)
  }

  mutating func count(
    on counter: Counter, start: Stint.Start, limitUsec: Int64? = nil, continues: Bool = false,
    end: Reading? = nil
  ) {
    stints.append(
      Stint(
        counter: counter, step: step, position: position, start: start, limitUsec: limitUsec,
        continues: continues, end: end))
  }

  /// The stint that counts at present; nil: the timer does not run.
  var present: Stint? {
    get { phase == .running ? stints.last : nil }
    set {
      guard phase == .running, let newValue else { return }
      stints[stints.count - 1] = newValue
    }
  }

  /// Ends the present stint or pause.
  mutating func stop(at reading: Reading) {
    present?.end = reading
    if phase == .paused { pauses[pauses.count - 1].end = reading }
  }

  mutating func pause(at reading: Reading, remainingUsec: Int64?) {
    stop(at: reading)
    pauses.append((reading, nil))
    pausedTime = (remainingUsec, 0)
    (phase, run.state, run.endedUsec) = (.paused, .paused, nil)
  }

  mutating func resume(_ log: CounterLog) {
    guard phase == .paused else { return run(for: nil, log) }
    stop(at: log.last)
    // The new stint continues the one before it (`continues`). A later correction of the first
    // stint then also moves the end of the second.
    if let stint = stints.last, stint.limitUsec != nil || stint.continues {
      run(for: pausedTime.addedUsec, continues: true, log)
    } else {
      run(for: pausedTime.remainingUsec.map { $0 + pausedTime.addedUsec }, log)
    }
  }

  mutating func add(usec: Int64) {
    run.extendedUsec += usec
    move(usec: usec)
  }

  /// Moves the timer's next ring by `usec`.
  mutating func move(usec: Int64) {
    if phase == .paused { pausedTime.addedUsec += usec }
    if let limit = present?.limitUsec { present?.limitUsec = limit + usec }
  }

  /// Begins a step: the time that is counted from now on belongs to it.
  mutating func enter(_ next: Int64, named name: String?) {
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

  /// The length of the last pause. If the timer is still paused, it is the length up to now.
  /// O(corrections).
  func lastPauseUsec(_ log: CounterLog) -> Int64 {
    pauses.last.map { Self.length($0, log, log.last) } ?? 0
  }

  private static func length(
    _ pause: (from: Reading, end: Reading?), _ log: CounterLog, _ now: Reading
  ) -> Int64 {
    let end = log.corrected(pause.end ?? now, on: .elapsed)
    return max(0, end - log.corrected(pause.from, on: .elapsed))
  }
}

// MARK: - The result

extension OpenRun {
  /// The counters and days that measure the time of runs.
  struct DayTimelines {
    let log: CounterLog
    private let elapsed, awake, present: DayTimeline

    /// - Parameter log: the complete log, with all corrections.
    init(_ log: CounterLog, days: LocalDays) {
      self.log = log
      elapsed = log.timeline(.elapsed, days: days)
      awake = log.timeline(.awake, days: days)
      present = log.timeline(.present, days: days)
    }

    func timeline(_ counter: Counter) -> DayTimeline {
      switch counter {
      case .elapsed: elapsed
      case .awake: awake
      case .present: present
      }
    }
  }

  /// The run with its final values. The time is counted up to the last event of the log. O(stints ×
  /// corrections + days).
  func finished(by timelines: DayTimelines) -> Run {
    var finished = run
    finished.pausedUsec = pauses.reduce(0) {
      $0 + Self.length($1, timelines.log, timelines.log.last)
    }
    finished.isTimeEstimated = timelines.log.estimatedReadings > estimatedReadingsBefore
    for (stint, usec) in counted(by: timelines.log) where !usec.isEmpty {
      finished.countedUsec += Int64(usec.count)
      if let step = stint.step { finished.steps[step].countedUsec += Int64(usec.count) }
      timelines.timeline(stint.counter).forEachShare(of: usec) {
        finished.add($1, on: $0, step: stint.step)
      }
    }
    return finished
  }

  /// The time of each stint, as readings of the stint's counter. O(stints × corrections).
  func counted(by log: CounterLog) -> [(stint: Stint, usec: Range<Int64>)] {
    countsTime ? stints.counted(by: log, until: log.last) : []
  }
}

extension Run {
  fileprivate mutating func add(_ usec: Int64, on day: Int, step: Int?) {
    // Days arrive in order, and each has few steps, so the search from the end is short.
    var index = days.count
    while index > 0, days[index - 1].day == day {
      index -= 1
      if days[index].step == step {
        days[index].usec += usec
        return
      }
    }
    days.append(DayShare(day: day, step: step, usec: usec))
  }
}
