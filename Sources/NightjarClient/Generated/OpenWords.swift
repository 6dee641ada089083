// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

/// What happens to a timer, and may call for a command. What happens to the machine. What becomes
/// of commands. These events call for no command, or there would be no end of them.
public struct EventType: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire; any word will do.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It was started, or anew over one of its name.
  public static let started: EventType = "started"
  /// It was paused.
  public static let paused: EventType = "paused"
  /// It goes on.
  public static let resumed: EventType = "resumed"
  /// It was given more time, or less.
  public static let extended: EventType = "extended"
  /// It begins anew.
  public static let restarted: EventType = "restarted"
  /// It rang, and is to ring again.
  public static let snoozed: EventType = "snoozed"
  /// Its labels, data, bands, command or sound are others.
  public static let updated: EventType = "updated"
  /// It rang.
  public static let fired: EventType = "fired"
  /// It expired in the background, and its policy is not to ring.
  public static let skipped: EventType = "skipped"
  /// A step of a sequence is over: it rang, and the next has begun.
  public static let stepped: EventType = "stepped"
  /// A step of a sequence is over: it rang, and waits for Advance.
  public static let stepEnded: EventType = "step_ended"
  /// It was told to go on with the next step.
  public static let advanced: EventType = "advanced"
  /// The ring of one that goes on was dismissed.
  public static let acknowledged: EventType = "acknowledged"
  /// It came into another band, or into none.
  public static let bandCrossed: EventType = "band_crossed"
  /// A lap was taken down.
  public static let lapped: EventType = "lapped"
  /// It rings at another time, since the clock or the zone was set; a countdown that repeats or a
  /// sequence goes back to an earlier round or step that a clock that was ahead had counted on
  /// from.
  public static let rescheduled: EventType = "rescheduled"
  /// A sequence is paused because of a sleep, a stop or a reboot, as after_sleep says.
  public static let pausedAfterSleep: EventType = "paused_after_sleep"
  /// A step begins anew because of a sleep, a stop or a reboot, as after_sleep says.
  public static let restartedAfterSleep: EventType = "restarted_after_sleep"
  /// It was cancelled.
  public static let cancelled: EventType = "cancelled"
  /// It was over, and somebody has dismissed it.
  public static let dismissed: EventType = "dismissed"
  /// Somebody has removed it, in whatever state it was.
  public static let removed: EventType = "removed"
  /// It was over for a day, and was removed by itself.
  public static let expired: EventType = "expired"
  /// A background span begins, in which time is hidden.
  public static let didEnterBackground: EventType = "did_enter_background"
  /// The span is over; the event says how long it was.
  public static let willEnterForeground: EventType = "will_enter_foreground"
  /// What expired in such a span, all in one; an event of each timer follows.
  public static let cameDue: EventType = "came_due"
  /// A span had another length: the clock was wrong after a reboot. One for each such reboot.
  public static let spanCorrected: EventType = "span_corrected"
  /// Somebody has set the wall clock.
  public static let clockStepped: EventType = "clock_stepped"
  /// The machine has another time zone, or its rules have changed.
  public static let zoneChanged: EventType = "zone_changed"
  /// A command is about to be started.
  public static let actionStarted: EventType = "action_started"
  /// A command has ended, or was not started at all.
  public static let actionEnded: EventType = "action_ended"
}

/// What hid time from the daemon. What makes a timer late beside the causes of spans.
public struct Cause: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire; any word will do.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The machine slept.
  public static let sleep: Cause = "sleep"
  /// The daemon was stopped by SIGTSTP.
  public static let stop: Cause = "stop"
  /// The daemon was not running.
  public static let down: Cause = "down"
  /// The machine was booted again.
  public static let reboot: Cause = "reboot"
  /// Nobody said so, but nothing ran.
  public static let freeze: Cause = "freeze"
  /// The wall clock was set.
  public static let step: Cause = "step"
  /// The timer was paused.
  public static let paused: Cause = "paused"
  /// The daemon had other things to do.
  public static let busy: Cause = "busy"
}

/// What becomes of a timer that expired several times in the background.
public struct MissedPolicy: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire; any word will do.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The last expiry rings, and counts the others.
  public static let once: MissedPolicy = "once"
  /// Each expiry rings. At most 1000 do: older ones are one ring then, and beyond 10000 points of
  /// an alarm all are.
  public static let each: MissedPolicy = "each"
  /// None rings.
  public static let skip: MissedPolicy = "skip"
}

/// What becomes of a sequence after a background span, of whatever cause, in which its shortest
/// break would have had room.
public struct AfterSleep: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire; any word will do.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It goes on as the clock says.
  public static let `continue`: AfterSleep = "continue"
  /// It is paused with what remained when the span was entered.
  public static let pause: AfterSleep = "pause"
  /// Its step begins anew. A break that is over by then is followed by the next step.
  public static let restart: AfterSleep = "restart"
}

/// How a command ended.
public struct ActionOutcome: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire; any word will do.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// By itself, with exit_status.
  public static let exited: ActionOutcome = "exited"
  /// By a signal.
  public static let signalled: ActionOutcome = "signalled"
  /// It took longer than it may, and was ended.
  public static let timedOut: ActionOutcome = "timed_out"
  /// It could not be started, for a reason.
  public static let notStarted: ActionOutcome = "not_started"
  /// It was started several times, and nobody saw its end.
  public static let givenUp: ActionOutcome = "given_up"
  /// Too many were waiting.
  public static let dropped: ActionOutcome = "dropped"
  /// It ran on when the daemon ended.
  public static let unseen: ActionOutcome = "unseen"
}

extension NightjarTimer {
  /// What a timer does.
  public enum Kind: RawRepresentable, Hashable, Sendable {
    /// Counts down a duration, once or again and again.
    case countdown
    /// Rings at a point in time, or whenever the calendar comes round.
    case alarm
    /// Counts up.
    case stopwatch
    /// Goes from step to step.
    case sequence
    /// A word that only a newer service has.
    case other(String)

    /// From the word on the wire; any word will do.
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
    /// It is held.
    case paused
    /// It rang, and waits to be dismissed.
    case fired
    /// It was ended before its time.
    case cancelled
    /// A step of a sequence is over, and the next begins with Advance.
    case waiting
    /// A word that only a newer service has.
    case other(String)

    /// From the word on the wire; any word will do.
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
  /// Which time counts.
  public enum Clock: RawRepresentable, Hashable, Sendable {
    /// Real time, awake or not, whatever the wall clock says.
    case elapsed
    /// Time in which the machine and the daemon were up.
    case awake
    /// The calendar, which follows steps of the wall clock.
    case wall
    /// A word that only a newer service has.
    case other(String)

    /// From the word on the wire; any word will do.
    public init(rawValue: String) {
      switch rawValue {
      case "elapsed": self = .elapsed
      case "awake": self = .awake
      case "wall": self = .wall
      default: self = .other(rawValue)
      }
    }

    /// The word on the wire.
    public var rawValue: String {
      switch self {
      case .elapsed: "elapsed"
      case .awake: "awake"
      case .wall: "wall"
      case .other(let word): word
      }
    }
  }
}
