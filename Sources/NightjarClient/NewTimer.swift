public import NightjarWire

/// A timer that is to be started; the parameters of `Start`.
public struct NewTimer: Sendable {
  /// What it does.
  public enum Kind: Equatable, Sendable {
    /// Counts down, in microseconds.
    case countdown(usec: Int64)
    /// Counts down again and again; `rounds` times, or without end for 0.
    case repeating(usec: Int64, rounds: Int64)
    /// Rings at a point in time, in microseconds since the epoch.
    case alarm(atUsec: Int64)
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
    /// `continue`, `pause` or `restart`; nil: the daemon's default.
    public var afterSleep: String?

    /// Makes a sequence.
    public init(
      steps: [Step], rounds: Int64 = 1, longEvery: Int64? = nil, afterSleep: String? = nil
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
    /// How long it takes, in microseconds.
    public var durationUsec: Int64
    /// At its end it waits for `Advance`.
    public var waits: Bool
    /// It is a rest, which a sleep as long can stand for.
    public var isBreak: Bool
    /// How long it takes in long rounds, in microseconds; nil: as in others.
    public var longUsec: Int64?

    /// Makes a step.
    public init(
      name: String, durationUsec: Int64, waits: Bool = false, isBreak: Bool = false,
      longUsec: Int64? = nil
    ) {
      self.name = name
      self.durationUsec = durationUsec
      self.waits = waits
      self.isBreak = isBreak
      self.longUsec = longUsec
    }
  }

  /// What becomes of what came due unseen.
  public enum Late: Equatable, Sendable {
    /// It rings, however late.
    case fire
    /// It does not ring.
    case skip
    /// It rings if it is late by at most so many microseconds.
    case fireWithin(usec: Int64)
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
  /// `once`, `each` or `skip`; nil: the daemon's default.
  public var missed: String?
  /// In the order given.
  public var labels: [(key: String, value: String)] = []
  /// An object.
  public var data: JSONValue?
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
  public static func start(_ timer: NewTimer) -> Call {
    var members: [(String, JSONValue?)] = [("name", timer.name.map(JSONValue.string))]
    members += timer.kind.members
    members += [
      ("clock", timer.clock.map { .string($0.rawValue) }),
      ("bands", timer.bands.isEmpty ? JSONValue?.none : .array(timer.bands.map(\.json))),
    ]
    switch timer.late {
    case .fire?: members.append(("late", "fire"))
    case .skip?: members.append(("late", "skip"))
    case .fireWithin(let usec)?: members.append(("fire_within_usec", .integer(usec)))
    case nil: break
    }
    members += [
      ("missed", timer.missed.map(JSONValue.string)),
      ("replace", timer.replace ? true : JSONValue?.none),
      ("if_absent", timer.ifAbsent ? true : JSONValue?.none),
      ("labels", timer.labels.isEmpty ? JSONValue?.none : object(timer.labels)),
      ("data", timer.data), ("wake", timer.wake ? true : JSONValue?.none),
    ]
    return timers("Start", members)
  }
}

extension NewTimer.Kind {
  fileprivate var members: [(String, JSONValue?)] {
    switch self {
    case .countdown(let usec): [("duration_usec", .integer(usec))]
    case .repeating(let usec, let rounds):
      [("duration_usec", .integer(usec)), ("repeat", .members([("rounds", .integer(rounds))]))]
    case .alarm(let usec): [("alarm", .members([("at_usec", .integer(usec))]))]
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
            ("after_sleep", sequence.afterSleep.map(JSONValue.string)),
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
        self = .alarm(atUsec: usec)
      } else {
        self = .calendar(
          try alarm.string("calendar"), zone: try alarm.optionalString("zone"),
          rounds: try alarm.optionalInteger("rounds") ?? 0)
      }
    } else if kind == .stopwatch {
      self = .stopwatch
    } else if kind == .countdown, let durationUsec {
      guard let json = fields["repeat"] else {
        self = .countdown(usec: durationUsec)
        return
      }
      let rounds = try Fields(json, of: "repeat").optionalInteger("rounds")
      self = .repeating(usec: durationUsec, rounds: rounds ?? 0)
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
    afterSleep = try fields.optionalString("after_sleep")
  }
}

extension NewTimer.Step {
  fileprivate init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "step")
    name = try fields.string("name")
    durationUsec = try fields.integer("duration_usec")
    waits = try fields.optionalBool("waits") ?? false
    isBreak = try fields.optionalBool("break") ?? false
    longUsec = try fields.optionalInteger("long_usec")
  }

  fileprivate var json: JSONValue {
    .members([
      ("name", .string(name)), ("duration_usec", .integer(durationUsec)),
      ("waits", waits ? true : JSONValue?.none), ("break", isBreak ? true : JSONValue?.none),
      ("long_usec", longUsec.map(JSONValue.integer)),
    ])
  }
}

extension JSONValue {
  /// An object of those members that are there.
  static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONValue.Member(key, $0) } })
  }
}
