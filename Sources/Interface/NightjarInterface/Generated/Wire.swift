// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Varlink

/// The types of `org.nightjar.Timers`.
public enum Wire {}

extension Wire {
  /// What a timer does.
  public enum Kind: WireWord {
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

    public static let allCases: [Kind] = [.countdown, .alarm, .stopwatch, .sequence]

    public init(rawValue: String) {
      switch rawValue {
      case "countdown": self = .countdown
      case "alarm": self = .alarm
      case "stopwatch": self = .stopwatch
      case "sequence": self = .sequence
      default: self = .other(rawValue)
      }
    }

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

extension Wire {
  /// What a timer is doing.
  public enum State: WireWord {
    /// Its time passes.
    case running
    /// Its time stands still, and its remaining time does not change.
    case paused
    /// It has expired for the last time.
    case over
    /// A client cancelled it before its deadline.
    case cancelled
    /// A step of a sequence has ended, and the next one starts with Advance.
    case waiting
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [State] = [.running, .paused, .over, .cancelled, .waiting]

    public init(rawValue: String) {
      switch rawValue {
      case "running": self = .running
      case "paused": self = .paused
      case "over": self = .over
      case "cancelled": self = .cancelled
      case "waiting": self = .waiting
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
      switch self {
      case .running: "running"
      case .paused: "paused"
      case .over: "over"
      case .cancelled: "cancelled"
      case .waiting: "waiting"
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// What an open ring does.
  public enum Ringing: WireWord {
    /// The time for which it sounds has not passed.
    case ringing
    /// A user moved it: it is silent, and rings again then.
    case snoozed
    /// Its sound has ended, and no user answered.
    case unanswered
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [Ringing] = [.ringing, .snoozed, .unanswered]

    public init(rawValue: String) {
      switch rawValue {
      case "ringing": self = .ringing
      case "snoozed": self = .snoozed
      case "unanswered": self = .unanswered
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
      switch self {
      case .ringing: "ringing"
      case .snoozed: "snoozed"
      case .unanswered: "unanswered"
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// What became of an expiry.
  public struct ExpiryOutcome: OpenWireWord {
    /// It rang.
    public static let rang: Self = "rang"
    /// The ring was snoozed, and it joined the ring in silence.
    public static let joined: Self = "joined"
    /// It did not ring, as the policies of the timer say.
    public static let didNotRing: Self = "did_not_ring"

    public static let allCases: [ExpiryOutcome] = [.rang, .joined, .didNotRing]

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// Which time it counts.
  public enum Clock: WireWord {
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

    public static let allCases: [Clock] = [.elapsed, .awake, .wall, .present]

    public init(rawValue: String) {
      switch rawValue {
      case "elapsed": self = .elapsed
      case "awake": self = .awake
      case "wall": self = .wall
      case "present": self = .present
      default: self = .other(rawValue)
      }
    }

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

extension Wire {
  /// What happens to a timer that expired in the background.
  public enum Late: WireWord {
    /// It rings, however late.
    case fire
    /// It does not ring; an event says so.
    case skip
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [Late] = [.fire, .skip]

    public init(rawValue: String) {
      switch rawValue {
      case "fire": self = .fire
      case "skip": self = .skip
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
      switch self {
      case .fire: "fire"
      case .skip: "skip"
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// What happens to a timer that expired several times in the background.
  public struct Missed: OpenWireWord {
    /// The last expiry rings, with the number of the others.
    public static let once: Self = "once"
    /// Each expiry rings, but at most 1000 do. Older ones are one ring. If an alarm has more than
    /// 10000, all of them are one ring.
    public static let each: Self = "each"
    /// No expiry rings.
    public static let skip: Self = "skip"

    public static let allCases: [Missed] = [.once, .each, .skip]

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// What a sequence does after a background span (after_sleep), or after an absence of the user
  /// (after_away), that was at least as long as its shortest break. The cause of the span does not
  /// matter. After an absence that was as long as a long break, the rounds up to the next long
  /// break are counted anew.
  public struct AfterSpan: OpenWireWord {
    /// It continues as its clock says.
    public static let `continue`: Self = "continue"
    /// It is paused with the time that remained at the start of the span.
    public static let pause: Self = "pause"
    /// Its step starts again. If the step was a break that has ended by then, the next step starts.
    public static let restart: Self = "restart"
    /// The span is the break: if it was as long as the break that follows, the step after that
    /// break starts. If the step was a break that has ended by then, the next step starts.
    public static let `break`: Self = "break"

    public static let allCases: [AfterSpan] = [.`continue`, .pause, .restart, .`break`]

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// Whether the machine of a session's member can be reached.
  public enum OwnerState: WireWord {
    /// It is connected to the broker.
    case online
    /// It announced that it goes to sleep.
    case asleep
    /// The broker lost the connection to it.
    case offline
    /// Its daemon does not answer.
    case noDaemon
    /// This machine has no connection to the broker.
    case unknown
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [OwnerState] = [.online, .asleep, .offline, .noDaemon, .unknown]

    public init(rawValue: String) {
      switch rawValue {
      case "online": self = .online
      case "asleep": self = .asleep
      case "offline": self = .offline
      case "no_daemon": self = .noDaemon
      case "unknown": self = .unknown
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
      switch self {
      case .online: "online"
      case .asleep: "asleep"
      case .offline: "offline"
      case .noDaemon: "no_daemon"
      case .unknown: "unknown"
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// The state of a ring on a machine other than the timer's own, which is away. Dismiss and Snooze
  /// answer the first two. The timer's machine learns of that when it is back.
  public enum RingHere: WireWord {
    /// This machine rings.
    case on
    /// It is due, but this machine does not ring: another one may.
    case due
    /// It was dismissed, but the timer's machine does not know it yet.
    case dismissed
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [RingHere] = [.on, .due, .dismissed]

    public init(rawValue: String) {
      switch rawValue {
      case "on": self = .on
      case "due": self = .due
      case "dismissed": self = .dismissed
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
      switch self {
      case .on: "on"
      case .due: "due"
      case .dismissed: "dismissed"
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// How a command ended.
  public struct Outcome: OpenWireWord {
    /// It exited, with exit_status.
    public static let exited: Self = "exited"
    /// A signal ended it.
    public static let signalled: Self = "signalled"
    /// It ran longer than allowed, and the daemon ended it.
    public static let timedOut: Self = "timed_out"
    /// It could not be started, for a reason.
    public static let notStarted: Self = "not_started"
    /// It was started several times, and the daemon never saw its end.
    public static let givenUp: Self = "given_up"
    /// Too many commands were waiting.
    public static let dropped: Self = "dropped"
    /// It was still running when the daemon ended.
    public static let unseen: Self = "unseen"

    public static let allCases: [Outcome] = [
      .exited, .signalled, .timedOut, .notStarted, .givenUp, .dropped, .unseen,
    ]

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// What a client can ask of a timer: the methods for it, in small letters.
  public enum Operation: WireWord {
    /// `pause`
    case pause
    /// `resume`
    case resume
    /// `cancel`
    case cancel
    /// `restart`
    case restart
    /// `extend`
    case extend
    /// `snooze`
    case snooze
    /// `dismiss`
    case dismiss
    /// `stop`
    case stop
    /// `remove`
    case remove
    /// `update`
    case update
    /// `advance`
    case advance
    /// `lap`
    case lap
    /// `skip`
    case skip
    /// `unskip`
    case unskip
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [Operation] = [
      .pause, .resume, .cancel, .restart, .extend, .snooze, .dismiss, .stop, .remove, .update,
      .advance, .lap, .skip, .unskip,
    ]

    public init(rawValue: String) {
      switch rawValue {
      case "pause": self = .pause
      case "resume": self = .resume
      case "cancel": self = .cancel
      case "restart": self = .restart
      case "extend": self = .extend
      case "snooze": self = .snooze
      case "dismiss": self = .dismiss
      case "stop": self = .stop
      case "remove": self = .remove
      case "update": self = .update
      case "advance": self = .advance
      case "lap": self = .lap
      case "skip": self = .skip
      case "unskip": self = .unskip
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
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
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// Why no timer can wake the machine.
  public struct WakeObstacle: OpenWireWord {
    /// The daemon does not have the capability CAP_WAKE_ALARM.
    public static let capability: Self = "capability"
    /// The machine has no clock that could wake it.
    public static let noClock: Self = "no_clock"
    /// The system refused it for another reason.
    public static let refused: Self = "refused"

    public static let allCases: [WakeObstacle] = [.capability, .noClock, .refused]

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// Why a ring is not seen, or not heard.
  public struct RingLack: OpenWireWord {
    /// The configuration turns it off: notify = false, or sound = false.
    public static let off: Self = "off"
    /// The daemon is still asking the session bus for a notification server.
    public static let asking: Self = "asking"
    /// There is no notification server, or nothing that plays sounds.
    public static let missing: Self = "missing"
    /// There is one, and it fails.
    public static let failing: Self = "failing"
    /// The user has paused the notification server (do not disturb).
    public static let paused: Self = "paused"

    public static let allCases: [RingLack] = [.off, .asking, .missing, .failing, .paused]

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// Why the daemon of another machine cannot be reached.
  public enum AwayState: WireWord {
    /// The machine announced that it goes to sleep.
    case asleep
    /// The machine is not connected to the broker, as the machine or the broker reported.
    case offline
    /// The machine did not answer in time.
    case silent
    /// The daemon of the machine does not answer its bridge.
    case noDaemon
    /// This machine is not connected to the broker.
    case noBroker
    /// The broker does not know the machine.
    case unknown
    /// A word that only a newer service has.
    case other(String)

    public static let allCases: [AwayState] = [
      .asleep, .offline, .silent, .noDaemon, .noBroker, .unknown,
    ]

    public init(rawValue: String) {
      switch rawValue {
      case "asleep": self = .asleep
      case "offline": self = .offline
      case "silent": self = .silent
      case "no_daemon": self = .noDaemon
      case "no_broker": self = .noBroker
      case "unknown": self = .unknown
      default: self = .other(rawValue)
      }
    }

    public var rawValue: String {
      switch self {
      case .asleep: "asleep"
      case .offline: "offline"
      case .silent: "silent"
      case .noDaemon: "no_daemon"
      case .noBroker: "no_broker"
      case .unknown: "unknown"
      case .other(let word): word
      }
    }
  }
}

extension Wire {
  /// A range of progress, from 0 to 1, exact to a millionth. from may be greater than to.
  public struct ProgressRange: WireStructure {
    public var from: Double
    public var to: Double

    /// The optional fields are absent.
    public init(from: Double, to: Double) {
      self.from = from
      self.to = to
    }

    public static var blank: Self { Self(from: .blank, to: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("from", &from)
      try reader.field("to", &to)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("from", from)
      writer.field("to", to)
    }
  }
}

extension Wire {
  /// A part of the remaining time: from remaining_usec down to the next band. color and text: for
  /// the client that shows the band. If a band has a progress, the timer's progress runs through
  /// that range in this band.
  public struct Band: WireStructure {
    public var name: String
    public var remainingUsec: Int64
    public var color: String?
    public var text: String?
    public var progress: Wire.ProgressRange?

    /// The optional fields are absent.
    public init(name: String, remainingUsec: Int64) {
      self.name = name
      self.remainingUsec = remainingUsec
    }

    public static var blank: Self { Self(name: .blank, remainingUsec: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("remaining_usec", &remainingUsec)
      try reader.field("color", &color)
      try reader.field("text", &text)
      try reader.field("progress", &progress)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("remaining_usec", remainingUsec)
      writer.field("color", color)
      writer.field("text", text)
      writer.field("progress", progress)
    }
  }
}

extension Wire {
  /// A step of a sequence. duration_usec: its length. waits: at its end the sequence waits for
  /// Advance. break: the step is a break; see AfterSpan. long_usec: its length in every
  /// long_every-th round.
  public struct Step: WireStructure {
    public var name: String
    public var durationUsec: Int64
    public var waits: Bool = .blank
    public var `break`: Bool = .blank
    public var longUsec: Int64?

    /// The optional fields are absent.
    public init(name: String, durationUsec: Int64) {
      self.name = name
      self.durationUsec = durationUsec
    }

    public static var blank: Self { Self(name: .blank, durationUsec: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("duration_usec", &durationUsec)
      try reader.blankable("waits", &waits)
      try reader.blankable("break", &`break`)
      try reader.field("long_usec", &longUsec)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("duration_usec", durationUsec)
      writer.blankable("waits", waits)
      writer.blankable("break", `break`)
      writer.field("long_usec", longUsec)
    }
  }
}

extension Wire {
  /// When an alarm rings: at the point in time at_usec, or at each time of a calendar expression in
  /// the format of systemd.time(7). The zone is a name of the time zone database, in the expression
  /// or in zone, or else the machine's own zone. rounds: how often it rings; without end if it is 0
  /// or absent. except: the days of that zone on which it does not ring, each a date such as
  /// 2026-12-24 or a range such as 2026-12-24..2027-01-01. until: the date of the last day on which
  /// it rings. except and until are for a calendar expression. An alarm is on the clock wall.
  public struct Alarm: WireStructure {
    public var atUsec: Int64?
    public var calendar: String?
    public var zone: String?
    public var rounds: Int64?
    public var except: [String]?
    public var until: String?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("at_usec", &atUsec)
      try reader.field("calendar", &calendar)
      try reader.field("zone", &zone)
      try reader.field("rounds", &rounds)
      try reader.field("except", &except)
      try reader.field("until", &until)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("at_usec", atUsec)
      writer.field("calendar", calendar)
      writer.field("zone", zone)
      writer.field("rounds", rounds)
      writer.field("except", except)
      writer.field("until", until)
    }
  }
}

extension Wire {
  /// What a timer does when it rings. exec: a command, which runs without a shell. on: the types of
  /// the events on which the command runs. Without on it runs on rang. environment: variables for
  /// the command, beside the NIGHTJAR_ ones. timeout_usec: how long the command may run; a minute
  /// unless given, at most a day. sound: the sound instead of the usual one: the path of a file, or
  /// one of the built-in sounds chime, marimba and pulse. silent: it makes no sound. ring_for_usec:
  /// how long it rings if no user answers; 0 is one sound. volume: from 1 to 100. rising_usec: how
  /// long the volume rises from quiet to volume. insist_usec: how long after a ring without an
  /// answer it rings again, at most 11 times; 0 is not at all. disturb: whether it makes its sound
  /// while the notification server is paused (do not disturb). What is not given is taken from the
  /// configuration.
  public struct Ring: WireStructure {
    public var exec: [String]?
    public var on: [Wire.EventType]?
    public var environment: WireMap<String>?
    public var timeoutUsec: Int64?
    public var sound: String?
    public var silent: Bool?
    public var ringForUsec: Int64?
    public var volume: Int64?
    public var risingUsec: Int64?
    public var insistUsec: Int64?
    public var disturb: Bool?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("exec", &exec)
      try reader.field("on", &on)
      try reader.field("environment", &environment)
      try reader.field("timeout_usec", &timeoutUsec)
      try reader.field("sound", &sound)
      try reader.field("silent", &silent)
      try reader.field("ring_for_usec", &ringForUsec)
      try reader.field("volume", &volume)
      try reader.field("rising_usec", &risingUsec)
      try reader.field("insist_usec", &insistUsec)
      try reader.field("disturb", &disturb)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("exec", exec)
      writer.field("on", on)
      writer.field("environment", environment)
      writer.field("timeout_usec", timeoutUsec)
      writer.field("sound", sound)
      writer.field("silent", silent)
      writer.field("ring_for_usec", ringForUsec)
      writer.field("volume", volume)
      writer.field("rising_usec", risingUsec)
      writer.field("insist_usec", insistUsec)
      writer.field("disturb", disturb)
    }
  }
}

extension Wire {
  /// A ring as clients see it. The values of the environment are left out.
  public struct RingState: WireStructure {
    /// The words of the command, with its program.
    public var exec: [String] = .blank
    /// The types of the events on which it runs; absent if it runs whenever the timer rings.
    public var on: [Wire.EventType] = .blank
    /// The names of the variables for the command.
    public var environment: [String] = .blank
    /// How long it may run; absent if that is a minute.
    public var timeoutUsec: Int64?
    /// The path of the file to play instead of the usual sound, or the name of a built-in sound.
    public var sound: String?
    /// It makes no sound.
    public var silent: Bool = .blank
    /// How long it rings if no user answers; 0 is one sound.
    public var ringForUsec: Int64?
    /// Its volume, from 1 to 100.
    public var volume: Int64?
    /// How long the volume rises from quiet to that.
    public var risingUsec: Int64?
    /// How long after a ring without an answer it rings again; 0 is not at all.
    public var insistUsec: Int64?
    /// Whether it makes its sound while the notification server is paused.
    public var disturb: Bool?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.blankable("exec", &exec)
      try reader.blankable("on", &on)
      try reader.blankable("environment", &environment)
      try reader.field("timeout_usec", &timeoutUsec)
      try reader.field("sound", &sound)
      try reader.blankable("silent", &silent)
      try reader.field("ring_for_usec", &ringForUsec)
      try reader.field("volume", &volume)
      try reader.field("rising_usec", &risingUsec)
      try reader.field("insist_usec", &insistUsec)
      try reader.field("disturb", &disturb)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.blankable("exec", exec)
      writer.blankable("on", on)
      writer.blankable("environment", environment)
      writer.field("timeout_usec", timeoutUsec)
      writer.field("sound", sound)
      writer.blankable("silent", silent)
      writer.field("ring_for_usec", ringForUsec)
      writer.field("volume", volume)
      writer.field("rising_usec", risingUsec)
      writer.field("insist_usec", insistUsec)
      writer.field("disturb", disturb)
    }
  }
}

extension Wire {
  /// rounds: how often all steps run; 1 unless given, without end if it is 0. long_every: in every
  /// long_every-th round the steps take their long_usec. after_sleep, after_away: continue unless
  /// given. A sequence with an after_away is on the clock present.
  public struct Sequence: WireStructure {
    public var steps: [Wire.Step]
    public var longEvery: Int64?
    public var rounds: Int64?
    public var afterSleep: Wire.AfterSpan?
    public var afterAway: Wire.AfterSpan?

    /// The optional fields are absent.
    public init(steps: [Wire.Step]) {
      self.steps = steps
    }

    public static var blank: Self { Self(steps: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("steps", &steps)
      try reader.field("long_every", &longEvery)
      try reader.field("rounds", &rounds)
      try reader.field("after_sleep", &afterSleep)
      try reader.field("after_away", &afterAway)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("steps", steps)
      writer.field("long_every", longEvery)
      writer.field("rounds", rounds)
      writer.field("after_sleep", afterSleep)
      writer.field("after_away", afterAway)
    }
  }
}

extension Wire {
  /// rounds: how often it rings; without end if it is 0 or absent.
  public struct Repeat: WireStructure {
    public var rounds: Int64?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("rounds", &rounds)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("rounds", rounds)
    }
  }
}

extension Wire {
  /// How far a timer that repeats has come.
  public struct Repetition: WireStructure {
    /// How often it has expired, skipped expiries included.
    public var rung: Int64
    /// The time from one expiry of a countdown to the next.
    public var periodUsec: Int64?
    /// How often it will expire; absent if without end.
    public var rounds: Int64?

    /// The optional fields are absent.
    public init(rung: Int64) {
      self.rung = rung
    }

    public static var blank: Self { Self(rung: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("rung", &rung)
      try reader.field("period_usec", &periodUsec)
      try reader.field("rounds", &rounds)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("rung", rung)
      writer.field("period_usec", periodUsec)
      writer.field("rounds", rounds)
    }
  }
}

extension Wire {
  /// How far a sequence has come. Numbers begin at 1.
  public struct StepState: WireStructure {
    /// The step's number, counted through all rounds.
    public var number: Int64
    /// The name of the step.
    public var name: String
    /// The step is a break.
    public var `break`: Bool
    /// At its end the sequence waits for Advance.
    public var waits: Bool
    /// Its number within the round.
    public var index: Int64
    /// How many steps a round has.
    public var steps: Int64
    /// The round.
    public var round: Int64
    /// How many rounds there are; absent if without end.
    public var rounds: Int64?
    /// The name of the next step; absent if there is none.
    public var nextName: String?
    /// The length of the next step.
    public var nextDurationUsec: Int64?

    /// The optional fields are absent.
    public init(
      number: Int64, name: String, break: Bool, waits: Bool, index: Int64, steps: Int64,
      round: Int64
    ) {
      self.number = number
      self.name = name
      self.break = `break`
      self.waits = waits
      self.index = index
      self.steps = steps
      self.round = round
    }

    public static var blank: Self {
      Self(
        number: .blank, name: .blank, break: .blank, waits: .blank, index: .blank, steps: .blank,
        round: .blank
      )
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("number", &number)
      try reader.field("name", &name)
      try reader.field("break", &`break`)
      try reader.field("waits", &waits)
      try reader.field("index", &index)
      try reader.field("steps", &steps)
      try reader.field("round", &round)
      try reader.field("rounds", &rounds)
      try reader.field("next_name", &nextName)
      try reader.field("next_duration_usec", &nextDurationUsec)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("number", number)
      writer.field("name", name)
      writer.field("break", `break`)
      writer.field("waits", waits)
      writer.field("index", index)
      writer.field("steps", steps)
      writer.field("round", round)
      writer.field("rounds", rounds)
      writer.field("next_name", nextName)
      writer.field("next_duration_usec", nextDurationUsec)
    }
  }
}

extension Wire {
  /// A command that failed.
  public struct CommandFailure: WireStructure {
    /// The command, cut to the length of a line.
    public var command: String
    /// The number of the event on which it ran.
    public var eventSeq: Int64
    /// When it ended.
    public var timeUsec: Int64
    /// How it ended, a word of Outcome.
    public var outcome: Wire.Outcome
    /// The exit status that it ended with.
    public var exitStatus: Int64?
    /// The signal that ended it.
    public var signal: Int64?
    /// Why it could not be started.
    public var reason: String?
    /// The last lines that it printed, at most 3; absent if it printed nothing. The log has all of
    /// them.
    public var lastLines: [String] = .blank

    /// The optional fields are absent.
    public init(command: String, eventSeq: Int64, timeUsec: Int64, outcome: Wire.Outcome) {
      self.command = command
      self.eventSeq = eventSeq
      self.timeUsec = timeUsec
      self.outcome = outcome
    }

    public static var blank: Self {
      Self(command: .blank, eventSeq: .blank, timeUsec: .blank, outcome: .blank)
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("command", &command)
      try reader.field("event_seq", &eventSeq)
      try reader.field("time_usec", &timeUsec)
      try reader.field("outcome", &outcome)
      try reader.field("exit_status", &exitStatus)
      try reader.field("signal", &signal)
      try reader.field("reason", &reason)
      try reader.blankable("last_lines", &lastLines)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("command", command)
      writer.field("event_seq", eventSeq)
      writer.field("time_usec", timeUsec)
      writer.field("outcome", outcome)
      writer.field("exit_status", exitStatus)
      writer.field("signal", signal)
      writer.field("reason", reason)
      writer.blankable("last_lines", lastLines)
    }
  }
}

extension Wire {
  /// A timer as it is now.
  public struct Timer: WireStructure {
    /// Each start gives a new one, also under the same name.
    public var id: Int64
    /// The number of its last event. A span_corrected can move its deadline without an event of the
    /// timer.
    public var seq: Int64
    /// Its name.
    public var name: String
    /// What it does, a word of Kind.
    public var kind: Wire.Kind
    /// Its state.
    public var state: Wire.State
    /// Its clock.
    public var clock: Wire.Clock
    /// The length of the present run, round or step, with all extensions.
    public var durationUsec: Int64
    /// The part of it that remains.
    public var remainingUsec: Int64
    /// The part of it that has passed. For a stopwatch, the measured time.
    public var elapsedUsec: Int64
    /// The time that the run counted in earlier rounds and steps; absent if there were none.
    public var countedBeforeUsec: Int64?
    /// The length of the run's pauses that are over, in real time; absent if there were none.
    public var pausedUsec: Int64?
    /// Since when it is paused; absent unless it is.
    public var pausedSinceUsec: Int64?
    /// The part of it that has passed, from 0 to 1. In a band with a progress, a value in that
    /// range.
    public var progress: Double
    /// When it will expire, on CLOCK_REALTIME; absent unless it runs.
    public var deadlineUsec: Int64?
    /// The same on CLOCK_BOOTTIME of this boot; absent unless it runs on the clock elapsed.
    public var deadlineBoottimeUsec: Int64?
    /// When it was started.
    public var startedUsec: Int64
    /// What its ring does; absent if no ring is open. The state is what its schedule does.
    public var ringing: Wire.Ringing?
    /// Its open ring; absent if none is open.
    public var openRing: Wire.OpenRing?
    /// Its last expiry that was not skipped; absent if there was none.
    public var lastExpiry: Wire.Expiry?
    /// Its newest expiry that did not ring, as its policies say; absent if there is none, or if it
    /// rang or was dismissed since.
    public var miss: Wire.Expiry?
    /// How many expiries did not ring since then.
    public var misses: Int64?
    /// The number of its next expiry. The numbers grow and never go back.
    public var nextExpiry: Int64
    /// It stands still: on the clock present while the user is away, and deadline_usec is when it
    /// would ring if the user came back now; from a bridge, on the clocks awake and present, while
    /// its machine is away. When this changes, Watch sends the event of a span with the cause away,
    /// and no reply for the timer.
    public var away: Bool = .blank
    /// The state of its ring on this machine, a word of RingHere. Only a bridge sends this, for a
    /// ring that the timer's machine has not reported. Watch sends the timer again when this
    /// changes.
    public var ringHere: Wire.RingHere?
    /// The machine that owns it, as PERSON/DEVICE. Only a bridge sends this, for a timer of a
    /// session.
    public var owner: String?
    /// Whether that machine can be reached, a word of OwnerState.
    public var ownerState: Wire.OwnerState?
    /// Since when, on CLOCK_REALTIME; absent if that is not known.
    public var ownerSinceUsec: Int64?
    /// It is due by a wall clock that the kernel does not report as synchronised. It waits for the
    /// kernel to do that, as long as [clock] wait in the configuration says; 1 minute unless set.
    public var waitsForClock: Bool = .blank
    /// The band it is in.
    public var band: Wire.Band?
    /// All its bands, the one with the most time remaining first.
    public var bands: [Wire.Band] = .blank
    /// What happens if it expires in the background; absent if that is fire.
    public var late: Wire.Late?
    /// It rings if it is at most this late, instead of late.
    public var fireWithinUsec: Int64?
    /// What happens if it expires in the background several times; absent if that is once.
    public var missed: Wire.Missed?
    /// How far it has come, if it repeats.
    public var `repeat`: Wire.Repetition?
    /// The calendar expression of an alarm that repeats.
    public var calendar: String?
    /// The zone of the calendar expression; absent if the expression names its zone, or if it is
    /// the zone of the machine.
    public var zone: String?
    /// The days on which such an alarm does not ring: dates, and ranges of dates.
    public var except: [String]?
    /// The date of the last day on which it rings.
    public var until: String?
    /// The coming expiries that it skips, because a client called Skip, on CLOCK_REALTIME.
    public var skippedUsec: [Int64] = .blank
    /// What a sequence does after a background span.
    public var afterSleep: Wire.AfterSpan?
    /// What it does after an absence of the user.
    public var afterAway: Wire.AfterSpan?
    /// How far a sequence has come.
    public var step: Wire.StepState?
    /// All steps of a sequence.
    public var steps: [Wire.Step] = .blank
    /// In every long_every-th round of a sequence, steps take their long time; absent if no step
    /// has one.
    public var longEvery: Int64?
    /// The time that a stopwatch showed at each lap, in microseconds.
    public var laps: [Int64]?
    /// Whether it can wake the machine; absent unless it is to.
    public var wake: Wire.Wake?
    /// Its command and its sound; absent if it has neither.
    public var ring: Wire.RingState?
    /// Its labels, in their order.
    public var labels: WireMap<String>
    /// Data that its owner stores with it.
    public var data: RawJSON
    /// The text that people see when it rings; absent if it has none.
    public var message: String?
    /// The last command that failed, of the timer itself or a hook for one of its events; absent if
    /// none failed since the timer was started, or since a client called Dismiss, Snooze or
    /// Restart.
    public var failure: Wire.CommandFailure?

    /// The optional fields are absent.
    public init(
      id: Int64, seq: Int64, name: String, kind: Wire.Kind, state: Wire.State, clock: Wire.Clock,
      durationUsec: Int64, remainingUsec: Int64, elapsedUsec: Int64, progress: Double,
      startedUsec: Int64, nextExpiry: Int64, labels: WireMap<String>, data: RawJSON
    ) {
      self.id = id
      self.seq = seq
      self.name = name
      self.kind = kind
      self.state = state
      self.clock = clock
      self.durationUsec = durationUsec
      self.remainingUsec = remainingUsec
      self.elapsedUsec = elapsedUsec
      self.progress = progress
      self.startedUsec = startedUsec
      self.nextExpiry = nextExpiry
      self.labels = labels
      self.data = data
    }

    public static var blank: Self {
      Self(
        id: .blank, seq: .blank, name: .blank, kind: .blank, state: .blank, clock: .blank,
        durationUsec: .blank, remainingUsec: .blank, elapsedUsec: .blank, progress: .blank,
        startedUsec: .blank, nextExpiry: .blank, labels: .blank, data: .blank
      )
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("id", &id)
      try reader.field("seq", &seq)
      try reader.field("name", &name)
      try reader.field("kind", &kind)
      try reader.field("state", &state)
      try reader.field("clock", &clock)
      try reader.field("duration_usec", &durationUsec)
      try reader.field("remaining_usec", &remainingUsec)
      try reader.field("elapsed_usec", &elapsedUsec)
      try reader.field("counted_before_usec", &countedBeforeUsec)
      try reader.field("paused_usec", &pausedUsec)
      try reader.field("paused_since_usec", &pausedSinceUsec)
      try reader.field("progress", &progress)
      try reader.field("deadline_usec", &deadlineUsec)
      try reader.field("deadline_boottime_usec", &deadlineBoottimeUsec)
      try reader.field("started_usec", &startedUsec)
      try reader.field("ringing", &ringing)
      try reader.field("open_ring", &openRing)
      try reader.field("last_expiry", &lastExpiry)
      try reader.field("miss", &miss)
      try reader.field("misses", &misses)
      try reader.field("next_expiry", &nextExpiry)
      try reader.blankable("away", &away)
      try reader.field("ring_here", &ringHere)
      try reader.field("owner", &owner)
      try reader.field("owner_state", &ownerState)
      try reader.field("owner_since_usec", &ownerSinceUsec)
      try reader.blankable("waits_for_clock", &waitsForClock)
      try reader.field("band", &band)
      try reader.blankable("bands", &bands)
      try reader.field("late", &late)
      try reader.field("fire_within_usec", &fireWithinUsec)
      try reader.field("missed", &missed)
      try reader.field("repeat", &`repeat`)
      try reader.field("calendar", &calendar)
      try reader.field("zone", &zone)
      try reader.field("except", &except)
      try reader.field("until", &until)
      try reader.blankable("skipped_usec", &skippedUsec)
      try reader.field("after_sleep", &afterSleep)
      try reader.field("after_away", &afterAway)
      try reader.field("step", &step)
      try reader.blankable("steps", &steps)
      try reader.field("long_every", &longEvery)
      try reader.field("laps", &laps)
      try reader.field("wake", &wake)
      try reader.field("ring", &ring)
      try reader.field("labels", &labels)
      try reader.field("data", &data)
      try reader.field("message", &message)
      try reader.field("failure", &failure)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("id", id)
      writer.field("seq", seq)
      writer.field("name", name)
      writer.field("kind", kind)
      writer.field("state", state)
      writer.field("clock", clock)
      writer.field("duration_usec", durationUsec)
      writer.field("remaining_usec", remainingUsec)
      writer.field("elapsed_usec", elapsedUsec)
      writer.field("counted_before_usec", countedBeforeUsec)
      writer.field("paused_usec", pausedUsec)
      writer.field("paused_since_usec", pausedSinceUsec)
      writer.field("progress", progress)
      writer.field("deadline_usec", deadlineUsec)
      writer.field("deadline_boottime_usec", deadlineBoottimeUsec)
      writer.field("started_usec", startedUsec)
      writer.field("ringing", ringing)
      writer.field("open_ring", openRing)
      writer.field("last_expiry", lastExpiry)
      writer.field("miss", miss)
      writer.field("misses", misses)
      writer.field("next_expiry", nextExpiry)
      writer.blankable("away", away)
      writer.field("ring_here", ringHere)
      writer.field("owner", owner)
      writer.field("owner_state", ownerState)
      writer.field("owner_since_usec", ownerSinceUsec)
      writer.blankable("waits_for_clock", waitsForClock)
      writer.field("band", band)
      writer.blankable("bands", bands)
      writer.field("late", late)
      writer.field("fire_within_usec", fireWithinUsec)
      writer.field("missed", missed)
      writer.field("repeat", `repeat`)
      writer.field("calendar", calendar)
      writer.field("zone", zone)
      writer.field("except", except)
      writer.field("until", until)
      writer.blankable("skipped_usec", skippedUsec)
      writer.field("after_sleep", afterSleep)
      writer.field("after_away", afterAway)
      writer.field("step", step)
      writer.blankable("steps", steps)
      writer.field("long_every", longEvery)
      writer.field("laps", laps)
      writer.field("wake", wake)
      writer.field("ring", ring)
      writer.field("labels", labels)
      writer.field("data", data)
      writer.field("message", message)
      writer.field("failure", failure)
    }
  }
}

extension Wire {
  /// A ring opens when the timer expires and rings, and is open until a user answers it. Later
  /// expiries join it: it is then the newest one's. The late values are those of its last sound.
  public struct OpenRing: WireStructure {
    /// The number of its newest expiry. An answer from elsewhere names it.
    public var expiry: Int64
    /// When that expiry was due, on CLOCK_REALTIME.
    public var dueUsec: Int64
    /// How many expiries it has.
    public var expiries: Int64
    /// When the first of them was due.
    public var firstDueUsec: Int64
    /// When it last began to sound: for an expiry, for the end of a snooze, or because no user
    /// answered.
    public var rangUsec: Int64
    /// How long ago that was.
    public var agoUsec: Int64
    /// How late it sounded.
    public var lateUsec: Int64
    /// Why, a word of SpanCause or LateCause; absent if it sounded on time, or if only a short
    /// delay made it late.
    public var lateCause: Wire.Cause?
    /// How early it sounded, because the clock was ahead; absent if it was not early, or if that is
    /// not known.
    public var earlyUsec: Int64?
    /// That it was due, or how late it was, depends on a wall clock that the kernel did not report
    /// as synchronised.
    public var estimated: Bool = .blank
    /// How long it has been quiet; absent if it sounds or is snoozed.
    public var quietUsec: Int64?
    /// How long it still sounds or is still snoozed, or in what time it rings again, because no
    /// user answered; absent if it only waits for an answer.
    public var leftUsec: Int64?
    /// The end of that time, on CLOCK_REALTIME as it is set now.
    public var untilUsec: Int64?
    /// How often it rang again since its last expiry or snooze; absent if it did not.
    public var insisted: Int64?
    /// Why the user could not see its last sound, a word of RingLack; absent if that was shown, or
    /// was not to be.
    public var unseen: Wire.RingLack?
    /// Why the user could not hear it, a word of RingLack; absent if it was played, or was not to
    /// be.
    public var unheard: Wire.RingLack?

    /// The optional fields are absent.
    public init(
      expiry: Int64, dueUsec: Int64, expiries: Int64, firstDueUsec: Int64, rangUsec: Int64,
      agoUsec: Int64, lateUsec: Int64
    ) {
      self.expiry = expiry
      self.dueUsec = dueUsec
      self.expiries = expiries
      self.firstDueUsec = firstDueUsec
      self.rangUsec = rangUsec
      self.agoUsec = agoUsec
      self.lateUsec = lateUsec
    }

    public static var blank: Self {
      Self(
        expiry: .blank, dueUsec: .blank, expiries: .blank, firstDueUsec: .blank, rangUsec: .blank,
        agoUsec: .blank, lateUsec: .blank
      )
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("expiry", &expiry)
      try reader.field("due_usec", &dueUsec)
      try reader.field("expiries", &expiries)
      try reader.field("first_due_usec", &firstDueUsec)
      try reader.field("rang_usec", &rangUsec)
      try reader.field("ago_usec", &agoUsec)
      try reader.field("late_usec", &lateUsec)
      try reader.field("late_cause", &lateCause)
      try reader.field("early_usec", &earlyUsec)
      try reader.blankable("estimated", &estimated)
      try reader.field("quiet_usec", &quietUsec)
      try reader.field("left_usec", &leftUsec)
      try reader.field("until_usec", &untilUsec)
      try reader.field("insisted", &insisted)
      try reader.field("unseen", &unseen)
      try reader.field("unheard", &unheard)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("expiry", expiry)
      writer.field("due_usec", dueUsec)
      writer.field("expiries", expiries)
      writer.field("first_due_usec", firstDueUsec)
      writer.field("rang_usec", rangUsec)
      writer.field("ago_usec", agoUsec)
      writer.field("late_usec", lateUsec)
      writer.field("late_cause", lateCause)
      writer.field("early_usec", earlyUsec)
      writer.blankable("estimated", estimated)
      writer.field("quiet_usec", quietUsec)
      writer.field("left_usec", leftUsec)
      writer.field("until_usec", untilUsec)
      writer.field("insisted", insisted)
      writer.field("unseen", unseen)
      writer.field("unheard", unheard)
    }
  }
}

extension Wire {
  /// One passing of a timer's deadline. All values are its own.
  public struct Expiry: WireStructure {
    /// Its number among the timer's expiries, from 1.
    public var number: Int64
    /// When it was due, on CLOCK_REALTIME.
    public var dueUsec: Int64
    /// How late it was handled.
    public var lateUsec: Int64
    /// Why, a word of SpanCause or LateCause; absent if it was on time, or if only a short delay
    /// made it late.
    public var lateCause: Wire.Cause?
    /// What became of it.
    public var outcome: Wire.ExpiryOutcome
    /// For how many earlier expiries it stands; absent if for none.
    public var missed: Int64?
    /// As in OpenRing.
    public var estimated: Bool = .blank

    /// The optional fields are absent.
    public init(number: Int64, dueUsec: Int64, lateUsec: Int64, outcome: Wire.ExpiryOutcome) {
      self.number = number
      self.dueUsec = dueUsec
      self.lateUsec = lateUsec
      self.outcome = outcome
    }

    public static var blank: Self {
      Self(number: .blank, dueUsec: .blank, lateUsec: .blank, outcome: .blank)
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("number", &number)
      try reader.field("due_usec", &dueUsec)
      try reader.field("late_usec", &lateUsec)
      try reader.field("late_cause", &lateCause)
      try reader.field("outcome", &outcome)
      try reader.field("missed", &missed)
      try reader.blankable("estimated", &estimated)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("number", number)
      writer.field("due_usec", dueUsec)
      writer.field("late_usec", lateUsec)
      writer.field("late_cause", lateCause)
      writer.field("outcome", outcome)
      writer.field("missed", missed)
      writer.blankable("estimated", estimated)
    }
  }
}

extension Wire {
  /// A background span. The daemon was in the background during this time.
  public struct Span: WireStructure {
    /// Its number.
    public var span: Int64
    /// Its causes, words of SpanCause; the first opened it.
    public var causes: [Wire.Cause]
    /// When it began.
    public var enteredUsec: Int64
    /// When it ended; absent while it is open.
    public var leftUsec: Int64?
    /// How long it was.
    public var elapsedUsec: Int64
    /// When it began or, after a reboot, how long it was, is not known exactly.
    public var estimated: Bool

    /// The optional fields are absent.
    public init(
      span: Int64, causes: [Wire.Cause], enteredUsec: Int64, elapsedUsec: Int64, estimated: Bool
    ) {
      self.span = span
      self.causes = causes
      self.enteredUsec = enteredUsec
      self.elapsedUsec = elapsedUsec
      self.estimated = estimated
    }

    public static var blank: Self {
      Self(
        span: .blank, causes: .blank, enteredUsec: .blank, elapsedUsec: .blank, estimated: .blank
      )
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("span", &span)
      try reader.field("causes", &causes)
      try reader.field("entered_usec", &enteredUsec)
      try reader.field("left_usec", &leftUsec)
      try reader.field("elapsed_usec", &elapsedUsec)
      try reader.field("estimated", &estimated)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("span", span)
      writer.field("causes", causes)
      writer.field("entered_usec", enteredUsec)
      writer.field("left_usec", leftUsec)
      writer.field("elapsed_usec", elapsedUsec)
      writer.field("estimated", estimated)
    }
  }
}

extension Wire {
  /// One entry of the ledger. rescheduled of an alarm has deadline_usec. rescheduled of a countdown
  /// or a sequence has duration_usec: the clock was ahead, so the timer had counted too far, and it
  /// returns to an earlier round or step. rung is then how often it has expired, or step_number and
  /// step_name are the step. After one synchronisation there may be several of span_corrected, one
  /// for each reboot since the kernel last reported the clock as synchronised.
  public struct Event: WireStructure {
    /// Its number; each event has the next one.
    public var seq: Int64
    /// When it happened. It can be earlier than the event before it, if the clock was set.
    public var timeUsec: Int64
    /// What happened, a word of TimerEvent, MachineEvent or ActionEvent.
    public var type: Wire.EventType
    /// The timer that it is about; absent if it is about the machine.
    public var name: String?
    /// The request id that the client gave to the change.
    public var request: String?
    /// The id of that timer.
    public var id: Int64?
    /// What kind of timer was started, a word of Kind.
    public var kind: Wire.Kind?
    /// The clock it was started on.
    public var clock: Wire.Clock?
    /// The number of the expiry that it is about: of joined, of the last of them; of other events
    /// of a ring, of the ring's newest.
    public var expiry: Int64?
    /// When that expiry, the end of the snooze, or the time to ring again was due.
    public var dueUsec: Int64?
    /// How late it was handled.
    public var lateUsec: Int64?
    /// Why, a word of SpanCause or LateCause.
    public var lateCause: Wire.Cause?
    /// How many expiries the ring has.
    public var expiries: Int64?
    /// When the first of them was due.
    public var firstDueUsec: Int64?
    /// It was the end of a snooze, and no expiry.
    public var snoozed: Bool = .blank
    /// The snooze of its ring, or the time to ring again, had passed before, so its ring is quiet.
    public var quietsRing: Bool = .blank
    /// The state of the timer after an expiry, or after Advance.
    public var state: Wire.State?
    /// The number of the ring that it ended, moved, or brought back.
    public var answered: Int64?
    /// The number of the expiry that did not ring, and that it dismissed.
    public var miss: Int64?
    /// The timer was over, so it is removed.
    public var removes: Bool = .blank
    /// Why the user could not see the ring, a word of RingLack; absent if it was shown, or was not
    /// to be.
    public var unseen: Wire.RingLack?
    /// Why the user could not hear it, a word of RingLack; absent if it was played, or was not to
    /// be.
    public var unheard: Wire.RingLack?
    /// Of band_crossed, the band that began; absent if the timer is in no band.
    public var band: Wire.Band?
    /// The remaining time.
    public var remainingUsec: Int64?
    /// The number of the span it expired in, or that caused the event.
    public var spanId: Int64?
    /// That it was due, or how late it was, depends on a wall clock that the kernel did not report
    /// as synchronised.
    public var estimated: Bool = .blank
    /// How many expiries there were beside the event's own. For an alarm, 9999 or more means that
    /// there may be more.
    public var missed: Int64?
    /// How often it has expired, if it repeats.
    public var rung: Int64?
    /// The number of the sequence's step after the event, counted through all rounds from 1.
    public var stepNumber: Int64?
    /// The name of that step.
    public var stepName: String?
    /// The number of the event on which the command runs.
    public var eventSeq: Int64?
    /// The command, cut to the length of a line.
    public var command: String?
    /// The number of this start of the command, from 1.
    public var attempt: Int64?
    /// How the command ended, a word of Outcome.
    public var outcome: Wire.Outcome?
    /// The exit status that it ended with.
    public var exitStatus: Int64?
    /// The signal that ended it.
    public var signal: Int64?
    /// Why the command could not be started, or why the ring was not noticed, as a sentence.
    public var reason: String?
    /// The timer's duration then, or how long a command ran. If a timer expires again, the planned
    /// time from this expiry to the next.
    public var durationUsec: Int64?
    /// How many bytes it printed.
    public var printedBytes: Int64?
    /// How many of those are not in the log.
    public var droppedBytes: Int64?
    /// The last lines that it printed, at most 3; absent unless it failed.
    public var lastLines: [String] = .blank
    /// It was started to wake the machine.
    public var wake: Bool = .blank
    /// How the started countdown repeats.
    public var `repeat`: Wire.Repeat?
    /// The alarm that was started. Of updated, when a repeating alarm rings now, if that or its
    /// bands were changed.
    public var alarm: Wire.Alarm?
    /// The sequence that was started.
    public var sequence: Wire.Sequence?
    /// Its command and its sound; absent if it has neither.
    public var ring: Wire.RingState?
    /// The labels it was given.
    public var labels: WireMap<String>?
    /// The data it was given.
    public var data: RawJSON?
    /// The bands it was given.
    public var bands: [Wire.Band]?
    /// The time that a stopwatch shows.
    public var elapsedUsec: Int64?
    /// When it rings now.
    public var deadlineUsec: Int64?
    /// By how much it was extended, shortened or snoozed. Of span_corrected, by how much the
    /// counter of elapsed was wrong over a reboot.
    public var byUsec: Int64?
    /// Of span_corrected, the event at the end of that reboot. Deadlines that were set after it
    /// move as well.
    public var sinceSeq: Int64?
    /// Of span_corrected, the event at the end of the last reboot that it is about; absent if that
    /// is since_seq. A timer that did not run between these two events is not corrected by by_usec.
    public var untilSeq: Int64?
    /// Of span_corrected, how early the earliest ring was; absent if none was early.
    public var earlyUsec: Int64?
    /// The span that began, ended or was corrected.
    public var span: Wire.Span?
    /// By how much the wall clock was set.
    public var offsetUsec: Int64?
    /// How many timers expired in a span, how many expiries joined the ring, or how many left it.
    public var count: Int64?
    /// The first 256 timers that expired in a span.
    public var names: [String]?
    /// The zone of the machine.
    public var zone: String?
    /// The time in which the run had counted until then, with all its rounds and steps; for a late
    /// expiry, until it was due. It goes with each event that ends a run, a round, a step, a
    /// stretch between pauses, or a pause. Of started and restarted, it is that of the run that
    /// they ended. 0 for an alarm.
    public var countedUsec: Int64?
    /// The time in which that run had been paused, in real time; absent if it was not paused.
    public var pausedUsec: Int64?
    /// The message it was given; absent if it has none.
    public var message: String?
    /// How often it has sounded for the same expiry.
    public var sounds: Int64?
    /// Of skipped and unskipped, the time of that expiry, on CLOCK_REALTIME; absent for a paused
    /// countdown.
    public var skippedUsec: Int64?
    /// Of undone, the number of the event that was undone.
    public var undoneSeq: Int64?
    /// Of undone, the type of the event that was undone, a word of TimerEvent.
    public var undoneType: Wire.EventType?
    /// Of renamed_to, the name that the timer has now.
    public var newName: String?
    /// Of renamed_from, the name that it had.
    public var oldName: String?

    /// The optional fields are absent.
    public init(seq: Int64, timeUsec: Int64, type: Wire.EventType) {
      self.seq = seq
      self.timeUsec = timeUsec
      self.type = type
    }

    public static var blank: Self { Self(seq: .blank, timeUsec: .blank, type: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("seq", &seq)
      try reader.field("time_usec", &timeUsec)
      try reader.field("type", &type)
      try reader.field("name", &name)
      try reader.field("request", &request)
      try reader.field("id", &id)
      try reader.field("kind", &kind)
      try reader.field("clock", &clock)
      try reader.field("expiry", &expiry)
      try reader.field("due_usec", &dueUsec)
      try reader.field("late_usec", &lateUsec)
      try reader.field("late_cause", &lateCause)
      try reader.field("expiries", &expiries)
      try reader.field("first_due_usec", &firstDueUsec)
      try reader.blankable("snoozed", &snoozed)
      try reader.blankable("quiets_ring", &quietsRing)
      try reader.field("state", &state)
      try reader.field("answered", &answered)
      try reader.field("miss", &miss)
      try reader.blankable("removes", &removes)
      try reader.field("unseen", &unseen)
      try reader.field("unheard", &unheard)
      try reader.field("band", &band)
      try reader.field("remaining_usec", &remainingUsec)
      try reader.field("span_id", &spanId)
      try reader.blankable("estimated", &estimated)
      try reader.field("missed", &missed)
      try reader.field("rung", &rung)
      try reader.field("step_number", &stepNumber)
      try reader.field("step_name", &stepName)
      try reader.field("event_seq", &eventSeq)
      try reader.field("command", &command)
      try reader.field("attempt", &attempt)
      try reader.field("outcome", &outcome)
      try reader.field("exit_status", &exitStatus)
      try reader.field("signal", &signal)
      try reader.field("reason", &reason)
      try reader.field("duration_usec", &durationUsec)
      try reader.field("printed_bytes", &printedBytes)
      try reader.field("dropped_bytes", &droppedBytes)
      try reader.blankable("last_lines", &lastLines)
      try reader.blankable("wake", &wake)
      try reader.field("repeat", &`repeat`)
      try reader.field("alarm", &alarm)
      try reader.field("sequence", &sequence)
      try reader.field("ring", &ring)
      try reader.field("labels", &labels)
      try reader.field("data", &data)
      try reader.field("bands", &bands)
      try reader.field("elapsed_usec", &elapsedUsec)
      try reader.field("deadline_usec", &deadlineUsec)
      try reader.field("by_usec", &byUsec)
      try reader.field("since_seq", &sinceSeq)
      try reader.field("until_seq", &untilSeq)
      try reader.field("early_usec", &earlyUsec)
      try reader.field("span", &span)
      try reader.field("offset_usec", &offsetUsec)
      try reader.field("count", &count)
      try reader.field("names", &names)
      try reader.field("zone", &zone)
      try reader.field("counted_usec", &countedUsec)
      try reader.field("paused_usec", &pausedUsec)
      try reader.field("message", &message)
      try reader.field("sounds", &sounds)
      try reader.field("skipped_usec", &skippedUsec)
      try reader.field("undone_seq", &undoneSeq)
      try reader.field("undone_type", &undoneType)
      try reader.field("new_name", &newName)
      try reader.field("old_name", &oldName)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("seq", seq)
      writer.field("time_usec", timeUsec)
      writer.field("type", type)
      writer.field("name", name)
      writer.field("request", request)
      writer.field("id", id)
      writer.field("kind", kind)
      writer.field("clock", clock)
      writer.field("expiry", expiry)
      writer.field("due_usec", dueUsec)
      writer.field("late_usec", lateUsec)
      writer.field("late_cause", lateCause)
      writer.field("expiries", expiries)
      writer.field("first_due_usec", firstDueUsec)
      writer.blankable("snoozed", snoozed)
      writer.blankable("quiets_ring", quietsRing)
      writer.field("state", state)
      writer.field("answered", answered)
      writer.field("miss", miss)
      writer.blankable("removes", removes)
      writer.field("unseen", unseen)
      writer.field("unheard", unheard)
      writer.field("band", band)
      writer.field("remaining_usec", remainingUsec)
      writer.field("span_id", spanId)
      writer.blankable("estimated", estimated)
      writer.field("missed", missed)
      writer.field("rung", rung)
      writer.field("step_number", stepNumber)
      writer.field("step_name", stepName)
      writer.field("event_seq", eventSeq)
      writer.field("command", command)
      writer.field("attempt", attempt)
      writer.field("outcome", outcome)
      writer.field("exit_status", exitStatus)
      writer.field("signal", signal)
      writer.field("reason", reason)
      writer.field("duration_usec", durationUsec)
      writer.field("printed_bytes", printedBytes)
      writer.field("dropped_bytes", droppedBytes)
      writer.blankable("last_lines", lastLines)
      writer.blankable("wake", wake)
      writer.field("repeat", `repeat`)
      writer.field("alarm", alarm)
      writer.field("sequence", sequence)
      writer.field("ring", ring)
      writer.field("labels", labels)
      writer.field("data", data)
      writer.field("bands", bands)
      writer.field("elapsed_usec", elapsedUsec)
      writer.field("deadline_usec", deadlineUsec)
      writer.field("by_usec", byUsec)
      writer.field("since_seq", sinceSeq)
      writer.field("until_seq", untilSeq)
      writer.field("early_usec", earlyUsec)
      writer.field("span", span)
      writer.field("offset_usec", offsetUsec)
      writer.field("count", count)
      writer.field("names", names)
      writer.field("zone", zone)
      writer.field("counted_usec", countedUsec)
      writer.field("paused_usec", pausedUsec)
      writer.field("message", message)
      writer.field("sounds", sounds)
      writer.field("skipped_usec", skippedUsec)
      writer.field("undone_seq", undoneSeq)
      writer.field("undone_type", undoneType)
      writer.field("new_name", newName)
      writer.field("old_name", oldName)
    }
  }
}

extension Wire {
  /// Starts a timer. Give it one of duration_usec, alarm, stopwatch and sequence; with
  /// duration_usec it is a countdown. With repeat a countdown rings again and again; its Nth ring
  /// is due N times the duration after the start, and a late ring does not move the next one.
  /// Without a name the daemon gives it a short one. If a timer of that name is active, the call is
  /// refused with TimerExists, unless replace is true (the new timer replaces it) or if_absent is
  /// true (it stays, and the reply has it). created is true if the daemon started a timer, and
  /// false if it left one in place. By default clock is elapsed, or present for a sequence with an
  /// after_away, and late and missed come from the daemon's configuration, or are fire and once.
  /// fire_within_usec, instead of late: the timer rings if it is at most this late. bands: the one
  /// with the most time remaining first. labels and data are for the timer's owner, and clients see
  /// them. wake: the timer wakes the machine. It cannot do that on the clocks awake and present. If
  /// the machine cannot be woken, the daemon starts the timer all the same, and wake of the timer
  /// says why. message: the text that people see when it rings, on one line. All methods that
  /// change timers have three parameters in common. undo_id: a person asks for the change; see
  /// Undo. if_seq: the daemon makes the change only if this is the number of the timer's last
  /// event, its seq; else it refuses the call with TimerChanged. Start compares it with the timer
  /// that has the name; 0 stands for no timer. request: an id of 1 to 64 bytes, another one for
  /// each change. The daemon makes the change once, however often the call is sent, even if the
  /// daemon or the machine crashes. It replies to a call with a known id as it replied to the first
  /// one, even if it refused that. It stores an id for a day, at most the last 10000 ids, and
  /// refuses an id that came with another method. The events of the change show the id.
  public struct Start: WireMethod {
    public var name: String?
    public var durationUsec: Int64?
    public var `repeat`: Wire.Repeat?
    public var alarm: Wire.Alarm?
    public var stopwatch: Bool = .blank
    public var sequence: Wire.Sequence?
    public var bands: [Wire.Band] = .blank
    public var late: Wire.Late?
    public var fireWithinUsec: Int64?
    public var missed: Wire.Missed?
    public var clock: Wire.Clock?
    public var replace: Bool = .blank
    public var ifAbsent: Bool = .blank
    public var labels: WireMap<String> = .blank
    public var data: RawJSON?
    public var wake: Bool = .blank
    public var ring: Wire.Ring?
    public var message: String?
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("duration_usec", &durationUsec)
      try reader.field("repeat", &`repeat`)
      try reader.field("alarm", &alarm)
      try reader.blankable("stopwatch", &stopwatch)
      try reader.field("sequence", &sequence)
      try reader.blankable("bands", &bands)
      try reader.field("late", &late)
      try reader.field("fire_within_usec", &fireWithinUsec)
      try reader.field("missed", &missed)
      try reader.field("clock", &clock)
      try reader.blankable("replace", &replace)
      try reader.blankable("if_absent", &ifAbsent)
      try reader.blankable("labels", &labels)
      try reader.field("data", &data)
      try reader.blankable("wake", &wake)
      try reader.field("ring", &ring)
      try reader.field("message", &message)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("duration_usec", durationUsec)
      writer.field("repeat", `repeat`)
      writer.field("alarm", alarm)
      writer.blankable("stopwatch", stopwatch)
      writer.field("sequence", sequence)
      writer.blankable("bands", bands)
      writer.field("late", late)
      writer.field("fire_within_usec", fireWithinUsec)
      writer.field("missed", missed)
      writer.field("clock", clock)
      writer.blankable("replace", replace)
      writer.blankable("if_absent", ifAbsent)
      writer.blankable("labels", labels)
      writer.field("data", data)
      writer.blankable("wake", wake)
      writer.field("ring", ring)
      writer.field("message", message)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Start"

    /// The reply of Start.
    public struct Reply: WireStructure {
      public var timer: Wire.Timer
      public var created: Bool

      /// The optional fields are absent.
      public init(timer: Wire.Timer, created: Bool) {
        self.timer = timer
        self.created = created
      }

      public static var blank: Self { Self(timer: .blank, created: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("timer", &timer)
        try reader.field("created", &created)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("timer", timer)
        writer.field("created", created)
      }
    }
  }
}

extension Wire {
  /// One timer, as it is now.
  public struct Get: WireMethod {
    public var name: String

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
    }

    public static let method: StaticString = "org.nightjar.Timers.Get"

    /// The reply of Get.
    public struct Reply: WireStructure {
      public var timer: Wire.Timer

      /// The optional fields are absent.
      public init(timer: Wire.Timer) {
        self.timer = timer
      }

      public static var blank: Self { Self(timer: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("timer", &timer)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("timer", timer)
      }
    }
  }
}

extension Wire {
  /// A page of timers, in no particular order. For the next page call again with after = next,
  /// until a reply has no next; a page may be short or empty although it has a next. Called with
  /// more, it sends one reply for each timer, and a last one with none. prefix matches whole
  /// segments: run matches run and run/4711, not runner. states and ringing: only timers in one of
  /// these states, or with one of these rings. limit: how many timers a page has, at most 1000.
  public struct List: WireMethod {
    public var prefix: String?
    public var states: [Wire.State]?
    public var ringing: [Wire.Ringing]?
    public var after: Int64?
    public var limit: Int64?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("prefix", &prefix)
      try reader.field("states", &states)
      try reader.field("ringing", &ringing)
      try reader.field("after", &after)
      try reader.field("limit", &limit)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("prefix", prefix)
      writer.field("states", states)
      writer.field("ringing", ringing)
      writer.field("after", after)
      writer.field("limit", limit)
    }

    public static let method: StaticString = "org.nightjar.Timers.List"

    /// The reply of List.
    public struct Reply: WireStructure {
      public var timers: [Wire.Timer]
      public var next: Int64?

      /// The optional fields are absent.
      public init(timers: [Wire.Timer]) {
        self.timers = timers
      }

      public static var blank: Self { Self(timers: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("timers", &timers)
        try reader.field("next", &next)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("timers", timers)
        writer.field("next", next)
      }
    }
  }
}

extension Wire {
  /// Pauses a timer. Its remaining time stays. An alarm is muted.
  public struct Pause: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Pause"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Continues a paused timer.
  public struct Resume: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Resume"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Ends a timer before its deadline, and its ring. It can be seen and restarted until it is
  /// removed. If it is over and its ring is open, it is removed.
  public struct Cancel: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Cancel"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Starts a timer again from the beginning, as it was started.
  public struct Restart: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Restart"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Adds by_usec to the remaining time. by_usec may be negative; a timer with no time remaining
  /// expires.
  public struct Extend: WireMethod {
    public var name: String
    public var byUsec: Int64
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String, byUsec: Int64) {
      self.name = name
      self.byUsec = byUsec
    }

    public static var blank: Self { Self(name: .blank, byUsec: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("by_usec", &byUsec)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("by_usec", byUsec)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Extend"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Snoozes an open ring: it rings again by_usec from now. A new snooze replaces an earlier one.
  /// The timer's schedule continues meanwhile. Dismiss, Snooze and Stop take expiry, for an answer
  /// that was given elsewhere: the number of the newest expiry that the user saw. The call does
  /// nothing if that ring is over, or if a newer expiry has joined it. ago_usec: how long ago the
  /// user asked for the snooze.
  public struct Snooze: WireMethod {
    public var name: String
    public var byUsec: Int64
    public var expiry: Int64?
    public var agoUsec: Int64?
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String, byUsec: Int64) {
      self.name = name
      self.byUsec = byUsec
    }

    public static var blank: Self { Self(name: .blank, byUsec: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("by_usec", &byUsec)
      try reader.field("expiry", &expiry)
      try reader.field("ago_usec", &agoUsec)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("by_usec", byUsec)
      writer.field("expiry", expiry)
      writer.field("ago_usec", agoUsec)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Snooze"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Dismisses a ring, an expiry that did not ring, and the failure of a command. A timer that is
  /// over is removed, and the reply has its last state; a timer that continues stays. expiry: as in
  /// Snooze.
  public struct Dismiss: WireMethod {
    public var name: String
    public var expiry: Int64?
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("expiry", &expiry)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("expiry", expiry)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Dismiss"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Stops what is there: an open ring, as Dismiss does, or else the timer, as Cancel does. expiry:
  /// as in Snooze.
  public struct Stop: WireMethod {
    public var name: String
    public var expiry: Int64?
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("expiry", &expiry)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("expiry", expiry)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Stop"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Removes a timer in any state. The reply has its last state.
  public struct Remove: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Remove"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Begins the next step of a sequence, even if the present one is not over. In its last step the
  /// sequence ends.
  public struct Advance: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Advance"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Records the time that a stopwatch shows.
  public struct Lap: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Lap"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Skips the next expiry of a repeating timer. The timer does not ring then, and continues with
  /// the expiry after it. A skipped expiry counts as a round. Each further call skips one more
  /// expiry, at most 64 in all.
  public struct Skip: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Skip"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Takes back the last Skip whose expiry is still to come.
  public struct Unskip: WireMethod {
    public var name: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Unskip"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Changes a timer. labels, data and bands replace the old ones; what is not given stays. The
  /// same holds for the parts of a ring: exec is a new command, and nothing of the old command
  /// stays. Without exec, on and timeout_usec are for the present command, and environment adds to
  /// its variables. sound replaces silent, and silent replaces a sound. ring_for_usec, volume,
  /// rising_usec, insist_usec and disturb each stay unless they are given. If only the command or
  /// only the sound is given, the other stays. A ring with nothing in it removes both. ring_without
  /// removes parts of the ring, by their names in Ring, before ring is applied: exec also removes
  /// on, environment and timeout_usec, and environment removes all variables. message replaces the
  /// old one, and an empty one removes it. except and until are as in Alarm, and replace the old
  /// ones; an empty array and an empty text remove them. calendar is the new calendar expression of
  /// a repeating alarm, as in Alarm; its zone stays.
  public struct Update: WireMethod {
    public var name: String
    public var labels: WireMap<String>?
    public var data: RawJSON?
    public var bands: [Wire.Band]?
    public var ring: Wire.Ring?
    public var ringWithout: [String] = .blank
    public var message: String?
    public var except: [String]?
    public var until: String?
    public var calendar: String?
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("labels", &labels)
      try reader.field("data", &data)
      try reader.field("bands", &bands)
      try reader.field("ring", &ring)
      try reader.blankable("ring_without", &ringWithout)
      try reader.field("message", &message)
      try reader.field("except", &except)
      try reader.field("until", &until)
      try reader.field("calendar", &calendar)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("labels", labels)
      writer.field("data", data)
      writer.field("bands", bands)
      writer.field("ring", ring)
      writer.blankable("ring_without", ringWithout)
      writer.field("message", message)
      writer.field("except", except)
      writer.field("until", until)
      writer.field("calendar", calendar)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Update"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Renames a timer. It stays the same timer, with the same id and the same deadline. The ledger
  /// has two events: renamed_to, the last under the old name, and renamed_from, the first under the
  /// new one. new_name: the new name, as in Start. If another timer has that name, in any state,
  /// the call is refused with TimerExists.
  public struct Rename: WireMethod {
    public var name: String
    public var newName: String
    public var undoId: String?
    public var ifSeq: Int64?
    public var request: String?

    /// The optional fields are absent.
    public init(name: String, newName: String) {
      self.name = name
      self.newName = newName
    }

    public static var blank: Self { Self(name: .blank, newName: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("new_name", &newName)
      try reader.field("undo_id", &undoId)
      try reader.field("if_seq", &ifSeq)
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("new_name", newName)
      writer.field("undo_id", undoId)
      writer.field("if_seq", ifSeq)
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Rename"
    public typealias Reply = Wire.Get.Reply
  }
}

extension Wire {
  /// Undoes the newest change of a person, or refuses if it cannot be undone. The timers become as
  /// they would be without the change. If a deadline has passed since, the late policy applies. A
  /// change is one of a person if its call had an undo_id of 1 to 64 bytes. All changes with the
  /// same undo_id are undone together, at most 10000 timers. Only changes of the last minute on the
  /// clock elapsed can be undone, and none from before the daemon was started. A timer stays as it
  /// is if something else happened to it since: it rang, another client changed it, or another
  /// timer has its name. So does a timer on the clock wall if the clock or the zone was set since,
  /// and a sequence with an after_sleep if a background span ended since. A restored ring makes no
  /// sound, unless insist_usec lets it ring again. A command does not run again. The start of a
  /// timer is not undone, because an undo cannot be undone. The first Undo refuses it, and the next
  /// Undo undoes the change before it. There is one exception. If the start replaced a timer that
  /// was running, paused or waiting, that timer returns.
  public struct Undo: WireMethod {
    public var request: String?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("request", &request)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("request", request)
    }

    public static let method: StaticString = "org.nightjar.Timers.Undo"

    /// The reply of Undo.
    public struct Reply: WireStructure {
      /// The type of the event that was undone, a word of TimerEvent.
      public var type: Wire.EventType
      /// How long ago the change was made.
      public var agoUsec: Int64
      /// The timers as they are now, at most the first 256.
      public var timers: [Wire.Timer]
      /// How many timers were restored.
      public var count: Int64
      /// How many timers of the change stay as they are, because something else happened to them
      /// since.
      public var kept: Int64
      /// Their names, at most the first 256.
      public var keptNames: [String]

      /// The optional fields are absent.
      public init(
        type: Wire.EventType, agoUsec: Int64, timers: [Wire.Timer], count: Int64, kept: Int64,
        keptNames: [String]
      ) {
        self.type = type
        self.agoUsec = agoUsec
        self.timers = timers
        self.count = count
        self.kept = kept
        self.keptNames = keptNames
      }

      public static var blank: Self {
        Self(
          type: .blank, agoUsec: .blank, timers: .blank, count: .blank, kept: .blank,
          keptNames: .blank
        )
      }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("type", &type)
        try reader.field("ago_usec", &agoUsec)
        try reader.field("timers", &timers)
        try reader.field("count", &count)
        try reader.field("kept", &kept)
        try reader.field("kept_names", &keptNames)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("type", type)
        writer.field("ago_usec", agoUsec)
        writer.field("timers", timers)
        writer.field("count", count)
        writer.field("kept", kept)
        writer.field("kept_names", keptNames)
      }
    }
  }
}

extension Wire {
  /// Needs more. name or prefix: only these timers, as in Get and List. First the daemon sends a
  /// reply for each timer, as it is now. Then it sends a reply with synced: all timers have been
  /// sent, and seq is the number of the last event that they include. Then it sends a reply for
  /// each change, with its event. If tick_usec (10000 or more) is given, it also sends a reply for
  /// each running timer every tick_usec. missed_after: this client read too slowly, and this reply
  /// stands for the timer's events after that number. If the reply has a name, the timer of that
  /// name was removed. If the reply has synced, the daemon has sent all timers again. If the reply
  /// has none of timer, name and synced, the missed events are about the machine. after: the number
  /// of the last event of an earlier watch. The daemon sends the changes after it instead of all
  /// timers. ledger: the name of the ledger that numbers these events; the reply with synced has
  /// it. If a call gives ledger and after, and the daemon has begun another ledger since, the call
  /// is refused with LedgerChanged.
  public struct Watch: WireMethod {
    public var name: String?
    public var prefix: String?
    public var tickUsec: Int64?
    public var after: Int64?
    public var ledger: String?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
      try reader.field("prefix", &prefix)
      try reader.field("tick_usec", &tickUsec)
      try reader.field("after", &after)
      try reader.field("ledger", &ledger)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
      writer.field("prefix", prefix)
      writer.field("tick_usec", tickUsec)
      writer.field("after", after)
      writer.field("ledger", ledger)
    }

    public static let method: StaticString = "org.nightjar.Timers.Watch"

    /// The reply of Watch.
    public struct Reply: WireStructure {
      public var timer: Wire.Timer?
      public var event: Wire.Event?
      public var synced: Bool = .blank
      public var seq: Int64?
      public var missedAfter: Int64?
      public var name: String?
      public var ledger: String?

      /// All fields are absent.
      public init() {}

      public static var blank: Self { Self() }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("timer", &timer)
        try reader.field("event", &event)
        try reader.blankable("synced", &synced)
        try reader.field("seq", &seq)
        try reader.field("missed_after", &missedAfter)
        try reader.field("name", &name)
        try reader.field("ledger", &ledger)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("timer", timer)
        writer.field("event", event)
        writer.blankable("synced", synced)
        writer.field("seq", seq)
        writer.field("missed_after", missedAfter)
        writer.field("name", name)
        writer.field("ledger", ledger)
      }
    }
  }
}

extension Wire {
  /// Needs more. Sends the entries of the ledger after the number after, and then each new entry;
  /// without after only new entries. prefix leaves out other timers' entries, not those about the
  /// machine. ledger: the name of the ledger that numbers these events; the first reply has it. If
  /// a call gives ledger and after, and the daemon has begun another ledger since, the call is
  /// refused with LedgerChanged.
  public struct Events: WireMethod {
    public var after: Int64?
    public var prefix: String?
    public var ledger: String?

    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("after", &after)
      try reader.field("prefix", &prefix)
      try reader.field("ledger", &ledger)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("after", after)
      writer.field("prefix", prefix)
      writer.field("ledger", ledger)
    }

    public static let method: StaticString = "org.nightjar.Timers.Events"

    /// The reply of Events.
    public struct Reply: WireStructure {
      public var event: Wire.Event
      public var ledger: String?

      /// The optional fields are absent.
      public init(event: Wire.Event) {
        self.event = event
      }

      public static var blank: Self { Self(event: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("event", &event)
        try reader.field("ledger", &ledger)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("event", event)
        writer.field("ledger", ledger)
      }
    }
  }
}

extension Wire {
  /// All clocks at one moment.
  public struct ClockReading: WireStructure {
    /// CLOCK_REALTIME.
    public var realtimeUsec: Int64
    /// CLOCK_BOOTTIME.
    public var boottimeUsec: Int64
    /// CLOCK_MONOTONIC.
    public var monotonicUsec: Int64
    /// The kernel's ID of this boot.
    public var bootId: String

    /// The optional fields are absent.
    public init(realtimeUsec: Int64, boottimeUsec: Int64, monotonicUsec: Int64, bootId: String) {
      self.realtimeUsec = realtimeUsec
      self.boottimeUsec = boottimeUsec
      self.monotonicUsec = monotonicUsec
      self.bootId = bootId
    }

    public static var blank: Self {
      Self(realtimeUsec: .blank, boottimeUsec: .blank, monotonicUsec: .blank, bootId: .blank)
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("realtime_usec", &realtimeUsec)
      try reader.field("boottime_usec", &boottimeUsec)
      try reader.field("monotonic_usec", &monotonicUsec)
      try reader.field("boot_id", &bootId)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("realtime_usec", realtimeUsec)
      writer.field("boottime_usec", boottimeUsec)
      writer.field("monotonic_usec", monotonicUsec)
      writer.field("boot_id", bootId)
    }
  }
}

extension Wire {
  /// The numbers of timers in each state, and of connections.
  public struct Counts: WireStructure {
    /// Timers that run.
    public var running: Int64
    /// Timers that are paused.
    public var paused: Int64
    /// Timers that have expired for the last time.
    public var over: Int64
    /// Timers that were cancelled.
    public var cancelled: Int64
    /// Sequences that wait for Advance.
    public var waiting: Int64
    /// Timers whose ring sounds, in any state.
    public var ringing: Int64
    /// Timers whose ring is snoozed.
    public var snoozed: Int64
    /// Timers whose ring has ended without an answer.
    public var unanswered: Int64
    /// Connections.
    public var clients: Int64
    /// Connections that watch, or follow events.
    public var watchers: Int64

    /// The optional fields are absent.
    public init(
      running: Int64, paused: Int64, over: Int64, cancelled: Int64, waiting: Int64, ringing: Int64,
      snoozed: Int64, unanswered: Int64, clients: Int64, watchers: Int64
    ) {
      self.running = running
      self.paused = paused
      self.over = over
      self.cancelled = cancelled
      self.waiting = waiting
      self.ringing = ringing
      self.snoozed = snoozed
      self.unanswered = unanswered
      self.clients = clients
      self.watchers = watchers
    }

    public static var blank: Self {
      Self(
        running: .blank, paused: .blank, over: .blank, cancelled: .blank, waiting: .blank,
        ringing: .blank, snoozed: .blank, unanswered: .blank, clients: .blank, watchers: .blank
      )
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("running", &running)
      try reader.field("paused", &paused)
      try reader.field("over", &over)
      try reader.field("cancelled", &cancelled)
      try reader.field("waiting", &waiting)
      try reader.field("ringing", &ringing)
      try reader.field("snoozed", &snoozed)
      try reader.field("unanswered", &unanswered)
      try reader.field("clients", &clients)
      try reader.field("watchers", &watchers)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("running", running)
      writer.field("paused", paused)
      writer.field("over", over)
      writer.field("cancelled", cancelled)
      writer.field("waiting", waiting)
      writer.field("ringing", ringing)
      writer.field("snoozed", snoozed)
      writer.field("unanswered", unanswered)
      writer.field("clients", clients)
      writer.field("watchers", watchers)
    }
  }
}

extension Wire {
  /// The disk.
  public struct Storage: WireStructure {
    /// Acknowledged changes are on disk.
    public var ok: Bool
    /// Why not.
    public var reason: String?
    /// The state directory.
    public var stateDirectory: String
    /// The version of the database's schema.
    public var schemaVersion: Int64
    /// The name of the ledger that numbers the events. No other ledger has this name.
    public var ledger: String
    /// The oldest event in the ledger.
    public var oldestSeq: Int64
    /// The newest event in the ledger; 0 if there is none.
    public var lastSeq: Int64
    /// The file that a damaged database was moved to.
    public var setAside: String?
    /// The data that was found missing since the daemon was started.
    public var loss: Wire.Loss?

    /// The optional fields are absent.
    public init(
      ok: Bool, stateDirectory: String, schemaVersion: Int64, ledger: String, oldestSeq: Int64,
      lastSeq: Int64
    ) {
      self.ok = ok
      self.stateDirectory = stateDirectory
      self.schemaVersion = schemaVersion
      self.ledger = ledger
      self.oldestSeq = oldestSeq
      self.lastSeq = lastSeq
    }

    public static var blank: Self {
      Self(
        ok: .blank, stateDirectory: .blank, schemaVersion: .blank, ledger: .blank,
        oldestSeq: .blank, lastSeq: .blank
      )
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("ok", &ok)
      try reader.field("reason", &reason)
      try reader.field("state_directory", &stateDirectory)
      try reader.field("schema_version", &schemaVersion)
      try reader.field("ledger", &ledger)
      try reader.field("oldest_seq", &oldestSeq)
      try reader.field("last_seq", &lastSeq)
      try reader.field("set_aside", &setAside)
      try reader.field("loss", &loss)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("ok", ok)
      writer.field("reason", reason)
      writer.field("state_directory", stateDirectory)
      writer.field("schema_version", schemaVersion)
      writer.field("ledger", ledger)
      writer.field("oldest_seq", oldestSeq)
      writer.field("last_seq", lastSeq)
      writer.field("set_aside", setAside)
      writer.field("loss", loss)
    }
  }
}

extension Wire {
  /// A change of the database by something other than the daemon: it was removed, cut short or
  /// damaged, or an older state of it was restored.
  public struct Loss: WireStructure {
    /// What was found.
    public var reason: String
    /// The first missing event; absent if none is known to be missing.
    public var firstSeq: Int64?
    /// The last missing event.
    public var lastSeq: Int64?
    /// The file in the state directory to which the database was moved.
    public var keptAs: String?

    /// The optional fields are absent.
    public init(reason: String) {
      self.reason = reason
    }

    public static var blank: Self { Self(reason: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("reason", &reason)
      try reader.field("first_seq", &firstSeq)
      try reader.field("last_seq", &lastSeq)
      try reader.field("kept_as", &keptAs)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("reason", reason)
      writer.field("first_seq", firstSeq)
      writer.field("last_seq", lastSeq)
      writer.field("kept_as", keptAs)
    }
  }
}

extension Wire {
  /// How the daemon learns of sleep.
  public struct Sleep: WireStructure {
    /// Sleep signals of logind reach the daemon. If not, the daemon detects sleep by the clocks.
    public var seen: Bool
    /// The daemon holds a delay inhibitor.
    public var inhibitor: Bool
    /// Why sleep is not announced, or why there is no inhibitor.
    public var reason: String?
    /// There is no inhibitor, because polkit does not allow one.
    public var denied: Bool
    /// The daemon keeps the machine awake, because a timer woke it, and no user has seen the timer
    /// yet.
    public var keptAwake: Bool

    /// The optional fields are absent.
    public init(seen: Bool, inhibitor: Bool, denied: Bool, keptAwake: Bool) {
      self.seen = seen
      self.inhibitor = inhibitor
      self.denied = denied
      self.keptAwake = keptAwake
    }

    public static var blank: Self {
      Self(seen: .blank, inhibitor: .blank, denied: .blank, keptAwake: .blank)
    }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("seen", &seen)
      try reader.field("inhibitor", &inhibitor)
      try reader.field("reason", &reason)
      try reader.field("denied", &denied)
      try reader.field("kept_awake", &keptAwake)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("seen", seen)
      writer.field("inhibitor", inhibitor)
      writer.field("reason", reason)
      writer.field("denied", denied)
      writer.field("kept_awake", keptAwake)
    }
  }
}

extension Wire {
  /// Whether the user is there; the clock present depends on it.
  public struct Presence: WireStructure {
    /// logind says whether the user's graphical sessions are locked or idle. If it does not, the
    /// clock present counts like awake.
    public var seen: Bool
    /// All of them are locked or idle: the user is away.
    public var away: Bool
    /// Why logind does not say it.
    public var reason: String?

    /// The optional fields are absent.
    public init(seen: Bool, away: Bool) {
      self.seen = seen
      self.away = away
    }

    public static var blank: Self { Self(seen: .blank, away: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("seen", &seen)
      try reader.field("away", &away)
      try reader.field("reason", &reason)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("seen", seen)
      writer.field("away", away)
      writer.field("reason", reason)
    }
  }
}

extension Wire {
  /// Whether a timer can wake the machine.
  public struct Wake: WireStructure {
    /// It can.
    public var can: Bool
    /// Why it cannot, a word of WakeObstacle.
    public var obstacle: Wire.WakeObstacle?
    /// The same as one sentence.
    public var reason: String?

    /// The optional fields are absent.
    public init(can: Bool) {
      self.can = can
    }

    public static var blank: Self { Self(can: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("can", &can)
      try reader.field("obstacle", &obstacle)
      try reader.field("reason", &reason)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("can", can)
      writer.field("obstacle", obstacle)
      writer.field("reason", reason)
    }
  }
}

extension Wire {
  /// Whether the user notices a ring, or would.
  public struct RingReport: WireStructure {
    /// The notification server shows it on the desktop: the one in server, or one that the session
    /// bus starts.
    public var seen: Bool
    /// The notification server plays a sound, or player does.
    public var heard: Bool
    /// Why it is not seen, a word of RingLack.
    public var unseen: Wire.RingLack?
    /// Why it is not heard, a word of RingLack.
    public var unheard: Wire.RingLack?
    /// The name and version of the running notification server.
    public var server: String?
    /// The program that plays the sound, if the server does not.
    public var player: String?
    /// Both as one sentence.
    public var reason: String?
    /// The notification server reports that it is paused (do not disturb), and does not show what
    /// it gets. Only TestRing asks for it, and only dunst and Plasma's server are known to report
    /// it.
    public var paused: Bool = .blank

    /// The optional fields are absent.
    public init(seen: Bool, heard: Bool) {
      self.seen = seen
      self.heard = heard
    }

    public static var blank: Self { Self(seen: .blank, heard: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("seen", &seen)
      try reader.field("heard", &heard)
      try reader.field("unseen", &unseen)
      try reader.field("unheard", &unheard)
      try reader.field("server", &server)
      try reader.field("player", &player)
      try reader.field("reason", &reason)
      try reader.blankable("paused", &paused)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("seen", seen)
      writer.field("heard", heard)
      writer.field("unseen", unseen)
      writer.field("unheard", unheard)
      writer.field("server", server)
      writer.field("player", player)
      writer.field("reason", reason)
      writer.blankable("paused", paused)
    }
  }
}

extension Wire {
  /// How many commands of timers and hooks there are.
  public struct Commands: WireStructure {
    /// How many commands run.
    public var running: Int64
    /// How many commands wait for others to end.
    public var waiting: Int64

    /// The optional fields are absent.
    public init(running: Int64, waiting: Int64) {
      self.running = running
      self.waiting = waiting
    }

    public static var blank: Self { Self(running: .blank, waiting: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("running", &running)
      try reader.field("waiting", &waiting)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("running", running)
      writer.field("waiting", waiting)
    }
  }
}

extension Wire {
  /// The state of the daemon.
  public struct Status: WireMethod {
    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
    }

    public func writeMembers(to writer: inout JSONWriter) {
    }

    public static let method: StaticString = "org.nightjar.Timers.Status"

    /// The reply of Status.
    public struct Reply: WireStructure {
      /// The version of the daemon.
      public var version: String
      /// The ID of its process.
      public var pid: Int64
      /// When it was started.
      public var startedUsec: Int64
      /// Since when it has been in the foreground; absent while a span is open.
      public var foregroundSinceUsec: Int64?
      /// The span that is open.
      public var openSpan: Wire.Span?
      /// The span that ended last.
      public var lastSpan: Wire.Span?
      /// How many timers and clients there are.
      public var counts: Wire.Counts
      /// The timer that rings next.
      public var nextName: String?
      /// When it rings.
      public var nextUsec: Int64?
      /// All clocks at one moment.
      public var clocks: Wire.ClockReading
      /// The kernel reports the wall clock as synchronised.
      public var clockSynchronized: Bool
      /// The disk.
      public var storage: Wire.Storage
      /// How the daemon learns of sleep.
      public var sleep: Wire.Sleep
      /// Whether a timer could wake the machine.
      public var wake: Wire.Wake
      /// Whether the user is there.
      public var presence: Wire.Presence
      /// Whether a ring would be noticed.
      public var ring: Wire.RingReport
      /// How many commands of timers and hooks run and wait.
      public var commands: Wire.Commands
      /// The longest iteration of the daemon's loop.
      public var longestPassUsec: Int64
      /// A failure that the daemon survived, and that the user should know of.
      public var warning: String?

      /// The optional fields are absent.
      public init(
        version: String, pid: Int64, startedUsec: Int64, counts: Wire.Counts,
        clocks: Wire.ClockReading, clockSynchronized: Bool, storage: Wire.Storage,
        sleep: Wire.Sleep, wake: Wire.Wake, presence: Wire.Presence, ring: Wire.RingReport,
        commands: Wire.Commands, longestPassUsec: Int64
      ) {
        self.version = version
        self.pid = pid
        self.startedUsec = startedUsec
        self.counts = counts
        self.clocks = clocks
        self.clockSynchronized = clockSynchronized
        self.storage = storage
        self.sleep = sleep
        self.wake = wake
        self.presence = presence
        self.ring = ring
        self.commands = commands
        self.longestPassUsec = longestPassUsec
      }

      public static var blank: Self {
        Self(
          version: .blank, pid: .blank, startedUsec: .blank, counts: .blank, clocks: .blank,
          clockSynchronized: .blank, storage: .blank, sleep: .blank, wake: .blank, presence: .blank,
          ring: .blank, commands: .blank, longestPassUsec: .blank
        )
      }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("version", &version)
        try reader.field("pid", &pid)
        try reader.field("started_usec", &startedUsec)
        try reader.field("foreground_since_usec", &foregroundSinceUsec)
        try reader.field("open_span", &openSpan)
        try reader.field("last_span", &lastSpan)
        try reader.field("counts", &counts)
        try reader.field("next_name", &nextName)
        try reader.field("next_usec", &nextUsec)
        try reader.field("clocks", &clocks)
        try reader.field("clock_synchronized", &clockSynchronized)
        try reader.field("storage", &storage)
        try reader.field("sleep", &sleep)
        try reader.field("wake", &wake)
        try reader.field("presence", &presence)
        try reader.field("ring", &ring)
        try reader.field("commands", &commands)
        try reader.field("longest_pass_usec", &longestPassUsec)
        try reader.field("warning", &warning)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("version", version)
        writer.field("pid", pid)
        writer.field("started_usec", startedUsec)
        writer.field("foreground_since_usec", foregroundSinceUsec)
        writer.field("open_span", openSpan)
        writer.field("last_span", lastSpan)
        writer.field("counts", counts)
        writer.field("next_name", nextName)
        writer.field("next_usec", nextUsec)
        writer.field("clocks", clocks)
        writer.field("clock_synchronized", clockSynchronized)
        writer.field("storage", storage)
        writer.field("sleep", sleep)
        writer.field("wake", wake)
        writer.field("presence", presence)
        writer.field("ring", ring)
        writer.field("commands", commands)
        writer.field("longest_pass_usec", longestPassUsec)
        writer.field("warning", warning)
      }
    }
  }
}

extension Wire {
  /// Rings once without a timer, in the same way as timers ring. Replies with the result within
  /// some seconds. seen: the server has accepted the notification. heard: the sound was played to
  /// its end, or the server has begun to play it.
  public struct TestRing: WireMethod {
    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
    }

    public func writeMembers(to writer: inout JSONWriter) {
    }

    public static let method: StaticString = "org.nightjar.Timers.TestRing"

    /// The reply of TestRing.
    public struct Reply: WireStructure {
      public var ring: Wire.RingReport

      /// The optional fields are absent.
      public init(ring: Wire.RingReport) {
        self.ring = ring
      }

      public static var blank: Self { Self(ring: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("ring", &ring)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("ring", ring)
      }
    }
  }
}

extension Wire {
  /// Needs more. While this call lasts, the daemon delays rings: when a background span ends, it
  /// does not show or play the rings of the timers that expired in it until the client calls
  /// ReleaseRings or closes the connection, at most for 5 s. Events are not delayed, and commands
  /// run at once. A timer that is dismissed or snoozed in that time does not ring. hold: the number
  /// of this hold, for ReleaseRings; the first reply has only this. The daemon sends another reply
  /// at the end of each background span. span_id: the number of that span.
  public struct HoldRings: WireMethod {
    /// All fields are absent.
    public init() {}

    public static var blank: Self { Self() }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
    }

    public func writeMembers(to writer: inout JSONWriter) {
    }

    public static let method: StaticString = "org.nightjar.Timers.HoldRings"

    /// The reply of HoldRings.
    public struct Reply: WireStructure {
      public var hold: Int64
      public var spanId: Int64?

      /// The optional fields are absent.
      public init(hold: Int64) {
        self.hold = hold
      }

      public static var blank: Self { Self(hold: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("hold", &hold)
        try reader.field("span_id", &spanId)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("hold", hold)
        writer.field("span_id", spanId)
      }
    }
  }
}

extension Wire {
  /// Plays the rings that a hold delays. The hold continues with the next background span. If there
  /// are several holds, rings wait for all of them.
  public struct ReleaseRings: WireMethod {
    public var hold: Int64

    /// The optional fields are absent.
    public init(hold: Int64) {
      self.hold = hold
    }

    public static var blank: Self { Self(hold: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("hold", &hold)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("hold", hold)
    }

    public static let method: StaticString = "org.nightjar.Timers.ReleaseRings"

    /// The reply of ReleaseRings.
    public struct Reply: WireStructure {
      /// All fields are absent.
      public init() {}

      public static var blank: Self { Self() }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
      }

      public func writeMembers(to writer: inout JSONWriter) {
      }
    }
  }
}

extension Wire {
  /// All events of one timer since it was started, and the background spans since then.
  public struct Why: WireMethod {
    public var name: String

    /// The optional fields are absent.
    public init(name: String) {
      self.name = name
    }

    public static var blank: Self { Self(name: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
    }

    public static let method: StaticString = "org.nightjar.Timers.Why"

    /// The reply of Why.
    public struct Reply: WireStructure {
      /// The background spans since the timer was started.
      public var spans: [Wire.Span]
      /// Its events, in order.
      public var events: [Wire.Event]

      /// The optional fields are absent.
      public init(spans: [Wire.Span], events: [Wire.Event]) {
        self.spans = spans
        self.events = events
      }

      public static var blank: Self { Self(spans: .blank, events: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("spans", &spans)
        try reader.field("events", &events)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("spans", spans)
        writer.field("events", events)
      }
    }
  }
}

extension Wire {
  /// One meaning of words, found by Understand.
  public struct Reading: WireStructure {
    /// What the words are, such as "a time of day".
    public var meaning: String
    /// The timer, for people, such as "tea: 4 min, rings at 14:32".
    public var sentence: String
    /// The parameters of Start. Absent: the command starts no timer.
    public var start: RawJSON?
    /// The arguments of nightjar(1) with this meaning.
    public var command: [String]

    /// The optional fields are absent.
    public init(meaning: String, sentence: String, command: [String]) {
      self.meaning = meaning
      self.sentence = sentence
      self.command = command
    }

    public static var blank: Self { Self(meaning: .blank, sentence: .blank, command: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("meaning", &meaning)
      try reader.field("sentence", &sentence)
      try reader.field("start", &start)
      try reader.field("command", &command)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("meaning", meaning)
      writer.field("sentence", sentence)
      writer.field("start", start)
      writer.field("command", command)
    }
  }
}

extension Wire {
  /// What words mean that start a timer, such as tea 4min, wake weekdays 7:00 or alarm wake 7:00.
  /// It changes nothing, and other machines cannot call it. words: the line as a person types it;
  /// quotes keep a name of several words together. now_usec, zone, locale: the time, the name of
  /// the time zone, and the locale, such as de_DE.UTF-8, for which the words are meant; by default
  /// those of the daemon. Times are written as in nightjar.time(7). The only preset it knows is
  /// pomodoro. readings: one, or several of which the person must choose one, such as for 17:30.
  /// Words that mean nothing are refused with InvalidValue, whose reason is a sentence for people.
  public struct Understand: WireMethod {
    public var words: String
    public var nowUsec: Int64?
    public var zone: String?
    public var locale: String?

    /// The optional fields are absent.
    public init(words: String) {
      self.words = words
    }

    public static var blank: Self { Self(words: .blank) }

    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("words", &words)
      try reader.field("now_usec", &nowUsec)
      try reader.field("zone", &zone)
      try reader.field("locale", &locale)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.field("words", words)
      writer.field("now_usec", nowUsec)
      writer.field("zone", zone)
      writer.field("locale", locale)
    }

    public static let method: StaticString = "org.nightjar.Timers.Understand"

    /// The reply of Understand.
    public struct Reply: WireStructure {
      public var readings: [Wire.Reading]

      /// The optional fields are absent.
      public init(readings: [Wire.Reading]) {
        self.readings = readings
      }

      public static var blank: Self { Self(readings: .blank) }

      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("readings", &readings)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("readings", readings)
      }
    }
  }
}

extension Wire {
  /// The events of a timer. Each can start a command. What happens to the machine. What happens to
  /// commands. These events run no command, because each command would cause the next.
  public struct EventType: OpenWireWord {
    /// It was started, perhaps in place of a timer of the same name.
    public static let started: Self = "started"
    /// It was paused.
    public static let paused: Self = "paused"
    /// It was resumed after a pause.
    public static let resumed: Self = "resumed"
    /// Time was added to it, or taken from it.
    public static let extended: Self = "extended"
    /// It was started again from the beginning.
    public static let restarted: Self = "restarted"
    /// Its ring is moved: it rings again after the snooze.
    public static let snoozed: Self = "snoozed"
    /// Its labels, data, bands, message, command, sound or days were changed.
    public static let updated: Self = "updated"
    /// It expired and rings, or the snooze of its ring is over. If its ring was open already, the
    /// expiry joins it.
    public static let rang: Self = "rang"
    /// It expired in the background and does not ring, as its policies say.
    public static let didNotRing: Self = "did_not_ring"
    /// It expired while its ring is snoozed, and this expiry joins the ring in silence.
    public static let joined: Self = "joined"
    /// It rings again for the same expiry, because no user answered.
    public static let rangAgain: Self = "rang_again"
    /// The sound of its ring ended, and no user answered. The ring stays open.
    public static let unanswered: Self = "unanswered"
    /// Less of its ring was noticed than it asked for: the user could not see or hear it.
    public static let unnoticed: Self = "unnoticed"
    /// The end of a snooze, or the time to ring again, was in the background and too late, as its
    /// policy says. The ring stays open.
    public static let stayedQuiet: Self = "stayed_quiet"
    /// The clock was set back behind expiries that had joined its ring and had not sounded. They
    /// come again.
    public static let leftRing: Self = "left_ring"
    /// A client called Advance, and the next step has begun.
    public static let advanced: Self = "advanced"
    /// A client dismissed its ring, an expiry that did not ring, or the failure of its command. A
    /// timer that is over is removed.
    public static let dismissed: Self = "dismissed"
    /// A client stopped its ring. A timer that is over is removed.
    public static let stopped: Self = "stopped"
    /// It is in another band now, or in none.
    public static let bandCrossed: Self = "band_crossed"
    /// A lap was recorded.
    public static let lapped: Self = "lapped"
    /// A client called Skip: it will not ring at its next expiry.
    public static let skipped: Self = "skipped"
    /// A client called Unskip: it will ring at an expiry that was skipped.
    public static let unskipped: Self = "unskipped"
    /// Its deadline moved, because the clock or the zone was set. A countdown that repeats, or a
    /// sequence, returns to an earlier round or step, because a clock that was ahead had counted it
    /// too far.
    public static let rescheduled: Self = "rescheduled"
    /// An alarm has no further time, because the clock was set. It is over.
    public static let ranOut: Self = "ran_out"
    /// A sequence is paused because of a background span or an absence, as after_sleep or
    /// after_away says.
    public static let pausedAfterSpan: Self = "paused_after_span"
    /// A step starts again, or another one starts, because of a background span or an absence, as
    /// after_sleep or after_away says.
    public static let restartedAfterSpan: Self = "restarted_after_span"
    /// It was cancelled. Its ring is over, too.
    public static let cancelled: Self = "cancelled"
    /// A client removed it. It may have been in any state.
    public static let removed: Self = "removed"
    /// A change of it was undone with Undo.
    public static let undone: Self = "undone"
    /// A client gave it another name: the last event under this name.
    public static let renamedTo: Self = "renamed_to"
    /// The same change: the first event under the new name.
    public static let renamedFrom: Self = "renamed_from"
    /// It rang last, or was cancelled, a day ago, and the daemon removed it.
    public static let forgotten: Self = "forgotten"
    /// A background span begins.
    public static let didEnterBackground: Self = "did_enter_background"
    /// The span has ended; the event has its length.
    public static let willEnterForeground: Self = "will_enter_foreground"
    /// Timers expired in the span. This event lists them; an event for each timer follows.
    public static let cameDue: Self = "came_due"
    /// The length of a span was corrected, because the clock was wrong after a reboot. Each such
    /// reboot has one event.
    public static let spanCorrected: Self = "span_corrected"
    /// The wall clock was set.
    public static let clockStepped: Self = "clock_stepped"
    /// The machine has another time zone, or its rules have changed.
    public static let zoneChanged: Self = "zone_changed"
    /// A command is about to start.
    public static let actionStarted: Self = "action_started"
    /// A command has ended, or was not started at all.
    public static let actionEnded: Self = "action_ended"

    /// The words of TimerEvent.
    public static let timerEvent: [EventType] = [
      .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .rang, .didNotRing,
      .joined, .rangAgain, .unanswered, .unnoticed, .stayedQuiet, .leftRing, .advanced, .dismissed,
      .stopped, .bandCrossed, .lapped, .skipped, .unskipped, .rescheduled, .ranOut,
      .pausedAfterSpan, .restartedAfterSpan, .cancelled, .removed, .undone, .renamedTo,
      .renamedFrom, .forgotten,
    ]
    /// The words of MachineEvent.
    public static let machineEvent: [EventType] = [
      .didEnterBackground, .willEnterForeground, .cameDue, .spanCorrected, .clockStepped,
      .zoneChanged,
    ]
    /// The words of ActionEvent.
    public static let actionEvent: [EventType] = [.actionStarted, .actionEnded]
    public static let allCases: [EventType] = timerEvent + machineEvent + actionEvent

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Wire {
  /// Why the daemon was in the background. Causes of lateness, beside the causes of spans.
  public struct Cause: OpenWireWord {
    /// The machine slept.
    public static let sleep: Self = "sleep"
    /// The daemon was stopped by SIGTSTP.
    public static let stop: Self = "stop"
    /// The daemon was not running.
    public static let down: Self = "down"
    /// The machine was rebooted.
    public static let reboot: Self = "reboot"
    /// Nothing ran, without any announcement.
    public static let freeze: Self = "freeze"
    /// The session was locked or idle. It hides time only from timers on the clock present, and is
    /// a span of its own beside the others.
    public static let away: Self = "away"
    /// The wall clock was set.
    public static let step: Self = "step"
    /// The timer was paused.
    public static let paused: Self = "paused"
    /// The daemon was busy.
    public static let busy: Self = "busy"
    /// It was due before an undo took back the change that would have prevented its ring.
    public static let undone: Self = "undone"

    /// The words of SpanCause.
    public static let spanCause: [Cause] = [.sleep, .stop, .down, .reboot, .freeze, .away]
    /// The words of LateCause.
    public static let lateCause: [Cause] = [.step, .paused, .busy, .undone]
    public static let allCases: [Cause] = spanCause + lateCause

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}
