import NightjarClient

/// A run that is not told yet, for something may still come: what its timer does, and since when.
struct OpenRun {
  /// What its timer does.
  enum Phase: Equatable {
    /// Its time is counted from a reading of a timeline on, until it is due, if that is known.
    case running(MachineClock.Timeline, fromUsec: Int64, dueUsec: Int64?)
    /// It is held since a reading of `elapsed`.
    case paused(sinceUsec: Int64, remainingUsec: Int64?)
    case waiting
    /// It rang or was called off, and may be snoozed or begun anew.
    case over
  }

  var run: Run
  var phase = Phase.waiting
  /// The number of the event by which it counts as it does.
  var setSeq: Int64 = 0
  /// What was started; nil: nobody knows.
  let spec: NewTimer.Kind?
  /// How long it, or its first step, was to take; nil: that is not what it does.
  private let originalUsec: Int64?
  private let keepsStints: Bool
  /// The step it is in, as `NewTimer.Sequence` counts them.
  var position: Int64 = 0
  /// The same, as an index of `run.steps`.
  var step: Int?
  /// It counts a snooze, and what it repeats waits behind that.
  var isSnoozed = false
  /// Steps that were gone through so lately that a reboot's correction may take them back, in order.
  /// They are counted when it no longer can, or when what the run does now does not follow from them.
  private var doubtful: ArraySlice<Stretch> = []

  /// Time on `elapsed` that a step took.
  private struct Stretch {
    let step: Int?
    var usec: Range<Int64>
    /// When the step was due, whatever of that has not passed.
    var dueUsec: Int64
  }

  /// A run that begins with a `started`.
  init(_ start: Event, keepsStints: Bool, at clock: MachineClock) {
    run = Run(
      id: start.id ?? 0, startSeq: start.seq, name: start.name ?? "",
      kind: start.kind ?? .other(""), clock: start.clock ?? .elapsed, labels: start.labels ?? [],
      startedUsec: start.timeUsec)
    spec = start.started
    originalUsec = start.durationUsec
    self.keepsStints = keepsStints
    begin(start.seq, at: clock)
  }

  /// The same timer's next run.
  init(restarting old: OpenRun, with event: Event, at clock: MachineClock) {
    run = Run(
      id: old.run.id, startSeq: event.seq, name: old.run.name, kind: old.run.kind,
      clock: old.run.clock, labels: old.run.labels, startedUsec: event.timeUsec)
    (spec, originalUsec, keepsStints) = (old.spec, old.originalUsec, old.keepsStints)
    begin(event.seq, at: clock)
  }

  /// A run whose start is older than the ledger, by what the daemon says of its timer: counted since a
  /// reading of both counters, where the ledger begins.
  init(_ timer: NightjarTimer, in state: Run.State, keepsStints: Bool, sinceUsec: Int64) {
    run = Run(
      id: timer.id, startSeq: timer.id, name: timer.name, kind: timer.kind, clock: timer.clock,
      labels: timer.labels, startedUsec: timer.startedUsec)
    (run.isCut, run.state) = (true, state)
    spec = timer.repetition?.periodUsec.map { .repeating(.microseconds($0), rounds: 0) }
    originalUsec = nil
    self.keepsStints = keepsStints
    switch state {
    case .running: phase = .running(timeline, fromUsec: sinceUsec, dueUsec: nil)
    case .paused: phase = .paused(sinceUsec: sinceUsec, remainingUsec: nil)
    case .waiting: phase = .waiting
    case .fired, .cancelled, .skipped, .finished, .removed, .restarted, .replaced: phase = .over
    }
  }

  private mutating func begin(_ seq: Int64, at clock: MachineClock) {
    setSeq = seq
    enter(position, named: nil)
    count(for: originalUsec, at: clock)
  }

  /// What it is counted by. What goes by the wall clock is counted in real time: no step of the
  /// clock makes it longer.
  private var timeline: MachineClock.Timeline { run.clock == .awake ? .awake : .elapsed }

  /// An alarm waits for a point in time, which is no time that anybody spends on something.
  private var countsTime: Bool {
    switch run.kind {
    case .countdown, .stopwatch, .sequence: true
    case .alarm, .other: false
    }
  }

  /// Runs from now on, for so long if that is known.
  mutating func count(for usec: Int64?, at clock: MachineClock) {
    let from = clock.reading(timeline)
    let due = hasEnd ? usec.map { from + $0 } : nil
    phase = .running(timeline, fromUsec: from, dueUsec: due)
    (run.state, run.endedUsec) = (.running, nil)
  }

  /// Whether it can be told from its counter when it is due: what goes by the wall clock is when that
  /// says so.
  var hasEnd: Bool { run.clock != .wall && run.kind != .stopwatch }

  /// The `elapsed` counter was corrected beyond a reading, and this was set by it since.
  mutating func shift(byUsec: Int64, beyond knownUsec: Int64) {
    for index in doubtful.indices {
      let usec = doubtful[index].usec
      doubtful[index].usec = usec.lowerBound + byUsec..<usec.upperBound + byUsec
      doubtful[index].dueUsec += byUsec
    }
    switch phase {
    case .running(.elapsed, let from, let due):
      phase = .running(.elapsed, fromUsec: from + byUsec, dueUsec: due.map { $0 + byUsec })
    case .paused(let since, let remaining):
      // What a reboot paused is so since before it.
      let since = since > knownUsec ? since + byUsec : since
      phase = .paused(sinceUsec: since, remainingUsec: remaining)
    case .running(.awake, _, _), .waiting, .over: break
    }
  }

