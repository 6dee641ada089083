public enum Operation: Sendable, CaseIterable {
  case pause, resume, cancel, restart, extend, snooze, dismiss, stop, remove, update, advance, lap,
    skip, unskip

  /// What of a timer decides which operations are allowed, beside its state.
  public struct Ringing: Sendable {
    /// Whether its ring is open.
    public var hasRing: Bool
    /// Whether it shows an expiry that did not ring.
    public var hasMiss: Bool

    public init(hasRing: Bool = false, hasMiss: Bool = false) {
      (self.hasRing, self.hasMiss) = (hasRing, hasMiss)
    }
  }

  /// Whether the operation is allowed in `state`. This is the whole table; tests and the manual use
  /// it.
  public func isLegal(in state: TimerState, _ ringing: Ringing = Ringing()) -> Bool {
    switch self {
    case .pause, .lap: state == .running
    case .resume: state == .paused
    case .extend, .skip, .unskip: state.isCounting
    case .advance: state.isActive
    case .cancel, .stop: state.isActive || ringing.hasRing
    case .snooze: ringing.hasRing
    case .dismiss: ringing.hasRing || ringing.hasMiss
    case .restart, .remove, .update: true
    }
  }

  /// Whether the operation exists for timers with this specification.
  public func applies(to spec: SharedSpec) -> Bool {
    switch self {
    case .lap: spec.kind == .stopwatch
    case .advance: spec.kind == .sequence
    case .extend: spec.kind != .stopwatch && spec.schedule == nil
    case .snooze, .dismiss: spec.kind != .stopwatch
    case .skip, .unskip: spec.isRepeating
    case .pause, .resume, .cancel, .stop, .restart, .remove, .update: true
    }
  }
}
