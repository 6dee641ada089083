public import NightjarEngine
public import NightjarModel

/// The core of the daemon: the bus, the clocks, the engine and the journal. It exists from the
/// loading of the last run's data to the end of this run. It reads no clock. The caller, which is
/// the daemon's loop or a simulated machine, calls `beginIteration` and `endIteration` in each
/// iteration.
public final class TimerCore {
  /// The bus for all notifications. Further observers register after `init` and before `start`.
  public let bus: NotificationBus
  /// The clocks and background spans.
  public let background: Background
  /// The timers.
  public let engine: Engine
  /// Writes changes to disk.
  public let journal: Journal
  /// The name of the ledger, which no other ledger has.
  public let ledgerName: String

  private let reader: any LedgerReading
  private let calendar: any Calendar
  private let found: LedgerState?

  /// Loads the data of the last run. O(timers).
  public init(
    reader: any LedgerReading, committer: any Committer, calendar: any Calendar,
    maximumTimers: Int, eventsPerCommit: Int = Journal.eventsPerCommit, at now: Moment
  ) throws(StoreError) {
    self.reader = reader
    self.calendar = calendar
    ledgerName = try reader.ledgerName()
    bus = NotificationBus()
    background = Background(at: now, bus: bus)
    engine = Engine(
      background: background, bus: bus, calendar: calendar, maximumTimers: maximumTimers,
      loading: true)
    let (state, chunkSeqs) = try reader.load(into: engine)
    found = state
    journal = Journal(
      engine: engine, bus: bus, committer: committer, chunkSeqs: chunkSeqs,
      eventsPerCommit: eventsPerCommit)
    bus.register(engine)
    bus.register(journal)
  }

  /// The bus and its observers refer to each other, so they must be separated to be freed.
  deinit {
    bus.forgetObservers()
  }

  /// Continues where the last run ended: ends the background span since then. Timers that expired
  /// in the span fire in the next `fireDue`. `downSince` is MONOTONIC when the service manager saw
  /// the last run end; nil: unknown. `zone` has the name of the machine's own zone and the
  /// fingerprint of the present rules of the zones.
  public func start(
    at now: Moment, downSince: Int64?, synchronized: Bool, zone: (name: String, fingerprint: Int64)
  ) {
    engine.note(zone: zone.fingerprint)
    if let found {
      background.resume(
        found.state, nextSpanID: found.nextSpanID, downSince: downSince, at: now)
      if let span = background.last { background.note(left: span, seq: engine.leftSeq) }
      background.note(synchronized: synchronized, at: now)
      let anchor = found.state.anchor.moment
      if let before = found.state.zone, before != zone.fingerprint {
        bus.post(.zoneChanged(zone.name), at: now)
      } else if found.state.zone == nil || now.realtimeUsec < anchor.realtimeUsec {
        engine.recomputeWallDeadlines()
      }
    } else {
      background.note(synchronized: synchronized, at: now)
      journal.requestAnchor()
    }
  }

  /// Notes the present rules of the zones, and records an event if they have changed.
  public func note(zone: (name: String, fingerprint: Int64), at now: Moment) {
    guard engine.zoneFingerprint != zone.fingerprint else { return }
    bus.post(.zoneChanged(zone.name), at: now)
    engine.note(zone: zone.fingerprint)
  }

  /// The reply to a change with this id within the last day; nil: there was no such change. The
  /// reply may not be on disk yet. O(log of the stored replies).
  public func answer(
    toRequest id: String, at now: Moment
  ) throws(StoreError) -> AnsweredRequest? {
    if let answer = journal.unfinishedRequest(id) { return answer }
    let elapsed = background.timelines.reading(.elapsed, at: now)
    return try reader.request(id, since: elapsed - Limits.requestUsec)
  }

  /// Passes the reply to a change to the journal, which commits the change and the reply together.
  /// The change must have been made in this loop iteration.
  public func note(answer reply: [UInt8], toRequest id: String, method: String, at now: Moment) {
    journal.note(
      AnsweredRequest(
        id: id, method: method, reply: reply,
        atElapsed: background.timelines.reading(.elapsed, at: now)))
  }

