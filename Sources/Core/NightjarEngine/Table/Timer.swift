public import NightjarModel

/// A timer: all that is stored of it, except its place in a queue.
@dynamicMemberLookup
public struct Timer: Equatable, Sendable {
  /// The number of the event that started the timer.
  public var id: Int64
  public var name: String
  public var spec: SharedSpec
  /// The number of the last event about the timer.
  public var lastEvent: Int64
  /// The number of the event from which the deadline or the remaining time is counted: the timer's
  /// start, resumption or end, but not an extension. After a ring that was computed from a clock
  /// that was not synchronised, the event from which the deadline was counted.
  public var countedFrom: Int64
  /// The length to which a restart returns: the duration, or that of the first step. 0 for alarms
  /// and stopwatches.
  public var fullLengthUsec: Int64
  /// The length of the present run, round or step, with all extensions.
  public var runLengthUsec: Int64
  /// CLOCK_REALTIME when the present run began.
  public var startedUsec: Int64
  public var phase: Phase
  /// Nil: the timer has not expired, or a user answered the ring and the timer continues.
  public var lastRing: LastRing?
  /// The timeline on which the timer was started.
  public var clock: Timeline
  /// The timeline of the present run. A snooze always runs on `elapsed`.
  public var timeline: Timeline
  /// Whether the deadline is to wake the machine.
  public var wakes = false
  /// Whether the timer was snoozed and has not rung since. A repetition or sequence waits for that.
  public var isSnoozed = false
  /// Never changed in place, because copies share it.
  @usableFromInline internal var box: Box?

  /// Makes a timer that has just been started.
  public init(
    id: Int64, name: String, spec: SharedSpec = .plain, clock: Timeline, fullLengthUsec: Int64,
    runLengthUsec: Int64, startedUsec: Int64, phase: Phase
  ) {
    self.id = id
    self.name = name
    self.spec = spec
    (lastEvent, countedFrom) = (id, id)
    self.fullLengthUsec = fullLengthUsec
    self.runLengthUsec = runLengthUsec
    self.startedUsec = startedUsec
    self.phase = phase
    (self.clock, timeline) = (clock, clock)
  }

  public var state: TimerState { phase.state }

  /// The state by which timers are listed and counted: one that continues is fired while it rings.
  package var shownState: TimerState {
    state == .running && lastRing?.hasEnded == false ? .fired : state
  }

  /// Whether the timer is an alarm that is not snoozed. Paused, it keeps its deadline, and does not
  /// ring when the deadline passes.
  var keepsDeadlineWhilePaused: Bool { timeline == .wall && spec.kind == .alarm }

  /// What only some timers have; nil: the timer has nothing of it.
  @inlinable public var rare: Rare? {
    get { box?.content }
    set { box = newValue.flatMap { $0 == .nothing ? nil : Box($0) } }
  }

  @inlinable
  public subscript<Part: Equatable>(dynamicMember part: WritableKeyPath<Rare, Part>) -> Part {
    get { box?.content[keyPath: part] ?? Rare.nothing[keyPath: part] }
    set {
      guard newValue != self[dynamicMember: part] else { return }
      var content = rare ?? .nothing
      content[keyPath: part] = newValue
      rare = content
    }
  }

  @usableFromInline
  final class Box: Equatable, Sendable {
    @usableFromInline let content: Rare

    @usableFromInline init(_ content: Rare) { self.content = content }

    @usableFromInline static func == (a: Box, b: Box) -> Bool { a === b || a.content == b.content }
  }
}

extension Timer {
  /// What a timer does at present.
  public enum Phase: Equatable, Sendable {
    /// The deadline is on `Timer.timeline`.
    case running(deadline: Int64)
    /// The reading of `Timer.timeline` at which the measured time was 0.
    case runningStopwatch(since: Int64)
    /// The remaining time is negative if the timer seemed overdue at the pause, but only by a clock
    /// that may be wrong. `ranUpTo` is the number of the event up to which the timer ran, if it ran
    /// during a reboot of uncertain length.
    case paused(remainingUsec: Int64, ranUpTo: Int64?)
    case pausedAlarm(deadline: Int64)
    case pausedStopwatch(measuredUsec: Int64, ranUpTo: Int64?)
    /// The timer rang for the last time, or would have, when `elapsed` read this.
    case fired(atElapsed: Int64)
    /// The step of a sequence is over, and the next one begins when a user says so.
    case waiting(atElapsed: Int64)
    case cancelled(atElapsed: Int64, remainingUsec: Int64)
    case cancelledStopwatch(atElapsed: Int64, measuredUsec: Int64)

    public var state: TimerState {
      switch self {
      case .running, .runningStopwatch: .running
      case .paused, .pausedAlarm, .pausedStopwatch: .paused
      case .fired: .fired
      case .waiting: .waiting
      case .cancelled, .cancelledStopwatch: .cancelled
      }
    }

    /// Nil: the timer has none at present.
    public var deadline: Int64? {
      switch self {
      case .running(let deadline), .pausedAlarm(let deadline): deadline
      case .runningStopwatch, .paused, .pausedStopwatch, .fired, .waiting, .cancelled,
        .cancelledStopwatch:
        nil
      }
    }

    var ranUpTo: Int64? {
      switch self {
      case .paused(_, let seq), .pausedStopwatch(_, let seq): seq
      case .running, .runningStopwatch, .pausedAlarm, .fired, .waiting, .cancelled,
        .cancelledStopwatch:
        nil
      }
    }

    /// Replaces the deadline, or the remaining time of a paused timer.
    mutating func move(to usec: Int64) {
      switch self {
      case .running: self = .running(deadline: usec)
      case .pausedAlarm: self = .pausedAlarm(deadline: usec)
      case .paused(_, let ranUpTo): self = .paused(remainingUsec: usec, ranUpTo: ranUpTo)
      case .runningStopwatch, .pausedStopwatch, .fired, .waiting, .cancelled, .cancelledStopwatch:
        break
      }
    }
  }
}

/// The last ring of a timer, or the last expiry at which it ended or began to wait without a ring.
public struct LastRing: Equatable, Sendable {
  /// CLOCK_REALTIME at the expiry.
  public var firedUsec: Int64
  /// Negative if the timer rang early, because the clock was ahead.
  public var lateUsec: Int64
  /// From 1. Higher: the timer rang again for the same expiry, because nobody answered.
  public var number: Int64 = 1
  /// The number of its event, if it was computed from a wall clock that was not synchronised (see
  /// `WallClockState`); else nil.
  public var estimatedBy: Int64?
  /// Why it was late; nil: it was not.
  public var cause: LateCause?
  /// Whether it ended without an answer.
  public var hasEnded = false

  public init(firedUsec: Int64, lateUsec: Int64, cause: LateCause?, estimatedBy: Int64?) {
    self.firedUsec = firedUsec
    self.lateUsec = lateUsec
    self.cause = cause
    self.estimatedBy = estimatedBy
  }
}
