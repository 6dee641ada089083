import NightjarInterface
public import Varlink

/// A timer to start. Parameters of `Start` without a property here can be set as properties of
/// `Parameters`.
@dynamicMemberLookup
public struct NewTimer: Equatable, Sendable {
  /// What the timer does.
  public enum Kind: Equatable, Sendable {
    /// Counts down.
    case countdown(Duration)
    /// Counts down repeatedly: `rounds` times, or without end if `rounds` is 0.
    case repeating(Duration, rounds: Int64)
    /// Rings at a point in time.
    case alarm(at: WallTime)
    /// Rings at each match of a systemd.time(7) calendar expression: `rounds` times, or without end
    /// if `rounds` is 0. `zone` is the name of a time zone; nil: the zone of the daemon's machine.
    case calendar(String, zone: String?, rounds: Int64)
    /// Counts up.
    case stopwatch
    /// Runs through a sequence of steps.
    case sequence(Sequence)
  }

  /// The steps of a sequence.
  public struct Sequence: Equatable, Sendable {
    /// The steps in their order.
    public var steps: [Step]
    /// How many times the sequence runs; 0: without end.
    public var rounds: Int64
    /// In every `longEvery`th round, the steps have the length `long`; nil: in no round.
    public var longEvery: Int64?
    /// What the sequence does after a sleep; nil: the daemon's default.
    public var afterSleep: AfterSleep?

    /// Creates a sequence.
    public init(
      steps: [Step], rounds: Int64 = 1, longEvery: Int64? = nil, afterSleep: AfterSleep? = nil
    ) {
      self.steps = steps
      self.rounds = rounds
      self.longEvery = longEvery
      self.afterSleep = afterSleep
    }
  }

  /// One step of a sequence.
  public struct Step: Equatable, Sendable {
    /// The name of the step.
    public var name: String
    /// The length of the step.
    public var duration: Duration
    /// Whether the sequence waits for `Advance` at the end of the step.
    public var waits: Bool
    /// Whether the step is a break. A sleep that is as long as a break can replace the break.
    public var isBreak: Bool
    /// The length of the step in long rounds; nil: `duration`.
    public var long: Duration?

    /// Creates a step.
    public init(
      _ name: String, for duration: Duration, waits: Bool = false, isBreak: Bool = false,
      long: Duration? = nil
    ) {
      self.name = name
      self.duration = duration
      self.waits = waits
      self.isBreak = isBreak
      self.long = long
    }
  }

  /// What the timer does if it expired in a background span.
  public enum Late: Equatable, Sendable {
    /// The timer rings, however late it is.
    case fire
    /// The timer does not ring if it is late.
    case skip
    /// The timer rings if it is at most this late.
    case fireWithin(Duration)
  }

  /// The name of the timer; nil: the daemon invents one.
  public var name: String?
  /// What the timer does.
  public var kind: Kind
  /// The clock on which the timer's time passes; nil: the daemon's default. An alarm always has the
  /// clock `wall`.
  public var clock: NightjarTimer.Clock?
  /// The bands of the timer; the band with the most remaining time comes first.
  public var bands: [Band] = []
  /// What the timer does if it expired in a background span; nil: the daemon's default.
  public var late: Late?
  /// What the timer does if it expired several times in a background span; nil: the daemon's
  /// default.
  public var missed: MissedPolicy?
  /// For an alarm with a calendar expression: the days on which it does not ring, in the alarm's
  /// time zone. Each is a date such as `2026-12-24` or a range such as `2026-12-24..2027-01-01`.
  public var except: [String] = []
  /// For an alarm with a calendar expression: the date of the last day on which it rings; nil: it
  /// has no last day.
  public var until: String?
  /// The labels of the timer, in their order.
  public var labels: [NightjarTimer.Label] = []
  /// Data for other programs, a JSON object; nil: none.
  public var data: JSONValue?
  /// The command of the timer, its sound, and how it rings; nil: as configured.
  public var ring: Ring?
  /// Whether the timer wakes the machine. A timer on the clocks `awake` and `present` cannot.
  public var wake = false
  /// Whether to replace an existing timer of that name.
  public var replace = false
  /// Whether to leave an existing timer of that name as it is, and return it.
  public var ifAbsent = false
  /// Parameters without a property here.
  var others = Parameters()

