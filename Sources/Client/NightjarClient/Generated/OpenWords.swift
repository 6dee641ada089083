// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

/// The events of a timer. Each can start a command. What happens to the machine. What happens to
/// commands. These events run no command, because each command would cause the next.
public struct EventType: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire. Every word is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It was started, perhaps in place of a timer of the same name.
  public static let started: EventType = "started"
  /// It was paused.
  public static let paused: EventType = "paused"
  /// It was resumed after a pause.
  public static let resumed: EventType = "resumed"
  /// Time was added to it, or taken from it.
  public static let extended: EventType = "extended"
  /// It was started again from the beginning.
  public static let restarted: EventType = "restarted"
  /// It rang, and will ring again after the snooze.
  public static let snoozed: EventType = "snoozed"
  /// Its labels, data, bands, message, command, sound or days were changed.
  public static let updated: EventType = "updated"
  /// It rang.
  public static let fired: EventType = "fired"
  /// It expired in the background, and did not ring, as its policy says.
  public static let skipped: EventType = "skipped"
  /// A step of a sequence ended. It rang, and the next step has begun.
  public static let stepped: EventType = "stepped"
  /// A step of a sequence ended. It rang, and waits for Advance.
  public static let stepEnded: EventType = "step_ended"
  /// A client called Advance, and the next step has begun.
  public static let advanced: EventType = "advanced"
  /// A user dismissed its ring, or the failure of its command, and the timer continues.
  public static let acknowledged: EventType = "acknowledged"
  /// Its ring ended, and no user answered it.
  public static let unanswered: EventType = "unanswered"
  /// It rings again for the same expiry, because no user answered.
  public static let rangAgain: EventType = "rang_again"
  /// It is in another band now, or in none.
  public static let bandCrossed: EventType = "band_crossed"
  /// A lap was recorded.
  public static let lapped: EventType = "lapped"
  /// A client called Skip: it will not ring at its next expiry.
  public static let passedOver: EventType = "passed_over"
  /// A client called Unskip: it will ring at an expiry that was skipped.
  public static let reinstated: EventType = "reinstated"
  /// Its deadline moved, because the clock or the zone was set. A countdown that repeats, or a
  /// sequence, returns to an earlier round or step, because a clock that was ahead had counted it
  /// too far.
  public static let rescheduled: EventType = "rescheduled"
  /// A sequence is paused because of a sleep, a stop or a reboot, as after_sleep says.
  public static let pausedAfterSleep: EventType = "paused_after_sleep"
  /// A step starts again because of a sleep, a stop or a reboot, as after_sleep says.
  public static let restartedAfterSleep: EventType = "restarted_after_sleep"
  /// It was cancelled.
  public static let cancelled: EventType = "cancelled"
  /// It had fired, and a client dismissed it.
  public static let dismissed: EventType = "dismissed"
  /// A client removed it. It may have been in any state.
  public static let removed: EventType = "removed"
  /// A change of it was undone with Undo.
  public static let undone: EventType = "undone"
  /// A client gave it another name: the last event under this name.
  public static let renamedTo: EventType = "renamed_to"
  /// The same change: the first event under the new name.
  public static let renamedFrom: EventType = "renamed_from"
  /// It had ended a day ago, and the daemon removed it.
  public static let expired: EventType = "expired"
  /// A background span begins.
  public static let didEnterBackground: EventType = "did_enter_background"
  /// The span has ended; the event has its length.
  public static let willEnterForeground: EventType = "will_enter_foreground"
  /// Timers expired in the span. This event lists them; an event for each timer follows.
  public static let cameDue: EventType = "came_due"
  /// The length of a span was corrected, because the clock was wrong after a reboot. Each such
  /// reboot has one event.
  public static let spanCorrected: EventType = "span_corrected"
  /// The wall clock was set.
  public static let clockStepped: EventType = "clock_stepped"
  /// The machine has another time zone, or its rules have changed.
  public static let zoneChanged: EventType = "zone_changed"
  /// A command is about to start.
  public static let actionStarted: EventType = "action_started"
  /// A command has ended, or was not started at all.
  public static let actionEnded: EventType = "action_ended"
}

/// Why the daemon was in the background. Causes of lateness, beside the causes of spans.
public struct Cause: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire. Every word is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The machine slept.
  public static let sleep: Cause = "sleep"
  /// The daemon was stopped by SIGTSTP.
  public static let stop: Cause = "stop"
  /// The daemon was not running.
  public static let down: Cause = "down"
  /// The machine was rebooted.
  public static let reboot: Cause = "reboot"
  /// Nothing ran, without any announcement.
  public static let freeze: Cause = "freeze"
  /// The session was locked or idle. It hides time only from timers on the clock present, and is a
  /// span of its own beside the others.
  public static let away: Cause = "away"
  /// The wall clock was set.
  public static let step: Cause = "step"
  /// The timer was paused.
  public static let paused: Cause = "paused"
  /// The daemon was busy.
  public static let busy: Cause = "busy"
  /// It was due before an undo took back the change that would have prevented its ring.
  public static let undone: Cause = "undone"
}

