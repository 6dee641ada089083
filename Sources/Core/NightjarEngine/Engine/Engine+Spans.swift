import NightjarModel

/// Effects of the end of a background span on the timers.
extension Engine {
  /// Stores a background span that has just ended, until the timers that expired in it have fired.
  func noteLate(_ span: Span) {
    guard let left = span.left else { return }
    let readings = Timeline.allCases.map { background.timelines.reading($0, at: left) }
    lateSpans.append(
      LateSpan(
        span: span, awakeUsec: left.monotonicUsec - span.entered.monotonicUsec, left: readings,
        leftSeq: lastSeq + 1, enteredAwakeUsec: background.enteredAwakeUsec,
        enteredPresentUsec: background.enteredPresentUsec))
  }

  /// Applies `afterSleep` to the sequences that ran when a background span began.
  /// After a reboot this is postponed, because only a right wall clock can show how long the reboot
  /// took. Spans that end in the meantime are postponed too. O(affected sequences).
  func applySleepPolicy(for span: Span, at now: Moment) {
    guard span.causes.contains(.reboot) || !background.clock.undecided.isEmpty else {
      return applySleepPolicy(for: background.entry(of: span), at: now)
    }
    background.wait(for: span)
    // Some of these sequences wait for the clock already. The time at which they are certainly due
    // is now unknown.
    for slot in affectedBySpans.slotsInOrder() where isWaitingForClock(slot) && isUndecided(slot) {
      clockWaiters.move(slot, deadline: .max, order: clockWaiters.order(of: slot) ?? 0)
    }
    if background.clock.undecided.count > WallClockState.mostReboots {
      applySleepPolicy(for: background.takeUndecided(), at: now)
    }
  }

  /// Handles the postponed spans, if the wall clock is synchronised or if the time to wait for that
  /// is over.
  func applyUndecidedSpans(at now: Moment) {
    guard !background.clock.undecided.isEmpty, background.clockWaitEnd(at: now) == nil else {
      return
    }
    while !background.clock.undecided.isEmpty {
      applySleepPolicy(for: background.takeUndecided(), at: now)
    }
  }

  /// Whether the daemon does not know yet if the sequence is still in its stored step, because the
  /// effect of a span is postponed. Such a sequence waits for the wall clock.
  func isUndecided(_ slot: Int) -> Bool {
    guard let last = background.clock.undecided.last, affectedBySpans.contains(slot),
      table[slot].spec.afterSleep != .continue
    else { return false }
    return runsSinceSeq(slot) < last.enteredSeq
  }

  private func runsSinceSeq(_ slot: Int) -> Int64 {
    table[slot].interruption?.resumedSeq ?? table[slot].countedFrom
  }

  private func applySleepPolicy(for span: UndecidedSpan, at now: Moment) {
    apply(\.afterSleep, for: span, isAbsence: false, at: now)
  }

  /// Applies `afterAway` to the sequences that ran when the user's absence began.
  func applyAwayPolicy(for absence: UndecidedSpan, at now: Moment) {
    apply(\.afterAway, for: absence, isAbsence: true, at: now)
  }

  /// O(sequences with a policy).
  private func apply(
    _ policy: KeyPath<TimerSpec.Shared, AfterSpan>, for span: UndecidedSpan, isAbsence: Bool,
    at now: Moment
  ) {
    if !undoHistory.isEmpty {
      // Without these changes, the span would have had an effect on these timers.
      undoHistory.refuse(as: UndoRefusal.spanEnded) {
        $0.state == .running && $0.spec.content[keyPath: policy] != .continue
      }
    }
    for slot in affectedBySpans.slotsInOrder() where runsSinceSeq(slot) < span.enteredSeq {
      let policy = table[slot].spec.content[keyPath: policy]
      if policy != .continue { apply(policy, to: slot, for: span, isAbsence: isAbsence, at: now) }
    }
  }

