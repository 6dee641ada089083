public import NightjarEngine
public import NightjarModel

/// The resident core: the bus and those who stand around it first, from the reading back of the
/// last run to the end of this one. It reads no clock; the daemon's loop, or a simulated machine,
/// frames each pass with `beginPass` and `endPass`.
public final class TimerCore {
  /// Where everything is posted. Further observers register between `init` and `start`.
  public let bus: NotificationBus
  /// The clocks and the spans.
  public let background: Background
  /// The timers.
  public let engine: Engine
  /// What makes them durable.
  public let journal: Journal
  /// What tells the ledger from every other.
  public let ledgerName: String

  private let reader: any LedgerReading
  private let calendar: any Calendar
  private let found: LedgerState?

  /// Reads the last run back. O(timers).
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

  /// Those who stand around the bus hold it as it holds them; when the service goes, they may.
  deinit {
    bus.forgetObservers()
  }

  /// Goes on where the last run ended: leaves the span since then, and fires what came due in it.
  /// `downSince` is when the service manager saw that run end, if it can be asked; `zone` stands for
  /// the zones' rules as they are now, with the name of the machine's own.
  public func start(
    at now: Moment, downSince: Moment?, synchronized: Bool, zone: (name: String, fingerprint: Int64)
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
        engine.reckonAnew()
      }
    } else {
      background.note(synchronized: synchronized, at: now)
      journal.requestAnchor()
    }
  }

  /// The machine's own zone, or the zones' rules, may be others now.
  public func note(zone: (name: String, fingerprint: Int64), at now: Moment) {
    guard engine.zoneFingerprint != zone.fingerprint else { return }
    bus.post(.zoneChanged(zone.name), at: now)
    engine.note(zone: zone.fingerprint)
  }

  /// What a change with this id was answered within the last day; nil: no change had it. The answer may not be
  /// on disk yet. O(log of the answers that are kept).
  public func answer(
    toRequest id: String, at now: Moment
  ) throws(StoreError) -> AnsweredRequest? {
    if let answer = journal.unfinishedRequest(id) { return answer }
    let elapsed = background.timelines.reading(.elapsed, at: now)
    return try reader.request(id, since: elapsed - Limits.requestUsec)
  }

  /// Has the answer to a change committed with the change, which was made in this loop iteration.
  public func note(answer reply: [UInt8], toRequest id: String, method: String, at now: Moment) {
    journal.note(
      AnsweredRequest(
        id: id, method: method, reply: reply,
        atElapsed: background.timelines.reading(.elapsed, at: now)))
  }

  /// Begins a pass of the loop: looks what the clocks tell, and fires what is due.
  ///
  /// - Parameter clockWasSet: asked, if the wall clock was set, before anything fires: whoever set it may
  ///   vouch for it. It returns the moment that it has read for that.
  public func beginPass(at now: Moment, clockWasSet: (() -> Moment)? = nil) {
    var now = now
    if background.observe(now), let clockWasSet { now = clockWasSet() }
    _ = engine.fireDue(at: now)
  }

  /// Ends a pass: fires what came due by it, hands over what is to be made durable.
  ///
  /// - Returns: what the loop is to be armed for, and whether more is due than one pass may fire.
  public func endPass(at now: Moment) -> (wake: Wake, isMoreDue: Bool) {
    let isMoreDue = engine.fireDue(at: now)
    journal.seal(at: now)
    let wake = engine.wake
    background.arm(wake, at: now)
    return (wake, isMoreDue)
  }

  /// The commit under way ended. After a failure the timers are again what the disk has: what
  /// people asked for since then cannot be acknowledged, so it must not happen. Where the disk cannot be
  /// read either, memory is all there is: what people asked for is in doubt until a commit with
  /// everything succeeds. Throws if what was read makes no sense: then the daemon has to end.
  public func commitFinished(_ error: StoreError?, at now: Moment) throws(StoreError) {
    if let error, error.isLoss, !journal.isWritingWhole {
      journal.startOver(at: now)
      return
    }
    if error != nil, journal.holdsRequestedChanges, !isReadable { journal.wantWhole() }
    let isTakenBack = error.map { canTakeBack($0, at: now) } ?? false
    journal.finish(error, isTakenBack: isTakenBack, at: now)
    guard error != nil, isTakenBack || !journal.isWholeWanted, journal.holdsRequestedChanges else {
      return
    }
    let kept = journal.forgetPending()
    engine.reset()
    journal.resume(chunkSeqs: try reader.load(into: engine).chunkSeqs)
    // What was worked out for a timer that people had asked something of was forgotten as well.
    engine.reckonAnew()
    var renumbered: [Int64: Int64] = [:]
    for event in kept {
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
      default: break
      }
    }
    // A timer that a lost request had ended may run again, and an absence hides time from it.
    engine.settleAbsence(at: now)
  }

  /// Whether the timers can be what the disk has, although the commit under way had everything: it failed
  /// before there was a new database, clients have seen nothing yet of what they are refused, and the old one, which may
  /// have no name any more, still has all that was acknowledged. O(timers + events since the oldest chunk).
  private func canTakeBack(_ error: StoreError, at now: Moment) -> Bool {
    guard journal.isWritingWhole, journal.failure == nil, !error.isInDoubt,
      journal.holdsRequestedChanges
    else { return false }
    // What makes no sense is not to replace what memory knows.
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