/// What happens to a timer that expired several times in the background.
public struct MissedPolicy: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire. Every word is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The last expiry rings, with the number of the others.
  public static let once: MissedPolicy = "once"
  /// Each expiry rings, but at most 1000 do. Older ones are one ring. If an alarm has more than
  /// 10000, all of them are one ring.
  public static let each: MissedPolicy = "each"
  /// No expiry rings.
  public static let skip: MissedPolicy = "skip"
}

/// What a sequence does after a background span that was at least as long as its shortest break.
/// The cause of the span does not matter.
public struct AfterSleep: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire. Every word is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It continues as its clock says.
  public static let `continue`: AfterSleep = "continue"
  /// It is paused with the time that remained at the start of the span.
  public static let pause: AfterSleep = "pause"
  /// Its step starts again. If the step was a break that has ended by then, the next step starts.
  public static let restart: AfterSleep = "restart"
}

/// How a command ended.
public struct ActionOutcome: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire. Every word is accepted.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It exited, with exit_status.
  public static let exited: ActionOutcome = "exited"
  /// A signal ended it.
  public static let signalled: ActionOutcome = "signalled"
  /// It ran longer than allowed, and the daemon ended it.
  public static let timedOut: ActionOutcome = "timed_out"
  /// It could not be started, for a reason.
  public static let notStarted: ActionOutcome = "not_started"
  /// It was started several times, and the daemon never saw its end.
  public static let givenUp: ActionOutcome = "given_up"
  /// Too many commands were waiting.
  public static let dropped: ActionOutcome = "dropped"
  /// It was still running when the daemon ended.
  public static let unseen: ActionOutcome = "unseen"
}

extension NightjarTimer {
  /// What a timer does.
  public enum Kind: RawRepresentable, Hashable, Sendable {
    /// Counts down a duration, once or again and again.
    case countdown
    /// Rings at a point in time, or at each time of a calendar expression.
    case alarm
    /// Counts up.
    case stopwatch
    /// Goes from step to step.
    case sequence
    /// A word that only a newer service has.
    case other(String)

    /// From the word on the wire. Every word is accepted.
    public init(rawValue: String) {
      switch rawValue {
      case "countdown": self = .countdown
      case "alarm": self = .alarm
      case "stopwatch": self = .stopwatch
      case "sequence": self = .sequence
      default: self = .other(rawValue)
      }
    }

    /// The word on the wire.
    public var rawValue: String {
      switch self {
      case .countdown: "countdown"
      case .alarm: "alarm"
      case .stopwatch: "stopwatch"
      case .sequence: "sequence"
      case .other(let word): word
      }
    }
  }
}

extension NightjarTimer {
  /// What a timer is doing.
  public enum State: RawRepresentable, Hashable, Sendable {
    /// Its time passes.
    case running
    /// Its time stands still, and its remaining time does not change.
    case paused
    /// It rang, and waits to be dismissed.
    case fired
    /// A client cancelled it before its deadline.
    case cancelled
    /// A step of a sequence has ended, and the next one starts with Advance.
    case waiting
    /// A word that only a newer service has.
    case other(String)

    /// From the word on the wire. Every word is accepted.
    public init(rawValue: String) {
      switch rawValue {
      case "running": self = .running
      case "paused": self = .paused
      case "fired": self = .fired
      case "cancelled": self = .cancelled
      case "waiting": self = .waiting
      default: self = .other(rawValue)
      }
    }

    /// The word on the wire.
    public var rawValue: String {
      switch self {
      case .running: "running"
      case .paused: "paused"
      case .fired: "fired"
      case .cancelled: "cancelled"
      case .waiting: "waiting"
      case .other(let word): word
      }
    }
  }
}

extension NightjarTimer {
  /// Which time it counts.
  public enum Clock: RawRepresentable, Hashable, Sendable {
    /// Real time, awake or not, whatever the wall clock says.
    case elapsed
    /// Time in which the machine is awake, without the time in which the daemon is stopped by a
    /// signal or frozen.
    case awake
    /// The calendar, which follows steps of the wall clock.
    case wall
    /// As awake, but only while the user is there: it stands still while the user's graphical
    /// session is locked or idle.
    case present
    /// A word that only a newer service has.
    case other(String)

    /// From the word on the wire. Every word is accepted.
    public init(rawValue: String) {
      switch rawValue {
      case "elapsed": self = .elapsed
      case "awake": self = .awake
      case "wall": self = .wall
      case "present": self = .present
      default: self = .other(rawValue)
      }
    }

    /// The word on the wire.
    public var rawValue: String {
      switch self {
      case .elapsed: "elapsed"
      case .awake: "awake"
      case .wall: "wall"
      case .present: "present"
      case .other(let word): word
      }
    }
  }
}