  private func apply(
    _ policy: AfterSpan, to slot: Int, for span: UndecidedSpan, isAbsence: Bool, at now: Moment
  ) {
    let (timer, spec) = (table[slot], table[slot].spec)
    let position = timer.course.position
    let remaining = deadline(slot) - reading(timer.clock, enteredWith: span, at: now)
    guard span.elapsedUsec >= spec.shortestBreakUsec, remaining > 0 else { return }
    var sums = Event.Sums(
      countedUsec: timer.countedUsec(elapsedUsec: timer.runLengthUsec - remaining),
      pausedUsec: timer.pauses.endedUsec)
    if policy == .pause {
      let isInDoubt = isCountedInDoubt(slot, upTo: span.enteredSeq)
      let kind = Event.Kind.pausedAfterSpan(
        remainingUsec: remaining, span: span.id, enteredSeq: isInDoubt ? span.enteredSeq : 0)
      // It has been paused since the span began.
      sums.pausedUsec += background.timelines.reading(.elapsed, at: now) - span.entered.elapsedUsec
      return _ = record(kind, about: slot, sums: sums, at: now)
    }
    guard
      let next = spec.position(
        after: policy, lasting: span.elapsedUsec, at: position, remainingUsec: remaining,
        startsCountAnew: isAbsence)
    else { return }
    // A break that ended in the span has counted to its end; an absence does not count.
    if spec.step(at: position).isBreak, !isAbsence { sums.countedUsec += remaining }
    let usec = spec.stepUsec(at: next)
    let deadline = background.timelines.reading(timer.clock, at: now) + usec
    let recurrence = Recurrence(
      position: next, step: spec.step(at: next).name,
      .runs(deadline: deadline, durationUsec: usec))
    record(.restartedAfterSpan(recurrence, span: span.id), about: slot, sums: sums, at: now)
  }

  /// The counter of `timeline` at the start of `span`. For `wall`, it is computed from the time
  /// that the clock shows now.
  func reading(
    _ timeline: Timeline, enteredWith span: UndecidedSpan, at now: Moment
  ) -> Int64 {
    switch timeline {
    case .elapsed: span.entered.elapsedUsec
    case .awake: span.entered.awakeUsec
    case .present: span.enteredPresentUsec
    case .wall:
      now.realtimeUsec
        - (background.timelines.reading(.elapsed, at: now) - span.entered.elapsedUsec)
    }
  }

  /// Records one event with the names of the timers that expired in the last background span.
  /// Afterwards each of these timers gets its own event. O(due timers).
  func recordExpiriesOfSpan(at now: Moment) {
    guard let span = unreportedSpan else { return }
    unreportedSpan = nil
    var count: Int64 = 0
    var slots: [Int] = []
    for timeline in Timeline.allCases {
      let reading = background.timelines.reading(timeline, at: now)
      let due = queue(timeline).due(at: reading, atMost: Engine.namesPerSpan - slots.count) {
        let deadline = deadline($0)
        return deadline <= reading ? deadline : nil
      }
      count += Int64(due.count)
      slots += due.first
    }
    guard count > 0 else { return }
    record(.cameDue(span: span, names: slots.map { table[$0].name }, count: count), at: now)
  }
}

/// A background span that has ended, but whose expired timers have not all fired yet.
struct LateSpan {
  var span: Span
  /// How long the machine was awake in the span, if it was not rebooted in it.
  var awakeUsec: Int64
  /// The counters at the end of the span, by `Timeline.rawValue`.
  var left: [Int64]
  /// The number of the event that recorded the end of the span. A deadline that a later event set
  /// did not expire in the span, even if it equals the counter at the end.
  var leftSeq: Int64
  /// The readings of `awake` and `present` at the start of the span.
  var enteredAwakeUsec, enteredPresentUsec: Int64

  /// Why a timer that was due at `deadline` is late. It is not known when the machine slept while
  /// the daemon was down. The sleep is the cause if the timer was due earlier than the machine was
  /// awake in the span, or, if the start of the span is estimated, not earlier than it slept.
  func cause(of deadline: Int64, on timeline: Timeline) -> LateCause {
    let usec = left[Int(timeline.rawValue)] - deadline
    let isAsleep = usec > awakeUsec || span.estimated && usec <= span.elapsedUsec - awakeUsec
    let mayBeAsleep = span.causes == [.down, .sleep] && !timeline.countsUptime
    return mayBeAsleep && isAsleep ? .sleep : LateCause(span.causes[0])
  }

  /// How much of the span `timeline` did not count, if `deadline` was due before the span; 0 if it
  /// was due later.
  func hiddenUsec(behind deadline: Int64, on timeline: Timeline) -> Int64 {
    guard timeline.countsUptime else { return 0 }
    let entered = timeline == .awake ? enteredAwakeUsec : enteredPresentUsec
    guard deadline <= entered else { return 0 }
    return max(0, span.elapsedUsec - (left[Int(timeline.rawValue)] - entered))
  }
}
