/// What is due: firings, and the end of retentions.
extension Engine {
  /// Fires what is due at `now`, unless time is hidden: at most `firingsPerPass`, in the order of
  /// their deadlines, those with equal ones in the order in which they were set. O(due × log n).
  ///
  /// - Returns: whether more is due than was fired.
  public func fireDue(at now: Moment) -> Bool {
    guard !isInBackground else { return false }
    var budget = Engine.firingsPerPass
    for timeline in Timeline.allCases {
      let reading = background.timelines.reading(timeline, at: now)
      let queue = queue(timeline)
      while budget > 0, let slot = queue.firstDue(at: reading) {
        budget -= 1
        fire(slot, on: timeline, reading: reading, at: now)
      }
    }
    let elapsed = background.timelines.reading(.elapsed, at: now)
    while budget > 0, let slot = retentionQueue.firstDue(at: elapsed) {
      budget -= 1
      record(.expired, about: slot, at: now)
    }
    if budget == 0, isAnyDue(at: now) { return true }
    lateSpans.removeAll(keepingCapacity: true)
    recentStepUsec = 0
    recentCorrection = nil
    return false
  }

  /// For which readings of the kernel's clocks the loop is to be armed; for none while time is
  /// hidden.
  public var wake: Wake {
    guard !isInBackground else { return Wake() }
    let timelines = background.timelines
    return Wake(
      boottimeUsec: [elapsedQueue.first, retentionQueue.first].compactMap { $0 }.min().map {
        timelines.kernelUsec(.elapsed, deadline: $0)
      },
      monotonicUsec: awakeQueue.first.map { timelines.kernelUsec(.awake, deadline: $0) },
      realtimeUsec: wallQueue.first)
  }

  /// When the machine is to be woken, by the kernel's clocks: also while time is hidden, for then
  /// it may sleep. O(1).
  public var alarms: (boottimeUsec: Int64?, realtimeUsec: Int64?) {
    (
      elapsedAlarms.first.map { background.timelines.kernelUsec(.elapsed, deadline: $0) },
      wallAlarms.first
    )
  }

  /// Whether a timer runs on `awake`: then the anchor is to be written from time to time.
  public var hasAwakeTimers: Bool { awakeQueue.count > 0 }

  private func isAnyDue(at now: Moment) -> Bool {
    Timeline.allCases.contains { timeline in
      queue(timeline).firstDue(at: background.timelines.reading(timeline, at: now)) != nil
    }
  }

  /// Remembers a span that was just left, until what came due in it has fired.
  func noteLate(_ span: Span) {
    guard let left = span.left, let cause = span.causes.first else { return }
    let readings = Timeline.allCases.map { background.timelines.reading($0, at: left) }
    let entered = background.enteredAwakeUsec
    let counted = readings[Int(Timeline.awake.rawValue)] - entered
    lateSpans.append(
      LateSpan(
        id: span.id, cause: LateCause(cause), left: readings, leftSeq: lastSeq + 1,
        enteredAwakeUsec: entered, hiddenUsec: max(0, span.elapsedUsec - counted)))
  }

  private func fire(_ slot: Int, on timeline: Timeline, reading: Int64, at now: Moment) {
    let (lateUsec, cause, span) = lateness(
      deadline: table[slot].point, setBy: queue(timeline).order(of: slot) ?? 0, on: timeline,
      reading: reading)
    record(
      .fired(
        atElapsed: background.timelines.reading(.elapsed, at: now), lateUsec: lateUsec,
        cause: cause, span: span),
      about: slot, at: now)
  }

  /// How late a deadline is met, on its own timeline, and why.
  ///
  /// Time that an `awake` counter leaves out passes all the same for whoever waits: what was due
  /// before such a span was entered is late by the span as well.
  private func lateness(
    deadline: Int64, setBy seq: Int64, on timeline: Timeline, reading: Int64
  ) -> (usec: Int64, cause: LateCause?, span: Int64) {
    let late = reading - deadline
    let spans = lateSpans.filter { deadline <= $0.left[Int(timeline.rawValue)] && seq < $0.leftSeq }
    if let first = spans.first {
      let hiding = timeline == .awake ? spans.filter { deadline <= $0.enteredAwakeUsec } : []
      return (hiding.reduce(late) { $0 + $1.hiddenUsec }, first.cause, first.id)
    }
    if timeline == .elapsed, let (span, by) = recentCorrection, late < by,
      let cause = span.causes.first
    {
      return (late, LateCause(cause), span.id)
    }
    if timeline == .wall, recentStepUsec > 0, late < recentStepUsec { return (late, .step, 0) }
    return (late, late > Engine.busyThresholdUsec ? .busy : nil, 0)
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
  /// The counter of `awake` when it was entered.
  var enteredAwakeUsec: Int64
  /// How much longer it took than the counter of `awake` says.
  var hiddenUsec: Int64
}
