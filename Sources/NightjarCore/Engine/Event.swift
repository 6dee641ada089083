/// One entry of the ledger: what happened, with everything that is needed to do it again.
///
/// Timers change by `Engine.apply(_:)` and by nothing else, now and when the ledger is read back: a
/// crash cannot make the two differ.
///
/// It never changes, and many hold it on its way from the engine to the disk and to those who are
/// told: an object, because a copy of the structure would cost more than what they do with it.
public final class Event: Equatable, Sendable {
  /// The timer that an event is about.
  public struct Subject: Equatable, Sendable {
    /// Where it is in the table.
    public var slot: Int
    /// The number of the event that started it.
    public var id: Int64
    /// Its name.
    public var name: String
    /// The number of the last event about the same timer; 0 for the first.
    public var previous: Int64

    /// Makes a subject.
    public init(slot: Int, id: Int64, name: String, previous: Int64) {
      self.slot = slot
      self.id = id
      self.name = name
      self.previous = previous
    }
  }

  /// Where something that goes on is.
  public struct Place: Equatable, Sendable {
    /// As of `Recurrence`.
    public var position: Int64
    /// Of a sequence, what the step is called; else empty.
    public var step: String

    /// Makes a place.
    public init(position: Int64, step: String = "") {
      self.position = position
      self.step = step
    }
  }

  /// How a timer goes on that was paused while the length of a reboot was in doubt.
  public enum Resumption: UInt8, Equatable, Sendable {
    /// It is counted from what it was set by: it was not paused over such a reboot.
    case counted = 0
    /// It is counted from what it was set by up to its first such pause, and from now.
    case interrupted = 1
    /// It is counted from when it was resumed behind such a pause up to this one, and from now.
    case interruptedAgain = 2
    /// It is counted from now, by a clock in doubt: an alarm whose time has passed only by that, or any other
    /// timer on `wall`.
    case inDoubt = 3
  }

  /// What happened. Deadlines are counters of a timeline, `at…` those of `elapsed`; times are
  /// microseconds.
  public enum Kind: Equatable, Sendable {
    /// `wakes`: the deadline is to wake the machine. `spec`: it is more than a countdown. `atElapsed`:
    /// of an alarm that repeats; 0 for any other.
    case started(
      clock: Timeline, durationUsec: Int64, deadline: Int64, attachments: Attachments,
      wakes: Bool = false, spec: SharedSpec? = nil, atElapsed: Int64 = 0)
    /// `isUp`: it is a stopwatch, and that is what it has measured. `keepsSet`: it ran over a reboot whose
    /// length is in doubt, so what remains is still counted from what it was set by; that is below zero of
    /// one that is overdue only by the clock in doubt.
    case paused(remainingUsec: Int64, isUp: Bool = false, keepsSet: Bool = false)
    /// Nil: it is counted from now.
    case resumed(deadline: Int64, Resumption? = nil)
    /// `point` is the new deadline of a running timer, what remains of a paused one.
    case extended(byUsec: Int64, point: Int64)
    case restarted(deadline: Int64)
    case snoozed(byUsec: Int64, deadline: Int64)
    /// `spec`: it has other bands now.
    case updated(Attachments, spec: SharedSpec? = nil)
    /// It rang.
    case fired(Ring)
    /// It came due unseen, and its late policy is not to ring.
    case skipped(Ring)
    /// A step of a sequence is over, and another began by itself.
    case stepped(Ring)
    /// A step of a sequence is over, and the next waits to be asked for.
    case stepEnded(Ring)
    /// Somebody went on to the next step; `next` is nil if there was none.
    case advanced(atElapsed: Int64, next: Recurrence)
    /// A ring of a timer that goes on was seen.
    case acknowledged
    /// Another band is in force: the `begun`th, or none for 0.
    case bandCrossed(begun: Int, Band?, remainingUsec: Int64)
    /// What a stopwatch has measured.
    case lapped(elapsedUsec: Int64)
    /// The calendar has another next point for it, after a step or in another zone. `back`: it repeats, or
    /// is a sequence, and goes back there: a clock that was ahead had counted it on.
    case rescheduled(deadline: Int64, durationUsec: Int64, back: Place? = nil)
    /// A sequence that is paused by a span, with what remained when that was entered. `enteredSeq`: the number
    /// of the event that says so, if before it the sequence ran over a reboot whose length is in doubt; or 0.
    case pausedAfterSleep(remainingUsec: Int64, span: Int64, enteredSeq: Int64 = 0)
    /// A sequence whose step begins anew after a span, or whose break is over by it.
    case restartedAfterSleep(Recurrence, span: Int64)
    /// `isUp`: as in `paused`.
    case cancelled(atElapsed: Int64, remainingUsec: Int64, isUp: Bool = false)
    /// Put away after it fired.
    case dismissed
    /// Put away, in whatever state.
    case removed
    /// Put away because it had been fired or cancelled for long enough.
    case expired
    case enteredBackground(Span)
    case leftBackground(Span)
    /// Moves what was set on `elapsed` behind event `sinceSeq`, the end of the span, and what did not run on
    /// up to event `untilSeq`, the end of the last reboot; 0: only the former. `earlyUsec`: by how
    /// much the earliest ring was early that turned out to be so; 0: none did.
    case spanCorrected(
      Span, byUsec: Int64, sinceSeq: Int64, earlyUsec: Int64 = 0, untilSeq: Int64 = 0)
    case clockStepped(byUsec: Int64)
    /// What came due in a span: the first of the names, and how many there are.
    case cameDue(span: Int64, names: [String], count: Int64)
    /// The machine's own zone, or the zones' rules, are others than before.
    case zoneChanged(String)
    /// A command that an event called for is started.
    case actionStarted(ActionNote)
    /// What became of it.
    case actionEnded(ActionNote, ActionEnd)
  }

