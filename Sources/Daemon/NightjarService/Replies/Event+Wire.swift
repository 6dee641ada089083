package import NightjarInterface
package import NightjarModel
internal import NightjarParameters
package import Varlink

// An event of the ledger as clients see it.

extension Wire.Event {
  package init(_ event: NightjarModel.Event) {
    self.init(seq: event.seq, timeUsec: event.timeUsec, type: Wire.EventType(event.typeName))
    name = event.timerName
    request = event.request
    countedUsec = event.sums.map { max(0, $0.countedUsec) }
    pausedUsec = event.sums.flatMap { $0.pausedUsec > 0 ? $0.pausedUsec : nil }
    id = event.subject?.id
    answered = event.kind.answeredRing > 0 ? event.kind.answeredRing : nil
    if case .former(_, let id) = event.action?.owner { self.id = id }
    switch event.kind {
    case .started(let clock, let durationUsec, let deadline, let attached, let wakes, let spec, _):
      let spec = spec ?? .plain
      kind = Wire.Kind(spec.kind.name)
      self.clock = Wire.Clock(clock.name)
      self.durationUsec = durationUsec
      wake = wakes
      attach(attached)
      switch spec.kind {
      case .countdown: self.repeat = spec.repeats ? Wire.Repeat(spec) : nil
      case .alarm: alarm = Wire.Alarm(spec, deadlineUsec: deadline)
      case .sequence: sequence = Wire.Sequence(spec)
      case .stopwatch: break
      }
    case .updated(let attached, let spec):
      attach(attached)
      bands = spec?.bands.map(Wire.Band.init)
      alarm = spec.flatMap { $0.schedule == nil ? nil : Wire.Alarm($0, deadlineUsec: 0) }
    case .paused(let usec, let isUp, _): setTime(usec, isUp)
    case .cancelled(let usec, let isUp, _, let isLast):
      setTime(usec, isUp)
      removes = isLast
    case .resumed, .restarted, .removed, .forgotten, .ranOut: break
    case .dismissed(_, let miss, let isLast):
      self.miss = miss > 0 ? miss : nil
      removes = isLast
    case .stopped(_, let isLast): removes = isLast
    case .undone(let undone):
      undoneSeq = undone.seq
      undoneType = Wire.EventType(rawValue: undone.type)
      answered = undone.ring > 0 ? undone.ring : nil
    case .renamedTo(let name): newName = name
    case .renamedFrom(let name): oldName = name
    case .extended(let byUsec, _), .snoozed(let byUsec, _, _): self.byUsec = byUsec
    case .rang(let late, let ring, let passing):
      set(late)
      set(ring)
      snoozed = passing == nil
      if let passing { set(passing) }
    case .didNotRing(let late, let passing, let quietsRing):
      set(late)
      set(passing)
      self.quietsRing = quietsRing
    case .joined(let all, let count, let next, let expiries):
      if let last = all.last {
        set(last.late)
        set(Passing(number: last.number, position: last.position, next: next))
      }
      (self.count, self.expiries) = (count, expiries)
    case .rangAgain(let late, let ring, let insisted):
      set(late)
      set(ring)
      sounds = insisted + 1
    case .unanswered(let number, let sounds): (expiry, self.sounds) = (number, sounds)
    case .unnoticed(let unnoticed, let number):
      expiry = number
      unseen = unnoticed.unseen.map { Wire.RingLack($0.name) }
      unheard = unnoticed.unheard.map { Wire.RingLack($0.name) }
      reason = unnoticed.reason
    case .stayedQuiet(let late, let number, let isSnooze):
      set(late)
      (expiry, snoozed) = (number, isSnooze)
    case .leftRing(let number, let left, let expiries):
      (expiry, count, self.expiries) = (number, left, expiries)
    case .advanced(let next, _): begin(next)
    case .restartedAfterSpan(let next, let span):
      begin(next)
      spanId = span
    case .bandCrossed(_, let band, let remainingUsec):
      self.band = band.map(Wire.Band.init)
      self.remainingUsec = remainingUsec
    case .lapped(let usec): elapsedUsec = usec
    case .rescheduled(let deadline, let durationUsec, let back):
      if let back {
        setPlace(back.position, back.step)
        self.durationUsec = durationUsec
      } else {
        // Only alarms are rescheduled without `back`, so this deadline is on CLOCK_REALTIME.
        deadlineUsec = deadline
      }
    case .skipped(let skipped, let number):
      expiry = number
      skip(skipped, nextUsec: skipped.usec + skipped.byUsec)
    case .unskipped(let skipped): skip(skipped, nextUsec: skipped.usec)
    case .pausedAfterSpan(let usec, let span, _):
      remainingUsec = usec
      spanId = span
    case .enteredBackground(let span), .leftBackground(let span): self.span = Wire.Span(span)
    case .spanCorrected(let span, let byUsec, let sinceSeq, let earlyUsec, let untilSeq):
      self.span = Wire.Span(span)
      self.byUsec = byUsec
      self.sinceSeq = sinceSeq
      self.untilSeq = untilSeq > sinceSeq ? untilSeq : nil
      self.earlyUsec = earlyUsec > 0 ? earlyUsec : nil
    case .clockStepped(let byUsec): offsetUsec = byUsec
    case .cameDue(let span, let names, let count):
      (spanId, self.names, self.count) = (span, names, count)
    case .zoneChanged(let name): zone = name
    case .actionStarted(let note): set(note)
    case .actionEnded(let note, let end):
      set(note)
      outcome = Wire.Outcome(end.outcome.name)
      exitStatus = end.outcome.exitStatus
      signal = end.outcome.signal
      reason = end.outcome.reason
      durationUsec = end.durationUsec
      printedBytes = end.printedBytes
      droppedBytes = end.droppedBytes
      lastLines = end.lastLines
    }
  }