  /// The `elapsed` counter was corrected: what was counted beyond where it is now has not passed. The
  /// step that this has come to is still the one it is in, and is due when it was, until `rescheduled`
  /// says that it goes back.
  mutating func takeBack(at clock: MachineClock) {
    guard case .running(.elapsed, let from, let due) = phase else { return }
    let now = clock.elapsedUsec
    for index in doubtful.indices {
      doubtful[index].usec = doubtful[index].usec.clamped(to: .min..<now)
    }
    phase = .running(.elapsed, fromUsec: min(from, now), dueUsec: due)
  }

  /// A sequence goes back to an earlier step, which a clock that was ahead had taken for over.
  mutating func goBack(to earlier: Int64, named name: String?, at clock: MachineClock) {
    guard case .running(let timeline, let from, let due) = phase else { return }
    let gone = doubtful.suffix(Int(clamping: max(0, position - earlier)))
    doubtful.removeLast(gone.count)
    enter(earlier, named: name)
    phase = .running(
      timeline, fromUsec: min(gone.first?.usec.lowerBound ?? from, clock.reading(timeline)),
      dueUsec: gone.first?.dueUsec ?? due)
  }
}

// MARK: - Time that is counted

extension OpenRun {
  /// Counts up to a reading of the timeline it runs on, and no further than it is due. A pause ends.
  ///
  /// - Parameter atUsec: nil for now.
  mutating func settle(at clock: MachineClock, atUsec: Int64? = nil) {
    countSteps(at: clock)
    switch phase {
    case .running(let timeline, let from, let due):
      let now = clock.reading(timeline)
      // `awake` is not known as exactly as what an event says.
      let until = min(atUsec ?? now, timeline == .elapsed ? now : .max)
      spend(step, from, atUsec == nil ? min(until, due ?? .max) : until, on: timeline, clock)
    case .paused(let since, _):
      run.pausedUsec += max(0, clock.elapsedUsec - since)
    case .waiting, .over: break
    }
  }

  /// The step that it is in has taken this time, and others come behind it.
  mutating func goThrough(
    _ from: Int64, _ until: Int64, on timeline: MachineClock.Timeline, _ clock: MachineClock
  ) {
    guard until > from else { return }
    if timeline == .elapsed, clock.doubtfulFromUsec != nil {
      doubtful.append(Stretch(step: step, usec: from..<until, dueUsec: until))
    } else {
      spend(step, from, until, on: timeline, clock)
    }
  }

  /// Counts the steps that were gone through, or only those that had ended by a reading of `elapsed`.
  mutating func countSteps(endedBy limitUsec: Int64 = .max, at clock: MachineClock) {
    while let first = doubtful.first, first.usec.upperBound <= limitUsec {
      doubtful.removeFirst()
      spend(first.step, first.usec.lowerBound, first.usec.upperBound, on: .elapsed, clock)
    }
  }

  private mutating func spend(
    _ step: Int?, _ from: Int64, _ until: Int64, on timeline: MachineClock.Timeline,
    _ clock: MachineClock
  ) {
    guard countsTime, until > from else { return }
    run.countedUsec += until - from
    if let step { run.steps[step].countedUsec += until - from }
    clock.tape(timeline).forEachShare(of: from..<until) { run.add($1, on: $0, step: step) }
    guard keepsStints else { return }
    if let last = run.stints.last, last.timeline == timeline, last.usec.upperBound == from {
      run.stints[run.stints.count - 1].usec = last.usec.lowerBound..<until
    } else {
      run.stints.append(Run.Stint(timeline: timeline, usec: from..<until))
    }
  }

  var sequence: NewTimer.Sequence? {
    if case .sequence(let sequence)? = spec { sequence } else { nil }
  }

  /// Another step is the one that is counted.
  mutating func enter(_ next: Int64, named name: String?) {
    position = next
    let known = sequence?.step(at: next)
    guard let name = name ?? known?.name else { return }
    if let index = run.steps.firstIndex(where: { $0.name == name }) {
      step = index
    } else {
      step = run.steps.count
      run.steps.append(Run.StepTime(name: name, isBreak: known?.isBreak ?? false))
    }
  }

  /// Until when it counted, as its event says: what remained, or what a stopwatch showed, is exact.
  func end(_ event: Event) -> Int64? {
    guard case .running(_, let from, let due) = phase else { return nil }
    if let shownUsec = event.elapsedUsec, !run.isCut { return from + shownUsec - run.countedUsec }
    guard let due, let remainingUsec = event.remainingUsec else { return nil }
    return due - remainingUsec
  }

  /// Until when it counted that came due: when it was due, not when it rang.
  func due(_ event: Event, at clock: MachineClock) -> Int64? {
    guard case .running(let timeline, let from, let due) = phase else { return nil }
    let now = clock.reading(timeline)
    if let due { return timeline == .elapsed ? min(due, now) : due }
    // A clock that was set past it made it late without making it longer.
    let lateUsec = event.lateCause == .step ? 0 : event.lateUsec ?? 0
    return max(from, now - lateUsec)
  }
}

extension Run {
  fileprivate mutating func add(_ usec: Int64, on day: Int, step: Int?) {
    // Days come one after another, with a few steps each.
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
