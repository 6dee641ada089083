public import NightjarModel

/// The timers. Requests and clock readings come in, events go out.
///
/// The engine reads no clock and does no I/O. The caller passes the moment to each call. Each
/// decision becomes an event. The engine applies the event to its own state and posts it on the
/// bus, and the journal writes it to disk.
public final class Engine: NotificationObserver {
  /// How long the engine keeps a timer that is over or was cancelled, on `elapsed`: a day.
  public static let retentionUsec: Int64 = 86_400_000_000
  /// The most events that one call of `fireDue` records. The loop calls it at the beginning and at
  /// the end of each iteration, so a million timers due at the same time do not block other work.
  public static let firingsAtOnce = 256
  /// Slots scanned per loop iteration when wall deadlines are recomputed.
  public static let slotsPerIteration = 65_536
  /// An expiry that is handled later than this gets the cause `busy` if no other cause explains the
  /// delay. A shorter delay is within the kernel's precision.
  public static let busyThresholdUsec: Int64 = 10_000
  /// The most rings of one timer for the expiries that it missed in one background span, with
  /// `missed=each`. If it missed more, the oldest ones share one ring.
  public static let ringsPerSpan: Int64 = 1000
  /// The most occurrences of an alarm that the engine counts for one event. It stops counting
  /// there, so the alarm may have missed more occurrences than this event says.
  public static let countedOccurrences: Int64 = 10_000
  /// The approximate number of calendar instants that are computed per loop iteration. After a long
  /// sleep, a thousand alarms that ring every second must not block other work.
  public static let instantsPerIteration = 50_000
  /// The most timer names in the event that lists the timers which expired in a background span.
  public static let namesPerSpan = 256
  static let noCounts = TimerState.allCases.map { _ in 0 }

  /// The clocks and background spans that the engine uses.
  public let background: Background
  /// The most timers, in any state. A lower value removes no existing timer.
  public var maximumTimers: Int {
    willSet { precondition(newValue <= DeadlineQueue.slotLimit) }
  }
  /// The number of the last event.
  @exclusivity(unchecked) public internal(set) var lastSeq: Int64 = 0
  /// How many timers are in each state, by `TimerState.rawValue`.
  @exclusivity(unchecked) public internal(set) var counts = Engine.noCounts
  public internal(set) var ringCounts = RingCounts()
  /// For rings that do not say it themselves. A change concerns later sounds.
  public var usualRing = UsualRing()

