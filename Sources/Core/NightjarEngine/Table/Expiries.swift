public import NightjarModel

/// What the expiries of a timer have led to. Most timers have not expired yet.
public struct Expiries: Equatable, Sendable {
  /// The number of the last expiry, skipped ones included; 0: there was none. It never goes back.
  public var lastNumber: Int64 = 0
  /// The last expiry that was not skipped.
  public var last: Expiry?
  /// The newest expiry that did not ring, because of a policy. It is shown until the timer rings
  /// again or a user dismisses it.
  public var miss: Expiry?
  /// How many expiries did not ring since the timer last rang, or since a user dismissed the miss.
  public var misses: Int64 = 0
  public var ring: Ring?

  public static let none = Expiries()
}

/// A deadline that was reached.
public struct Reached: Equatable, Sendable {
  /// CLOCK_REALTIME when the deadline was handled.
  public var atUsec: Int64
  /// How late that was, in microseconds. Negative: it was early, because the clock was ahead.
  public var lateUsec: Int64
  /// Why it was late; nil: it was not.
  public var cause: LateCause?
  /// The number of the background span in which the deadline passed; 0: it passed in none.
  public var span: Int64
  /// Nil: the deadline and the lateness do not depend on a clock that was not synchronised.
  public var estimate: Estimate?

  /// When the deadline was, on CLOCK_REALTIME.
  public var dueUsec: Int64 { atUsec - lateUsec }

  public init(
    atUsec: Int64 = 0, lateUsec: Int64 = 0, cause: LateCause? = nil, span: Int64 = 0,
    estimate: Estimate? = nil
  ) {
    self.atUsec = atUsec
    self.lateUsec = lateUsec
    self.cause = cause
    self.span = span
    self.estimate = estimate
  }
}

/// One passing of a timer's deadline.
public struct Expiry: Equatable, Sendable {
  public enum Outcome: UInt8, CaseIterable, Sendable {
    case rang = 0
    /// It joined a snoozed ring in silence, and the ring has not sounded since.
    case joined = 1
    /// A policy kept it from ringing.
    case didNotRing = 2
  }

  public var number: Int64
  public var reached: Reached
  /// For how many earlier expiries it stands.
  public var missed: Int64
  public var outcome: Outcome
  /// The round or step that it ended, from 0.
  public var position: Int64
  /// For a repeating alarm: the last instant that was handled before it; 0: there was none; -1:
  /// there were other instants between the two. For other timers 0.
  public var handledBefore: Int64

  public init(
    number: Int64 = 0, _ reached: Reached = Reached(), missed: Int64 = 0, outcome: Outcome = .rang,
    position: Int64 = 0, handledBefore: Int64 = 0
  ) {
    self.number = number
    self.reached = reached
    self.missed = missed
    self.outcome = outcome
    self.position = position
    self.handledBefore = handledBefore
  }
}

/// An open ring: it opened when the timer expired, and no answer has ended it.
public struct Ring: Equatable, Sendable {
  /// The times are readings of `elapsed`.
  public enum State: Equatable, Sendable {
    case sounding(until: Int64)
    case quiet(since: Int64)
    /// It is quiet, and sounds again then.
    case insisting(at: Int64)
    case snoozed(until: Int64)
  }

  public var state = State.quiet(since: 0)
  /// The number of the event from which the time of `state` is counted.
  public var countedFrom: Int64 = 0
  /// The last expiry for which it sounded.
  public var expiry = Expiry()
  /// The expiries since then, in order, at most the last `Limits.joined`.
  public var joined: [Expiry] = []
  /// How many expiries rang or joined.
  public var expiries: Int64 = 1
  /// When the first of them was due, on CLOCK_REALTIME.
  public var firstDueUsec: Int64 = 0
  /// The last sound: for an expiry, for the end of a snooze, or to insist.
  public var sound = Reached()
  /// What that sound lacked; nil: the user could notice it as the timer asked, or this is not
  /// known.
  public var unnoticed: Unnoticed?
  /// How long after its sound it sounds again without an answer, in microseconds; 0: it does not.
  public var insistUsec: Int64 = 0
  /// How often it insisted since it last rang.
  public var insisted: Int64 = 0
  /// The reading of `elapsed` and the number of the event when it last began to sound, or when it
  /// became quiet without a sound. The end of a sound does not change them, nor does a snooze.
  public var sinceElapsed: Int64 = 0
  public var sinceEvent: Int64 = 0

  public init() {}

  /// The ring is its newest expiry's.
  public var newest: Expiry { joined.last ?? expiry }

  /// The number of its newest expiry. An answer names it.
  public var number: Int64 { newest.number }

  /// When it ends to sound, insists or is no longer snoozed; nil: it only waits for an answer.
  public var deadline: Int64? {
    switch state {
    case .sounding(let elapsed), .insisting(let elapsed), .snoozed(let elapsed): elapsed
    case .quiet: nil
    }
  }

  /// It became quiet without a sound, because a snooze or an insist ended too late to ring.
  public var stayedQuiet: Bool { isQuiet && sinceEvent > countedFrom }

  public var isSounding: Bool { if case .sounding = state { true } else { false } }
  public var isQuiet: Bool { if case .quiet = state { true } else { false } }
  public var isSnoozed: Bool { if case .snoozed = state { true } else { false } }

  /// The reading of `elapsed` since which it is quiet; nil: it sounds or is snoozed.
  public var quietSince: Int64? {
    switch state {
    case .quiet(let since): since
    case .insisting(let elapsed): elapsed - insistUsec
    case .sounding, .snoozed: nil
    }
  }

  /// The ring as an undo restores it: without its sound.
  var withoutSound: Ring {
    guard case .sounding(let end) = state else { return self }
    var ring = self
    let insists = insistUsec > 0 && insisted < Limits.ringsOfExpiry - 1
    ring.state = insists ? .insisting(at: end + insistUsec) : .quiet(since: end)
    return ring
  }
}
