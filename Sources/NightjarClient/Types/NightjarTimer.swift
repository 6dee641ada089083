public import NightjarWire

/// A timer as the daemon described it; the type `Timer` of the interface.
public struct NightjarTimer: Equatable, Sendable {
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
  package let durationUsec: Int64
  /// What is left of it, in microseconds.
  package let remainingUsec: Int64
  /// What has passed of it, in microseconds.
  package let elapsedUsec: Int64
  /// What has passed of it, from 0 to 1.
  public let progress: Double
  /// When it will ring, in microseconds of the wall clock since the epoch; nil unless it runs.
  package let deadlineUsec: Int64?
  /// When it will ring on CLOCK_BOOTTIME of this boot; nil unless it runs on real time: on the
  /// clock `elapsed`, or snoozed on any clock.
  package let deadlineBoottimeUsec: Int64?
  /// When it was started, in microseconds since the epoch.
  package let startedUsec: Int64
  /// When it rang, in microseconds since the epoch; nil unless it did, or if it goes on and that was
  /// acknowledged.
  package let firedUsec: Int64?
  /// How long ago it rang, in microseconds; nil unless it did.
  package let firedAgoUsec: Int64?
  /// How late it rang, in microseconds; nil unless it did.
  package let lateUsec: Int64?
  /// Why it rang late; nil: it did not, or by so little that nothing is to be told.
  public let lateCause: Cause?
  /// It rang only because of a wall clock that was not vouched for.
  public let isEstimated: Bool
  /// How early that ring was, in microseconds, once the clock turned out to have been ahead; nil: it was
  /// not, or that is not known.
  package let earlyUsec: Int64?
  /// It is due by a wall clock that is not vouched for, and waits a minute at most for that.
  public let waitsForClock: Bool
  /// It came due without a ring, as its policy for what nobody sees is.
  public let isSkipped: Bool
  /// The band it is in.
  public let band: Band?
  /// All its bands, the one with the most time remaining first.
  public let bands: [Band]
  /// What becomes of it if it comes due unseen.
  public let late: NewTimer.Late
  /// What becomes of it if it comes due unseen several times.
  public let missed: MissedPolicy
  /// How often it has come due, if it repeats.
  public let repetition: Repetition?
  /// The calendar expression that it goes by.
  public let calendar: String?
  /// The zone of that, unless it is in the expression or the daemon's machine's own.
  public let zone: String?
  /// What becomes of a sequence after a sleep.
  public let afterSleep: AfterSleep?
  /// Where a sequence has got to.
  public let step: Step?
  /// All steps of a sequence; empty for anything else.
  public let steps: [NewTimer.Step]
  /// In every so many rounds of a sequence steps take their long time; nil: never.
  public let longEvery: Int64?
  /// What a stopwatch had measured at each lap, in microseconds.
  package let lapUsecs: [Int64]
  /// Whether it can wake the machine, if it is to.
  public let wake: Wake?
  /// What it does beside saying that it rings; nil: nothing.
  public let ring: Ring?
  /// Its labels, in the daemon's order.
  public let labels: [Label]
  /// Its owner's data, an object.
  public let data: JSONValue

  /// Reads a timer from what the daemon sent.
  ///
  /// - Parameter json: an object of the interface's type `Timer`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  package init(_ json: JSONValue) throws(ClientError) {
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
    lateCause = try fields.optionalString("late_cause").map(Cause.init(rawValue:))
    isEstimated = try fields.optionalBool("estimated") ?? false
    earlyUsec = try fields.optionalInteger("early_usec")
    waitsForClock = try fields.optionalBool("waits_for_clock") ?? false
    isSkipped = try fields.optionalBool("skipped") ?? false
    band = try fields["band"].map { (json) throws(ClientError) in try Band(json) }
    bands = try fields.optionalArray("bands").map { (json) throws(ClientError) in try Band(json) }
    if let usec = try fields.optionalInteger("fire_within_usec") {
      late = .fireWithin(.microseconds(usec))
    } else {
      late = try fields.optionalString("late") == "skip" ? .skip : .fire
    }
    missed = try fields.optionalString("missed").map(MissedPolicy.init(rawValue:)) ?? .once
    repetition = try fields["repeat"].map { (json) throws(ClientError) in try Repetition(json) }
    calendar = try fields.optionalString("calendar")
    zone = try fields.optionalString("zone")
    afterSleep = try fields.optionalString("after_sleep").map(AfterSleep.init(rawValue:))
    step = try fields["step"].map { (json) throws(ClientError) in try Step(json) }
    steps = try fields.optionalArray("steps").map { (json) throws(ClientError) in
      try NewTimer.Step(json)
    }
    longEvery = try fields.optionalInteger("long_every")
    lapUsecs = try fields.optionalArray("laps").compactMap(\.integerValue)
    wake = try fields["wake"].map { (json) throws(ClientError) in try Wake(json) }
    ring = try fields["ring"].map { (json) throws(ClientError) in try Ring(json) }
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

extension NightjarTimer {
  /// Where one that repeats has got to.
  public struct Repetition: Equatable, Sendable {
    /// How often it has come due.
    public let rung: Int64
    /// How long from one time to the next of a countdown, in microseconds.
    package let periodUsec: Int64?
    /// How often it will; nil: without end.
    public let rounds: Int64?
    /// What it counts down is a snooze.
    public let isSnoozed: Bool

    init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "repeat")
      rung = try fields.integer("rung")
      periodUsec = try fields.optionalInteger("period_usec")
      rounds = try fields.optionalInteger("rounds")
      isSnoozed = try fields.bool("snoozed")
    }
  }

  /// Where a sequence has got to; numbers are from 1.
  public struct Step: Equatable, Sendable {
    /// Its number, which counts on through all rounds.
    public let number: Int64
    /// What it is called.
    public let name: String
    /// It is a rest.
    public let isBreak: Bool
    /// At its end it waits for `Advance`.
    public let waits: Bool
    /// Its number in the round.
    public let index: Int64
    /// How many steps a round has.
    public let steps: Int64
    /// The round.
    public let round: Int64
    /// How many rounds there are; nil: without end.
    public let rounds: Int64?
    /// What the next is called; nil: there is none.
    public let nextName: String?
    /// How long that takes, in microseconds.
    package let nextDurationUsec: Int64?

    init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "step")
      number = try fields.integer("number")
      name = try fields.string("name")
      isBreak = try fields.bool("break")
      waits = try fields.bool("waits")
      index = try fields.integer("index")
      steps = try fields.integer("steps")
      round = try fields.integer("round")
      rounds = try fields.optionalInteger("rounds")
      nextName = try fields.optionalString("next_name")
      nextDurationUsec = try fields.optionalInteger("next_duration_usec")
    }
  }
}