  let bus: NotificationBus
  let calendar: any Calendar
  // Unchecked for the same reason as in `DeadlineQueue`: the runtime check took longer than the
  // access, and no method of the table calls back.
  @exclusivity(unchecked) var table: TimerTable
  /// The ID and attachments of the timer that was removed last; nil: no timer was removed.
  var lastRemoved: (id: Int64, attachments: Attachments?)?
  /// The number of the round in which `unusedName()` begins its search. Round 1 has the plain names
  /// of birds, and round n has each bird's name with `-n` at its end.
  var nameRound = 1
  let elapsedQueue = DeadlineQueue()
  let awakeQueue = DeadlineQueue()
  let wallQueue = DeadlineQueue()
  let presentQueue = DeadlineQueue()
  /// The number of running timers on `present`. While the user is away, only these timers stand
  /// still.
  @exclusivity(unchecked) var presentCount = 0
  /// The open rings that end to sound, insist or are no longer snoozed at a reading of `elapsed`.
  let ringQueue = DeadlineQueue()
  /// The snoozed rings whose end is to wake the machine.
  let snoozeAlarms = DeadlineQueue()
  /// The running timers on `elapsed` that are to wake the machine. They are in `elapsedQueue` as
  /// well. `wallAlarms` has the same for `wall`.
  let elapsedAlarms = DeadlineQueue()
  let wallAlarms = DeadlineQueue()
  /// Why deadlines cannot wake the machine at present; nil: they can. The code that arms the
  /// kernel's alarms sets it. The engine only stores it for replies to clients.
  public var wakeObstacle: WakeObstacle?
  /// The timers that have ended, ordered by the time of their removal, on `elapsed`.
  let retentionQueue = DeadlineQueue()
  /// The running sequences that have a policy for the end of a span (`AfterSpan`).
  let affectedBySpans = DeadlineQueue()
  /// Running timers that seem due, but only by a wall clock that is not synchronised (see
  /// `WallClockState`). They wait here, ordered by the reading of `elapsed` at which they are
  /// certainly due.
  let clockWaiters = DeadlineQueue()
  /// The same for open rings.
  let ringWaiters = DeadlineQueue()
  /// The reading of BOOTTIME at which the timers in `clockWaiters` stop waiting for the clock; nil:
  /// no timer may wait for the clock.
  var clockWaitEnd: Int64?
  /// Whether the clock was set or the rules of the time zones changed since the timers in
  /// `clockWaiters` began to wait. Then the times at which they are certainly due must be
  /// recomputed.
  var areClockWaitersStale = false
  /// Why each timer that is or was in `clockWaiters` is late, by slot.
  var clockWaitCauses: [Int: WaitCause] = [:]
  /// The same for the times of rings.
  var ringWaitCauses: [Int: WaitCause] = [:]
  /// The due instants of alarms, by slot.
  var knownInstants: [Int: KnownInstants] = [:]
  /// How many calendar instants may still be computed in this loop iteration.
  var calendarBudget = 0
  /// The number of the event that recorded the end of the last background span.
  public private(set) var leftSeq: Int64 = 0
  /// The number of the background span that ended last, until the engine has recorded the event
  /// that lists the timers which expired in it; then nil.
  var unreportedSpan: Int64?
  /// The slot at which the recomputing of wall deadlines continues; nil: all of them are
  /// recomputed.
  var recomputeSlot: Int?
  /// The fingerprint of the present rules of the time zones.
  public internal(set) var zoneFingerprint: Int64?
  /// The background spans that have ended and whose expired timers have not all fired yet, in
  /// order. Firing these timers may take several loop iterations, or be interrupted by the next
  /// span.
  var lateSpans: [LateSpan] = []
  /// For each timer whose deadline was set while `lateSpans` was not empty: the number of the event
  /// that set the deadline, by slot. The number shows which spans are too old to have made this
  /// deadline expire.
  var deadlineSetSeqs: [Int: Int64] = [:]
  /// By how much the wall clock was set in total, negative for back, since the last call of
  /// `fireDue` after which no timer was due.
  var recentStepUsec: Int64 = 0
  /// The last correction of the `elapsed` counter for reboots. `byUsec` is its sum over all
  /// reboots, and `span` is the reboot with the largest share. Nil: no correction was made since
  /// the last call of `fireDue` after which no timer was due.
  var recentCorrection: (span: Span, byUsec: Int64)?
  /// The changes that persons made within the last minute, which can be undone.
  var undoHistory = UndoHistory()
  /// True while an undo records its events. If one of these events makes a timer run on `present`,
  /// the engine records the user's absence only after the last of them.
  var isUndoing = false
  /// The undo id of the change that a person is making; nil: the change is a program's or the
  /// engine's own.
  var personalChange: String?
  /// The request id that a client gave to the change that it is making; nil: it gave none.
  @exclusivity(unchecked) private var request: String?
  private var isLoading: Bool

  /// Makes an engine without timers. With `loading`, call `load` and `replay` and then
  /// `finishLoading` before anything else.
  public init(
    background: Background, bus: NotificationBus, calendar: any Calendar, maximumTimers: Int,
    loading: Bool = false
  ) {
    precondition(maximumTimers <= DeadlineQueue.slotLimit)
    self.background = background
    self.bus = bus
    self.calendar = calendar
    self.maximumTimers = maximumTimers
    table = TimerTable(loading: loading)
    isLoading = loading
  }

  /// Whether a background span is open. While one is, no timer fires.
  public var isInBackground: Bool { background.open != nil }

  /// Records an event, applies it and posts it.
  @discardableResult
  func record(
    _ kind: consuming Event.Kind, about slot: Int? = nil, sums: Event.Sums? = nil,
    at moment: Moment
  ) -> Event {
    record(kind, subject: slot.map { subject($0) }, sums: sums, at: moment)
  }

  /// - Parameter sums: what the run has counted; nil: that up to `moment`.
  @discardableResult
  func record(
    _ kind: consuming Event.Kind, subject: consuming Event.Subject?, sums: Event.Sums? = nil,
    at moment: Moment
  ) -> Event {
    var sums = sums
    if sums == nil, kind.traits.contains(.endsPart), let slot = subject?.slot {
      sums = self.sums(slot, kind, at: moment)
    }
    return record(
      kind, subject: subject, timeUsec: moment.realtimeUsec,
      counters: background.timelines.counters(at: moment), sums: sums, at: moment)
  }

