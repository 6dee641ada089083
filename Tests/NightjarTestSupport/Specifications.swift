public import NightjarEngine
public import NightjarModel

// Initialisers with default values, so that a test specifies only the properties that it tests.

extension SharedSpec {
  public convenience init(
    kind: TimerKind, bands: [Band] = [], late: LatePolicy = .fire, missed: MissedPolicy = .once,
    repeats: Bool = false, rounds: Int64 = 0, schedule: Schedule? = nil, steps: [Step] = [],
    longEvery: Int64 = 0, afterSleep: AfterSpan = .continue, afterAway: AfterSpan = .continue
  ) throws(SpecProblem) {
    var spec = TimerSpec.plain
    spec.kind = kind
    spec.bands = bands
    spec.late = late
    spec.missed = missed
    spec.repeats = repeats
    spec.rounds = rounds
    spec.schedule = schedule
    spec.steps = steps
    spec.longEvery = longEvery
    spec.afterSleep = afterSleep
    spec.afterAway = afterAway
    try spec.shared.check()
    self.init(spec.shared)
  }
}

extension Attachments {
  /// Creates attachments, which are empty by default. If a call gives all of them, Swift uses the
  /// model's own initialiser.
  @_disfavoredOverload
  public init(
    labels: [Label] = [], data: [UInt8] = [], ring: EncodedRing? = nil, message: String = ""
  ) {
    self = .none
    self.labels = labels
    self.data = data
    self.ring = ring
    self.message = message
  }
}

extension Engine {
  /// Starts a countdown, or a timer with the specification `spec` if that is given.
  public func start(
    _ name: String, durationUsec: Int64 = 0, atUsec: Int64? = nil, clock: Timeline,
    spec: SharedSpec? = nil, attachments: Attachments = Attachments(), wakes: Bool = false,
    replace: Bool = false, ifAbsent: Bool = false, at now: Moment
  ) throws(EngineError) -> (slot: Int, created: Bool) {
    var own = TimerSpec.plain
    own.clock = clock
    own.durationUsec = durationUsec
    if spec?.kind == .alarm, spec?.schedule == nil { own.atUsec = atUsec }
    own.wakes = wakes
    if let spec { own.shared = spec.content }
    own.attachments = attachments
    return try start(name, own, replace: replace, ifAbsent: ifAbsent, at: now)
  }

  /// Replaces a timer's labels, data, bands or ring. A property that is nil stays as it is.
  ///
  /// - Parameter ring: the new ring. A nil inside the optional removes the ring.
  public func update(
    _ slot: Int, labels: [Label]? = nil, data: [UInt8]? = nil, bands: [Band]? = nil,
    ring: EncodedRing?? = nil, at now: Moment
  ) throws(EngineError) {
    var spec = timerSpec(at: slot)
    if let labels { spec.attachments.labels = labels }
    if let data { spec.attachments.data = data }
    if let bands { spec.bands = bands }
    if let ring { spec.attachments.ring = ring }
    try update(slot, to: spec, at: now)
  }
}
