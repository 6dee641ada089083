import NightjarClient

/// What happens to a run.
extension OpenRun {
  /// Takes in an event that neither begins nor ends a run.
  mutating func take(_ event: Event, at clock: MachineClock) {
    switch event.type {
    case .paused: pause(event, at: clock)
    case .resumed: resume(event, at: clock)
    case .extended: extend(event)
    case .snoozed: snooze(event, at: clock)
    case .updated: run.labels = event.labels ?? run.labels
    case .lapped: run.laps += 1
    case .fired, .skipped, .stepped, .stepEnded: comeDue(event, at: clock)
    case .advanced: advance(event, at: clock)
    case .rescheduled: goBack(event, at: clock)
    case .pausedAfterSleep: pauseAfterSleep(event, at: clock)
    case .restartedAfterSleep: restartAfterSleep(event, at: clock)
    case .cancelled: end(.cancelled, event, at: clock)
    // Bands, rings that were seen, and what a newer daemon has.
    default: break
    }
  }

  private mutating func pause(_ event: Event, at clock: MachineClock) {
    settle(at: clock, atUsec: end(event))
    phase = .paused(sinceUsec: clock.elapsedUsec, remainingUsec: event.remainingUsec)
    (run.state, run.endedUsec, setSeq) = (.paused, nil, event.seq)
  }

  private mutating func resume(_ event: Event, at clock: MachineClock) {
    settle(at: clock)
    guard case .paused(_, let remainingUsec) = phase else { return count(for: nil, at: clock) }
    setSeq = event.seq
    count(for: remainingUsec, at: clock)
  }

  private mutating func extend(_ event: Event) {
    guard let byUsec = event.byUsec else { return }
    run.extendedUsec += byUsec
    switch phase {
    case .running(let timeline, let from, let due):
      phase = .running(timeline, fromUsec: from, dueUsec: due.map { $0 + byUsec })
    case .paused(let since, let remaining):
      phase = .paused(sinceUsec: since, remainingUsec: remaining.map { $0 + byUsec })
    case .waiting, .over: break
    }
  }

  /// A snooze is real time on any clock. One that repeats goes on behind it.
  private mutating func snooze(_ event: Event, at clock: MachineClock) {
    isSnoozed = true
    switch phase {
    case .running(let timeline, let from, _):
      phase = .running(timeline, fromUsec: from, dueUsec: nil)
      return
    case .paused: return
    case .waiting, .over: break
    }
    let from = clock.elapsedUsec
    phase = .running(.elapsed, fromUsec: from, dueUsec: event.byUsec.map { from + $0 })
    (run.state, run.endedUsec, setSeq) = (.running, nil, event.seq)
  }

  /// Ends before its time.
  mutating func end(_ state: Run.State, _ event: Event, at clock: MachineClock) {
    settle(at: clock, atUsec: end(event))
    close(state, event)
  }

  private mutating func close(_ state: Run.State, _ event: Event) {
    phase = .over
    (run.state, run.endedUsec) = (state, event.timeUsec)
  }

  /// Its timer is put away, or begun anew.
  mutating func finish(_ state: Run.State, _ event: Event, at clock: MachineClock) -> Run {
    if phase != .over { end(state, event, at: clock) }
    return run
  }

  /// As it is, with what has been counted up to now.
  func told(at clock: MachineClock) -> Run {
    var copy = self
    copy.settle(at: clock)
    return copy.run
  }
}

// MARK: - Coming due

extension OpenRun {
  private mutating func comeDue(_ event: Event, at clock: MachineClock) {
    if event.type != .skipped { run.rings += 1 }
    run.missed += event.missed ?? 0
    (run.lateUsec, run.lateCause) = (event.lateUsec ?? 0, event.lateCause)
    run.isEstimated = event.isEstimated
    let state = event.type == .skipped ? Run.State.skipped : .fired
    guard case .running(let timeline, let from, let due) = phase,
      let first = self.due(event, at: clock)
    else {
      // What the ledger has of it does not tell since when it ran.
      if !goesOn(event) { close(state, event) }
      return
    }
    if let number = event.stepNumber { return step(event, to: number - 1, due: first, at: clock) }
    let wasSnoozed = isSnoozed
    isSnoozed = false
    guard goesOn(event) else {
      let rounds = due == nil || wasSnoozed ? 0 : passed(event)
      settle(at: clock, atUsec: first + rounds * (periodUsec ?? 0))
      return close(state, event)
    }
    position = event.rung ?? position
    phase = .running(
      timeline, fromUsec: from,
      dueUsec: wasSnoozed ? nil : next(behind: due, event, on: timeline, at: clock))
  }

