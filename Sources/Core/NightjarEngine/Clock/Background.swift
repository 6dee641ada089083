public import NightjarModel

/// The state of the clocks and of an open span, as the store keeps it on disk. The next run of the
/// daemon continues from it.
public struct BackgroundState: Equatable, Sendable {
  /// The last anchor that was written.
  public var anchor: Anchor
  /// The span that was open when the anchor was written.
  public var open: Span?
  /// The last span that ended.
  public var last: Span?
  /// The reading of `awake` at the start of the span `open`. If a signal has stopped the daemon
  /// since then, this counter cannot be computed from `anchor`.
  public var enteredAwakeUsec: Int64?
  /// MONOTONIC at the last SIGTSTP, if no SIGCONT has followed.
  public var stoppedMonotonicUsec: Int64?
  /// The state of the wall clock and of reboots of uncertain length (see `WallClockState`).
  public var clock: WallClockState
  /// The number of the event that recorded the start of `open`.
  public var enteredSeq: Int64?
  /// The fingerprint of the time zone rules with which all wall deadlines were computed; nil: some
  /// wall deadlines must still be recomputed.
  public var zone: Int64?
  /// The counter of `present` at the start of the span `open`.
  public var enteredPresentUsec: Int64?
  /// How far the counter of `present` is behind that of `awake`.
  public var absence = Absence()
  /// The open span of the user's absence; nil: there was none.
  public var openAbsence: Span?
  /// The number of the event that recorded its start.
  public var absenceSeq: Int64?

  public init(
    anchor: Anchor, open: Span? = nil, last: Span? = nil, enteredAwakeUsec: Int64? = nil,
    stoppedMonotonicUsec: Int64? = nil, clock: WallClockState = WallClockState(),
    enteredSeq: Int64? = nil, zone: Int64? = nil
  ) {
    self.enteredSeq = enteredSeq
    self.zone = zone
    self.anchor = anchor
    self.open = open
    self.last = last
    self.enteredAwakeUsec = enteredAwakeUsec
    self.stoppedMonotonicUsec = stoppedMonotonicUsec
    self.clock = clock
  }
}

/// The readings of the kernel's clocks at which the loop is to wake; nil: the loop does not wake by
/// that clock.
public struct Wake: Equatable, Sendable {
  /// CLOCK_BOOTTIME of the next deadline on `elapsed`.
  public var boottimeUsec: Int64?
  /// CLOCK_MONOTONIC of the next deadline on `awake` or `present`.
  public var monotonicUsec: Int64?
  /// CLOCK_REALTIME of the next deadline on `wall`.
  public var realtimeUsec: Int64?

  /// Makes a value that wakes the loop by no clock unless a reading is given.
  public init(
    boottimeUsec: Int64? = nil, monotonicUsec: Int64? = nil, realtimeUsec: Int64? = nil
  ) {
    self.boottimeUsec = boottimeUsec
    self.monotonicUsec = monotonicUsec
    self.realtimeUsec = realtimeUsec
  }
}

/// Keeps the timelines and the background spans. All spans begin and end through the same code,
/// whatever their causes, except absences of the user.
///
/// A signal or logind only names the cause of a span; its length is always measured with the
/// clocks. This class reads no clock: the caller passes the moment to each call. It reports what it
/// finds by notifications on `bus`.
public final class Background {
  /// A difference between two clocks of up to this is measurement noise, not sleep.
  public static let sleepThresholdUsec: Int64 = 100_000
  /// If the loop wakes later than this after an armed deadline, the process was frozen.
  public static let freezeThresholdUsec: Int64 = 1_000_000
  /// If the difference between REALTIME and BOOTTIME changed by at least this, the wall clock was
  /// set. The error of a reading is at most 0.1 ms.
  public static let stepThresholdUsec: Int64 = 10_000
  /// How long after the daemon's start a timer may wait for the wall clock to be synchronised (see
  /// `WallClockState`). If a timer seems due by a clock that is not synchronised, and is not
  /// certainly due, it waits. The configuration can change this time.
  public static let clockWaitUsec: Int64 = 60_000_000