  /// The number; one more with each event.
  public let seq: Int64
  /// CLOCK_REALTIME; may go back from one event to the next.
  public let timeUsec: Int64
  /// The timer it is about; nil when it is about the machine.
  public let subject: Subject?
  /// What happened.
  public let kind: Kind

  /// Makes an event.
  public init(seq: Int64, timeUsec: Int64, subject: Subject?, kind: Kind) {
    self.seq = seq
    self.timeUsec = timeUsec
    self.subject = subject
    self.kind = kind
  }

  /// Equal in everything that they tell.
  public static func == (left: Event, right: Event) -> Bool {
    left === right
      || left.seq == right.seq && left.timeUsec == right.timeUsec && left.subject == right.subject
        && left.kind == right.kind
  }

  /// The type on the wire.
  public var typeName: StaticString { kind.name }

  /// Whether its timer is no longer there afterwards.
  public var isTheEnd: Bool {
    switch kind {
    case .dismissed, .removed, .expired: true
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .fired, .skipped,
      .stepped, .stepEnded, .advanced, .acknowledged, .bandCrossed, .lapped, .rescheduled,
      .pausedAfterSleep, .restartedAfterSleep, .cancelled, .enteredBackground, .leftBackground,
      .spanCorrected, .clockStepped, .cameDue, .zoneChanged, .actionStarted, .actionEnded:
      false
    }
  }

  /// Whether somebody asked for it, and waits for the answer.
  public var isRequested: Bool {
    switch kind {
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .advanced,
      .acknowledged, .lapped, .cancelled, .dismissed, .removed:
      true
    case .fired, .skipped, .stepped, .stepEnded, .bandCrossed, .rescheduled, .pausedAfterSleep,
      .restartedAfterSleep, .expired, .enteredBackground, .leftBackground, .spanCorrected,
      .clockStepped, .cameDue, .zoneChanged, .actionStarted, .actionEnded:
      false
    }
  }

  /// Whether the user set when its timer comes due next, or that it does not: what made it late before is
  /// no cause any more.
  var setsAnew: Bool {
    switch kind {
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .advanced, .cancelled,
      .dismissed, .removed, .expired:
      true
    case .updated, .acknowledged, .lapped, .fired, .skipped, .stepped, .stepEnded, .bandCrossed,
      .rescheduled, .pausedAfterSleep, .restartedAfterSleep, .enteredBackground, .leftBackground,
      .spanCorrected, .clockStepped, .cameDue, .zoneChanged, .actionStarted, .actionEnded:
      false
    }
  }

