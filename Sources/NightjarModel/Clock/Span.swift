/// What hid time from the daemon.
public enum Cause: UInt8, CaseIterable, Sendable {
  /// The machine slept.
  case sleep = 1
  /// The daemon was stopped by SIGTSTP.
  case stop = 2
  /// The daemon was not running, in one boot.
  case down = 3
  /// The daemon was not running, and the machine was started anew meanwhile.
  case reboot = 4
  /// Nobody said so: an armed deadline passed unseen.
  case freeze = 5
  /// The user's sessions were locked or idle: only `present` stood still.
  case away = 6
}

/// Why a timer fired late.
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
  /// It was paused when its point passed.
  case paused = 8
  /// A span whose first cause was `away`. No timer can be late by it: none on `present` is due in one, and
  /// from the others it hides nothing.
  case away = 9
  /// A change that had kept it from ringing was taken back after its deadline.
  case undone = 10

  /// The cause of a firing on the way out of a span.
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

  /// Whether the daemon could not ring on time because it did not run. The late policy applies then. It
  /// does not apply while the daemon was only busy.
  public var isHidden: Bool { self != .busy }
}

/// A stretch of time that was hidden from the daemon. Spans that overlap are one, with several
/// causes.
public struct Span: Equatable, Sendable {
  /// Numbers the spans of a state folder, from 1.
  public var id: Int64
  /// In the order in which they came; never empty.
  public var causes: [Cause]
  /// When time began to be hidden.
  public var entered: Moment
  /// When it was over; nil while it lasts.
  public var left: Moment?
  /// How long it took on the `elapsed` timeline; 0 while it lasts.
  public var elapsedUsec: Int64
  /// Nobody could say exactly when it was entered or, after a reboot, how long it took.
  public var estimated: Bool

  /// Makes a span that begins.
  public init(id: Int64, causes: [Cause], entered: Moment, estimated: Bool = false) {
    self.id = id
    self.causes = causes
    self.entered = entered
    self.left = nil
    self.elapsedUsec = 0
    self.estimated = estimated
  }

  /// It hid time from timers on `present` only; never one with other causes.
  public var isAbsence: Bool { causes == [.away] }

  package mutating func add(_ cause: Cause) {
    if !causes.contains(cause) { causes.append(cause) }
  }
}
