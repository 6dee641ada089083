public import NightjarWire

/// A timer that is to be started; the parameters of `Start`.
public struct NewTimer: Equatable, Sendable {
  /// What it does.
  public enum Kind: Equatable, Sendable {
    /// Counts down.
    case countdown(Duration)
    /// Counts down again and again; `rounds` times, or without end for 0.
    case repeating(Duration, rounds: Int64)
    /// Rings at a point in time.
    case alarm(at: WallTime)
    /// Rings whenever a systemd.time(7) calendar expression comes round, in a zone of the database, or
    /// the daemon's machine's own; `rounds` times, or without end for 0.
    case calendar(String, zone: String?, rounds: Int64)
    /// Counts up.
    case stopwatch
    /// Goes from step to step.
    case sequence(Sequence)
  }

  /// The steps of a sequence.
  public struct Sequence: Equatable, Sendable {
    /// In their order.
    public var steps: [Step]
    /// How often they are gone through; 0: without end.
    public var rounds: Int64
    /// In every so many rounds steps take their long time; nil: never.
    public var longEvery: Int64?
    /// What becomes of it after a sleep; nil: the daemon's default.
    public var afterSleep: AfterSleep?

    /// Makes a sequence.
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
    /// What it is called.
    public var name: String
    /// How long it takes.
    public var duration: Duration
    /// At its end it waits for `Advance`.
    public var waits: Bool
    /// It is a rest, which a sleep as long can stand for.
    public var isBreak: Bool
    /// How long it takes in long rounds; nil: as in others.
    public var long: Duration?

    /// Makes a step.
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

  /// What becomes of what came due unseen.
  public enum Late: Equatable, Sendable {
    /// It rings, however late.
    case fire
    /// It does not ring.
    case skip
    /// It rings if it is no later than that.
    case fireWithin(Duration)
  }

  /// nil lets the daemon make one up.
  public var name: String?
  /// What it does.
  public var kind: Kind
  /// `elapsed`, `awake` or `wall`; nil: the daemon's default. An alarm has none to choose.
  public var clock: NightjarTimer.Clock?
  /// The one with the most time remaining first.
  public var bands: [Band] = []
  /// nil: the daemon's default.
  public var late: Late?
  /// What becomes of what came due unseen several times; nil: the daemon's default.
  public var missed: MissedPolicy?
  /// In the order given.
  public var labels: [NightjarTimer.Label] = []
  /// An object.
  public var data: JSONValue?
  /// What it does beside saying that it rings; nil: nothing.
  public var ring: Ring?
  /// Wake the machine for it; not with the clock `awake`.
  public var wake = false
  /// Start anew over a timer of that name.
  public var replace = false
  /// Leave a timer of that name, and answer with it.
  public var ifAbsent = false

  /// Makes a timer with nothing but a name and what it does.
  public init(name: String?, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

extension Call {
  /// Starts a timer.
  package static func start(_ timer: NewTimer) -> Call {
    var members: [(String, JSONValue?)] = [("name", timer.name.map(JSONValue.string))]
    members += timer.kind.members
    members += [
      ("clock", timer.clock.map { .string($0.rawValue) }),
      ("bands", timer.bands.isEmpty ? JSONValue?.none : .array(timer.bands.map(\.json))),
    ]
    switch timer.late {
    case .fire?: members.append(("late", "fire"))
    case .skip?: members.append(("late", "skip"))
    case .fireWithin(let span)?: members.append(("fire_within_usec", .integer(span.usec)))
    case nil: break
    }
    members += [
      ("missed", timer.missed.map { .string($0.rawValue) }),
      ("replace", timer.replace ? true : JSONValue?.none),
      ("if_absent", timer.ifAbsent ? true : JSONValue?.none),
      ("labels", timer.labels.isEmpty ? JSONValue?.none : object(timer.labels)),
      ("data", timer.data), ("wake", timer.wake ? true : JSONValue?.none),
      ("ring", timer.ring.flatMap { $0.isEmpty ? nil : $0.json }),
    ]
    return timers("Start", members)
  }
}

extension NewTimer.Kind {
  fileprivate var members: [(String, JSONValue?)] {
    switch self {
    case .countdown(let duration): [("duration_usec", .integer(duration.usec))]
    case .repeating(let duration, let rounds):
      [
        ("duration_usec", .integer(duration.usec)),
        ("repeat", .members([("rounds", .integer(rounds))])),
      ]
    case .alarm(let time): [("alarm", .members([("at_usec", .integer(time.sinceEpoch.usec))]))]
    case .calendar(let expression, let zone, let rounds):
      [
        (
          "alarm",
          .members([
            ("calendar", .string(expression)), ("zone", zone.map(JSONValue.string)),
            ("rounds", rounds == 0 ? JSONValue?.none : .integer(rounds)),
          ])
        )
      ]
    case .stopwatch: [("stopwatch", true)]
    case .sequence(let sequence):
      [
        (
          "sequence",
          .members([
            ("steps", .array(sequence.steps.map(\.json))), ("rounds", .integer(sequence.rounds)),
            ("long_every", sequence.longEvery.map(JSONValue.integer)),
            ("after_sleep", sequence.afterSleep.map { .string($0.rawValue) }),
          ])
        )
      ]
    }
  }
}

// MARK: - Reading what was started

extension NewTimer.Kind {
  /// - Parameter fields: those of an event `started`.
  init?(
    startedIn fields: Fields, kind: NightjarTimer.Kind?, durationUsec: Int64?
  ) throws(ClientError) {
    if let json = fields["sequence"] {
      self = .sequence(try NewTimer.Sequence(json))
    } else if let json = fields["alarm"] {
      let alarm = try Fields(json, of: "alarm")
      if let usec = try alarm.optionalInteger("at_usec") {
        self = .alarm(at: WallTime(usec: usec))
      } else {
        self = .calendar(
          try alarm.string("calendar"), zone: try alarm.optionalString("zone"),
          rounds: try alarm.optionalInteger("rounds") ?? 0)
      }
    } else if kind == .stopwatch {
      self = .stopwatch
    } else if kind == .countdown, let durationUsec {
      guard let json = fields["repeat"] else {
        self = .countdown(.microseconds(durationUsec))
        return
      }
      let rounds = try Fields(json, of: "repeat").optionalInteger("rounds")
      self = .repeating(.microseconds(durationUsec), rounds: rounds ?? 0)
    } else {
      return nil
    }
  }
}

extension NewTimer.Sequence {
  fileprivate init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "sequence")
    steps = []
    for json in try fields.array("steps") { steps.append(try NewTimer.Step(json)) }
    rounds = try fields.optionalInteger("rounds") ?? 1
    longEvery = try fields.optionalInteger("long_every")
    afterSleep = try fields.optionalString("after_sleep").map(AfterSleep.init(rawValue:))
  }
}

extension NewTimer.Step {
  init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "step")
    name = try fields.string("name")
    duration = .microseconds(try fields.integer("duration_usec"))
    waits = try fields.optionalBool("waits") ?? false
    isBreak = try fields.optionalBool("break") ?? false
    long = try fields.optionalInteger("long_usec").map(Duration.microseconds)
  }

  fileprivate var json: JSONValue {
    .members([
      ("name", .string(name)), ("duration_usec", .integer(duration.usec)),
      ("waits", waits ? true : JSONValue?.none), ("break", isBreak ? true : JSONValue?.none),
      ("long_usec", long.map { .integer($0.usec) }),
    ])
  }
}

extension JSONValue {
  /// An object of those members that are there.
  package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONValue.Member(key, $0) } })
  }
}