  private func record(
    _ kind: consuming Event.Kind, subject: consuming Event.Subject?, timeUsec: Int64,
    counters: Counters, sums: Event.Sums?, at moment: Moment
  ) -> Event {
    precondition(!isLoading)
    if let slot = subject?.slot, kind.traits.contains(.answersRing), table.isOccupied(slot) {
      noteAnswer(slot, answeredSeq: lastSeq + 1)
    }
    let isOfRequest = request != nil && kind.traits.contains(.isRequested)
    let event = Event(
      seq: lastSeq + 1, timeUsec: timeUsec, counters: counters, subject: subject,
      request: isOfRequest ? request : nil, sums: sums, kind: kind)
    if personalChange == nil {
      apply(event)
      if !undoHistory.isEmpty { forgetUndo(after: event) }
    } else {
      applyPersonally(event)
    }
    bus.post(.recorded(event), at: moment)
    if !isUndoing { beginAbsenceIfNeeded(at: moment) }
    return event
  }

  /// Runs `change` and puts the client's request id into the events that it causes.
  public func answering<Result, Failure>(
    _ request: String, _ change: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    self.request = request
    defer { self.request = nil }
    return try change()
  }

  /// Begins to record the user's absence, if a timer runs on `present`. Without such a timer the
  /// absence affects no timer, and the ledger has no event for it.
  public func beginAbsenceIfNeeded(at moment: Moment) {
    if presentCount > 0 { background.beginAbsence(at: moment) }
  }

  private func subject(_ slot: Int) -> Event.Subject {
    Event.Subject(
      slot: slot, id: table[slot].id, name: table[slot].name, previous: table[slot].lastEvent)
  }

  /// Handles spans and clock changes. Timers that expired fire at the next `fireDue`.
  public func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .didEnterBackground(let span):
      // Some spans are found only when they have ended, so use the counters of their start.
      let entered = Counters(
        elapsedUsec: background.enteredElapsedUsec, awakeUsec: background.enteredAwakeUsec)
      let event = record(
        .enteredBackground(span), subject: nil, timeUsec: moment.realtimeUsec, counters: entered,
        sums: nil, at: moment)
      background.note(entered: event.seq)
    case .willEnterForeground(let span):
      noteLate(span)
      leftSeq = record(.leftBackground(span), at: moment).seq
      unreportedSpan = span.id
      applySleepPolicy(for: span, at: moment)
    case .presenceChanged: beginAbsenceIfNeeded(at: moment)
    case .absenceBegan(let span):
      background.note(absenceEntered: record(.enteredBackground(span), at: moment).seq)
    case .absenceEnded(let span):
      // The end of an absence at a reboot is found after the reboot, so use the counters of its
      // end.
      let left = background.timelines.counters(at: span.left ?? moment)
      _ = record(
        .leftBackground(span), subject: nil, timeUsec: moment.realtimeUsec, counters: left,
        sums: nil, at: moment)
      // What a reboot means for a sequence, `afterSleep` says.
      if span.left == moment {
        applyAwayPolicy(for: background.entry(ofAbsence: span, at: moment), at: moment)
      }
    case .spansCorrected(let corrections): correct(corrections, at: moment)
    case .clockStepped(let by):
      recentStepUsec += by
      background.stepAnswered(byUsec: by)
      areClockWaitersStale = true
      record(.clockStepped(byUsec: by), at: moment)
      // After a step forward, the next instant of an alarm is still the next one, or is due now. So
      // no deadline must be recomputed.
      if by < 0 { recomputeWallDeadlines() }
    case .zoneChanged(let name):
      // The new rules may make it certain that an alarm is due.
      areClockWaitersStale = true
      record(.zoneChanged(name), at: moment)
      recomputeWallDeadlines()
    case .synchronizationChanged(true):
      // The clock may be set before it is synchronised. Only now is it known which instants it
      // passed over.
      if background.clock.inDoubtSinceUsec != nil { recomputeWallDeadlines() }
    case .spanExtended, .synchronizationChanged, .recorded, .committed, .actionsCalled,
      .commitFailed:
      break
    }
  }
}

// MARK: - Loading from disk

extension Engine {
  /// Forgets all timers, to read them from disk again. Call `load`, `replay` and `finishLoading`
  /// next.
  public func reset() {
    table = TimerTable(loading: true)
    let queues = [
      elapsedQueue, awakeQueue, wallQueue, presentQueue, ringQueue, retentionQueue, elapsedAlarms,
      wallAlarms, snoozeAlarms, affectedBySpans, clockWaiters, ringWaiters,
    ]
    for queue in queues { queue.removeAll() }
    clockWaitCauses = [:]
    ringWaitCauses = [:]
    deadlineSetSeqs = [:]
    counts = Self.noCounts
    ringCounts = RingCounts()
    presentCount = 0
    lastSeq = 0
    isLoading = true
  }

