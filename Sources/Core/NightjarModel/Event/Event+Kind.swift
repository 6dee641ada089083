extension Event {
  /// The kind of an event, with all data that is needed to apply the event again.
  ///
  /// The interface file has the name of each kind on the wire and its documentation for clients.
  /// `traits` has the other properties of each kind.
  ///
  /// Deadlines are values of a timeline's counter; `atElapsed` is a value of the `elapsed` counter.
  /// All times are in microseconds.
  public enum Kind: Equatable, Sendable {
    // MARK: Of timers

    /// A timer was started. `wakes`: its deadline is to wake the machine. `spec`: nil for a plain
    /// countdown. `replaced`: the timer of the same name before it; nil: there was none.
    case started(
      clock: Timeline, durationUsec: Int64, deadline: Int64, attachments: Attachments,
      wakes: Bool = false, spec: SharedSpec? = nil, replaced: Replaced? = nil)

    /// A timer was paused. `isUp`: the timer is a stopwatch, and `remainingUsec` is the measured
    /// time. `keepsSetSeq`: the timer ran during a reboot of uncertain length, so the remaining
    /// time is still counted from the event that set the timer. The remaining time is negative if
    /// the timer seems overdue, but only by the uncertain clock.
    case paused(remainingUsec: Int64, isUp: Bool = false, keepsSetSeq: Bool = false)

    /// A timer was resumed. Without a `Resumption`, the deadline is counted from this event.
    case resumed(deadline: Int64, Resumption? = nil)

    /// Time was added or subtracted. `deadline` is the new deadline of a running timer, or the new
    /// remaining time of a paused one.
    case extended(byUsec: Int64, deadline: Int64)

    /// A client started the timer again. `ring`: the number of the ring that this ended; 0: none
    /// was open. The same holds for the other events with a `ring`.
    case restarted(deadline: Int64, ring: Int64)

    /// A client moved the open ring `ring` to `deadline`, on `elapsed`. `byUsec`: what was asked.
    case snoozed(byUsec: Int64, deadline: Int64, ring: Int64)

    /// The attachments were replaced. `spec`: the shared part of the specification was replaced,
    /// too.
    case updated(Attachments, spec: SharedSpec? = nil)

    // MARK: Of expiries and rings

    /// The timer expired and rang: its ring opened, or sounds anew. Without a `Passing`, the snooze
    /// of the ring was over.
    case rang(Lateness, Sounding, Passing?)

    /// The timer expired and did not ring, as its policies say. `quietsRing`: the end of a snooze,
    /// or an insist, passed before, so the open ring is quiet.
    case didNotRing(Lateness, Passing, quietsRing: Bool)

    /// The timer expired before the end of the ring's snooze, so these expiries joined the ring in
    /// silence. At most the last `Limits.joined` of them are listed. `expiries`: as in `Sounding`.
    case joined([JoinedExpiry], count: Int64, next: Recurrence, expiries: Int64)

    /// The ring sounds again, because the user did not answer: it insists. `insisted`: how often
    /// now.
    case rangAgain(Lateness, Sounding, insisted: Int64)

    /// The `number`th sound for the ring's newest expiry, from 1, ended without an answer.
    case unanswered(expiry: Int64, number: Int64)

    /// Less of the last sound of the ring was noticed than the timer asked for. `expiry`: as in
    /// `Sounding`.
    case unnoticed(Unnoticed, expiry: Int64)

    /// The end of a snooze, or an insist, was too late to sound: the ring is quiet, and insists no
    /// more.
    case stayedQuiet(Lateness, expiry: Int64, isSnooze: Bool)

    /// The clock was set back behind `left` expiries that had joined the ring and had not sounded.
    /// They leave it. `expiry` and `expiries`: as in `Sounding`.
    case leftRing(expiry: Int64, left: Int64, expiries: Int64)

    /// A client requested the next step.
    case advanced(next: Recurrence, ring: Int64)

    /// A client dismissed the ring, the miss with the number `miss`, or the failed command.
    /// `removes`: the timer was over, and is removed.
    case dismissed(ring: Int64, miss: Int64, removes: Bool)

    /// A client ended the ring with `stop`. `removes`: as in `dismissed`.
    case stopped(ring: Int64, removes: Bool)

    /// The timer is now in another band: the `begun`th, or none if 0.
    case bandCrossed(begun: Int, Band?, remainingUsec: Int64)

    /// A client recorded the time that a stopwatch shows.
    case lapped(elapsedUsec: Int64)

    /// The next deadline of the timer changed, after the clock was set or the rules of the time
    /// zone changed. `back`: a repeating timer or sequence returns to this place, because it had
    /// counted too many rounds or steps while the clock was ahead.
    case rescheduled(deadline: Int64, durationUsec: Int64, back: Place? = nil)

    /// The alarm has no further instant, and its present one does not count: it is over.
    case ranOut

    /// A client made the timer skip its next expiry, which has the number `expiry`.
    case skipped(SkippedExpiry, expiry: Int64)

    /// A client took back a skip: the timer rings at that expiry.
    case unskipped(SkippedExpiry)

    /// A sequence was paused because of a background span. `remainingUsec` is the time that
    /// remained at the start of the span. `enteredSeq`: the number of the event that recorded the
    /// start of the span, if the sequence had run during a reboot of uncertain length before; else
    /// 0.
    case pausedAfterSpan(remainingUsec: Int64, span: Int64, enteredSeq: Int64 = 0)

    /// After a background span, a step of a sequence started again. If the step was a break that
    /// ended in the span, the next step started.
    case restartedAfterSpan(Recurrence, span: Int64)

    /// A client cancelled the timer. `isUp`: as in `paused`. `removes`: as in `dismissed`.
    case cancelled(remainingUsec: Int64, isUp: Bool = false, ring: Int64, removes: Bool = false)

    /// A client removed the timer, in any state.
    case removed(ring: Int64)

    case undone(Event.Undone)

    /// A client renamed the timer. This is the last event under the old name: the subject has the
    /// old name, and the value is the new one.
    case renamedTo(String)

    /// A client renamed the timer. This is the first event under the new name. The value is the old
    /// name.
    case renamedFrom(String)

    /// The daemon removed the timer a day after it rang last or was cancelled. `ring`: its open
    /// ring.
    case forgotten(ring: Int64)

    // MARK: Of the machine

    case enteredBackground(Span)

    case leftBackground(Span)

    /// The `elapsed` counter was corrected, because a reboot took longer or shorter than assumed. A
    /// deadline on `elapsed` moves if it was set after event `sinceSeq`, the end of the span. It
    /// also moves if the timer was paused at any time between `sinceSeq` and `untilSeq`, the end of
    /// the last reboot; 0: the same as `sinceSeq`. `earlyUsec`: by how much the earliest ring was
    /// early; 0: no ring was early.
    case spanCorrected(
      Span, byUsec: Int64, sinceSeq: Int64, earlyUsec: Int64 = 0, untilSeq: Int64 = 0)

    case clockStepped(byUsec: Int64)

    /// Timers expired in a background span. The value has the names of the first ones, and the
    /// number of all.
    case cameDue(span: Int64, names: [String], count: Int64)

    /// The machine's time zone or the rules of the zones changed. The value is the zone's name.
    case zoneChanged(String)

    // MARK: Of commands

    /// A command that an event called was started.
    case actionStarted(ActionNote)

    /// A command ended, or could not be started.
    case actionEnded(ActionNote, ActionEnd)
  }
}

