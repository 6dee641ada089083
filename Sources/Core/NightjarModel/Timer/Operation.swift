public enum Operation: Sendable, CaseIterable {
  case pause, resume, cancel, restart, extend, snooze, dismiss, remove, update, advance, lap, skip,
    unskip

  /// Whether the operation is allowed in `state`. This is the whole table; tests and the manual use
  /// it. `hasRung`: the timer rang and continues, and no user has answered the ring.
  public func isLegal(in state: TimerState, hasRung: Bool = false) -> Bool {
    switch (self, state) {
    case (.pause, .running), (.resume, .paused), (.lap, .running): true
    case (.cancel, .running), (.cancel, .paused), (.cancel, .waiting): true
    case (.extend, .running), (.extend, .paused): true
    case (.snooze, .fired), (.snooze, .waiting), (.dismiss, .fired): true
    case (.snooze, .running), (.dismiss, .running), (.dismiss, .waiting): hasRung
    case (.advance, .running), (.advance, .paused), (.advance, .waiting): true
    case (.restart, _), (.remove, _), (.update, _): true
    case (.skip, .running), (.skip, .paused), (.unskip, .running), (.unskip, .paused): true
    case (.pause, .paused), (.pause, .fired), (.pause, .cancelled), (.pause, .waiting): false
    case (.resume, .running), (.resume, .fired), (.resume, .cancelled), (.resume, .waiting): false
    case (.cancel, .fired), (.cancel, .cancelled): false
    case (.extend, .fired), (.extend, .cancelled), (.extend, .waiting): false
    case (.snooze, .paused), (.snooze, .cancelled): false
    case (.dismiss, .paused), (.dismiss, .cancelled): false
    case (.advance, .fired), (.advance, .cancelled): false
    case (.lap, .paused), (.lap, .fired), (.lap, .cancelled), (.lap, .waiting): false
    case (.skip, .fired), (.skip, .cancelled), (.skip, .waiting): false
    case (.unskip, .fired), (.unskip, .cancelled), (.unskip, .waiting): false
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
    case .pause, .resume, .cancel, .restart, .remove, .update: true
    }
  }
}
