/// What is wrong with a specification: which part, and one sentence that says what would be right.
public struct SpecProblem: Error, Equatable, Sendable {
  /// The part.
  public var part: Part
  /// One sentence without a full stop.
  public var reason: String
  /// Which of the bands, steps or labels it is about, from 0; nil: the part as a whole.
  public var index: Int?
  /// The limit that it is over; nil: something else is wrong.
  public var limit: Limit?

  /// A part that can be wrong, by its name on the wire. Each stands beside what checks it.
  public struct Part: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// A part of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    init(_ name: String) { rawValue = name }
  }

  /// The name of a limit, and how much it allows.
  public struct Limit: Equatable, Sendable {
    /// As clients are told it.
    public var name: String
    /// The most there may be.
    public var most: Int64
  }

  init(_ part: Part, _ reason: String, at index: Int? = nil, limit: Limit? = nil) {
    self.part = part
    self.reason = reason
    self.index = index
    self.limit = limit
  }

  /// More than there may be.
  init(
    _ part: Part, over name: String, _ most: some BinaryInteger, _ reason: String,
    at index: Int? = nil
  ) {
    self.init(part, reason, at: index, limit: Limit(name: name, most: Int64(most)))
  }
}

extension SpecProblem.Part {
  /// `duration_usec`
  public static let durationUsec = Self("duration_usec")
  /// `clock`
  public static let clock = Self("clock")
  /// `wake`
  public static let wake = Self("wake")
  /// `kind`
  public static let kind = Self("kind")
  /// `rounds`
  public static let rounds = Self("rounds")
  /// `long_every`
  public static let longEvery = Self("long_every")
  /// `steps`
  public static let steps = Self("steps")
  /// `bands`
  public static let bands = Self("bands")
  /// `late`
  public static let late = Self("late")
  /// `missed`
  public static let missed = Self("missed")
  /// The days that are left out.
  public static let except = Self("except")
  /// The last day.
  public static let until = Self("until")
}

extension TimerSpec {
  /// Throws what is wrong. When an alarm rings is checked when it is started. O(bands + steps + bytes
  /// of data).
  public func check() throws(SpecProblem) {
    try shared.check()
    try checkOwn()
    try attachments.check()
    try checkDuration()
  }

  /// What `check` throws; nil: nothing is wrong.
  public var problem: SpecProblem? {
    do throws(SpecProblem) {
      try check()
      return nil
    } catch {
      return error
    }
  }

  private func checkOwn() throws(SpecProblem) {
    guard atUsec == nil || self.kind == .alarm && self.schedule == nil else {
      throw SpecProblem(
        .kind, "a point in time is for an alarm, and takes the place of a calendar expression")
    }
    if self.kind == .stopwatch, clock == .wall {
      throw SpecProblem(
        .clock, "a stopwatch measures elapsed, awake or present, for wall can be set")
    }
    // It stands still while the machine sleeps: such a deadline never comes to be waited for.
    if wakes, clock.countsUptime {
      throw SpecProblem(
        .wake,
        "the clock \(clock.name) stands still while the machine sleeps; leave out 'wake' or 'clock'"
      )
    }
  }

  /// Of what comes round sooner than it may.
  public static var tooOften: String {
    "what repeats takes at least \(Limits.shortestRoundWords) from one time to the next"
  }

  /// What is wrong with a duration by itself; nil: nothing. It has a limit if the duration is too long.
  public static func problem(durationUsec usec: Int64) -> SpecProblem? {
    // The sentence is made for what is wrong only: each start comes by here.
    guard usec > 0 else { return SpecProblem(.durationUsec, durations) }
    guard usec <= Limits.durationUsec else {
      return SpecProblem(.durationUsec, over: "duration_usec", Limits.durationUsec, durations)
    }
    return nil
  }

  private static var durations: String {
    "'duration_usec' is longer than nothing, up to \(Limits.durationWords)"
  }

  private func checkDuration() throws(SpecProblem) {
    guard self.kind == .countdown else { return }
    if let problem = Self.problem(durationUsec: durationUsec) { throw problem }
    guard !self.repeats || durationUsec >= Limits.shortestRoundUsec else {
      throw SpecProblem(.rounds, Self.tooOften)
    }
  }
}

extension TimerSpec.Shared {
  /// Throws what is wrong.
  public func check() throws(SpecProblem) {
    try checkBands()
    try checkSteps()
    try checkPolicies()
    if let schedule { try Self.check(schedule) }
  }

  private static func check(_ schedule: Schedule) throws(SpecProblem) {
    guard schedule.except.count <= Limits.exceptRanges else {
      throw SpecProblem(
        .except, over: "except", Limits.exceptRanges,
        "a timer leaves out at most \(Limits.exceptRanges) stretches of days")
    }
    let years = "from 1970-01-01 to 2199-12-31"
    for range in schedule.except {
      guard Limits.days.contains(range.first), Limits.days.contains(range.last),
        range.first <= range.last
      else {
        throw SpecProblem(
          .except, "days are \(years), and the first of a range is not behind its last")
      }
    }
    guard schedule.except == DayRange.merged(schedule.except) else {
      throw SpecProblem(.except, "the days that are left out come in order")
    }
    guard schedule.until.map(Limits.days.contains) ?? true else {
      throw SpecProblem(.until, "the last day is \(years)")
    }
  }

  /// What is wrong with a number of rounds by itself; nil: nothing.
  public static func problem(rounds: Int64) -> SpecProblem? {
    guard !(0...Limits.rounds).contains(rounds) else { return nil }
    return SpecProblem(
      .rounds, "'rounds' goes from 1 to \(Limits.rounds), or is 0 for no end, not \(rounds)")
  }

