public import NightjarModel

/// What is kept of the clocks and of an open span, so that the next start can go on from it.
public struct BackgroundState: Equatable, Sendable {
  /// The last anchor that was written.
  public var anchor: Anchor
  /// The span that was open when it was written.
  public var open: Span?
  /// The last span that was left.
  public var last: Span?
  /// The counter of `awake` when `open` was entered: a stop since may have held it up.
  public var enteredAwakeUsec: Int64?
  /// MONOTONIC at the SIGTSTP that has not been continued yet.
  public var stoppedMonotonicUsec: Int64?
  /// What is known of the wall clock.
  public var clock: VouchedClock
  /// The number of the event with which `open` was entered.
  public var enteredSeq: Int64?
  /// Stands for the zones' rules by which everything has been worked out; nil: not everything has.
  public var zone: Int64?
  /// The counter of `present` when `open` was entered.
  public var enteredPresentUsec: Int64?
  /// What the counter of `present` is behind that of `awake`.
  public var absence = Absence()
  /// The span over an absence that was not over.
  public var openAbsence: Span?

  /// Makes a state.
  public init(
    anchor: Anchor, open: Span? = nil, last: Span? = nil, enteredAwakeUsec: Int64? = nil,
    stoppedMonotonicUsec: Int64? = nil, clock: VouchedClock = VouchedClock(),
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

/// The kernel-clock readings for which the loop is armed; nil where nothing is.
public struct Wake: Equatable, Sendable {
  /// CLOCK_BOOTTIME of the next deadline on `elapsed`.
  public var boottimeUsec: Int64?
  /// CLOCK_MONOTONIC of the next on `awake`.
  public var monotonicUsec: Int64?
  /// CLOCK_REALTIME of the next on `wall`.
  public var realtimeUsec: Int64?

  /// Armed for nothing, unless given.
  public init(
    boottimeUsec: Int64? = nil, monotonicUsec: Int64? = nil, realtimeUsec: Int64? = nil
  ) {
    self.boottimeUsec = boottimeUsec
    self.monotonicUsec = monotonicUsec
    self.realtimeUsec = realtimeUsec
  }
}

/// Keeps the clocks and the background spans: the one way in and the one way out, whatever the
/// cause.
///
/// Signals name a span, clocks measure it. It reads no clock: each call is handed the moment. What
/// it finds it posts on the bus.
public final class Background {
  /// A difference between clocks below this is the reading's own.
  public static let sleepThresholdUsec: Int64 = 100_000
  /// A deadline that passed unseen by more than this proves a freeze.
  public static let freezeThresholdUsec: Int64 = 1_000_000
  /// A change of REALTIME against BOOTTIME of at least this is a step of the wall clock: two
  /// consistent readings differ by 0.1 ms each at the most.
  public static let stepThresholdUsec: Int64 = 10_000
  /// How long after the daemon's start a timer that is due only by an unvouched clock waits for that to
  /// be vouched for, unless the configuration says otherwise.
  public static let clockWaitUsec: Int64 = 60_000_000

  // As in `DeadlineQueue`: these two are read for each timer that somebody sees.

  /// The counters of the timelines.
  @exclusivity(unchecked) public private(set) var timelines: Timelines
  /// The span that is open; nil in the foreground.
  @exclusivity(unchecked) public private(set) var open: Span?
  /// The last one that was left.
  public private(set) var last: Span?
  /// Since when nothing has been hidden.
  public private(set) var foregroundSince: Moment

  /// Whether the user is there, as far as was told.
  public private(set) var presence = Presence.untold
  /// The span over the absence that lasts, if that hides time from a timer.
  @exclusivity(unchecked) public private(set) var absence: Span?
  private var absenceElapsedUsec: Int64 = 0

  let bus: NotificationBus
  /// What opened or joined the span and is not over yet.
  private var ongoing: [Cause] = []
  /// The counter of `elapsed` at which the last span was entered.
  public private(set) var enteredElapsedUsec: Int64 = 0
  /// The number of the event with which the last span was entered.
  public private(set) var enteredSeq: Int64 = 0
  /// Stands for the zones' rules by which everything has been worked out; nil: not everything has.
  public var zone: Int64?
  /// The counter of `awake` at which the last span was entered.
  public private(set) var enteredAwakeUsec: Int64 = 0
  /// The counter of `present` at which the last span was entered.
  public private(set) var enteredPresentUsec: Int64 = 0
  private var nextSpanID: Int64 = 1
  private var previous: Moment
  private var armed = Wake()
  /// What is known of the wall clock.
  @exclusivity(unchecked) public private(set) var clock = VouchedClock()
  /// How long after the start what is due only by an unvouched clock waits for that, in microseconds.
  public var clockWaitUsec = Background.clockWaitUsec
  /// CLOCK_BOOTTIME when the daemon was started.
  private var startedBoottimeUsec: Int64

  /// Begins at `now` with counters at zero, and posts on `bus`.
  public init(at now: Moment, bus: NotificationBus) {
    timelines = Timelines(anchor: Anchor(moment: now))
    foregroundSince = now
    previous = now
    startedBoottimeUsec = now.boottimeUsec
    self.bus = bus
  }

  /// What the journal keeps, as of `moment`.
  public func state(at moment: Moment) -> BackgroundState {
    var state = BackgroundState(
      anchor: timelines.anchor(at: moment), open: open, last: last,
      enteredAwakeUsec: open == nil ? nil : enteredAwakeUsec,
      stoppedMonotonicUsec: timelines.stoppedMonotonicUsec, clock: clock,
      enteredSeq: open == nil ? nil : enteredSeq, zone: zone)
    state.enteredPresentUsec = open == nil ? nil : enteredPresentUsec
    state.absence = timelines.absence
    state.openAbsence = absence
    return state
  }

  /// Tells for which readings the loop is armed, as of `moment`: what proves a freeze. What is due
  /// already counts as due at `moment`: that it waits for its turn proves nothing.
  public func arm(_ wake: Wake, at moment: Moment) {
    armed = Wake(
      boottimeUsec: wake.boottimeUsec.map { max($0, moment.boottimeUsec) },
      monotonicUsec: wake.monotonicUsec.map { max($0, moment.monotonicUsec) },
      realtimeUsec: wake.realtimeUsec.map { max($0, moment.realtimeUsec) })
  }

  /// Until which reading of BOOTTIME timers that are due only by an unvouched clock wait for that; nil:
  /// they do not, since the clock was vouched for, or they have waited for long enough.
  public func clockWaitEnd(at now: Moment) -> Int64? {
    guard clock.isOpen else { return nil }
    let (end, overflow) = startedBoottimeUsec.addingReportingOverflow(clockWaitUsec)
    return !overflow && now.boottimeUsec < end ? end : nil
  }
}

// MARK: - The way in and the way out

extension Background {
  /// Time begins to be hidden, for `cause`, at `now`. A cause that is there already is not counted
  /// twice.
  public func enter(_ cause: Cause, at now: Moment) {
    guard !ongoing.contains(cause) else { return }
    join([cause], since: now, at: now, estimated: false)
    ongoing.append(cause)
    if cause == .stop { timelines.stop(at: now) }
  }

  /// What hid time is over at `now`; the span is left with the last of its causes. A cause that is
  /// not there is none.
  public func leave(_ cause: Cause, at now: Moment) {
    guard let index = ongoing.firstIndex(of: cause) else { return }
    ongoing.remove(at: index)
    if cause == .stop { timelines.goOn(fromMonotonicUsec: now.monotonicUsec, at: now) }
    if ongoing.isEmpty { close(at: now) }
  }

  /// Opens a span at `since`, or adds causes to the one that is open.
  private func join(_ causes: [Cause], since: Moment, at now: Moment, estimated: Bool) {
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

  /// The number of a new span.
  func takeSpanID() -> Int64 {
    defer { nextSpanID += 1 }
    return nextSpanID
  }

  func change(presence told: Presence, at now: Moment) {
    presence = told
    let awakeUsec = timelines.reading(.awake, at: now)
    if told == .away {
      timelines.absence.begin(atAwake: awakeUsec)
    } else {
      timelines.absence.end(atAwake: awakeUsec)
    }
  }

  func openAbsence(_ span: Span, enteredElapsedUsec: Int64) {
    absence = span
    absenceElapsedUsec = enteredElapsedUsec
  }

  /// - Returns: the span, as it was left; nil: there was none.
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

// MARK: - What the clocks tell

extension Background {
  /// Compares this pass's reading with the last one's: steps of the wall clock, sleep that nobody
  /// announced, a freeze. To be called before anything else is done in a pass. O(1).
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
      if isSleep { join([.sleep], since: now, at: now, estimated: false) }
      return wasSet
    }
    let frozen = provenFreeze(at: now, sleptUsec: slept, steppedUsec: step)
    // The loop has woken: a second reading in the same iteration proves nothing.
    armed = Wake()
    guard isSleep || frozen > 0 else { return wasSet }
    var entered = now.earlier(byUsec: frozen + (isSleep ? slept : 0))
    if isSleep { entered.monotonicUsec += slept }
    let causes: [Cause] = isSleep ? (frozen > 0 ? [.sleep, .freeze] : [.sleep]) : [.freeze]
    join(causes, since: entered, at: now, estimated: false)
    if frozen > 0 { timelines.excludeFromAwake(usec: frozen, at: now) }
    close(at: now)
    return wasSet
  }

  /// How long, in MONOTONIC time, an armed deadline has been passed by, if that is more than any
  /// scheduler's delay.
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
    // The kernel vouched for the time that the clock showed before the step, not for this one.
    timelines.note(synchronized: false)
    clock.note(step: step, at: now, elapsedUsec: timelines.reading(.elapsed, at: now))
    bus.post(.clockStepped(byUsec: step), at: now)
  }

  /// Notes whether the kernel vouches for the wall clock, which reads `now`: both must be one reading.
  /// When it begins to, the reboots since it did last are corrected.
  public func note(synchronized: Bool, at now: Moment) {
    let wasSynchronized = timelines.anchor.synchronized
    if synchronized != wasSynchronized {
      timelines.note(synchronized: synchronized)
      bus.post(.synchronizationChanged(synchronized), at: now)
    }
    guard synchronized, !wasSynchronized || !clock.isVouched else { return }
    // How early they were is told with the correction.
    defer { clock.answered = [] }
    let corrections = clock.vouch(at: now, elapsedUsec: timelines.reading(.elapsed, at: now))
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
  /// Goes on from what the last run left on disk: the time since then is a span of cause `down`, or
  /// `reboot`, and is left at once. `downSince` is when the service manager saw the last run end,
  /// if it can be asked. Observers must have been registered before. Whether the clock is vouched for
  /// is to be noted behind this.
  public func resume(
    _ state: BackgroundState, nextSpanID: Int64, downSince: Moment?, at now: Moment
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

    resumeAbsence(state, sameBoot: sameBoot, at: now)
    let wasDown = downSince.flatMap { sameBoot && $0.continues(old.moment) ? $0 : nil }
    reopen(state, at: now, downSince: wasDown, sameBoot: sameBoot)
    if sameBoot {
      resumeInSameBoot(state, wasDown: wasDown, at: now)
      previous = now
      close(at: now)
    } else {
      resumeInAnotherBoot(since: old, at: now)
    }
  }

  /// The last word about who is there counts until there is another, also over a time in which the daemon was
  /// not running. A reboot ends every session: then logind has not said anything yet.
  private func resumeAbsence(_ state: BackgroundState, sameBoot: Bool, at now: Moment) {
    let old = state.anchor.moment
    if let span = state.openAbsence {
      openAbsence(span, enteredElapsedUsec: timelines.reading(.elapsed, at: span.entered))
    }
    if state.absence.sinceAwakeUsec != nil { presence = .away }
    guard !sameBoot else { return }
    change(presence: .untold, at: old)
    endAbsence(leftAt: old, at: now)
  }

  /// The wall clock's difference is what is known of the time that the reboot took, until the clock is
  /// vouched for.
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

  /// The event with which the open span was entered has this number.
  public func note(entered seq: Int64) { enteredSeq = seq }

  /// The event with which a span was entered has this number now, and had another.
  public func note(entered seq: Int64, before: Int64) {
    enteredSeq = seq
    for index in clock.undecided.indices where clock.undecided[index].enteredSeq == before {
      clock.undecided[index].enteredSeq = seq
    }
  }

  /// When the wall clock came into doubt, if it is right again now and what it passed over meanwhile has not
  /// been dealt with.
  func doubtThatEnds(at now: Moment) -> Int64? {
    let elapsed = timelines.reading(.elapsed, at: now)
    return clock.isBack(atRealtimeUsec: now.realtimeUsec, elapsedUsec: elapsed)
      ? clock.doubtUsec : nil
  }

  /// All that is due has been done: what a clock passed over that was in doubt, and is no more, as well.
  func endDoubt(at now: Moment) {
    if doubtThatEnds(at: now) != nil { clock.doubtUsec = nil }
  }

  /// What `span`, which was left just now, means waits for the wall clock.
  func wait(for span: Span) {
    clock.undecided.append(entry(of: span))
  }

  /// An estimated ring was answered.
  func note(_ answered: AnsweredRing) {
    clock.answered.append(answered)
    guard clock.answered.count > AnsweredRing.most else { return }
    let latest = clock.answered.indices.max {
      clock.answered[$0].ring.lateUsec < clock.answered[$1].ring.lateUsec
    }
    if let latest { clock.answered.remove(at: latest) }
  }

  /// What answered rings behind event `lastSeq` is lost.
  func forgetAnswers(after lastSeq: Int64) {
    clock.answered.removeAll { $0.answeredSeq > lastSeq }
  }

  func correctAnswered(_ correction: SpanCorrection) {
    for index in clock.answered.indices { clock.answered[index].ring.take(correction) }
  }

  /// By the clock as it is now, a ring on `wall` was so much later or earlier.
  func stepAnswered(byUsec: Int64) {
    for index in clock.answered.indices where clock.answered[index].ring.isOnWall {
      clock.answered[index].ring.lateUsec += byUsec
    }
  }

  /// The first span that waits is decided about.
  func takeUndecided() -> UndecidedSpan { clock.undecided.removeFirst() }

  /// What decides what a span means that was left just now.
  func entry(of span: Span) -> UndecidedSpan {
    UndecidedSpan(
      id: span.id, elapsedUsec: span.elapsedUsec, enteredSeq: enteredSeq,
      entered: Counters(elapsedUsec: enteredElapsedUsec, awakeUsec: enteredAwakeUsec),
      enteredPresentUsec: enteredPresentUsec)
  }

  /// The event with which `span` was left has this number: what was set behind it did not see the span.
  public func note(left span: Span, seq: Int64) { clock.note(left: span.id, seq: seq) }

  /// The entry that was open keeps its time; without one, the daemon ended without a word.
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
        join([cause], since: now, at: now, estimated: !sameBoot)
      }
    } else {
      join([cause], since: downSince ?? old.moment, at: now, estimated: downSince == nil)
    }
  }

  private func resumeInSameBoot(_ state: BackgroundState, wasDown: Moment?, at now: Moment) {
    let before = state.anchor.moment
    let boottime = now.boottimeUsec - before.boottimeUsec
    // Killed while it was stopped: it was stopped as long as nobody knows better.
    timelines.goOn(fromMonotonicUsec: wasDown?.monotonicUsec ?? now.monotonicUsec, at: now)
    if boottime - (now.monotonicUsec - before.monotonicUsec) > Self.sleepThresholdUsec {
      join([.sleep], since: now, at: now, estimated: false)
    }
    let step = now.realtimeUsec - before.realtimeUsec - boottime
    if abs(step) >= Self.stepThresholdUsec { noteStep(byUsec: step, at: now) }
  }
}