  /// That its timer rang, and how; nil for anything else, and for what came due without a ring.
  public var heardRing: Ring? {
    switch kind {
    case .fired(let ring), .stepped(let ring), .stepEnded(let ring): ring
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .skipped,
      .advanced, .acknowledged, .bandCrossed, .lapped, .rescheduled, .pausedAfterSleep,
      .restartedAfterSleep, .cancelled, .dismissed, .removed, .expired, .enteredBackground,
      .leftBackground, .spanCorrected, .clockStepped, .cameDue, .zoneChanged, .actionStarted,
      .actionEnded:
      nil
    }
  }

  /// Whether its timer rang: to ask costs less than to be given the ring.
  public var isHeard: Bool { heardRing != nil }

  /// Whether it can only be about a timer that is more than a countdown.
  var needsDetail: Bool {
    switch kind {
    case .stepped, .stepEnded, .advanced, .bandCrossed, .lapped, .rescheduled, .pausedAfterSleep,
      .restartedAfterSleep, .acknowledged:
      true
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .fired, .skipped,
      .cancelled, .dismissed, .removed, .expired, .enteredBackground, .leftBackground,
      .spanCorrected, .clockStepped, .cameDue, .zoneChanged, .actionStarted, .actionEnded:
      false
    }
  }

  /// The command it tells of; nil for anything else. No event that has one calls for another.
  public var action: ActionNote? {
    if case .actionStarted(let note) = kind { return note }
    if case .actionEnded(let note, _) = kind { return note }
    return nil
  }

  /// The name of the timer it is about, also of one that is not there any more; nil: it is about the
  /// machine.
  public var timerName: String? {
    if let subject { return subject.name }
    if case .former(let name, _) = action?.owner { return name }
    return nil
  }

  /// Whether it changes only what a timer carries, not when something comes due.
  public var isUpdate: Bool {
    if case .updated(_, nil) = kind { true } else { false }
  }
}

/// That something came due, and how late.
public struct Ring: Equatable, Sendable {
  /// The counter of `elapsed`.
  public var atElapsed: Int64
  /// How late, on its own timeline.
  public var lateUsec: Int64
  /// Why; nil: on time.
  public var cause: LateCause?
  /// The number of the span it came due in, or 0.
  public var span: Int64
  /// How it goes on; nil: a timer that rings once has.
  public var next: Recurrence?
  /// Whether it is due only by a wall clock that was not vouched for.
  public var isEstimated: Bool

  /// Makes a ring.
  public init(
    atElapsed: Int64, lateUsec: Int64, cause: LateCause?, span: Int64, next: Recurrence? = nil,
    isEstimated: Bool = false
  ) {
    self.isEstimated = isEstimated
    self.atElapsed = atElapsed
    self.lateUsec = lateUsec
    self.cause = cause
    self.span = span
    self.next = next
  }
}

/// How a timer goes on after something came due: with another round, another step, or not at all.
public struct Recurrence: Equatable, Sendable {
  /// What then goes on.
  public enum Going: Equatable, Sendable {
    /// Until this deadline, on the timer's clock, so long after the last.
    case on(deadline: Int64, durationUsec: Int64)
    /// When it is asked to.
    case waits
    /// Nothing: that was the last.
    case ends
  }

  /// Of one that repeats: how many times it has come due. Of a sequence: the step it is in then.
  public var position: Int64
  /// How many more came due than this event stands for by itself.
  public var missed: Int64
  /// `TimerDetail.mark` from then on.
  public var mark: Int64
  /// Of a sequence: what the step is called that it is in then; else empty.
  public var step: String
  /// What goes on.
  public var going: Going

  /// Makes one.
  public init(
    position: Int64, missed: Int64, mark: Int64 = 0, step: String = "", going: Going
  ) {
    self.position = position
    self.missed = missed
    self.mark = mark
    self.step = step
    self.going = going
  }
}
