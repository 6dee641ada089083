// The types of the interface are a part of this library's own.
@_exported public import NightjarInterface

/// The type of an event.
public typealias EventType = Wire.EventType
/// The cause of a background span, or of lateness.
public typealias Cause = Wire.Cause
/// What a timer does if it expired several times in the background.
public typealias MissedPolicy = Wire.Missed
/// What a sequence does after a sleep.
public typealias AfterSleep = Wire.AfterSleep
/// What happened to a command.
public typealias ActionOutcome = Wire.Outcome
/// Why the machine cannot be woken.
public typealias WakeObstacle = Wire.WakeObstacle
/// Why a ring is not seen or not heard.
public typealias RingLack = Wire.RingLack

extension NightjarTimer {
  /// What a timer does.
  public typealias Kind = Wire.Kind
  /// What a timer is doing.
  public typealias State = Wire.State
  /// Which time a timer counts.
  public typealias Clock = Wire.Clock
}

extension EventType {
  /// Whether this is the last event of the timer under its name. After this event, the timer may
  /// have another name, or another timer of this name may be started.
  public var isTheEnd: Bool { [.dismissed, .removed, .expired, .renamedTo].contains(self) }
}
