// Made from org.nightjar.Timers.varlink by nightjar-generate. Do not edit.

extension TimerKind {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .countdown: "countdown"
    case .alarm: "alarm"
    case .stopwatch: "stopwatch"
    case .sequence: "sequence"
    }
  }
}

extension TimerState {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .running: "running"
    case .paused: "paused"
    case .over: "over"
    case .cancelled: "cancelled"
    case .waiting: "waiting"
    }
  }
}

extension Timeline {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .elapsed: "elapsed"
    case .awake: "awake"
    case .wall: "wall"
    case .present: "present"
    }
  }
}

extension MissedPolicy {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .once: "once"
    case .each: "each"
    case .skip: "skip"
    }
  }
}

extension AfterSpan {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .continue: "continue"
    case .pause: "pause"
    case .restart: "restart"
    case .break: "break"
    }
  }
}

extension Cause {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .sleep: "sleep"
    case .stop: "stop"
    case .down: "down"
    case .reboot: "reboot"
    case .freeze: "freeze"
    case .away: "away"
    }
  }
}

extension LateCause {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .sleep: "sleep"
    case .stop: "stop"
    case .down: "down"
    case .reboot: "reboot"
    case .freeze: "freeze"
    case .away: "away"
    case .step: "step"
    case .paused: "paused"
    case .busy: "busy"
    case .undone: "undone"
    }
  }
}

extension ActionOutcome {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .exited: "exited"
    case .signalled: "signalled"
    case .timedOut: "timed_out"
    case .notStarted: "not_started"
    case .givenUp: "given_up"
    case .dropped: "dropped"
    case .unseen: "unseen"
    }
  }
}

extension Operation {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .pause: "pause"
    case .resume: "resume"
    case .cancel: "cancel"
    case .restart: "restart"
    case .extend: "extend"
    case .snooze: "snooze"
    case .dismiss: "dismiss"
    case .stop: "stop"
    case .remove: "remove"
    case .update: "update"
    case .advance: "advance"
    case .lap: "lap"
    case .skip: "skip"
    case .unskip: "unskip"
    }
  }
}

extension WakeObstacle {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .capability: "capability"
    case .noClock: "no_clock"
    case .refused: "refused"
    }
  }
}

extension RingLack {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .off: "off"
    case .asking: "asking"
    case .missing: "missing"
    case .failing: "failing"
    case .paused: "paused"
    }
  }
}

extension Event.Kind {
  /// The word on the wire.
  public var name: StaticString {
    switch self {
    case .started: "started"
    case .paused: "paused"
    case .resumed: "resumed"
    case .extended: "extended"
    case .restarted: "restarted"
    case .snoozed: "snoozed"
    case .updated: "updated"
    case .rang: "rang"
    case .didNotRing: "did_not_ring"
    case .joined: "joined"
    case .rangAgain: "rang_again"
    case .unanswered: "unanswered"
    case .unnoticed: "unnoticed"
    case .stayedQuiet: "stayed_quiet"
    case .leftRing: "left_ring"
    case .advanced: "advanced"
    case .dismissed: "dismissed"
    case .stopped: "stopped"
    case .bandCrossed: "band_crossed"
    case .lapped: "lapped"
    case .skipped: "skipped"
    case .unskipped: "unskipped"
    case .rescheduled: "rescheduled"
    case .ranOut: "ran_out"
    case .pausedAfterSpan: "paused_after_span"
    case .restartedAfterSpan: "restarted_after_span"
    case .cancelled: "cancelled"
    case .removed: "removed"
    case .undone: "undone"
    case .renamedTo: "renamed_to"
    case .renamedFrom: "renamed_from"
    case .forgotten: "forgotten"
    case .enteredBackground: "did_enter_background"
    case .leftBackground: "will_enter_foreground"
    case .cameDue: "came_due"
    case .spanCorrected: "span_corrected"
    case .clockStepped: "clock_stepped"
    case .zoneChanged: "zone_changed"
    case .actionStarted: "action_started"
    case .actionEnded: "action_ended"
    }
  }
}
