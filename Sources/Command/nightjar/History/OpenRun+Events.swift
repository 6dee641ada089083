import NightjarClient

extension OpenRun {
  /// Applies an event that neither begins nor ends a run. The caller adds the event to `log` first.
  mutating func take(_ event: Wire.Event, _ log: CounterLog) {
    switch event.type {
    case .paused:
      pause(at: end(event, log), remainingUsec: event.remainingUsec)
    case .resumed: resume(log)
    case .extended: add(usec: event.byUsec ?? 0)
    case .updated: run.labels = event.labels ?? run.labels
    case .lapped: run.laps += 1
    case .rang where event.snoozed: ring(event)
    case .rang, .didNotRing, .joined: expire(event, log)
    case .ranOut: end(.over, event, log)
    case .advanced: advance(event, log)
    case .rescheduled: goBack(event)
    case .skipped: pass(rounds: 1)
    case .unskipped: pass(rounds: -1)
    case .pausedAfterSleep:
      // The run has been paused since the span began, but the event comes after the span's end.
      pause(at: log.entered ?? log.last, remainingUsec: event.remainingUsec)
    case .restartedAfterSleep: restartAfterSleep(event, log)
    case .cancelled: end(.cancelled, event, log)
    // No other event changes a run: such as those of bands, snoozes and answers, and events of newer
    // daemons.
    default: break
    }
  }

  /// Ends the run, if it has not ended, because the timer was removed, or was started again.
  mutating func finish(_ state: Run.State, _ event: Wire.Event, _ log: CounterLog) {
    if phase != .over { end(state, event, log) }
  }

  /// Ends the run before the timer is due.
  private mutating func end(_ state: Run.State, _ event: Wire.Event, _ log: CounterLog) {
    stop(at: end(event, log))
    close(state, event)
  }

  private mutating func close(_ state: Run.State, _ event: Wire.Event) {
    phase = .over
    (run.state, run.endedUsec) = (state, event.timeUsec)
  }

  /// The reading at an event that ends a stint before it is due. If the event has no counters, its
  /// remaining time, or the value of a stopwatch, is more exact than the computed reading.
  private func end(_ event: Wire.Event, _ log: CounterLog) -> Reading {
    guard event.counters == nil, let present, case .at(let from) = present.start else {
      return log.last
    }
    var usec: Int64?
    if let shownUsec = event.elapsedUsec, !run.startsBeforeLedger {
      let before = stints.dropLast().counted(by: log, until: log.last).reduce(0) {
        $0 + Int64($1.usec.count)
      }
      usec = shownUsec - before
    } else if let limit = present.limitUsec, !present.continues, let left = event.remainingUsec {
      usec = limit - left
    }
    guard let usec else { return log.last }
    var reading = log.last
    reading.awakeUsec = from.awakeUsec + usec
    return reading
  }

  private mutating func advance(_ event: Wire.Event, _ log: CounterLog) {
    stop(at: log.last)
    guard let durationUsec = event.durationUsec else { return close(.finished, event) }
    enter((event.stepNumber ?? 1) - 1, named: event.stepName)
    run(for: durationUsec, log)
  }

  /// Begins the step again at the start of the background span, as the daemon does. If the step was
  /// a break that is over, this begins the next step.
  private mutating func restartAfterSleep(_ event: Wire.Event, _ log: CounterLog) {
    let next = (event.stepNumber ?? 1) - 1
    let isAnew = next == position && present?.counter == .elapsed
    stop(at: isAnew ? log.entered ?? log.last : log.last)
    enter(next, named: event.stepName)
    run(for: event.durationUsec, log)
  }
}

// MARK: - Expiring

extension OpenRun {
  private mutating func ring(_ event: Wire.Event) {
    run.rings += 1
    run.late = Run.Lateness(event)
  }

