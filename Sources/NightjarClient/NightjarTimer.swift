public import NightjarWire

/// A timer as the daemon described it; the type `Timer` of the interface.
public struct NightjarTimer: Equatable, Sendable {
  /// What a timer does. Kinds this library does not know are kept by name.
  public enum Kind: Equatable, Sendable {
    /// Counts down a duration.
    case countdown
    /// A kind that a newer daemon has.
    case other(String)
  }

  /// What a timer is doing. States this library does not know are kept by name.
  public enum State: Equatable, Hashable, Sendable {
    /// Its time passes.
    case running
    /// It is held.
    case paused
    /// Its time is up, and it waits to be dismissed.
    case fired
    /// It was ended before its time.
    case cancelled
    /// A state that a newer daemon has.
    case other(String)
  }

  /// Which time counts. Clocks this library does not know are kept by name.
  public enum Clock: Equatable, Sendable {
    /// Real time, awake or not, whatever the wall clock says.
    case elapsed
    /// Time in which the machine and the daemon were up.
    case awake
    /// A point of the calendar, which follows steps of the wall clock.
    case wall
    /// A clock that a newer daemon has.
    case other(String)
  }

  /// One label.
  public struct Label: Equatable, Sendable {
    /// The name.
    public let key: String
    /// The value.
    public let value: String

    /// - Parameters:
    ///   - key: the name.
    ///   - value: the value.
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// New for each start of a name.
  public let id: Int64
  /// Its name.
  public let name: String
  /// What it does.
  public let kind: Kind
  /// What it is doing.
  public let state: State
  /// Which time counts.
  public let clock: Clock
  /// The length of the present run, with all that was added, in microseconds.
  public let durationUsec: Int64
  /// What is left of it, in microseconds.
  public let remainingUsec: Int64
  /// What has passed of it, in microseconds.
  public let elapsedUsec: Int64
  /// What has passed of it, from 0 to 1.
  public let progress: Double
  /// When it will ring, in microseconds of the wall clock since the epoch; nil unless it runs.
  public let deadlineUsec: Int64?
  /// When it will ring on CLOCK_BOOTTIME of this boot; nil unless it runs on real time: on the
  /// clock `elapsed`, or snoozed on any clock.
  public let deadlineBoottimeUsec: Int64?
  /// When it was started, in microseconds since the epoch.
  public let startedUsec: Int64
  /// When it rang, in microseconds since the epoch; nil unless it did.
  public let firedUsec: Int64?
  /// How long ago it rang, in microseconds; nil unless it did.
  public let firedAgoUsec: Int64?
  /// How late it rang, in microseconds; nil unless it did.
  public let lateUsec: Int64?
  /// Why it rang late: `sleep`, `stop`, `down`, `reboot`, `freeze`, `step` or `busy`.
  public let lateCause: String?
  /// Whether it can wake the machine, if it is to.
  public let wake: Wake?
  /// Its labels, in the daemon's order.
  public let labels: [Label]
  /// Its owner's data, an object.
  public let data: JSONValue

  /// Reads a timer from what the daemon sent.
  ///
  /// - Parameter json: an object of the interface's type `Timer`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  public init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "timer")
    id = try fields.integer("id")
    name = try fields.string("name")
    kind = Kind(rawValue: try fields.string("kind"))
    state = State(rawValue: try fields.string("state"))
    clock = Clock(rawValue: try fields.string("clock"))
    durationUsec = try fields.integer("duration_usec")
    remainingUsec = try fields.integer("remaining_usec")
    elapsedUsec = try fields.integer("elapsed_usec")
    progress = try fields.double("progress")
    deadlineUsec = try fields.optionalInteger("deadline_usec")
    deadlineBoottimeUsec = try fields.optionalInteger("deadline_boottime_usec")
    startedUsec = try fields.integer("started_usec")
    firedUsec = try fields.optionalInteger("fired_usec")
    firedAgoUsec = try fields.optionalInteger("fired_ago_usec")
    lateUsec = try fields.optionalInteger("late_usec")
    lateCause = try fields.optionalString("late_cause")
    wake = try fields["wake"].map { (json) throws(ClientError) in try Wake(json) }
    labels = try fields.optionalLabels("labels") ?? []
    data = fields["data"] ?? .object([])
  }
}

/// Whether a deadline can wake the machine.
public struct Wake: Equatable, Sendable {
  /// It can.
  public let isPossible: Bool
  /// Why it cannot.
  public let reason: String?

  init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "wake")
    isPossible = try fields.bool("can")
    reason = try fields.optionalString("reason")
  }
}

extension NightjarTimer.Kind: RawRepresentable {
  /// From the interface's word; any word will do.
  public init(rawValue: String) {
    self = rawValue == "countdown" ? .countdown : .other(rawValue)
  }

  /// The interface's word.
  public var rawValue: String {
    switch self {
    case .countdown: "countdown"
    case .other(let word): word
    }
  }
}

extension NightjarTimer.State: RawRepresentable {
  /// From the interface's word; any word will do.
  public init(rawValue: String) {
    switch rawValue {
    case "running": self = .running
    case "paused": self = .paused
    case "fired": self = .fired
    case "cancelled": self = .cancelled
    default: self = .other(rawValue)
    }
  }

  /// The interface's word.
  public var rawValue: String {
    switch self {
    case .running: "running"
    case .paused: "paused"
    case .fired: "fired"
    case .cancelled: "cancelled"
    case .other(let word): word
    }
  }
}

extension NightjarTimer.Clock: RawRepresentable {
  /// From the interface's word; any word will do.
  public init(rawValue: String) {
    switch rawValue {
    case "elapsed": self = .elapsed
    case "awake": self = .awake
    case "wall": self = .wall
    default: self = .other(rawValue)
    }
  }

  /// The interface's word.
  public var rawValue: String {
    switch self {
    case .elapsed: "elapsed"
    case .awake: "awake"
    case .wall: "wall"
    case .other(let word): word
    }
  }
}