  // The runtime check of exclusive access is off, because it takes longer than the access itself
  // (see `DeadlineQueue`). The daemon reads these two for each timer that it shows to a client.

  @exclusivity(unchecked) public private(set) var timelines: Timelines
  /// The span that is open; nil in the foreground.
  @exclusivity(unchecked) public private(set) var open: Span?
  /// The last span that ended.
  public private(set) var last: Span?
  /// When the last span ended. The daemon has been in the foreground since then.
  public private(set) var foregroundSince: Moment

  /// Whether the user is at the machine, as logind last reported.
  public private(set) var presence = Presence.unknown
  /// The open span of the user's absence; nil: the user is there, or no timer on `present` has run
  /// during the absence.
  @exclusivity(unchecked) public private(set) var absence: Span?
  /// The reading of `elapsed` at the start of the last absence.
  private var absenceElapsedUsec: Int64 = 0
  /// The number of the event that recorded the start of the last absence.
  private var absenceSeq: Int64 = 0

  let bus: NotificationBus
  /// The causes of the open span that have not ended yet.
  private var ongoing: [Cause] = []
  /// The reading of `elapsed` when the last span was entered.
  public private(set) var enteredElapsedUsec: Int64 = 0
  /// The number of the event that recorded the start of the last span.
  public private(set) var enteredSeq: Int64 = 0
  /// The fingerprint of the time zone rules with which all wall deadlines were computed; nil: some
  /// wall deadlines must still be recomputed.
  public var zone: Int64?
  /// The reading of `awake` when the last span was entered.
  public private(set) var enteredAwakeUsec: Int64 = 0
  /// The counter of `present` when the last span was entered.
  public private(set) var enteredPresentUsec: Int64 = 0
  private var nextSpanID: Int64 = 1
  private var previous: Moment
  private var armed = Wake()
  /// The state of the wall clock and of reboots of uncertain length.
  @exclusivity(unchecked) public private(set) var clock = WallClockState()
  /// How long after the daemon's start a timer may wait for the wall clock to be synchronised, in
  /// microseconds.
  public var clockWaitUsec = Background.clockWaitUsec
  /// CLOCK_BOOTTIME when the daemon started.
  private var startedBoottimeUsec: Int64

  /// Starts at `now` with all counters at zero. Posts on `bus`.
  public init(at now: Moment, bus: NotificationBus) {
    timelines = Timelines(anchor: Anchor(moment: now))
    foregroundSince = now
    previous = now
    startedBoottimeUsec = now.boottimeUsec
    self.bus = bus
  }

  /// The state at `moment`, for the journal to write to disk.
  public func state(at moment: Moment) -> BackgroundState {
    var state = BackgroundState(
      anchor: timelines.anchor(at: moment), open: open, last: last,
      enteredAwakeUsec: open == nil ? nil : enteredAwakeUsec,
      stoppedMonotonicUsec: timelines.stoppedMonotonicUsec, clock: clock,
      enteredSeq: open == nil ? nil : enteredSeq, zone: zone)
    state.enteredPresentUsec = open == nil ? nil : enteredPresentUsec
    state.absence = timelines.absence
    state.openAbsence = absence
    state.absenceSeq = absence == nil ? nil : absenceSeq
    return state
  }

  /// Stores the readings for which the loop was armed at `moment`. The next `observe` compares them
  /// with the clocks to detect a freeze. A reading before `moment` is replaced by `moment`, because
  /// a backlog of due timers is not a freeze.
  public func arm(_ wake: Wake, at moment: Moment) {
    armed = Wake(
      boottimeUsec: wake.boottimeUsec.map { max($0, moment.boottimeUsec) },
      monotonicUsec: wake.monotonicUsec.map { max($0, moment.monotonicUsec) },
      realtimeUsec: wake.realtimeUsec.map { max($0, moment.realtimeUsec) })
  }

  /// The reading of BOOTTIME at which timers stop waiting for the wall clock. Nil: no timer may
  /// wait, because no reboot has an uncertain length, or because the time to wait is over.
  public func clockWaitEnd(at now: Moment) -> Int64? {
    guard clock.isOpen else { return nil }
    let (end, overflow) = startedBoottimeUsec.addingReportingOverflow(clockWaitUsec)
    return !overflow && now.boottimeUsec < end ? end : nil
  }
}

