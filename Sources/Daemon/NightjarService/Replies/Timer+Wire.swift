package import NightjarEngine
package import NightjarInterface
package import NightjarModel
internal import NightjarParameters
internal import Varlink

// A timer of the engine as clients see it.

extension Wire.Timer {
  package init(_ slot: Int, of engine: Engine, at now: Moment) {
    let view = engine.view(slot, at: now)
    let (timer, spec) = (view.timer, view.timer.spec)
    let attachments = timer.attachments
    self.init(
      id: timer.id, seq: timer.lastEvent, name: timer.name, kind: Wire.Kind(spec.kind.name),
      state: Wire.State(timer.state.name), clock: Wire.Clock(timer.clock.name),
      durationUsec: timer.runLengthUsec, remainingUsec: view.remainingUsec,
      elapsedUsec: view.elapsedUsec,
      // Millionths are finer than any progress bar, and shorter to write.
      progress: (view.progress * 1_000_000).rounded() / 1_000_000,
      startedUsec: timer.startedUsec, nextExpiry: timer.expiries.lastNumber + 1,
      labels: WireMap(attachments?.labels ?? []),
      data: RawJSON(attachments?.data ?? []))
    let before = spec.kind == .alarm ? 0 : view.sums.countedUsec - view.elapsedUsec
    countedBeforeUsec = before != 0 ? before : nil
    pausedUsec = timer.pauses.endedUsec > 0 ? timer.pauses.endedUsec : nil
    pausedSinceUsec = view.pausedSinceUsec
    deadlineUsec = view.deadlineUsec
    deadlineBoottimeUsec = view.deadlineBoottimeUsec
    if let ring = timer.ring {
      ringing = Wire.Ringing(ring.state)
      openRing = Wire.OpenRing(ring, view, at: now)
    }
    let expiries = timer.expiries
    lastExpiry = expiries.last.map(Wire.Expiry.init)
    miss = expiries.miss.map(Wire.Expiry.init)
    misses = expiries.misses > 0 ? expiries.misses : nil
    waitsForClock = view.waitsForClock
    away = view.isAway
    ring = attachments?.ring.flatMap(Wire.RingState.init)
    message = attachments.flatMap { $0.message.isEmpty ? nil : $0.message }
    wake = timer.wakes ? Wire.Wake(engine.wakeObstacle) : nil
    failure = timer.failure.map(Wire.CommandFailure.init)
    // A plain countdown, as most timers are, has none of the other fields.
    guard !spec.isPlain else { return }
    band = view.band.map(Wire.Band.init)
    bands = spec.bands.map(Wire.Band.init)
    switch spec.late {
    case .fire: break
    case .skip: late = .skip
    case .fireWithin(let usec): fireWithinUsec = usec
    }
    missed = spec.missed == .once ? nil : Wire.Missed(spec.missed.name)
    if spec.isRepeating {
      var repetition = Wire.Repetition(rung: timer.course.position)
      repetition.periodUsec = spec.repeats ? timer.fullLengthUsec : nil
      repetition.rounds = spec.rounds > 0 ? spec.rounds : nil
      self.repeat = repetition
    }
    if let schedule = spec.schedule {
      calendar = schedule.expression
      zone = schedule.zone.isEmpty ? nil : schedule.zone
      except = schedule.except.texts
      until = schedule.until.map { DayRange(day: $0).text }
    }
    if spec.kind == .sequence {
      afterSleep = Wire.AfterSpan(spec.afterSleep.name)
      afterAway = Wire.AfterSpan(spec.afterAway.name)
      step = Wire.StepState(spec, at: timer.course.position)
      steps = spec.steps.map(Wire.Step.init)
    }
    longEvery = spec.longEvery > 0 ? spec.longEvery : nil
    laps = spec.kind == .stopwatch ? timer.laps : nil
    skippedUsec = engine.passedOver(slot, at: now)
  }
}

extension Wire.Ringing {
  package init(_ state: NightjarEngine.Ring.State) {
    switch state {
    case .sounding: self = .ringing
    case .snoozed: self = .snoozed
    case .quiet, .insisting: self = .unanswered
    }
  }
}

extension Wire.OpenRing {
  init(_ ring: NightjarEngine.Ring, _ view: TimerView, at now: Moment) {
    let sound = ring.sound
    self.init(
      expiry: ring.number, dueUsec: ring.newest.reached.dueUsec, expiries: ring.expiries,
      firstDueUsec: ring.firstDueUsec, rangUsec: sound.atUsec, agoUsec: view.soundAgoUsec ?? 0,
      lateUsec: max(0, sound.lateUsec))
    lateCause = sound.cause.map { Wire.Cause($0.name) }
    earlyUsec = view.earlyUsec
    estimated = sound.estimate != nil
    leftUsec = view.ringLeftUsec.map { max(0, $0) }
    untilUsec = view.ringLeftUsec.map { now.realtimeUsec + $0 }
    quietUsec = view.quietUsec
    insisted = ring.insisted > 0 ? ring.insisted : nil
    unseen = ring.unnoticed?.unseen.map { Wire.RingLack($0.name) }
    unheard = ring.unnoticed?.unheard.map { Wire.RingLack($0.name) }
  }
}