  /// What is wrong with the number of rounds from one long one to the next; nil: nothing.
  ///
  /// - Parameter hasLong: whether a step has a long time.
  public static func problem(longEvery: Int64, hasLong: Bool) -> SpecProblem? {
    guard !(0...Limits.longEvery).contains(longEvery) || hasLong != (longEvery > 0) else {
      return nil
    }
    return SpecProblem(
      .longEvery,
      "a long step takes both its length and in every how many rounds it comes, at most "
        + "\(Limits.longEvery)")
  }

  private func checkPolicies() throws(SpecProblem) {
    if let problem = Self.problem(rounds: rounds) { throw problem }
    if case .fireWithin(let usec) = late, !(0...Limits.durationUsec).contains(usec) {
      throw SpecProblem(
        .late, "what a ring may be late by is from nothing to \(Limits.durationWords)")
    }
    let belongs =
      switch kind {
      case .countdown: schedule == nil && (repeats || rounds == 0)
      case .alarm: !repeats && (schedule != nil || rounds == 0)
      case .stopwatch: !repeats && schedule == nil && rounds == 0
      case .sequence: !repeats && schedule == nil
      }
    if belongs { return }
    let article = kind == .alarm ? "an" : "a"
    throw SpecProblem(.kind, "\(article) \(kind.name) does not repeat in that way")
  }

  private func checkBands() throws(SpecProblem) {
    guard bands.count <= Limits.bands else {
      throw SpecProblem(
        .bands, over: "bands", Limits.bands, "a timer has at most \(Limits.bands) bands")
    }
    if kind == .stopwatch, !bands.isEmpty {
      throw SpecProblem(.bands, "a stopwatch has no end, so it has no bands")
    }
    let misplaced = Band.misplaced(in: bands.lazy.map(\.remainingUsec))
    for (index, band) in bands.enumerated() {
      try Self.check(name: band.name, of: "a band", part: .bands, at: index)
      guard (1...Limits.durationUsec).contains(band.remainingUsec) else {
        throw SpecProblem(
          .bands,
          "the band '\(band.name)' begins with some time remaining, at most \(Limits.durationWords)",
          at: index)
      }
      guard index != misplaced else {
        throw SpecProblem(
          .bands,
          "bands come in the order in which they begin: '\(band.name)' is not behind the "
            + "one before it; write the one with the most time remaining first", at: index)
      }
      guard band.color.utf8.count <= Limits.partNameBytes,
        band.text.utf8.count <= Limits.bandTextBytes
      else {
        throw SpecProblem(
          .bands,
          "the band '\(band.name)' has a colour of over \(Limits.partNameBytes) bytes or "
            + "a text of over \(Limits.bandTextBytes)", at: index)
      }
      guard !SpecProblem.hasControls(band.color), !SpecProblem.hasControls(band.text) else {
        throw SpecProblem(
          .bands, "the band '\(band.name)' has a control character in its colour or its text",
          at: index)
      }
      if let range = band.progress, !range.isValid {
        throw SpecProblem(
          .bands, "the progress of the band '\(band.name)' goes from 0 to 1", at: index)
      }
    }
  }

  private func checkSteps() throws(SpecProblem) {
    guard kind == .sequence else {
      if steps.isEmpty, longEvery == 0, afterSleep == .continue { return }
      throw SpecProblem(.steps, "only a sequence has steps")
    }
    let reason = "a sequence has at least one step and at most \(Limits.steps)"
    guard !steps.isEmpty else { throw SpecProblem(.steps, reason) }
    guard steps.count <= Limits.steps else {
      throw SpecProblem(.steps, over: "steps", Limits.steps, reason)
    }
    for (index, step) in steps.enumerated() {
      try Self.check(name: step.name, of: "a step", part: .steps, at: index)
      for usec in [step.durationUsec, step.longUsec ?? step.durationUsec]
      where !(Limits.shortestRoundUsec...Limits.durationUsec).contains(usec) {
        throw SpecProblem(
          .steps,
          "the step '\(step.name)' takes from \(Limits.shortestRoundWords) to \(Limits.durationWords)",
          at: index)
      }
    }
    let hasLong = steps.contains { $0.longUsec != nil }
    if let problem = Self.problem(longEvery: longEvery, hasLong: hasLong) { throw problem }
  }

  private static func check(
    name: String, of what: String, part: SpecProblem.Part, at index: Int
  ) throws(SpecProblem) {
    guard !name.isEmpty, name.utf8.count <= Limits.partNameBytes, !SpecProblem.hasControls(name)
    else {
      throw SpecProblem(
        part, "\(what) has a name of 1 to \(Limits.partNameBytes) bytes without control characters",
        at: index)
    }
  }
}

extension SpecProblem {
  /// What is shown on terminals must not move their cursors.
  static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0) ~= $0.value }
  }
}

extension Band {
  /// The first band that does not begin with less time remaining than the one before it; nil: all do.
  ///
  /// - Parameter remainingUsecs: what remains when each band begins, in the order of the bands.
  public static func misplaced(in remainingUsecs: some Sequence<Int64>) -> Int? {
    var before = Int64.max
    for (index, usec) in remainingUsecs.enumerated() {
      guard usec < before else { return index }
      before = usec
    }
    return nil
  }
}

extension TimerKind {
  /// Parts of a specification that have no effect on a timer of this kind. The service ignores them,
  /// because clients of the first version send them. A user who writes one down is told.
  public var ignoredParts: [SpecProblem.Part] {
    switch self {
    case .alarm: [.clock]
    case .stopwatch: [.late, .missed, .wake]
    case .countdown, .sequence: []
    }
  }
}