// MARK: - Entering and leaving the background

extension Background {
  /// Enters the background at `now` because of `cause`, or adds the cause to the open span. Does
  /// nothing if the span already has this cause.
  public func enter(_ cause: Cause, at now: Moment) {
    guard !ongoing.contains(cause) else { return }
    openOrExtend([cause], since: now, at: now, estimated: false)
    ongoing.append(cause)
    if cause == .stop { timelines.stopAwake(at: now) }
  }

  /// Ends `cause` at `now`. The span ends when the last of its causes ends. Does nothing if the
  /// open span does not have this cause.
  public func leave(_ cause: Cause, at now: Moment) {
    guard let index = ongoing.firstIndex(of: cause) else { return }
    ongoing.remove(at: index)
    if cause == .stop { timelines.resumeAwake(fromMonotonicUsec: now.monotonicUsec, at: now) }
    if ongoing.isEmpty { close(at: now) }
  }

  /// Opens a span at `since`, or adds causes to the open one.
  private func openOrExtend(_ causes: [Cause], since: Moment, at now: Moment, estimated: Bool) {
    if open != nil {
      for cause in causes { open?.add(cause) }
      if estimated { open?.estimated = true }
      if let span = open { bus.post(.spanExtended(span), at: now) }
      return
    }
    let span = Span(id: takeSpanID(), causes: causes, entered: since, estimated: estimated)
    enteredElapsedUsec = timelines.reading(.elapsed, at: since)
    enteredAwakeUsec = timelines.reading(.awake, at: since)
    enteredPresentUsec = timelines.reading(.present, at: since)
    open = span
    bus.post(.didEnterBackground(span), at: now)
  }

  /// Returns the number for the next span, and counts it as used.
  func takeSpanID() -> Int64 {
    defer { nextSpanID += 1 }
    return nextSpanID
  }

  func change(presence reported: Presence, at now: Moment) {
    presence = reported
    let awakeUsec = timelines.reading(.awake, at: now)
    if reported == .away {
      timelines.absence.begin(atAwake: awakeUsec)
    } else {
      timelines.absence.end(atAwake: awakeUsec)
    }
  }

  func openAbsence(_ span: Span, enteredElapsedUsec: Int64) {
    absence = span
    absenceElapsedUsec = enteredElapsedUsec
  }

  /// - Returns: the span with its end and length; nil: no absence was open.
  func closeAbsence(at left: Moment) -> Span? {
    guard var span = absence else { return nil }
    absence = nil
    span.left = left
    span.elapsedUsec = max(0, timelines.reading(.elapsed, at: left) - absenceElapsedUsec)
    return span
  }

  private func close(at now: Moment) {
    guard var span = open else { return }
    span.left = now
    span.elapsedUsec = max(0, timelines.reading(.elapsed, at: now) - enteredElapsedUsec)
    open = nil
    last = span
    foregroundSince = now
    armed = Wake()
    bus.post(.willEnterForeground(span), at: now)
  }
}

// MARK: - Comparing the clocks

extension Background {
  /// Compares this reading of the clocks with the previous one. Finds steps of the wall clock,
  /// sleep that logind did not announce, and freezes. The loop calls it first in each iteration.
  /// O(1).
  ///
  /// - Returns: whether the wall clock was set.
  @discardableResult
  public func observe(_ now: Moment) -> Bool {
    let before = previous
    previous = now
    let boottime = now.boottimeUsec - before.boottimeUsec
    let step = now.realtimeUsec - before.realtimeUsec - boottime
    let wasSet = abs(step) >= Self.stepThresholdUsec
    if wasSet { noteStep(byUsec: step, at: now) }

    let slept = max(0, boottime - (now.monotonicUsec - before.monotonicUsec))
    let isSleep = slept > Self.sleepThresholdUsec
    if open != nil {
      if isSleep { openOrExtend([.sleep], since: now, at: now, estimated: false) }
      return wasSet
    }
    let frozen = provenFreeze(at: now, sleptUsec: slept, steppedUsec: step)
    // The loop has woken up. A second reading in the same iteration must not find the freeze again.
    armed = Wake()
    guard isSleep || frozen > 0 else { return wasSet }
    var entered = now.earlier(byUsec: frozen + (isSleep ? slept : 0))
    if isSleep { entered.monotonicUsec += slept }
    let causes: [Cause] = isSleep ? (frozen > 0 ? [.sleep, .freeze] : [.sleep]) : [.freeze]
    openOrExtend(causes, since: entered, at: now, estimated: false)
    if frozen > 0 { timelines.excludeFromAwake(usec: frozen, at: now) }
    close(at: now)
    return wasSet
  }