// MARK: - Properties of the kinds

extension Event.Kind {
  /// Properties of a kind that hold for all its events, whatever their payload.
  package struct Traits: OptionSet {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A client requested the event and waits for the reply.
    package static let isRequested = Traits(rawValue: 1 << 0)
    /// The event set the timer's next expiry at a client's request, or cancelled or removed the
    /// timer. Earlier causes of lateness do not count any more.
    package static let setsDeadline = Traits(rawValue: 1 << 1)
    package static let removesTimer = Traits(rawValue: 1 << 2)
    /// A ring sounds from this event on.
    package static let isHeard = Traits(rawValue: 1 << 3)
    /// The event ends the open ring, or a client moved it.
    package static let answersRing = Traits(rawValue: 1 << 4)
    /// Only a timer that is more than a plain countdown can have such an event.
    package static let needsDetail = Traits(rawValue: 1 << 5)
    /// After the event, no timer has the subject's name.
    package static let leavesName = Traits(rawValue: 1 << 6)
    /// A change of the timer before the event can still be undone.
    package static let keepsUndo = Traits(rawValue: 1 << 7)
    /// The event is about the machine, and has no subject.
    package static let isOfMachine = Traits(rawValue: 1 << 8)
    /// Only a timer with an open ring can have such an event.
    package static let needsRing = Traits(rawValue: 1 << 9)
    /// The event ends a run, or a part of it: a round, a step, a stretch between pauses, or a
    /// pause. It carries the sums up to then.
    package static let endsPart = Traits(rawValue: 1 << 10)
    static let removal: Traits = [
      .endsPart, .setsDeadline, .removesTimer, .answersRing, .leavesName,
    ]
  }

