public import NightjarModel

/// The timers: deadlines in, effects out.
///
/// The engine reads no clock and does no I/O. It is handed moments; what it decides becomes events,
/// which it applies to itself and posts on the bus for somebody else to make durable and tell.
public final class Engine: NotificationObserver {
  /// How long a timer that fired or was cancelled stays to be seen, on `elapsed`: a day.
  public static let retentionUsec: Int64 = 86_400_000_000
  /// At most so many timers fire at once, which is at the beginning and at the end of each pass of the
  /// loop, so that a million due at the same time stop nobody.
  public static let firingsAtOnce = 256
  /// So many slots are looked through in one pass for what has to be worked out anew.
  public static let slotsPerPass = 65_536
  /// A firing later than this has a cause; one below is the kernel's own precision.
  public static let busyThresholdUsec: Int64 = 10_000
  /// At most so many rings of one timer for one span, where each is to ring; the oldest are one.
  public static let ringsPerSpan: Int64 = 1000
  /// An alarm's points are counted up to here; a ring that stands for as many may stand for more.
  public static let countedPoints: Int64 = 10_000
  /// So many points of the calendar are looked at in one pass, or a few more: a thousand alarms of
  /// every second that wake up from a long sleep stop nobody.
  public static let pointsPerPass = 50_000
  /// So many of those that came due in a span are named.
  public static let namesPerSpan = 256
  static let noCounts = TimerState.allCases.map { _ in 0 }

  /// The clocks and spans it goes by.
  public let background: Background
  /// At most so many timers, in whatever state. What is there already stays, however many they are.
  public var maximumTimers: Int {
    willSet { precondition(newValue <= DeadlineQueue.slotLimit) }
  }
  /// The number of the last event.
  @exclusivity(unchecked) public internal(set) var lastSeq: Int64 = 0
  /// How many timers are in each state, by `TimerState.rawValue`.
  @exclusivity(unchecked) public internal(set) var counts = Engine.noCounts

  let bus: NotificationBus
  let calendar: any Calendar
  // As in `DeadlineQueue`: a check for each access took longer than what it does, and nothing that the
  // table is asked calls back.
  @exclusivity(unchecked) var table: TimerTable
  /// The timer that was put away last, and what was attached to it.
  var departed: (id: Int64, attachments: Attachments?)?
  /// The round of names that was not full when last looked at.
  var nameRound = 1
  let elapsedQueue = DeadlineQueue()
  let awakeQueue = DeadlineQueue()
  let wallQueue = DeadlineQueue()
  let presentQueue = DeadlineQueue()
  /// How many timers run on `present`: those from which an absence hides time.
  @exclusivity(unchecked) var presentCount = 0
  /// Those of the running timers that are to wake the machine, once more.
  let elapsedAlarms = DeadlineQueue()
  let wallAlarms = DeadlineQueue()
  /// Why no deadline can wake the machine at present, as whoever arms the alarms has found; nil if
  /// one can. The engine only keeps it, for those who tell about timers.
  public var wakeObstacle: String?
  /// When those that are over have been seen for long enough, on `elapsed`.
  let retentionQueue = DeadlineQueue()
  /// The running sequences for which a sleep is more than time that passed.
  let sleepers = DeadlineQueue()
  /// Running timers that are due only by a wall clock that was not vouched for, and wait for that: by the
  /// counter of `elapsed` at which they are due for certain.
  let clockWaiters = DeadlineQueue()
  /// Until which reading of BOOTTIME they wait at the most; nil: nothing does.
  var clockWaitEnd: Int64?
  /// The clock was set, or the rules of the zones changed, since they began to wait: when they are due has
  /// to be worked out anew.
  var areClockWaitersStale = false
  /// Why those that wait, or have waited, are late.
  var clockWaitCauses: [Int: (cause: LateCause, span: Int64)] = [:]
  /// The numbers of the events with which timers rang whose last ring is estimated, by slot; and of some whose
  /// was.
  var estimatedRings: [Int: Int64] = [:]
  /// Up to which reading the points of a repetition were counted of which each rings by itself: no
  /// more of them are left than may.
  var countedUpTo: [Int: Int64] = [:]
  /// How many points of the calendar may still be looked at in this pass.
  var calendarBudget = 0
  /// The number of the event with which the last span was left.
  public private(set) var leftSeq: Int64 = 0
  /// The span that was left and of which nobody has said yet what came due in it.
  var spanToTell: Int64?
  /// Where the working out anew of what goes by the wall clock has got to; nil: it is all done.
  var reckoning: Int?
  /// Stands for the zones' rules as they are.
  public internal(set) var zoneFingerprint: Int64?
  /// The spans that are being made up for, in their order: what came due in one may take several
  /// passes to fire, or have to wait for the end of the next.
  var lateSpans: [LateSpan] = []
  /// The numbers of the events with which timers were set anew while there were such spans, by slot: none of
  /// their deadlines came due in a span that was left before.
  var setAnewSeqs: [Int: Int64] = [:]
  /// The sum of the steps of the wall clock whose overdue timers have not fired yet.
  var recentStepUsec: Int64 = 0
  /// The last correction of reboots, whose overdue timers have not fired yet: the span that was found
  /// too short by the most, and the sum.
  var recentCorrection: (span: Span, byUsec: Int64)?
  /// What people have changed within the last minute.
  var undoHistory = UndoHistory()
  /// True while an undo records its events. An absence begins only after the last of them.
  var isUndoing = false
  /// The id of the change that a person is making at present; nil: a program is, or the engine itself.
  var personalChange: String?
  /// The id that a client gave to the change that it makes at present; nil: it gave none.
  @exclusivity(unchecked) private var request: String?
  private var isLoading: Bool