  /// How long the process did not run after an armed deadline, in microseconds of MONOTONIC; 0 if a
  /// busy machine can explain the delay.
  private func provenFreeze(at now: Moment, sleptUsec: Int64, steppedUsec: Int64) -> Int64 {
    var overdue: Int64 = 0
    if let armed = armed.boottimeUsec {
      overdue = max(overdue, now.boottimeUsec - armed - sleptUsec)
    }
    if let armed = armed.monotonicUsec { overdue = max(overdue, now.monotonicUsec - armed) }
    if let armed = armed.realtimeUsec {
      overdue = max(overdue, now.realtimeUsec - armed - max(0, steppedUsec) - sleptUsec)
    }
    return overdue > Self.freezeThresholdUsec ? overdue : 0
  }

  private func noteStep(byUsec step: Int64, at now: Moment) {
    // Before this step, the kernel may have vouched for the clock. It has not vouched for the time
    // that the clock shows now.
    timelines.note(synchronized: false)
    clock.note(step: step, at: now, elapsedUsec: timelines.reading(.elapsed, at: now))
    bus.post(.clockStepped(byUsec: step), at: now)
  }

  /// Notes whether the wall clock is synchronised. `synchronized` and `now` must come from one
  /// reading. When the kernel begins to vouch for the clock, this corrects the lengths of the
  /// reboots since the last reading that the kernel vouched for.
  public func note(synchronized: Bool, at now: Moment) {
    let wasSynchronized = timelines.anchor.synchronized
    if synchronized != wasSynchronized {
      timelines.note(synchronized: synchronized)
      bus.post(.synchronizationChanged(synchronized), at: now)
    }
    guard synchronized, !wasSynchronized || !clock.hasBeenSynchronized else { return }
    // `answered` has the estimated rings that a user has answered. The engine handles the
    // corrections during the `post` below, and reads this list to report how early these rings
    // were. So the list is emptied only when this function returns.
    defer { clock.answered = [] }
    let corrections = clock.synchronize(at: now, elapsedUsec: timelines.reading(.elapsed, at: now))
    guard !corrections.isEmpty else { return }
    for correction in corrections {
      timelines.correctElapsed(byUsec: correction.byUsec)
      enteredElapsedUsec += correction.byUsec
      absenceElapsedUsec += correction.byUsec
      guard let left = correction.span.left, last?.id == correction.span.id else { continue }
      if foregroundSince == last?.left { foregroundSince = left }
      last = correction.span
    }
    bus.post(.spansCorrected(corrections), at: now)
  }
}

// MARK: - Start

extension Background {
  /// Continues from the state that the last run left on disk. The time since then becomes a span
  /// with the cause `down` or `reboot`, which ends at once. `downSince` is MONOTONIC when the
  /// service manager saw the last run end; nil: unknown. Register the observers before this call,
  /// and call `note(synchronized:at:)` after it.
  public func resume(
    _ state: BackgroundState, nextSpanID: Int64, downSince: Int64?, at now: Moment
  ) {
    let old = state.anchor
    let sameBoot = now.continues(old.moment)
    self.nextSpanID = nextSpanID
    last = state.last
    timelines = Timelines(
      anchor: old, stoppedMonotonicUsec: state.stoppedMonotonicUsec, absence: state.absence)
    clock = state.clock
    startedBoottimeUsec = now.boottimeUsec
    enteredSeq = state.enteredSeq ?? .max
    absenceSeq = state.absenceSeq ?? 0

    resumeAbsence(state, sameBoot: sameBoot, at: now)
    // The manager may see the end of the last run only after a sleep. The last run has not recorded
    // a sleep since the anchor, so the span contains it, wherever it was.
    let wasDown = downSince.flatMap {
      sameBoot && $0 >= old.moment.monotonicUsec && $0 <= now.monotonicUsec
        ? old.moment.earlier(byUsec: old.moment.monotonicUsec - $0) : nil
    }
    reopen(state, at: now, downSince: wasDown, sameBoot: sameBoot)
    if sameBoot {
      resumeInSameBoot(state, wasDown: wasDown, at: now)
      previous = now
      close(at: now)
    } else {
      resumeInAnotherBoot(since: old, at: now)
    }
  }