  private mutating func setTime(_ usec: Int64, _ isUp: Bool) {
    if isUp { elapsedUsec = max(0, usec) } else { remainingUsec = max(0, usec) }
  }

  private mutating func set(_ late: Lateness) {
    lateUsec = late.usec
    lateCause = late.cause.map { Wire.Cause($0.name) }
    dueUsec = timeUsec - late.usec
    spanId = late.span == 0 ? nil : late.span
    estimated = late.isEstimated
  }

  private mutating func set(_ passing: Passing) {
    expiry = passing.number
    missed = passing.missed > 0 ? passing.missed : nil
    begin(passing.next)
  }

  private mutating func set(_ ring: Sounding) {
    (expiry, expiries, firstDueUsec) = (ring.expiry, ring.expiries, ring.firstDueUsec)
  }

  private mutating func attach(_ attached: Attachments) {
    ring = attached.ring.flatMap(Wire.RingState.init)
    labels = WireMap(attached.labels)
    data = RawJSON(attached.data)
    message = attached.message.isEmpty ? nil : attached.message
  }

  /// - Parameters:
  ///   - position: the number of the round; for a sequence, that of the step, counted from 0
  ///     through all rounds.
  ///   - step: the name of the step; empty: the timer is no sequence.
  private mutating func setPlace(_ position: Int64, _ step: String) {
    guard !step.isEmpty else { return rung = position }
    (stepNumber, stepName) = (position + 1, step)
  }

  private mutating func begin(_ next: Recurrence) {
    // A timer that rings once has no place.
    if next.position > 0 || !next.step.isEmpty { setPlace(next.position, next.step) }
    durationUsec = next.continuation.durationUsec
    state = next.continuation.state
  }

  private mutating func skip(_ skipped: NightjarModel.Event.SkippedExpiry, nextUsec: Int64) {
    guard skipped.usec != 0 else { return }
    (skippedUsec, deadlineUsec) = (skipped.usec, nextUsec)
  }

  private mutating func set(_ note: ActionNote) {
    (eventSeq, command, attempt) = (note.key.seq, note.command, note.attempt)
  }
}

extension Recurrence.Continuation {
  /// The length of the next round or step, in microseconds; nil if it does not start by itself.
  fileprivate var durationUsec: Int64? {
    switch self {
    case .runs(_, let durationUsec): durationUsec
    case .waits, .ends: nil
    }
  }

  fileprivate var state: Wire.State {
    switch self {
    case .runs: .running
    case .waits: .waiting
    case .ends: .over
    }
  }
}

extension JSONValue {
  /// An event as clients see it.
  package static func event(_ event: Event) -> JSONValue {
    do { return try parse(Wire.Event(event).json) } catch {
      preconditionFailure("what was just written cannot be read: \(error)")
    }
  }
}

// MARK: - Specifications as parameters of Start

extension Wire.Repeat {
  init(_ spec: SharedSpec) {
    self.init()
    rounds = spec.rounds > 0 ? spec.rounds : nil
  }
}

extension Wire.Alarm {
  /// - Parameter deadlineUsec: when an alarm without a calendar rings, on CLOCK_REALTIME.
  init(_ spec: SharedSpec, deadlineUsec: Int64) {
    self.init()
    guard let schedule = spec.schedule else {
      atUsec = deadlineUsec
      return
    }
    calendar = schedule.expression
    zone = schedule.zone.isEmpty ? nil : schedule.zone
    rounds = spec.rounds > 0 ? spec.rounds : nil
    except = schedule.except.texts
    until = schedule.until.map { DayRange(day: $0).text }
  }
}

extension Wire.Sequence {
  init(_ spec: SharedSpec) {
    self.init(steps: spec.steps.map(Wire.Step.init))
    longEvery = spec.longEvery > 0 ? spec.longEvery : nil
    rounds = spec.rounds
    afterSleep = Wire.AfterSpan(spec.afterSleep.name)
    afterAway = Wire.AfterSpan(spec.afterAway.name)
  }
}
