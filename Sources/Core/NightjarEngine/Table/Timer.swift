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
  /// The number of the event from which the deadline or the remaining time is counted: any that
  /// changes the phase. Not an extension, and not an expiry after which the timer continues by
  /// itself.
  public var countedFrom: Int64
  /// The length to which a restart returns: the duration, or that of the first step. 0 for alarms
  /// and stopwatches.
  public var fullLengthUsec: Int64
  /// The length of the present run, round or step, with all extensions.
  public var runLengthUsec: Int64
  /// CLOCK_REALTIME when the present run began, with its first round or step.
  public var startedUsec: Int64
  public var phase: Phase
  /// The timeline of the deadline.
  public var clock: Timeline
  /// Whether the deadline is to wake the machine.
  public var wakes = false
  /// Never changed in place, because copies share it.
  @usableFromInline internal var box: Box<Rare>?
  private var expiriesBox: Box<Expiries>?

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
    self.clock = clock
  }

  public var state: TimerState { phase.state }

  /// Whether a start needs to replace the timer to have its name.
  var keepsName: Bool { state.isActive || ring?.isSnoozed == true }

  /// What decides which operations are allowed, beside the state.
  package var ringing: Operation.Ringing {
    Operation.Ringing(hasRing: hasRing, hasMiss: expiries.miss != nil)
  }

  /// Whether the timer is an alarm. Paused, it keeps its deadline, and does not ring when the
  /// deadline passes.
  var keepsDeadlineWhilePaused: Bool { spec.kind == .alarm }

  /// What only some timers have; nil: the timer has nothing of it.
  @inlinable public var rare: Rare? {
    get { box?.content }
    set { box = newValue.flatMap { $0 == .nothing ? nil : Box($0) } }
  }

  /// What the timer's expiries have led to.
  public var expiries: Expiries {
    get { expiriesIfAny ?? .none }
    set { expiriesIfAny = newValue }
  }

  /// The same; nil: it has not expired yet.
  public var expiriesIfAny: Expiries? {
    get { expiriesBox?.content }
    set { expiriesBox = newValue.flatMap { $0 == .none ? nil : Box($0) } }
  }

  public var hasRing: Bool { expiriesBox?.content.ring != nil }

  /// The open ring; nil: none is open.
  public var ring: Ring? {
    get { expiriesBox?.content.ring }
    set { expiries.ring = newValue }
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
  final class Box<Content: Equatable & Sendable>: Equatable, Sendable {
    @usableFromInline let content: Content

    @usableFromInline init(_ content: Content) { self.content = content }

    @usableFromInline static func == (a: Box, b: Box) -> Bool { a === b || a.content == b.content }
  }
}

extension Timer {
  /// What a timer does at present.
  public enum Phase: Equatable, Sendable {
    /// The deadline is on `Timer.clock`.
    case running(deadline: Int64)
    /// The reading of `Timer.clock` at which the measured time was 0.
    case runningStopwatch(since: Int64)
    /// The remaining time is negative if the timer seemed overdue at the pause, but only by a clock
    /// that may be wrong. `ranUpTo` is the number of the event up to which the timer ran, if it ran
    /// during a reboot of uncertain length.
    case paused(remainingUsec: Int64, ranUpTo: Int64?)
    case pausedAlarm(deadline: Int64)
    case pausedStopwatch(measuredUsec: Int64, ranUpTo: Int64?)
    /// The timer expired for the last time when `elapsed` read this.
    case over(atElapsed: Int64)
    /// The step of a sequence ended when `elapsed` read this, and the next one begins when a user
    /// says so.
    case waiting(atElapsed: Int64)
    case cancelled(atElapsed: Int64, remainingUsec: Int64)
    case cancelledStopwatch(atElapsed: Int64, measuredUsec: Int64)

    public var state: TimerState {
      switch self {
      case .running, .runningStopwatch: .running
      case .paused, .pausedAlarm, .pausedStopwatch: .paused
      case .over: .over
      case .waiting: .waiting
      case .cancelled, .cancelledStopwatch: .cancelled
      }
    }

    /// Nil: the timer has none at present.
    public var deadline: Int64? {
      switch self {
      case .running(let deadline), .pausedAlarm(let deadline): deadline
      case .runningStopwatch, .paused, .pausedStopwatch, .over, .waiting, .cancelled,
        .cancelledStopwatch:
        nil
      }
    }

    /// The remaining time of a paused or cancelled timer; else 0.
    var remainingUsec: Int64 {
      switch self {
      case .paused(let usec, _), .cancelled(_, let usec): usec
      case .running, .runningStopwatch, .pausedAlarm, .pausedStopwatch, .over, .waiting,
        .cancelledStopwatch:
        0
      }
    }

    var ranUpTo: Int64? {
      switch self {
      case .paused(_, let seq), .pausedStopwatch(_, let seq): seq
      case .running, .runningStopwatch, .pausedAlarm, .over, .waiting, .cancelled,
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
      case .runningStopwatch, .pausedStopwatch, .over, .waiting, .cancelled, .cancelledStopwatch:
        break
      }
    }
  }
}
