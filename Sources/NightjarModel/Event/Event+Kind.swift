extension Event {
  /// What happened, with what is needed to do it again.
  ///
  /// The interface file has the name of each kind on the wire and the sentence for clients. `traits` has
  /// what else is known of each.
  ///
  /// Deadlines are counters of a timeline, `atElapsed` is one of `elapsed`; times are microseconds.
  public enum Kind: Equatable, Sendable {
    // MARK: Of timers

    /// A timer was started. `wakes`: the deadline is to wake the machine. `spec`: it is more than a
    /// countdown. `atElapsed`: of an alarm that repeats; 0 for any other.
    case started(
      clock: Timeline, durationUsec: Int64, deadline: Int64, attachments: Attachments,
      wakes: Bool = false, spec: SharedSpec? = nil, atElapsed: Int64 = 0)

    /// `isUp`: it is a stopwatch, and `remainingUsec` is what it has measured. `keepsSet`: it ran over a
    /// reboot whose length is in doubt, so what remains is still counted from what it was set by; that is
    /// below zero if it is overdue only by the clock in doubt.
    case paused(remainingUsec: Int64, isUp: Bool = false, keepsSet: Bool = false)

    /// No resumption: it is counted from now.
    case resumed(deadline: Int64, Resumption? = nil)

    /// `point` is the new deadline of a running timer, what remains of a paused one.
    case extended(byUsec: Int64, point: Int64)

    case restarted(deadline: Int64)

    case snoozed(byUsec: Int64, deadline: Int64)

    /// Its attachments were replaced. `spec`: its bands were, too.
    case updated(Attachments, spec: SharedSpec? = nil)

    /// It rang.
    case fired(Ring)

    /// It expired in a background span, and its late policy is not to ring.
    case skipped(Ring)

    /// A step of a sequence is over, and the next has begun.
    case stepped(Ring)

    /// A step of a sequence is over, and the next waits for a client to ask for it.
    case stepEnded(Ring)

    /// A client asked for the next step.
    case advanced(atElapsed: Int64, next: Recurrence)

    /// The ring of a timer that continues was dismissed, or that a command of it failed.
    case acknowledged

    /// The ring ended, and nobody answered it: the `number`th for the same expiry, from 1.
    case unanswered(number: Int64)

    /// It rings for the `number`th time for the same expiry, because nobody answered.
    case rangAgain(number: Int64)

    /// Another band is in force: the `begun`th, or none for 0.
    case bandCrossed(begun: Int, Band?, remainingUsec: Int64)

    /// What a stopwatch has measured.
    case lapped(elapsedUsec: Int64)

    /// The calendar has another next point for it, after a step of the clock or in another zone. `back`:
    /// it repeats, or is a sequence, and returns to that place: a clock that was ahead had counted it on.
    case rescheduled(deadline: Int64, durationUsec: Int64, back: Place? = nil)

    /// A client had the timer pass over its next expiry.
    case passedOver(Passing)

    /// A client took that back: the timer rings at that expiry.
    case reinstated(Passing)

    /// A sequence is paused because of a span, with what remained when that was entered. `enteredSeq`: the
    /// event of that, if before it the sequence ran over a reboot whose length is in doubt; or 0.
    case pausedAfterSleep(remainingUsec: Int64, span: Int64, enteredSeq: Int64 = 0)

    /// A step of a sequence begins anew after a span, or the span took the place of its break.
    case restartedAfterSleep(Recurrence, span: Int64)

    /// `isUp`: as in `paused`.
    case cancelled(atElapsed: Int64, remainingUsec: Int64, isUp: Bool = false)

    /// A client removed it after it fired.
    case dismissed

    /// A client removed it, in whatever state it was.
    case removed

    /// A change of it was taken back.
    case undone(Event.Undone)

    /// A client gave it another name: the last event under its old one, which is its subject's.
    case renamedTo(String)

    /// The same: the first event under the new name, with the old one.
    case renamedFrom(String)

    /// It was removed because it had been fired or cancelled for long enough.
    case expired

    // MARK: Of the machine

    case enteredBackground(Span)

    case leftBackground(Span)

    /// Moves what was set on `elapsed` behind event `sinceSeq`, the end of the span, and what did not run on
    /// up to event `untilSeq`, the end of the last reboot; 0: only the former. `earlyUsec`: by how
    /// much the earliest ring turned out to have been early; 0: none was.
    case spanCorrected(
      Span, byUsec: Int64, sinceSeq: Int64, earlyUsec: Int64 = 0, untilSeq: Int64 = 0)

    case clockStepped(byUsec: Int64)

    /// What expired in a span: the first of the names, and how many there are.
    case cameDue(span: Int64, names: [String], count: Int64)

    /// The machine's own zone, or the rules of zones, have changed.
    case zoneChanged(String)

    // MARK: Of commands

    /// A command that an event called for is started.
    case actionStarted(ActionNote)

    /// A command has ended, or was not started at all.
    case actionEnded(ActionNote, ActionEnd)
  }
}