  /// Begins a loop iteration: compares the clocks with the last reading, and fires timers that are
  /// due.
  ///
  /// - Parameter clockWasSet: called if the wall clock was set, before any timer fires. It finds
  ///   out whether the new time is synchronised (adjtimex(2) reports it as synchronised), and
  ///   returns the moment that it read.
  public func beginIteration(at now: Moment, clockWasSet: (() -> Moment)? = nil) {
    var now = now
    if background.observe(now), let clockWasSet { now = clockWasSet() }
    _ = engine.fireDue(at: now)
  }

  /// Ends a loop iteration: fires timers that became due in it, and passes the changes to the
  /// journal.
  ///
  /// - Returns: the readings for which the loop must be armed, and whether more timers are due than
  ///   one iteration may fire.
  public func endIteration(at now: Moment) -> (wake: Wake, isMoreDue: Bool) {
    let isMoreDue = engine.fireDue(at: now)
    journal.commitPending(at: now)
    let wake = engine.wake
    background.arm(wake, at: now)
    return (wake, isMoreDue)
  }

  /// Handles the result of the submitted commit. After a failure, the timers are loaded again from
  /// disk, which undoes the changes that clients requested since the last successful commit,
  /// because these clients cannot get a reply that the change was made. If the disk cannot be read
  /// either, only memory has the timers. Then it is not known whether these changes happened, until
  /// a commit with all timers succeeds. Throws if the loaded data is not possible; the daemon must
  /// then exit.
  public func commitFinished(_ error: StoreError?, at now: Moment) throws(StoreError) {
    if let error, error.isLoss, !journal.isWritingFullCommit {
      journal.startOver(at: now)
      return
    }
    if error != nil, journal.hasUndurableRequests, !isReadable { journal.requireFullCommit() }
    let isTakenBack = error.map { canTakeBack($0, at: now) } ?? false
    journal.finish(error, isTakenBack: isTakenBack, at: now)
    guard error != nil, isTakenBack || !journal.needsFullCommit, journal.hasUndurableRequests else {
      return
    }
    let retained = journal.forgetPending()
    engine.reset()
    journal.resume(chunkSeqs: try reader.load(into: engine).chunkSeqs)
    // For timers that a lost request had changed, the results of recomputing wall deadlines were
    // lost, too.
    engine.recomputeWallDeadlines()
    var renumbered: [Int64: Int64] = [:]
    for event in retained {
      var event = event
      if case .spanCorrected(let span, let by, let since, let early, let until) = event.kind {
        let (sinceSeq, untilSeq) = (renumbered[since] ?? since, renumbered[until] ?? until)
        event = Event(
          seq: event.seq, timeUsec: event.timeUsec, counters: event.counters, subject: nil,
          kind: .spanCorrected(
            span, byUsec: by, sinceSeq: sinceSeq, earlyUsec: early, untilSeq: untilSeq))
      }
      engine.recordAgain(event, at: now)
      switch event.kind {
      case .leftBackground(let span):
        renumbered[event.seq] = engine.lastSeq
        background.note(left: span, seq: engine.lastSeq)
      case .enteredBackground(let span) where !span.isAbsence:
        background.note(entered: engine.lastSeq, before: event.seq)
      case .enteredBackground: background.note(absenceEntered: engine.lastSeq)
      default: break
      }
    }
    // A timer that a lost request had ended may run again on `present`. Then the user's absence
    // must be recorded.
    engine.beginAbsenceIfNeeded(at: now)
  }

  /// Whether the timers can be loaded again from disk although the submitted commit had all of
  /// them. This has three conditions. The commit failed before it created a database. Clients have
  /// not seen the refused changes yet. And the old database still has all acknowledged changes,
  /// even if its file has no name any more. O(timers + events since the oldest chunk).
  private func canTakeBack(_ error: StoreError, at now: Moment) -> Bool {
    guard journal.isWritingFullCommit, journal.failure == nil, !error.isInDoubt,
      journal.hasUndurableRequests
    else { return false }
    // Load into another engine first, so that impossible data does not replace the timers in
    // memory.
    let bus = NotificationBus()
    let scratch = Engine(
      background: Background(at: now, bus: bus), bus: bus, calendar: calendar,
      maximumTimers: engine.maximumTimers, loading: true)
    do throws(StoreError) {
      let state = try reader.load(into: scratch).state
      return state?.lastSeq ?? 0 == journal.durableSeq
    } catch { return false }
  }

  private var isReadable: Bool {
    do throws(StoreError) {
      try reader.checkReadable()
      return true
    } catch { return false }
  }
}
