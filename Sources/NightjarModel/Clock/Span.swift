/// Why time was hidden from the daemon.
public enum Cause: UInt8, CaseIterable, Sendable {
  /// The machine was suspended or hibernated.
  case sleep = 1
  /// The daemon was stopped by SIGTSTP.
  case stop = 2
  /// The daemon was not running, within one boot.
  case down = 3
  /// The daemon was not running, and the machine was rebooted in between.
  case reboot = 4
  /// The process did not run, and nothing had announced this. The loop woke up long after an armed
  /// deadline.
  case freeze = 5
  /// The user's sessions were locked or idle. Only the `present` timeline stood still.
  case away = 6
}

/// Why a timer's expiry was handled late.
public enum LateCause: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  /// A span whose first cause was `sleep`.
  case sleep = 1
  /// A span whose first cause was `stop`.
  case stop = 2
  /// A span whose first cause was `down`.
  case down = 3
  /// A span whose first cause was `reboot`.
  case reboot = 4
  /// A span whose first cause was `freeze`.
  case freeze = 5
  /// The wall clock was set past the deadline.
  case step = 6
  /// The machine or the daemon was busy.
  case busy = 7
  /// The timer was paused when its deadline passed.
  case paused = 8
  /// A span whose first cause was `away`. No timer is late because of such a span: timers on
  /// `present` cannot expire during it, and it hides no time from the other timelines.
  case away = 9
  /// A change that would have prevented the expiry was undone after the deadline.
  case undone = 10

  /// The cause of lateness of an expiry during a span with this first cause.
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

  /// Whether the late policy applies. It applies to every cause except `busy`.
  public var isHidden: Bool { self != .busy }
}

/// A background span: time that was hidden from the daemon. Spans that overlap are one span with
/// several causes.
public struct Span: Equatable, Sendable {
  /// The number of the span, counted from 1 within a state folder.
  public var id: Int64
  /// The causes, in the order in which they began; never empty.
  public var causes: [Cause]
  /// When time began to be hidden.
  public var entered: Moment
  /// When it ended; nil while it is open.
  public var left: Moment?
  /// Its length on the `elapsed` timeline, in microseconds; 0 while it is open.
  public var elapsedUsec: Int64
  /// Whether its start, or after a reboot its length, is not known exactly.
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

  /// Whether it hid time only from timers on `present`. Such a span never gets other causes.
  public var isAbsence: Bool { causes == [.away] }

  package mutating func add(_ cause: Cause) {
    if !causes.contains(cause) { causes.append(cause) }
  }
}
