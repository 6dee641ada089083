/// The cause of a background span: a time in which the daemon could not fire timers, or in which
/// the user was away.
public enum Cause: UInt8, CaseIterable, Sendable {
  /// The machine was suspended or hibernated.
  case sleep = 1
  /// The daemon was stopped by SIGTSTP.
  case stop = 2
  /// The daemon was not running, within one boot.
  case down = 3
  /// The daemon was not running, and the machine was rebooted in between.
  case reboot = 4
  /// The process did not run for some time, and no signal or report announced this. The daemon
  /// noticed it because its loop woke up long after an armed deadline.
  case freeze = 5
  /// The user's sessions were locked or idle. Only the `present` timeline stood still.
  case away = 6
}

/// Why the engine handled an expiry late.
public enum LateCause: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  /// The timer expired in a background span whose first cause was `sleep`, or in a sleep of a span
  /// whose first cause was `down`.
  case sleep = 1
  /// The timer expired in a background span whose first cause was `stop`.
  case stop = 2
  /// The timer expired in a background span whose first cause was `down`.
  case down = 3
  /// The timer expired in a background span whose first cause was `reboot`.
  case reboot = 4
  /// The timer expired in a background span whose first cause was `freeze`.
  case freeze = 5
  /// The wall clock was set past the deadline.
  case step = 6
  /// The machine or the daemon was busy.
  case busy = 7
  /// The timer was paused when its deadline passed.
  case paused = 8
  /// The counterpart of `Cause.away`. No timer is late for this cause: timers on `present` cannot
  /// expire while the user is away, and timers on other timelines continue.
  case away = 9
  /// A change had moved or cancelled the expiry. A user undid the change after the deadline had
  /// passed.
  case undone = 10

  /// The cause of lateness of a timer that expired in a background span with this first cause.
  public init(_ cause: Cause) {
    switch cause {
    case .sleep: self = .sleep
    case .stop: self = .stop
    case .down: self = .down
    case .reboot: self = .reboot
    case .freeze: self = .freeze
    case .away: self = .away
    }
  }

  /// Whether the late policy applies to an expiry with this cause. It applies to every cause except
  /// `busy`.
  public var isHidden: Bool { self != .busy }
}

/// A background span: a time in which the daemon could not fire timers, or in which the user was
/// away. Spans that overlap are one span with several causes, except that an absence of the user
/// is always a span of its own.
public struct Span: Equatable, Sendable {
  /// The number of the span, counted from 1 within a state folder.
  public var id: Int64
  /// The causes, in the order in which they began; never empty.
  public var causes: [Cause]
  /// When the span began.
  public var entered: Moment
  /// When the span ended; nil while it is open.
  public var left: Moment?
  /// The length of the span on the `elapsed` timeline, in microseconds; 0 while it is open.
  public var elapsedUsec: Int64
  /// Whether the start of the span is only estimated. After a reboot: whether its length is only
  /// estimated.
  public var estimated: Bool

  /// Makes an open span.
  public init(id: Int64, causes: [Cause], entered: Moment, estimated: Bool = false) {
    self.id = id
    self.causes = causes
    self.entered = entered
    self.left = nil
    self.elapsedUsec = 0
    self.estimated = estimated
  }

  /// Whether the span is an absence of the user, during which only timers on `present` stand still.
  /// Such a span never gets other causes.
  public var isAbsence: Bool { causes == [.away] }

  package mutating func add(_ cause: Cause) {
    if !causes.contains(cause) { causes.append(cause) }
  }
}
