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
    /// countdown. `atElapsed`: only for a repeating alarm; 0 for others.
    case started(
      clock: Timeline, durationUsec: Int64, deadline: Int64, attachments: Attachments,
      wakes: Bool = false, spec: SharedSpec? = nil, atElapsed: Int64 = 0)

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

    case restarted(deadline: Int64)

    case snoozed(byUsec: Int64, deadline: Int64)

    /// The attachments were replaced. `spec`: the shared part of the specification was replaced,
    /// too.
    case updated(Attachments, spec: SharedSpec? = nil)

    /// The timer expired and rang.
    case fired(Ring)

    /// The timer expired in a background span and did not ring, because of its late policy.
    case skipped(Ring)

    /// A step of a sequence ended, and the next one started.
    case stepped(Ring)

    /// A step of a sequence ended, and the next one waits for a client's request.
    case stepEnded(Ring)

    /// A client requested the next step.
    case advanced(atElapsed: Int64, next: Recurrence)

    /// A client dismissed the ring of a timer that continues, or its failed command.
    case acknowledged

    /// The `number`th ring for an expiry, from 1, ended without an answer.
    case unanswered(number: Int64)

    /// The timer rings for the `number`th time for the same expiry, because the user did not
    /// answer.
    case rangAgain(number: Int64)

    /// The timer is now in another band: the `begun`th, or none if 0.
    case bandCrossed(begun: Int, Band?, remainingUsec: Int64)

    /// A client recorded the time that a stopwatch shows.
    case lapped(elapsedUsec: Int64)

    /// The next deadline of the timer changed, after the clock was set or the rules of the time
    /// zone changed. `back`: a repeating timer or sequence returns to this place, because it had
    /// counted too many rounds or steps while the clock was ahead.
    case rescheduled(deadline: Int64, durationUsec: Int64, back: Place? = nil)

    /// A client made the timer skip its next expiry.
    case passedOver(SkippedExpiry)

    /// A client took back a skip: the timer rings at that expiry.
    case reinstated(SkippedExpiry)

    /// A sequence was paused because of a background span. `remainingUsec` is the time that
    /// remained at the start of the span. `enteredSeq`: the number of the event that recorded the
    /// start of the span, if the sequence had run during a reboot of uncertain length before; else
    /// 0.
    case pausedAfterSleep(remainingUsec: Int64, span: Int64, enteredSeq: Int64 = 0)

    /// After a background span, a step of a sequence started again. If the step was a break that
    /// ended in the span, the next step started.
    case restartedAfterSleep(Recurrence, span: Int64)

    /// A client cancelled the timer. `isUp`: as in `paused`.
    case cancelled(atElapsed: Int64, remainingUsec: Int64, isUp: Bool = false)

    /// A client removed a fired timer.
    case dismissed

    /// A client removed the timer, in any state.
    case removed

    case undone(Event.Undone)

    /// A client renamed the timer. This is the last event under the old name: the subject has the
    /// old name, and the value is the new one.
    case renamedTo(String)

    /// A client renamed the timer. This is the first event under the new name. The value is the old
    /// name.
    case renamedFrom(String)

    /// The daemon removed the timer a day after it had fired or was cancelled.
    case expired

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
    /// The timer rang. The kind then has a `Ring`.
    package static let isHeard = Traits(rawValue: 1 << 3)
    /// The event answers an earlier ring, so people need not be reminded of that ring.
    package static let answersRing = Traits(rawValue: 1 << 4)
    /// Only a timer that is more than a plain countdown can have such an event.
    package static let needsDetail = Traits(rawValue: 1 << 5)
    /// After the event, no timer has the subject's name.
    package static let leavesName = Traits(rawValue: 1 << 6)
    /// A change of the timer before the event can still be undone.
    package static let keepsUndo = Traits(rawValue: 1 << 7)
    /// The event is about the machine, and has no subject.
    package static let isOfMachine = Traits(rawValue: 1 << 8)
  }

  /// The properties of this kind. All kinds are listed here. O(1).
  package var traits: Traits {
    switch self {
    case .started, .paused, .restarted, .snoozed, .cancelled:
      [.isRequested, .setsDeadline, .answersRing]
    case .resumed, .extended: [.isRequested, .setsDeadline]
    case .undone: [.isRequested, .setsDeadline, .keepsUndo]
    case .passedOver, .reinstated: [.isRequested, .setsDeadline, .needsDetail]
    case .updated: [.isRequested]
    case .advanced: [.isRequested, .setsDeadline, .answersRing, .needsDetail]
    case .acknowledged: [.isRequested, .answersRing]
    case .lapped: [.isRequested, .needsDetail]
    case .dismissed, .removed:
      [.isRequested, .setsDeadline, .removesTimer, .answersRing, .leavesName]
    case .expired: [.setsDeadline, .removesTimer, .answersRing, .leavesName]
    case .renamedTo: [.isRequested, .leavesName]
    case .renamedFrom: [.isRequested, .keepsUndo]
    case .fired: [.isHeard]
    case .stepped, .stepEnded: [.isHeard, .needsDetail]
    case .bandCrossed: [.needsDetail, .keepsUndo]
    case .rescheduled: [.needsDetail]
    case .pausedAfterSleep, .restartedAfterSleep: [.answersRing, .needsDetail]
    case .unanswered, .rangAgain, .actionStarted, .actionEnded: [.keepsUndo]
    case .skipped: []
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

  /// The expiry that the event records; nil: it records none.
  var ring: Ring? {
    switch self {
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring): ring
    default: nil
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
  /// A change of a timer that was undone, and the state of the timer before it.
  public struct Undone: Equatable, Sendable {
    /// The number of the event that was undone.
    public var seq: Int64
    /// The type of that event on the wire.
    public var type: String
    public var before: any TimerImage

    public init(seq: Int64, type: String, before: any TimerImage) {
      self.seq = seq
      self.type = type
      self.before = before
    }

    public static func == (left: Undone, right: Undone) -> Bool {
      left.seq == right.seq && left.type == right.type && left.before.isEqual(to: right.before)
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