  /// Makes an engine without timers. With `loading`, `load` and `replay` are to be called, and then
  /// `finishLoading`, before anything else.
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

  /// Time is hidden: nothing fires.
  public var isInBackground: Bool { background.open != nil }

  /// Records an event, applies it and posts it.
  @discardableResult
  func record(_ kind: consuming Event.Kind, about slot: Int? = nil, at moment: Moment) -> Event {
    record(kind, subject: slot.map { subject($0) }, at: moment)
  }

  @discardableResult
  func record(
    _ kind: consuming Event.Kind, subject: consuming Event.Subject?, at moment: Moment
  ) -> Event {
    record(
      kind, subject: subject, timeUsec: moment.realtimeUsec,
      counters: background.timelines.counters(at: moment), at: moment)
  }

  private func record(
    _ kind: consuming Event.Kind, subject: consuming Event.Subject?, timeUsec: Int64,
    counters: Counters?, at moment: Moment
  ) -> Event {
    precondition(!isLoading)
    if !estimatedRings.isEmpty, let slot = subject?.slot, kind.traits.contains(.answersRing),
      table.isOccupied(slot)
    {
      noteAnswer(slot, answeredSeq: lastSeq + 1)
    }
    let isOfRequest = request != nil && kind.traits.contains(.isRequested)
    let event = Event(
      seq: lastSeq + 1, timeUsec: timeUsec, counters: counters, subject: subject,
      request: isOfRequest ? request : nil, kind: kind)
    if personalChange == nil {
      apply(event)
      if !undoHistory.isEmpty { forgetUndo(after: event) }
    } else {
      applyPersonally(event)
    }
    bus.post(.recorded(event), at: moment)
    if !isUndoing { settleAbsence(at: moment) }
    return event
  }

  /// Makes a change to which a client gave an id, and which its events show.
  public func answering<Result, Failure>(
    _ request: String, _ change: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    self.request = request
    defer { self.request = nil }
    return try change()
  }

  /// Records an absence as soon as it hides time from a timer. One that hides time from none is not in the
  /// ledger.
  public func settleAbsence(at moment: Moment) {
    if presentCount > 0 { background.beginAbsence(at: moment) }
  }

  private func subject(_ slot: Int) -> Event.Subject {
    let record = table[slot]
    return Event.Subject(
      slot: slot, id: record.id, name: table.name(slot), previous: record.lastSeq)
  }

  /// Takes note of spans and steps; what came due fires with the next `fireDue`.
  public func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .didEnterBackground(let span):
      // Some spans are found when they are over.
      let entered = Counters(
        elapsedUsec: background.enteredElapsedUsec, awakeUsec: background.enteredAwakeUsec)
      let event = record(
        .enteredBackground(span), subject: nil, timeUsec: moment.realtimeUsec, counters: entered,
        at: moment)
      background.note(entered: event.seq)
    case .willEnterForeground(let span):
      noteLate(span)
      leftSeq = record(.leftBackground(span), at: moment).seq
      spanToTell = span.id
      makeUp(for: span, at: moment)
    case .presenceChanged: settleAbsence(at: moment)
    case .absenceBegan(let span): record(.enteredBackground(span), at: moment)
    case .absenceEnded(let span):
      // One that a reboot ended is found out later: the counters are those of then.
      let left = background.timelines.counters(at: span.left ?? moment)
      _ = record(
        .leftBackground(span), subject: nil, timeUsec: moment.realtimeUsec, counters: left,
        at: moment)
    case .spansCorrected(let corrections): correct(corrections, at: moment)
    case .clockStepped(let by):
      recentStepUsec += by
      background.stepAnswered(byUsec: by)
      areClockWaitersStale = true
      record(.clockStepped(byUsec: by), at: moment)
      // Forward, what is next stays next, or is due.
      if by < 0 { reckonAnew() }
    case .zoneChanged(let name):
      // From another instant of its calendar on, it may be certain that an alarm is due.
      areClockWaitersStale = true
      record(.zoneChanged(name), at: moment)
      reckonAnew()
    case .synchronizationChanged(true):
      // The clock may be set first and vouched for later. Only now is it known which instants it passed over.
      if background.clock.doubtUsec != nil { reckonAnew() }
    case .spanExtended, .synchronizationChanged, .recorded, .committed, .actionsCalled,
      .commitFailed:
      break
    }
  }
}