  /// Creates a timer to start, with a name and a kind.
  public init(name: String?, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// A parameter of `Start` without a property here; nil: the daemon's default.
  public subscript<Value>(dynamicMember parameter: WritableKeyPath<Parameters, Value>) -> Value {
    get { others[keyPath: parameter] }
    set { others[keyPath: parameter] = newValue }
  }
}

extension Call {
  /// A call of `Update` with changes.
  package static func update(_ name: String, _ changes: TimerChanges) -> Call {
    var parameters = changes
    parameters.name = name
    return Call(method: update(name: name).method, parameters: parameters.json)
  }

  /// A call of `Update` with these parameters.
  package static func update(parameters: JSONValue) -> Call {
    Call(method: update(name: "").method, parameters: parameters)
  }

  /// A call of `Start` for a timer.
  package static func start(_ timer: NewTimer) -> Call { start(timer, kind: timer.kind) }

  /// A call of `Start` with these parameters.
  package static func start(parameters: JSONValue) -> Call {
    Call(method: start().method, parameters: parameters)
  }

  /// A call of `Start` for a timer.
  ///
  /// - Parameter kind: the kind of the timer; nil if the caller merges these parameters with others
  ///   that contain it.
  package static func start(_ timer: NewTimer, kind: NewTimer.Kind?) -> Call {
    var parameters = timer.others
    parameters.name = timer.name
    parameters.durationUsec = kind?.durationUsec
    parameters.repeat = kind?.repetition
    parameters.alarm = kind?.alarm(except: timer.except, until: timer.until)
    parameters.stopwatch = kind == .stopwatch ? true : nil
    parameters.sequence = kind?.sequence
    parameters.bands = timer.bands.isEmpty ? nil : timer.bands
    switch timer.late {
    case .fire?: parameters.late = .fire
    case .skip?: parameters.late = .skip
    case .fireWithin(let span)?: parameters.fireWithinUsec = span.usec
    case nil: break
    }
    parameters.missed = timer.missed
    parameters.clock = timer.clock
    parameters.replace = timer.replace ? true : nil
    parameters.ifAbsent = timer.ifAbsent ? true : nil
    parameters.labels = timer.labels.isEmpty ? nil : timer.labels
    parameters.data = timer.data
    parameters.wake = timer.wake ? true : nil
    parameters.ring = timer.ring.flatMap { $0.isEmpty ? nil : $0 }
    return start(parameters: parameters.json)
  }
}

extension NewTimer.Kind {
  fileprivate var durationUsec: Int64? {
    switch self {
    case .countdown(let duration), .repeating(let duration, _): duration.usec
    case .alarm, .calendar, .stopwatch, .sequence: nil
    }
  }

  fileprivate var repetition: RepeatFields? {
    if case .repeating(_, let rounds) = self { RepeatFields(rounds: rounds) } else { nil }
  }

  fileprivate func alarm(except: [String], until: String?) -> AlarmFields? {
    switch self {
    case .alarm(let time): AlarmFields(atUsec: time.sinceEpoch.usec)
    case .calendar(let expression, let zone, let rounds):
      AlarmFields(
        calendar: expression, zone: zone, rounds: rounds == 0 ? nil : rounds,
        except: except.isEmpty ? nil : except, until: until)
    case .countdown, .repeating, .stopwatch, .sequence: nil
    }
  }

  fileprivate var sequence: NewTimer.Sequence? {
    if case .sequence(let sequence) = self { sequence } else { nil }
  }
}

extension NewTimer.Sequence: ReadableStructure, WritableValue {
  init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "sequence")
    steps = try fields.value("steps")
    rounds = try fields.optional("rounds") ?? 1
    longEvery = try fields.optional("long_every")
    afterSleep = try fields.optional("after_sleep")
  }

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("steps", steps)
    fields.add("rounds", rounds)
    fields.add("long_every", longEvery)
    fields.add("after_sleep", afterSleep)
    return fields.json
  }
}

extension NewTimer.Step: ReadableStructure, WritableValue {
  init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "step")
    name = try fields.value("name")
    duration = .microseconds(try fields.value("duration_usec") as Int64)
    waits = try fields.optional("waits") ?? false
    isBreak = try fields.optional("break") ?? false
    long = (try fields.optional("long_usec") as Int64?).map { .microseconds($0) }
  }

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("duration_usec", duration.usec)
    fields.add("waits", waits ? true : nil)
    fields.add("break", isBreak ? true : nil)
    fields.add("long_usec", long?.usec)
    return fields.json
  }
}

extension JSONValue {
  /// An object of all members whose value is not nil.
  package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONValue.Member(key, $0) } })
  }
}