  private mutating func expire(_ event: Wire.Event, _ log: CounterLog) {
    run.missed += event.missed ?? 0
    switch event.type {
    case .rang: ring(event)
    case .didNotRing:
      run.missed += 1
      run.missLate = Run.Lateness(event)
    // An expiry that joins a snoozed ring has neither rung nor been missed.
    default: break
    }
    guard let stint = present else {
      // The stints of this run have no beginning, because the ledger does not show when the timer
      // began to run.
      if !repeats(event) { close(over(event), event) }
      return
    }
    let hasLimit = stint.limitUsec != nil || stint.continues
    let due = hasLimit ? log.last : due(event, log)
    if let number = event.stepNumber { return step(event, to: number - 1, due: due, log) }
    guard repeats(event) else {
      let roundsUsec = passed(event) * (periodUsec ?? 0)
      present?.limitUsec? += roundsUsec
      present?.end = due
      return close(over(event), event)
    }
    position = event.rung ?? position
    guard hasEnd, let periodUsec else {
      present?.limitUsec = nil
      return
    }
    if hasLimit {
      let rounds = 1 + passed(event)
      present?.limitUsec = (stint.limitUsec ?? 0) + rounds * periodUsec
    } else if stint.counter == .elapsed, case .at(let from) = stint.start {
      // A timer on `awake` is left out, because the event may give its lateness in real time.
      let usec = log.corrected(due, on: .elapsed) - log.corrected(from, on: .elapsed)
      present?.limitUsec = usec + periodUsec
    }
  }

  /// The reading at which the timer was due, computed from the event alone. If a step of the clock
  /// made the timer late, nothing is subtracted, because the timer counted no time between its
  /// deadline and the event.
  private func due(_ event: Wire.Event, _ log: CounterLog) -> Reading {
    log.last.earlier(byUsec: event.lateCause == .step ? 0 : event.lateUsec ?? 0)
  }

  /// Corrects the run after the clock was ahead: the timer counted rounds or steps too early, and
  /// the daemon has set it back. Alarms with a calendar are not affected.
  private mutating func goBack(_ event: Wire.Event) {
    guard present != nil else { return }
    if let number = event.stepNumber {
      let earlier = number - 1
      while let last = stints.last, last.position > earlier, stints.count > 1 {
        stints.removeLast()
      }
      enter(earlier, named: event.stepName)
      stints[stints.count - 1].end = nil
    } else if let rung = event.rung {
      let usec = (position - rung) * (periodUsec ?? 0)
      present?.limitUsec? -= usec
      position = rung
    }
  }

  /// Moves the timer by a number of rounds: forward if a client skipped the next round, backward if
  /// a client reverted a skip.
  private mutating func pass(rounds: Int64) {
    position += rounds
    move(usec: rounds * (periodUsec ?? 0))
  }

  /// Whether the timer continues by itself after the event.
  private func repeats(_ event: Wire.Event) -> Bool { event.state == .running }

  /// How the run ends with its last expiry.
  private func over(_ event: Wire.Event) -> Run.State {
    event.type == .didNotRing ? .missed : .over
  }

  /// The number of rounds that passed before the one that the event reports.
  private func passed(_ event: Wire.Event) -> Int64 {
    (event.missed ?? 0) + (event.type == .joined ? (event.count ?? 1) - 1 : 0)
  }

  private var periodUsec: Int64? {
    if case .repeating(let period, _)? = spec, period > .zero { period.usec } else { nil }
  }

  /// Ends a step of a sequence. The steps between it and `next` may have ended as well.
  private mutating func step(_ event: Wire.Event, to next: Int64, due: Reading, _ log: CounterLog) {
    guard let counter = present?.counter else { return }
    present?.end = due
    let begins = event.state == .running
    var start = Stint.Start.whenDue
    if passed(event) > 0 {
      start = passThrough(to: begins ? next : next + 1, on: counter, log)
    }
    if begins {
      enter(next, named: event.stepName)
      count(on: counter, start: start, limitUsec: hasEnd ? event.durationUsec : nil)
      return
    }
    position = next
    if event.state == .waiting {
      (phase, run.state) = (.waiting, .waiting)
    } else {
      close(over(event), event)
    }
  }

  /// The most steps that are counted one by one for an event. This is enough for more than a day of
  /// the shortest steps.
  private static let stepsPerEvent: Int64 = 1_000_000

  /// Counts the steps that ended within a background span, because the ledger has no events for
  /// them.
  ///
  /// - Returns: the start of the stint after those steps.
  private mutating func passThrough(
    to end: Int64, on counter: Counter, _ log: CounterLog
  ) -> Stint.Start {
    guard let sequence, end - position <= Self.stepsPerEvent else {
      count(on: counter, start: .whenDue, end: log.last)
      return .at(log.last)
    }
    while position + 1 < end, let usec = sequence.usec(at: position + 1) {
      enter(position + 1, named: nil)
      count(on: counter, start: .whenDue, limitUsec: usec, end: log.last)
    }
    return .whenDue
  }
}