  /// Records an event once more, with its old time and counters. Used after a reload from disk that
  /// lost the event.
  public func recordAgain(_ event: Event, at moment: Moment) {
    let seq = record(
      event.kind, subject: event.subject.map { subject($0.slot) }, timeUsec: event.timeUsec,
      counters: event.counters, sums: event.sums, at: moment
    ).seq
    guard case .leftBackground(let span) = event.kind, !span.isAbsence else { return }
    // A timer that starts after this event gets a higher number and was not in the span. So the
    // number of this event marks the end of the span.
    leftSeq = seq
    for index in lateSpans.indices where lateSpans[index].span.id == span.id {
      lateSpans[index].leftSeq = seq
    }
  }

  /// A timer as it is stored on disk.
  public struct StoredTimer: Equatable, Sendable {
    public var slot: Int
    /// The order of the deadline among equal ones in the queue; 0: the timer is in no queue.
    public var order: Int64
    public var timer: Timer

    public init(slot: Int, order: Int64, _ timer: Timer) {
      (self.slot, self.order, self.timer) = (slot, order, timer)
    }
  }

  /// Inserts a timer as it was written to disk. Returns false if its values are impossible. The
  /// caller has checked the name.
  public func load(_ stored: StoredTimer) -> Bool {
    guard stored.slot < DeadlineQueue.slotLimit, !table.isOccupied(stored.slot) else {
      return false
    }
    table.insert(stored.timer, at: stored.slot)
    count(stored.slot, 1)
    enqueue(stored.slot, order: stored.order)
    return isCredible(stored.slot)
  }

  /// Applies an event again, except to slots for which `done` is true, because the timers in these
  /// slots already have the state after the event. If an event is about one timer, and `done` is
  /// true for its slot, the caller must skip the event. Returns false if the event does not fit the
  /// timers.
  public func replay(_ event: Event, done: (_ slot: Int) -> Bool) -> Bool {
    if let subject = event.subject {
      let fits =
        switch event.kind {
        case .started: subject.slot < DeadlineQueue.slotLimit
        case .undone: fitsAgain(subject)
        default:
          table.isOccupied(subject.slot) && table[subject.slot].id == subject.id
            && (!table[subject.slot].spec.isPlain || !event.needsDetail)
            && (table[subject.slot].hasRing || !event.kind.traits.contains(.needsRing))
        }
      guard fits else { return false }
    }
    apply(event, done: done)
    return isCredible(after: event)
  }

  /// Whether an undone timer can be restored into the slot that an event names.
  private func fitsAgain(_ subject: Event.Subject) -> Bool {
    guard subject.slot < DeadlineQueue.slotLimit else { return false }
    // Another timer in this slot is replaced only if it has the same name.
    return !table.isOccupied(subject.slot) || table[subject.slot].id == subject.id
      || table[subject.slot].name == subject.name
  }

  /// Ends the loading. `lastSeq` is the number of the last event that was ever recorded.
  ///
  /// - Returns: a name that two timers have, which means that the data is damaged; nil: there is
  ///   none.
  public func finishLoading(lastSeq: Int64) -> String? {
    isLoading = false
    self.lastSeq = max(self.lastSeq, lastSeq)
    background.forgetAnswers(after: self.lastSeq)
    if let name = table.finishLoading() { return name }
    undoHistory.forget(after: self.lastSeq)
    guard !undoHistory.isEmpty else { return nil }
    for slot in 0..<table.slotEnd where table.isOccupied(slot) {
      undoHistory.rename(id: table[slot].id, to: table[slot].name)
    }
    return nil
  }

  /// The order of the timer in `slot` in its queue; 0: it is in none. The slot must be in use.
  /// O(1).
  public func order(at slot: Int) -> Int64 {
    (isWaitingForClock(slot) ? clockWaiters : queue(of: slot))?.order(of: slot) ?? 0
  }

  /// The timer in `slot` as it would be written to disk. The slot must be in use.
  public func stored(at slot: Int) -> StoredTimer {
    StoredTimer(slot: slot, order: order(at: slot), table[slot])
  }

  /// One more than the highest slot that was ever used.
  public var slotEnd: Int { table.slotEnd }
}