// MARK: - What is known of each kind

extension Event.Kind {
  /// What is true of every event of a kind, whatever its payload.
  package struct Traits: OptionSet {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A client asked for it, and waits for the answer.
    package static let isRequested = Traits(rawValue: 1 << 0)
    /// The user set when the timer expires next, or that it does not. What made it late before is no
    /// cause any more.
    package static let setsAnew = Traits(rawValue: 1 << 1)
    /// The timer is removed by it.
    package static let isTheEnd = Traits(rawValue: 1 << 2)
    /// The timer rang. Then the kind has a `Ring`.
    package static let isHeard = Traits(rawValue: 1 << 3)
    /// An earlier ring needs no more attention from people.
    package static let answersRing = Traits(rawValue: 1 << 4)
    /// It can only be about a timer that is more than a countdown.
    package static let needsDetail = Traits(rawValue: 1 << 5)
    /// No timer of this name is there after it.
    package static let leavesName = Traits(rawValue: 1 << 6)
  }

  /// The one place that has what is known of each kind beside its payload. O(1).
  package var traits: Traits {
    switch self {
    case .started, .paused, .restarted, .snoozed, .cancelled:
      [.isRequested, .setsAnew, .answersRing]
    case .resumed, .extended, .undone: [.isRequested, .setsAnew]
    case .passedOver, .reinstated: [.isRequested, .setsAnew, .needsDetail]
    case .updated: [.isRequested]
    case .advanced: [.isRequested, .setsAnew, .answersRing, .needsDetail]
    case .acknowledged: [.isRequested, .answersRing]
    case .lapped: [.isRequested, .needsDetail]
    case .dismissed, .removed: [.isRequested, .setsAnew, .isTheEnd, .answersRing, .leavesName]
    case .expired: [.setsAnew, .isTheEnd, .answersRing, .leavesName]
    case .renamedTo: [.isRequested, .leavesName]
    case .renamedFrom: [.isRequested]
    case .fired: [.isHeard]
    case .stepped, .stepEnded: [.isHeard, .needsDetail]
    case .bandCrossed, .rescheduled: [.needsDetail]
    case .pausedAfterSleep, .restartedAfterSleep: [.answersRing, .needsDetail]
    case .unanswered, .rangAgain, .skipped, .enteredBackground, .leftBackground, .spanCorrected,
      .clockStepped, .cameDue,
      .zoneChanged, .actionStarted, .actionEnded:
      []
    }
  }

  /// That its timer expired, and how late; nil for a kind that has nothing of that.
  var ring: Ring? {
    switch self {
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring): ring
    default: nil
    }
  }
}

// MARK: - Parts of payloads

/// A timer as it stood at some time, with all that is stored of it. Only the engine and the ledger look into one.
public protocol TimerImage: AnyObject, Sendable {
  /// Whether another is equal in all that is stored.
  func isEqual(to other: any TimerImage) -> Bool
}

extension Event {
  /// Which change of a timer was taken back, and what the timer is again.
  public struct Undone: Equatable, Sendable {
    /// The number of the event that was taken back.
    public var seq: Int64
    /// The kind of that event, as on the wire.
    public var type: String
    /// The timer as it was before.
    public var before: any TimerImage

    /// Makes one.
    public init(seq: Int64, type: String, before: any TimerImage) {
      self.seq = seq
      self.type = type
      self.before = before
    }

    /// Equal in all that they have.
    public static func == (left: Undone, right: Undone) -> Bool {
      left.seq == right.seq && left.type == right.type && left.before.isEqual(to: right.before)
    }
  }

  /// Where a timer that repeats, or a sequence, is.
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

  /// An expiry that a timer passes over, or no longer does.
  public struct Passing: Equatable, Sendable {
    /// Of an alarm what stands for the instant, as the engine has it; of a countdown the round, counted
    /// from 0.
    public var key: Int64
    /// When the expiry is, on CLOCK_REALTIME as it went then; 0 of a paused countdown.
    public var usec: Int64
    /// By how much the next ring moves: below zero if the expiry is reinstated.
    public var byUsec: Int64
    /// The new deadline; of a paused countdown what remains.
    public var point: Int64

    /// Makes one.
    public init(key: Int64, usec: Int64, byUsec: Int64, point: Int64) {
      (self.key, self.usec, self.byUsec, self.point) = (key, usec, byUsec, point)
    }
  }

  /// From where a timer is counted that was paused while the length of a reboot was in doubt.
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
}
