/// A word of the interface. Those this library knows have a name of their own; one that only a newer
/// daemon has is kept as it came, and can be written as a literal.
public protocol InterfaceWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
where RawValue == String, StringLiteralType == String {
  /// From the word on the wire; any will do.
  init(rawValue: String)
}

extension InterfaceWord {
  /// From a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The word on the wire.
  public var description: String { rawValue }
}

/// What happened, as the ledger has it; the type of an `Event`.
public struct EventType: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A timer was started.
  public static let started: EventType = "started"
  /// A running timer was held.
  public static let paused: EventType = "paused"
  /// A paused timer goes on.
  public static let resumed: EventType = "resumed"
  /// A timer was given more time, or less.
  public static let extended: EventType = "extended"
  /// A timer's run began anew.
  public static let restarted: EventType = "restarted"
  /// A timer that rang will ring again.
  public static let snoozed: EventType = "snoozed"
  /// A timer has other labels, other data or other bands.
  public static let updated: EventType = "updated"
  /// A timer rang.
  public static let fired: EventType = "fired"
  /// A timer came due unseen, and its policy is not to ring.
  public static let skipped: EventType = "skipped"
  /// A sequence went on to its next step by itself.
  public static let stepped: EventType = "stepped"
  /// A step of a sequence is over, and the next waits.
  public static let stepEnded: EventType = "step_ended"
  /// A sequence was sent on to its next step.
  public static let advanced: EventType = "advanced"
  /// The ring of a timer that goes on was put away.
  public static let acknowledged: EventType = "acknowledged"
  /// A timer is in another band, or in none any more.
  public static let bandCrossed: EventType = "band_crossed"
  /// A stopwatch's reading was taken down.
  public static let lapped: EventType = "lapped"
  /// An alarm rings at another time: the wall clock was set back, or the zone changed.
  public static let rescheduled: EventType = "rescheduled"
  /// A sequence was held because time was hidden from it.
  public static let pausedAfterSleep: EventType = "paused_after_sleep"
  /// A sequence's step began anew because time was hidden from it.
  public static let restartedAfterSleep: EventType = "restarted_after_sleep"
  /// A timer was ended before its time.
  public static let cancelled: EventType = "cancelled"
  /// A timer that rang was put away.
  public static let dismissed: EventType = "dismissed"
  /// A timer was put away in whatever state.
  public static let removed: EventType = "removed"
  /// A timer that was over was put away by itself, when its retention ended.
  public static let expired: EventType = "expired"
  /// Time is hidden from the daemon from here on.
  public static let didEnterBackground: EventType = "did_enter_background"
  /// Time is seen again.
  public static let willEnterForeground: EventType = "will_enter_foreground"
  /// Several timers came due in one span; each follows by itself.
  public static let cameDue: EventType = "came_due"
  /// A span's length turned out to be another.
  public static let spanCorrected: EventType = "span_corrected"
  /// The wall clock was set.
  public static let clockStepped: EventType = "clock_stepped"
  /// The machine's time zone, or its rules, changed.
  public static let zoneChanged: EventType = "zone_changed"
  /// A command that an event called for is started.
  public static let actionStarted: EventType = "action_started"
  /// A command has ended, or will not be started.
  public static let actionEnded: EventType = "action_ended"

  /// Whether a timer of this name is not there any more, unless it was started anew since.
  public var isTheEnd: Bool { [.dismissed, .removed, .expired].contains(self) }
}

/// What hid time from the daemon, or made a timer late.
public struct Cause: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The machine slept.
  public static let sleep: Cause = "sleep"
  /// The daemon was stopped by SIGTSTP.
  public static let stop: Cause = "stop"
  /// The daemon was not there.
  public static let down: Cause = "down"
  /// The machine was booted again.
  public static let reboot: Cause = "reboot"
  /// Nobody said so, but nothing ran.
  public static let freeze: Cause = "freeze"
  /// The wall clock was set; a cause of lateness only.
  public static let step: Cause = "step"
  /// The timer was paused; a cause of lateness only.
  public static let paused: Cause = "paused"
  /// The daemon had other things to do; a cause of lateness only.
  public static let busy: Cause = "busy"
}

/// What becomes of what came due several times unseen.
public struct MissedPolicy: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It rings once, and counts the others.
  public static let once: MissedPolicy = "once"
  /// It rings for each.
  public static let each: MissedPolicy = "each"
  /// It does not ring.
  public static let skip: MissedPolicy = "skip"
}

/// What becomes of a sequence after a span in the background, of whatever cause, in which its shortest
/// break would have had room.
public struct AfterSleep: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It goes on as the clock says.
  public static let `continue`: AfterSleep = "continue"
  /// It is held with what remained when the span was entered.
  public static let pause: AfterSleep = "pause"
  /// Its step begins anew; after a break that is over by then, the next one.
  public static let restart: AfterSleep = "restart"
}

/// How a command ended.
public struct ActionOutcome: InterfaceWord {
  /// The word on the wire.
  public let rawValue: String

  /// From the word on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// By itself, with an exit status.
  public static let exited: ActionOutcome = "exited"
  /// By a signal.
  public static let signalled: ActionOutcome = "signalled"
  /// It took longer than it may, and was ended.
  public static let timedOut: ActionOutcome = "timed_out"
  /// It could not be started, for a reason.
  public static let notStarted: ActionOutcome = "not_started"
  /// It was started several times, and nobody saw its end.
  public static let givenUp: ActionOutcome = "given_up"
  /// More were waiting than may.
  public static let dropped: ActionOutcome = "dropped"
  /// It ran on when the daemon ended.
  public static let unseen: ActionOutcome = "unseen"
}