  /// Restores the user's presence as logind last reported it, if no reboot followed. A reboot ends
  /// every session, and after it logind has not reported anything yet.
  private func resumeAbsence(_ state: BackgroundState, sameBoot: Bool, at now: Moment) {
    let old = state.anchor.moment
    if let span = state.openAbsence {
      openAbsence(span, enteredElapsedUsec: timelines.reading(.elapsed, at: span.entered))
    }
    if state.absence.sinceAwakeUsec != nil { presence = .away }
    guard !sameBoot else { return }
    change(presence: .unknown, at: old)
    endAbsence(leftAt: old, at: now)
  }

  /// Begins with the assumption that the reboot took as long as the wall clock says. When the clock
  /// is synchronised, this length is corrected.
  private func resumeInAnotherBoot(since old: Anchor, at now: Moment) {
    guard let span = open else { return }
    var reboot = UncertainReboot(
      span: span, wallUsec: now.realtimeUsec - old.moment.realtimeUsec,
      uptimeUsec: now.boottimeUsec)
    timelines.reanchor(from: old, to: now, elapsedUsec: reboot.advancedUsec)
    previous = now
    close(at: now)
    guard let left = last else { return }
    reboot.span = left
    reboot.leftElapsedUsec = timelines.reading(.elapsed, at: now)
    clock.note(reboot, since: old)
  }

  /// Notes the number of the event that recorded the start of the open span.
  public func note(entered seq: Int64) { enteredSeq = seq }

  /// Notes the number of the event that recorded the start of the absence.
  public func note(absenceEntered seq: Int64) { absenceSeq = seq }

  /// Notes that the event that recorded the start of a span was recorded again: its number was
  /// `before` and is now `seq`.
  public func note(entered seq: Int64, before: Int64) {
    enteredSeq = seq
    for index in clock.undecided.indices where clock.undecided[index].enteredSeq == before {
      clock.undecided[index].enteredSeq = seq
    }
  }

  /// If the wall clock was in doubt and is right at `now`: the last right time that it showed
  /// before the doubt. Otherwise nil. Also nil after `clearEndedDoubt`.
  func endedDoubtSinceUsec(at now: Moment) -> Int64? {
    let elapsed = timelines.reading(.elapsed, at: now)
    return clock.isBack(atRealtimeUsec: now.realtimeUsec, elapsedUsec: elapsed)
      ? clock.inDoubtSinceUsec : nil
  }

  /// Ends the doubt about the wall clock if the clock is right again. Call it when all due timers
  /// have been handled. The times of alarms that the clock jumped over while it was in doubt must
  /// have been handled, too.
  func clearEndedDoubt(at now: Moment) {
    if endedDoubtSinceUsec(at: now) != nil { clock.inDoubtSinceUsec = nil }
  }

  /// `span` has just ended. Its effect on sequences is decided later: when the wall clock is
  /// synchronised, or when the time to wait for that is over.
  func wait(for span: Span) {
    clock.undecided.append(entry(of: span))
  }

  /// Notes that a user answered a ring that was computed from a wall clock that was not
  /// synchronised.
  func note(_ answered: AnsweredRing) {
    clock.answered.append(answered)
    guard clock.answered.count > AnsweredRing.most else { return }
    let latest = clock.answered.indices.max {
      clock.answered[$0].sound.lateUsec < clock.answered[$1].sound.lateUsec
    }
    if let latest { clock.answered.remove(at: latest) }
  }