extension Wire.Expiry {
  init(_ expiry: NightjarEngine.Expiry) {
    let reached = expiry.reached
    self.init(
      number: expiry.number, dueUsec: reached.dueUsec, lateUsec: max(0, reached.lateUsec),
      outcome: Wire.ExpiryOutcome(expiry.outcome))
    lateCause = reached.cause.map { Wire.Cause($0.name) }
    missed = expiry.missed > 0 ? expiry.missed : nil
    estimated = reached.estimate != nil
  }
}

extension Wire.ExpiryOutcome {
  fileprivate init(_ outcome: NightjarEngine.Expiry.Outcome) {
    switch outcome {
    case .rang: self = .rang
    case .joined: self = .joined
    case .didNotRing: self = .didNotRing
    }
  }
}

extension Wire.Wake {
  /// - Parameter obstacle: why a deadline cannot wake the machine; nil: it can.
  init(_ obstacle: NightjarModel.WakeObstacle?) {
    self.init(can: obstacle == nil)
    guard let obstacle else { return }
    self.obstacle = Wire.WakeObstacle(obstacle.name)
    switch obstacle {
    case .capability:
      reason =
        "the daemon has not been given CAP_WAKE_ALARM, as the drop-in wake.conf does where the "
        + "service manager has it"
    case .noClock: reason = "this machine has no clock that could wake it"
    case .refused(let words): reason = words
    }
  }
}

extension Wire.CommandFailure {
  init(_ failure: NightjarModel.CommandFailure) {
    let outcome = failure.outcome
    self.init(
      command: failure.command, eventSeq: failure.callingSeq, timeUsec: failure.timeUsec,
      outcome: Wire.Outcome(outcome.name))
    exitStatus = outcome.exitStatus
    signal = outcome.signal
    reason = outcome.reason
    lastLines = failure.lastLines
  }
}

extension ActionOutcome {
  var exitStatus: Int64? { if case .exited(let status) = self { status } else { nil } }
  var signal: Int64? { if case .signalled(let number) = self { number } else { nil } }
  var reason: String? { if case .notStarted(let reason) = self { reason } else { nil } }
}

extension Wire.StepState {
  /// - Parameter position: the number of the step, counted from 0 through all rounds.
  init(_ spec: SharedSpec, at position: Int64) {
    let (step, count) = (spec.step(at: position), Int64(spec.steps.count))
    self.init(
      number: position + 1, name: step.name, break: step.isBreak, waits: step.waits,
      index: position % count + 1, steps: count, round: spec.round(at: position) + 1)
    rounds = spec.rounds > 0 ? spec.rounds : nil
    guard !spec.isLast(position) else { return }
    nextName = spec.step(at: position + 1).name
    nextDurationUsec = spec.stepUsec(at: position + 1)
  }
}

extension Wire.Band {
  init(_ band: NightjarModel.Band) {
    self.init(name: band.name, remainingUsec: band.remainingUsec)
    color = band.color.isEmpty ? nil : band.color
    text = band.text.isEmpty ? nil : band.text
    // The model stores millionths.
    progress = band.progress.map {
      Wire.ProgressRange(from: Double($0.from) / 1_000_000, to: Double($0.to) / 1_000_000)
    }
  }
}

extension Wire.Step {
  init(_ step: NightjarModel.Step) {
    self.init(name: step.name, durationUsec: step.durationUsec)
    waits = step.waits
    self.break = step.isBreak
    longUsec = step.longUsec
  }
}

extension Wire.Span {
  /// - Parameter now: an open span is shown with its length up to this moment; nil: as it was
  ///   recorded.
  init(_ span: NightjarModel.Span, at now: Moment? = nil) {
    var elapsedUsec = span.elapsedUsec
    if let now, span.left == nil {
      elapsedUsec = max(0, now.boottimeUsec - span.entered.boottimeUsec)
    }
    self.init(
      span: span.id, causes: span.causes.map { Wire.Cause($0.name) },
      enteredUsec: span.entered.realtimeUsec, elapsedUsec: elapsedUsec,
      estimated: span.estimated)
    leftUsec = span.left?.realtimeUsec
  }
}

extension WireMap<String> {
  init(_ labels: [Label]) { self.init(labels.map { Member(key: $0.key, value: $0.value) }) }
}

extension WireWord {
  /// A word of the model.
  init(_ name: StaticString) { self.init(rawValue: "\(name)") }
}