  /// The properties of this kind. All kinds are listed here. O(1).
  package var traits: Traits {
    switch self {
    case .started, .restarted: [.isRequested, .setsDeadline, .answersRing, .endsPart]
    case .cancelled(_, _, _, let removes):
      removes
        ? [.isRequested, .removal] : [.isRequested, .setsDeadline, .answersRing, .endsPart]
    case .paused, .resumed: [.isRequested, .setsDeadline, .endsPart]
    case .extended: [.isRequested, .setsDeadline]
    case .snoozed: [.isRequested, .answersRing, .needsRing]
    case .undone: [.isRequested, .setsDeadline, .keepsUndo, .endsPart]
    case .skipped, .unskipped: [.isRequested, .setsDeadline, .needsDetail]
    case .updated: .isRequested
    case .advanced: [.isRequested, .setsDeadline, .answersRing, .needsDetail, .endsPart]
    case .dismissed(_, _, let removes):
      removes ? [.isRequested, .removal] : [.isRequested, .answersRing]
    case .stopped(_, let removes):
      removes ? [.isRequested, .removal, .needsRing] : [.isRequested, .answersRing, .needsRing]
    case .lapped: [.isRequested, .needsDetail]
    case .removed: [.isRequested, .removal]
    case .forgotten: .removal
    case .renamedTo: [.isRequested, .leavesName]
    case .renamedFrom: [.isRequested, .keepsUndo]
    case .rang(_, _, let passing):
      passing == nil ? [.isHeard, .keepsUndo, .needsRing] : [.isHeard, .endsPart]
    case .rangAgain: [.isHeard, .keepsUndo, .needsRing]
    case .didNotRing: .endsPart
    case .joined: [.needsRing, .endsPart]
    case .bandCrossed: [.needsDetail, .keepsUndo]
    case .rescheduled(_, _, let back): back == nil ? .needsDetail : [.needsDetail, .endsPart]
    case .ranOut, .pausedAfterSpan, .restartedAfterSpan: [.needsDetail, .endsPart]
    case .unanswered, .unnoticed, .stayedQuiet, .leftRing: [.keepsUndo, .needsRing]
    case .actionStarted, .actionEnded: .keepsUndo
    case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue, .zoneChanged:
      .isOfMachine
    }
  }

  /// The command that the event is about; nil for other events.
  package var action: ActionNote? {
    switch self {
    case .actionStarted(let note), .actionEnded(let note, _): note
    default: nil
    }
  }

  /// The expiry that the event records, the last of several, and how late it was; nil: it records
  /// none.
  package var expiry: (passing: Passing, late: Lateness)? {
    switch self {
    case .rang(let late, _, let passing?), .didNotRing(let late, let passing, _): (passing, late)
    case .joined(let all, _, let next, _):
      all.last.map { (Passing(number: $0.number, position: $0.position, next: next), $0.late) }
    default: nil
    }
  }

