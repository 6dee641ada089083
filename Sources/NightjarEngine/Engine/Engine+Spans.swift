import NightjarModel

/// What a background span that was left means to the timers.
extension Engine {
  /// Remembers a span that was just left, until what came due in it has fired.
  func noteLate(_ span: Span) {
    guard let left = span.left, let cause = span.causes.first else { return }
    let readings = Timeline.allCases.map { background.timelines.reading($0, at: left) }
    lateSpans.append(
      LateSpan(
        id: span.id, cause: LateCause(cause), left: readings, leftSeq: lastSeq + 1,
        enteredAwakeUsec: background.enteredAwakeUsec,
        enteredPresentUsec: background.enteredPresentUsec, elapsedUsec: span.elapsedUsec))
  }

  /// What a span means to the sequences that do not just go on: a reboot, whose length only the wall clock
  /// tells, waits for that, and what follows meanwhile for its turn. O(those sequences).
  func makeUp(for span: Span, at now: Moment) {
    guard span.causes.contains(.reboot) || !background.clock.undecided.isEmpty else {
      return makeUp(for: background.entry(of: span), at: now)
    }
    background.wait(for: span)
    // Some of these sequences wait for the clock already. They are no longer certainly due at any moment.
    for slot in sleepers.slotsInOrder() where isWaitingForClock(slot) && isUndecided(slot) {
      clockWaiters.move(slot, deadline: .max, order: clockWaiters.order(of: slot) ?? 0)
    }
    if background.clock.undecided.count > VouchedClock.mostReboots {
      makeUp(for: background.takeUndecided(), at: now)
    }
  }

  /// Makes up for what waited for the clock, once that is vouched for or was waited for for long enough.
  func decide(at now: Moment) {
    guard !background.clock.undecided.isEmpty, background.clockWaitEnd(at: now) == nil else {
      return
    }
    while !background.clock.undecided.isEmpty {
      makeUp(for: background.takeUndecided(), at: now)
    }
  }

  /// Whether a sequence waits for the clock, which tells whether it is in this step at all.
  func isUndecided(_ slot: Int) -> Bool {
    guard let last = background.clock.undecided.last, sleepers.contains(slot) else { return false }
    return runsSinceSeq(slot) < last.enteredSeq
  }

  private func runsSinceSeq(_ slot: Int) -> Int64 {
    table.interruption(slot)?.resumedSeq ?? table[slot].setSeq
  }

  private func makeUp(for span: UndecidedSpan, at now: Moment) {
    if !undoHistory.isEmpty {
      // It would have paused them, or begun their step anew.
      undoHistory.refuse(as: UndoRefusal.spanEnded) {
        $0.record.state == .running && $0.spec?.afterSleep ?? .continue != .continue
      }
    }
    guard sleepers.count > 0 else { return }
    for slot in sleepers.slotsInOrder() where runsSinceSeq(slot) < span.enteredSeq {
      makeUp(slot, for: span, at: now)
    }
  }

  private func makeUp(_ slot: Int, for span: UndecidedSpan, at now: Moment) {
    let spec = table.spec(slot)
    let record = table[slot]
    let remaining = record.point - reading(record.timeline, enteredWith: span, at: now)
    guard span.elapsedUsec >= spec.shortestBreakUsec, remaining > 0,
      var position = table.detail(slot).map({ Int64($0.position) })
    else { return }
    if spec.afterSleep == .pause {
      let isInDoubt = isCountedInDoubt(slot, upTo: span.enteredSeq)
      let kind = Event.Kind.pausedAfterSleep(
        remainingUsec: remaining, span: span.id, enteredSeq: isInDoubt ? span.enteredSeq : 0)
      return _ = self.record(kind, about: slot, at: now)
    }
    let step = spec.step(at: position)
    if step.isBreak {
      // One that has an end of its own comes to it by the clock.
      guard span.elapsedUsec >= remaining, !step.waits, !spec.isLast(position) else { return }
      position += 1
    }
    let usec = spec.stepUsec(at: position)
    let deadline = background.timelines.reading(record.clock, at: now) + usec
    let next = Recurrence(
      position: position, missed: 0, step: spec.step(at: position).name,
      going: .on(deadline: deadline, durationUsec: usec))
    self.record(.restartedAfterSleep(next, span: span.id), about: slot, at: now)
  }

  /// The counter with which a span was entered; of `wall` by the clock as it is set now.
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

  /// Lists what came due in the span that was left last, before each does what it does. O(due).
  func tellWhatCameDue(at now: Moment) {
    guard let span = spanToTell else { return }
    spanToTell = nil
    var count: Int64 = 0
    var slots: [Int] = []
    for timeline in Timeline.allCases {
      let reading = background.timelines.reading(timeline, at: now)
      let due = queue(timeline).due(at: reading, atMost: Engine.namesPerSpan - slots.count) {
        let point = table[$0].point
        return point <= reading ? point : nil
      }
      count += Int64(due.count)
      slots += due.first
    }
    guard count > 0 else { return }
    record(.cameDue(span: span, names: slots.map { table.name($0) }, count: count), at: now)
  }
}

/// A span that was left while what came due in it has not fired yet.
struct LateSpan {
  var id: Int64
  var cause: LateCause
  /// The counters when it was left, by `Timeline.rawValue`.
  var left: [Int64]
  /// The number of the event that says so: a deadline set behind it did not come due in the span,
  /// though its counter may stand at the same point.
  var leftSeq: Int64
  /// The counters of `awake` and `present` when it was entered.
  var enteredAwakeUsec, enteredPresentUsec: Int64
  /// How long it took.
  var elapsedUsec: Int64

  /// How much longer it took than the counter of a timeline says for which it was hidden time, if a deadline
  /// had come before it was entered; 0 for any other.
  func hiddenUsec(behind deadline: Int64, on timeline: Timeline) -> Int64 {
    guard timeline.countsUptime else { return 0 }
    let entered = timeline == .awake ? enteredAwakeUsec : enteredPresentUsec
    guard deadline <= entered else { return 0 }
    return max(0, elapsedUsec - (left[Int(timeline.rawValue)] - entered))
  }
}