// MARK: - Reading back

extension Engine {
  /// Forgets all timers, to be read back from disk: `load`, `replay` and `finishLoading` follow.
  public func reset() {
    table = TimerTable(loading: true)
    let queues = [
      elapsedQueue, awakeQueue, wallQueue, presentQueue, retentionQueue, elapsedAlarms, wallAlarms,
      sleepers, clockWaiters,
    ]
    for queue in queues { queue.removeAll() }
    estimatedRings = [:]
    clockWaitCauses = [:]
    undoHistory = UndoHistory()
    setAnewSeqs = [:]
    counts = Self.noCounts
    presentCount = 0
    lastSeq = 0
    isLoading = true
  }

  /// Records once more, as of then, what happened before a reading back that lost it.
  public func recordAgain(_ event: Event, at moment: Moment) {
    let seq = record(
      event.kind, subject: event.subject.map { subject($0.slot) }, timeUsec: event.timeUsec,
      counters: event.counters, at: moment
    ).seq
    guard case .leftBackground(let span) = event.kind, !span.isAbsence else { return }
    // What is started from now on comes behind the span's new number.
    leftSeq = seq
    for index in lateSpans.indices where lateSpans[index].id == span.id {
      lateSpans[index].leftSeq = seq
    }
  }

  /// One timer as it stands on disk, but for its name.
  public struct StoredTimer: Equatable, Sendable {
    /// Where it was in the table.
    public var slot: Int
    /// What every timer has.
    public var record: TimerRecord
    /// The order in which its deadline was set; 0 if it has none.
    public var order: Int64
    /// What is attached to it.
    public var attachments: Attachments?
    /// What it does; nil: it is a countdown and no more.
    public var spec: SharedSpec?
    /// What changes of that.
    public var detail: TimerDetail
    /// Of a stopwatch.
    public var laps: [Int64]
    /// Its pause that is counted from before it.
    public var interruption: Interruption?
    /// The number of the event with which it rang last, if that ring is estimated.
    public var ringSeq: Int64?
    /// Its command that failed last.
    public var failure: CommandFailure?
    /// The expiries that it passes over.
    public var passedOver: [Int64]

    /// Makes a stored timer.
    public init(
      slot: Int, record: TimerRecord, order: Int64, attachments: Attachments?,
      spec: SharedSpec? = nil, detail: TimerDetail = TimerDetail(), laps: [Int64] = [],
      interruption: Interruption? = nil, ringSeq: Int64? = nil,
      failure: CommandFailure? = nil, passedOver: [Int64] = []
    ) {
      self.slot = slot
      self.record = record
      self.order = order
      self.attachments = attachments
      self.spec = spec
      self.detail = detail
      // Which of the specifications in use it is differs from run to run.
      self.detail.spec = 0
      self.laps = laps
      self.interruption = interruption
      self.ringSeq = ringSeq
      self.failure = failure
      self.passedOver = passedOver
    }

    /// Equal in everything that is stored.
    public static func == (a: Self, b: Self) -> Bool {
      a.slot == b.slot && a.order == b.order && a.attachments == b.attachments
        && a.record.stored == b.record.stored && a.spec == b.spec && a.detail == b.detail
        && a.laps == b.laps && a.interruption == b.interruption && a.ringSeq == b.ringSeq
        && a.failure == b.failure && a.passedOver == b.passedOver
    }
  }

