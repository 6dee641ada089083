/// How late a deadline was handled, and why.
public struct Lateness: Equatable, Sendable {
  /// In microseconds. Negative if the deadline was handled early, because the clock was ahead.
  public var usec: Int64
  /// Why the deadline was handled late; nil: it was on time.
  public var cause: LateCause?
  /// The number of the background span in which the deadline passed; 0: it passed in none.
  public var span: Int64
  /// Whether the deadline or the lateness was computed from a wall clock that was not synchronised
  /// (see `WallClockState` in the engine).
  public var isEstimated: Bool

  public init(usec: Int64, cause: LateCause?, span: Int64, isEstimated: Bool = false) {
    self.usec = usec
    self.cause = cause
    self.span = span
    self.isEstimated = isEstimated
  }

  /// Whether the deadline passed while the timer could not ring, as in a background span. Then the
  /// late policy applies.
  public var isHidden: Bool { cause?.isHidden ?? false }
}

/// An expiry of a timer: one passing of a deadline of its schedule.
public struct Passing: Equatable, Sendable {
  /// The number among the timer's expiries, from 1. The numbers grow and never go back.
  public var number: Int64
  /// For how many earlier expiries, which have no event of their own, this one stands.
  public var missed: Int64
  /// The round or step that it ended, from 0.
  public var position: Int64
  public var next: Recurrence

  public init(number: Int64, missed: Int64 = 0, position: Int64, next: Recurrence) {
    self.number = number
    self.missed = missed
    self.position = position
    self.next = next
  }
}

/// An expiry that joined a snoozed ring in silence.
public struct JoinedExpiry: Equatable, Sendable {
  /// As in `Passing`, and so is `position`.
  public var number: Int64
  public var late: Lateness
  public var position: Int64

  public init(number: Int64, late: Lateness, position: Int64) {
    self.number = number
    self.late = late
    self.position = position
  }
}

/// A ring that sounds from now on.
public struct Sounding: Equatable, Sendable {
  /// The number of the newest expiry of the ring.
  public var expiry: Int64
  /// How many expiries the ring has.
  public var expiries: Int64
  /// When the first of them was due, on CLOCK_REALTIME.
  public var firstDueUsec: Int64
  /// How long it sounds, in microseconds; 0: once, and then it is quiet.
  public var forUsec: Int64
  /// How long after the end of its sound it sounds again, if nobody answers, in microseconds; 0: it
  /// does not.
  public var insistUsec: Int64

  public init(
    expiry: Int64, expiries: Int64, firstDueUsec: Int64, forUsec: Int64, insistUsec: Int64
  ) {
    self.expiry = expiry
    self.expiries = expiries
    self.firstDueUsec = firstDueUsec
    self.forUsec = forUsec
    self.insistUsec = insistUsec
  }
}

/// How a timer continues after an expiry: with another round or step, or not at all.
public struct Recurrence: Equatable, Sendable {
  /// What the timer does next.
  public enum Continuation: Equatable, Sendable {
    /// The next round or step, up to this deadline on the timer's clock and with this length.
    case runs(deadline: Int64, durationUsec: Int64)
    /// The next step begins when a client requests it.
    case waits
    /// The timer is over, because this was its last expiry.
    case ends
  }

  /// For a repeating timer: how often it has expired. For a sequence: its step after the expiry,
  /// counted through all rounds; while it waits, this is the step that has ended.
  public var position: Int64
  /// For a repeating alarm: the last instant that is handled; else 0.
  public var handledInstant: Int64
  /// The name of that step; empty for other timers.
  public var step: String
  public var continuation: Continuation

  public init(
    position: Int64 = 0, handledInstant: Int64 = 0, step: String = "", _ continuation: Continuation
  ) {
    self.position = position
    self.handledInstant = handledInstant
    self.step = step
    self.continuation = continuation
  }
}

/// Why a ring was not seen, or not heard.
public enum RingLack: UInt8, CaseIterable, Sendable {
  /// The configuration turns it off.
  case off = 1
  /// The daemon was still asking for a notification server.
  case asking = 2
  /// There is no notification server, or nothing that plays sounds.
  case missing = 3
  /// There is one, and it fails.
  case failing = 4
  /// The user had paused the notification server (do not disturb).
  case paused = 5
}

/// What a sound lacked: the user could not see or hear the ring, although the timer asked for that.
public struct Unnoticed: Equatable, Sendable {
  /// Nil: it was shown, or was not to be.
  public var unseen: RingLack?
  /// Nil: it was played, or was not to be.
  public var unheard: RingLack?
  /// Both as one sentence, without a full stop.
  public var reason: String

  public init(unseen: RingLack?, unheard: RingLack?, reason: String) {
    (self.unseen, self.unheard, self.reason) = (unseen, unheard, reason)
  }
}