  /// How late a sound was, and that sound; nil: the event makes no ring sound.
  package var sounding: (late: Lateness, ring: Sounding)? {
    switch self {
    case .rang(let late, let ring, _), .rangAgain(let late, let ring, _): (late, ring)
    default: nil
    }
  }

  /// The number of the ring that the event ended, or moved; 0: it did neither.
  package var answeredRing: Int64 {
    switch self {
    case .restarted(_, let ring), .snoozed(_, _, let ring), .advanced(_, let ring),
      .dismissed(let ring, _, _), .stopped(let ring, _), .cancelled(_, _, let ring, _),
      .removed(let ring), .forgotten(let ring):
      ring
    case .started(_, _, _, _, _, _, let replaced): replaced?.ring ?? 0
    default: 0
    }
  }
}

// MARK: - Parts of payloads

/// A timer's state at some time, with all its stored values. Only the engine and the ledger read
/// its contents.
public protocol TimerImage: AnyObject, Sendable {
  /// Whether all stored values of both are equal.
  func isEqual(to other: any TimerImage) -> Bool
}

extension Event {
  /// A timer whose place another one took, and the number of its open ring; 0: none was open.
  public struct Replaced: Equatable, Sendable {
    public var id, ring: Int64

    public init(id: Int64, ring: Int64) { (self.id, self.ring) = (id, ring) }
  }

  /// A change of a timer that was undone, and the state of the timer before it.
  public struct Undone: Equatable, Sendable {
    /// The number of the event that was undone.
    public var seq: Int64
    /// The type of that event on the wire.
    public var type: String
    public var before: any TimerImage
    /// The number of the ring that is open again; 0: the undo changed no ring.
    public var ring: Int64

    public init(seq: Int64, type: String, before: any TimerImage, ring: Int64) {
      self.seq = seq
      self.type = type
      self.before = before
      self.ring = ring
    }

    public static func == (left: Undone, right: Undone) -> Bool {
      left.seq == right.seq && left.type == right.type && left.before.isEqual(to: right.before)
        && left.ring == right.ring
    }
  }

  /// The place of a repeating timer or sequence in its rounds or steps.
  public struct Place: Equatable, Sendable {
    /// The position, as in `Recurrence`.
    public var position: Int64
    /// The name of a sequence's step; empty for other timers.
    public var step: String

    public init(position: Int64, step: String = "") {
      self.position = position
      self.step = step
    }
  }

  /// An expiry that a timer skips, or that it no longer skips.
  public struct SkippedExpiry: Equatable, Sendable {
    /// For an alarm, the engine's key of the instant; for a countdown, the round, counted from 0.
    public var key: Int64
    /// The time of the expiry on CLOCK_REALTIME, as the clock was set then; 0 for a paused
    /// countdown.
    public var usec: Int64
    /// By how much the next ring moves, in microseconds; negative if the skip is taken back.
    public var byUsec: Int64
    /// The new deadline; for a paused countdown, the remaining time.
    public var deadline: Int64

    public init(key: Int64, usec: Int64, byUsec: Int64, deadline: Int64) {
      (self.key, self.usec, self.byUsec, self.deadline) = (key, usec, byUsec, deadline)
    }
  }

  /// From which events a resumed timer counts its deadline. Used if the timer was paused while the
  /// length of a reboot was uncertain.
  public enum Resumption: UInt8, CaseIterable, Sendable {
    /// From the event that set the timer, because it was not paused during such a reboot.
    case counted = 0
    /// In two parts: from the event that set the timer to its first pause during such a reboot, and
    /// from this event on.
    case interrupted = 1
    /// In two parts: from its resumption after such a pause to the last pause, and from this event
    /// on.
    case interruptedAgain = 2
    /// From this event on, by the uncertain clock. Used for an alarm whose time seems to have
    /// passed, but only by this clock, and for other timers on `wall`.
    case inDoubt = 3
  }
}