  /// Puts a timer back as it was written. False: what was written cannot be true.
  ///
  /// - Parameter name: UTF-8, of a length that `TimerName` allows.
  public func load(_ timer: StoredTimer, named name: UnsafeRawBufferPointer) -> Bool {
    guard timer.record.state != nil, timer.slot < DeadlineQueue.slotLimit,
      !table.isOccupied(timer.slot)
    else { return false }
    table.insert(timer.record, named: name, at: timer.slot)
    equip(timer.slot, as: timer)
    count(timer.record, 1)
    enqueue(timer.slot, order: timer.order)
    return isCredible(timer.slot, timer.spec)
  }

  /// Gives a timer what is stored of it beside its record.
  func equip(_ slot: Int, as timer: StoredTimer) {
    if let spec = timer.spec { table.give(spec, timer.detail, to: slot) }
    table.attach(timer.attachments, to: slot)
    table.setLaps(timer.laps, slot)
    table.setPassedOver(timer.passedOver, slot)
    if timer.interruption != nil { table.setInterruption(timer.interruption, slot) }
    if timer.failure != nil { table.setFailure(timer.failure, slot) }
    if timer.record.isEstimated { estimatedRings[slot] = timer.ringSeq }
  }

  /// Does again what an event says, to all timers but those in slots that are `done`: they stand as
  /// after it already, so one about such a timer is to be left out. False: the event does not fit what
  /// is there.
  public func replay(_ event: Event, done: (_ slot: Int) -> Bool) -> Bool {
    if let subject = event.subject {
      let fits =
        switch event.kind {
        case .started: subject.slot < DeadlineQueue.slotLimit
        case .undone: fitsAgain(subject)
        default:
          table.isOccupied(subject.slot) && table[subject.slot].id == subject.id
            && (table[subject.slot].hasDetail || !event.needsDetail)
        }
      guard fits else { return false }
    }
    apply(event, done: done)
    return isCredible(after: event)
  }

  /// Whether a timer can be put back where an event says.
  private func fitsAgain(_ subject: Event.Subject) -> Bool {
    guard subject.slot < DeadlineQueue.slotLimit else { return false }
    // Another has its place only if it has its name.
    return !table.isOccupied(subject.slot) || table[subject.slot].id == subject.id
      || table.name(subject.slot) == subject.name
  }

  /// Ends the reading back; `lastSeq` is the number of the last event that was ever recorded.
  ///
  /// - Returns: a name that two timers have, which cannot be; nil if all is well.
  public func finishLoading(lastSeq: Int64) -> String? {
    isLoading = false
    self.lastSeq = max(self.lastSeq, lastSeq)
    background.forgetAnswers(after: self.lastSeq)
    return table.finishLoading()
  }

  /// The order with which the timer in `slot`, which is in use, stands in its queue; 0 where it is in
  /// none. O(1).
  public func order(at slot: Int) -> Int64 {
    (isWaitingForClock(slot) ? clockWaiters : queue(of: slot))?.order(of: slot) ?? 0
  }

  /// The number of the event with which the timer in `slot`, which is in use, rang last; nil: that ring is not
  /// estimated, or there was none. O(1).
  public func estimatedRingSeq(at slot: Int) -> Int64? {
    table[slot].isEstimated ? estimatedRings[slot] : nil
  }

  /// What the timer in `slot`, which is in use, has beyond a countdown.
  public func detail(at slot: Int) -> TimerDetail? { table.detail(slot) }

  /// One more than the highest slot that was ever used.
  public var slotEnd: Int { table.slotEnd }
}

extension TimerRecord {
  /// What is stored of a record, to compare.
  var stored: [Int64] {
    [
      id, lastSeq, originalUsec, durationUsec, point, held, startedUsec, firedUsec,
      Int64(state?.rawValue ?? 255), Int64(clock.rawValue), Int64(timeline.rawValue),
      Int64(lateCause?.rawValue ?? 0), setSeq, wakes ? 1 : 0, isEstimated ? 1 : 0,
      Int64(ringTurn),
    ]
  }

  /// A record as it is read back from disk or begun anew.
  public init(
    id: Int64, lastSeq: Int64, originalUsec: Int64, durationUsec: Int64, point: Int64,
    held: Int64, startedUsec: Int64, firedUsec: Int64, state: TimerState, clock: Timeline,
    timeline: Timeline, lateCause: LateCause?, setSeq: Int64
  ) {
    self.id = id
    self.lastSeq = lastSeq
    self.originalUsec = originalUsec
    self.durationUsec = durationUsec
    self.point = point
    self.held = held
    self.startedUsec = startedUsec
    self.firedUsec = firedUsec
    self.state = state
    self.clock = clock
    self.timeline = timeline
    self.lateCause = lateCause
    self.setSeq = setSeq
  }
}