  /// Forgets answered rings whose answer has an event number above `lastSeq`, because those events
  /// were lost.
  func forgetAnswers(after lastSeq: Int64) {
    clock.answered.removeAll { $0.answeredSeq > lastSeq }
  }

  func correctAnswered(_ correction: SpanCorrection) {
    for index in clock.answered.indices { clock.answered[index].sound.apply(correction) }
  }

  /// Adds a step of the wall clock to the lateness of answered rings on `wall`: by the new clock,
  /// these rings were later by `byUsec`.
  func stepAnswered(byUsec: Int64) {
    for index in clock.answered.indices { clock.answered[index].sound.step(byUsec: byUsec) }
  }

  /// Removes and returns the first span whose effect on sequences is undecided. The caller decides
  /// the effect.
  func takeUndecided() -> UndecidedSpan { clock.undecided.removeFirst() }

  /// The data that is needed to decide the effect of `span`, which has just ended, on sequences.
  func entry(of span: Span) -> UndecidedSpan {
    UndecidedSpan(
      id: span.id, elapsedUsec: span.elapsedUsec, enteredSeq: enteredSeq,
      entered: Counters(elapsedUsec: enteredElapsedUsec, awakeUsec: enteredAwakeUsec),
      enteredPresentUsec: enteredPresentUsec)
  }

  /// The same of an absence that ended at `left`. `present` has not counted since its start, and
  /// no other clock is asked for.
  func entry(ofAbsence span: Span, at left: Moment) -> UndecidedSpan {
    UndecidedSpan(
      id: span.id, elapsedUsec: span.elapsedUsec, enteredSeq: absenceSeq,
      entered: Counters(
        elapsedUsec: absenceElapsedUsec, awakeUsec: timelines.reading(.awake, at: left)),
      enteredPresentUsec: timelines.reading(.present, at: left))
  }

  /// Notes the number of the event that recorded the end of `span`. Timers that were set after this
  /// event did not run during the span.
  public func note(left span: Span, seq: Int64) { clock.note(left: span.id, seq: seq) }

  /// Reopens the span that was open when the last run ended, with its old start, and adds the
  /// cause. If no span was open, the last run crashed, and this opens a new span.
  private func reopen(_ state: BackgroundState, at now: Moment, downSince: Moment?, sameBoot: Bool)
  {
    let old = state.anchor
    let cause: Cause = sameBoot ? .down : .reboot
    if let entry = state.open {
      open = entry
      let entered = entry.entered.bootID == old.moment.bootID ? entry.entered : old.moment
      enteredElapsedUsec = timelines.reading(.elapsed, at: entered)
      enteredAwakeUsec = state.enteredAwakeUsec ?? timelines.reading(.awake, at: entered)
      enteredPresentUsec =
        state.enteredPresentUsec ?? timelines.absence.presentUsec(atAwake: enteredAwakeUsec)
      if cause == .reboot, entry.causes == [.down] {
        open?.causes = [.reboot]
        open?.estimated = true
        if let span = open { bus.post(.spanExtended(span), at: now) }
      } else {
        openOrExtend([cause], since: now, at: now, estimated: !sameBoot)
      }
    } else {
      openOrExtend([cause], since: downSince ?? old.moment, at: now, estimated: downSince == nil)
    }
  }

  private func resumeInSameBoot(_ state: BackgroundState, wasDown: Moment?, at now: Moment) {
    let before = state.anchor.moment
    let boottime = now.boottimeUsec - before.boottimeUsec
    // If the daemon was killed while a signal had stopped it, it counts as stopped until it was
    // killed, or until now if that moment is not known.
    timelines.resumeAwake(fromMonotonicUsec: wasDown?.monotonicUsec ?? now.monotonicUsec, at: now)
    if boottime - (now.monotonicUsec - before.monotonicUsec) > Self.sleepThresholdUsec {
      openOrExtend([.sleep], since: now, at: now, estimated: false)
    }
    let step = now.realtimeUsec - before.realtimeUsec - boottime
    if abs(step) >= Self.stepThresholdUsec { noteStep(byUsec: step, at: now) }
  }
}