  /// A clock that was ahead had counted on, and is right now. An alarm's calendar is of no interest.
  private mutating func goBack(_ event: Event, at clock: MachineClock) {
    if let number = event.stepNumber {
      goBack(to: number - 1, named: event.stepName, at: clock)
    } else if let rung = event.rung, case .running(let timeline, let from, let due) = phase {
      let rounds = position - rung
      position = rung
      phase = .running(
        timeline, fromUsec: from, dueUsec: due.map { $0 - rounds * (periodUsec ?? 0) })
    }
  }

  /// Whether it rings again by itself.
  private func goesOn(_ event: Event) -> Bool { event.rung != nil && event.durationUsec != nil }

  /// How many rounds it went through before the one that its event is about.
  private func passed(_ event: Event) -> Int64 {
    // One that is skipped is among those that it missed.
    max(0, (event.missed ?? 0) - (event.type == .skipped ? 1 : 0))
  }

  private var periodUsec: Int64? {
    if case .repeating(let period, _)? = spec, period > .zero { period.usec } else { nil }
  }

  /// When a countdown that repeats is due again; nil: nobody knows.
  private func next(
    behind due: Int64?, _ event: Event, on timeline: MachineClock.Timeline, at clock: MachineClock
  ) -> Int64? {
    guard let periodUsec, hasEnd else { return nil }
    if let due { return due + (1 + passed(event)) * periodUsec }
    // How late it is on `awake` may be told in real time.
    guard timeline == .elapsed, let lateUsec = event.lateUsec else { return nil }
    return clock.elapsedUsec - lateUsec + periodUsec
  }

  /// A step of a sequence is over, and those behind it up to another are gone through.
  private mutating func step(_ event: Event, to next: Int64, due: Int64, at clock: MachineClock) {
    guard case .running(let timeline, let begun, _) = phase else { return }
    countSteps(endedBy: clock.doubtfulFromUsec ?? .max, at: clock)
    goThrough(begun, due, on: timeline, clock)
    let begins = event.type == .stepped || event.type == .skipped && event.durationUsec != nil
    var from = due
    if let missed = event.missed, missed > 0 {
      from = passThrough(to: begins ? next : next + 1, from: due, on: timeline, clock)
    }
    if begins {
      enter(next, named: event.stepName)
      let due = hasEnd ? event.durationUsec.map { from + $0 } : nil
      phase = .running(timeline, fromUsec: from, dueUsec: due)
      return
    }
    // Where it has ended or waits, it stays so whatever turns out.
    countSteps(at: clock)
    position = next
    if event.type == .stepEnded || event.type == .skipped && sequence?.isLast(next) == false {
      (phase, run.state) = (.waiting, .waiting)
    } else {
      close(event.type == .skipped ? .skipped : .fired, event)
    }
  }

  /// So many steps are told one by one for each event: over a day of the shortest there are.
  private static let stepsPerEvent: Int64 = 1_000_000

  /// Counts steps that were gone through in a span, and enters none.
  ///
  /// - Returns: where they end; where nobody knows how long they are, now.
  private mutating func passThrough(
    to end: Int64, from: Int64, on timeline: MachineClock.Timeline, _ clock: MachineClock
  ) -> Int64 {
    guard let sequence, end - position <= Self.stepsPerEvent else {
      goThrough(from, clock.reading(timeline), on: timeline, clock)
      return max(from, clock.reading(timeline))
    }
    var from = from
    while position + 1 < end, let usec = sequence.usec(at: position + 1) {
      enter(position + 1, named: nil)
      goThrough(from, from + usec, on: timeline, clock)
      from += usec
    }
    return from
  }

  private mutating func advance(_ event: Event, at clock: MachineClock) {
    settle(at: clock)
    guard let durationUsec = event.durationUsec else { return close(.finished, event) }
    enter((event.stepNumber ?? 1) - 1, named: event.stepName)
    setSeq = event.seq
    count(for: durationUsec, at: clock)
  }

  /// It was held when the span was entered, as it turns out when that is left.
  private mutating func pauseAfterSleep(_ event: Event, at clock: MachineClock) {
    settle(at: clock, atUsec: end(event))
    let since = clock.last?.enteredUsec ?? clock.elapsedUsec
    phase = .paused(sinceUsec: since, remainingUsec: event.remainingUsec)
    (run.state, setSeq) = (.paused, event.seq)
  }

  /// A step begins anew, and the span took nothing; or its break is over by it.
  private mutating func restartAfterSleep(_ event: Event, at clock: MachineClock) {
    let next = (event.stepNumber ?? 1) - 1
    if case .running(.elapsed, _, _) = phase, next == position, let last = clock.last {
      settle(at: clock, atUsec: last.enteredUsec)
    } else {
      settle(at: clock)
    }
    enter(next, named: event.stepName)
    setSeq = event.seq
    count(for: event.durationUsec, at: clock)
  }
}
