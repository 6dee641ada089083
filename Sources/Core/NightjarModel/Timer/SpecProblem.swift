/// A problem of a specification: the part that is wrong, and a sentence that states the rule.
public struct SpecProblem: Error, Equatable, Sendable {
  public var part: Part
  /// One sentence without a full stop.
  public var reason: String
  /// The index of the band, step or label that is wrong, from 0; nil: the part as a whole.
  public var index: Int?
  /// The limit that is exceeded; nil: something else is wrong.
  public var limit: Limit?

  /// A part of a specification that can be wrong, with its name on the wire. Each part is declared
  /// beside the code that checks it.
  public struct Part: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    init(_ name: String) { rawValue = name }
  }

  public struct Limit: Equatable, Sendable {
    /// The name that clients see.
    public var name: String
    /// The highest allowed value.
    public var most: Int64
  }

  init(_ part: Part, _ reason: String, at index: Int? = nil, limit: Limit? = nil) {
    self.part = part
    self.reason = reason
    self.index = index
    self.limit = limit
  }

  /// Makes the problem of a value or number that is above its limit.
  init(
    _ part: Part, over name: String, _ most: some BinaryInteger, _ reason: String,
    at index: Int? = nil
  ) {
    self.init(part, reason, at: index, limit: Limit(name: name, most: Int64(most)))
  }
}

extension SpecProblem.Part {
  public static let durationUsec = Self("duration_usec")
  public static let clock = Self("clock")
  public static let wake = Self("wake")
  public static let kind = Self("kind")
  public static let rounds = Self("rounds")
  public static let longEvery = Self("long_every")
  public static let steps = Self("steps")
  public static let bands = Self("bands")
  public static let late = Self("late")
  public static let missed = Self("missed")
  /// The days on which a repeating timer does not ring.
  public static let except = Self("except")
  /// The last day on which a repeating timer rings.
  public static let until = Self("until")
}

extension TimerSpec {
  /// Throws the first problem of the specification. Does not check the time at which an alarm
  /// rings, which `Engine.start` checks. O(bands + steps + bytes of data).
  public func check() throws(SpecProblem) {
    try shared.check()
    try checkOwn()
    try attachments.check()
    try checkDuration()
  }

  /// The problem that `check` throws; nil: there is none.
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
        .kind,
        "only an alarm can have a point in time, and such an alarm cannot have a calendar "
          + "expression")
    }
    if self.kind == .stopwatch, clock == .wall {
      throw SpecProblem(
        .clock, "a stopwatch must measure elapsed, awake or present, because wall can be set")
    }
    // On another clock the steps go on, and ring, while the user is away.
    guard self.afterAway == .continue || clock == .present else {
      throw SpecProblem(
        .clock,
        "'after_away' is for the clock present, which stands still while the user is away; leave "
          + "out 'after_away' or 'clock'")
    }
    // `awake` and `present` stand still while the machine sleeps, so a deadline on them cannot pass
    // during sleep.
    if wakes, clock.countsUptime {
      throw SpecProblem(
        .wake,
        "the clock \(clock.name) stands still while the machine sleeps; leave out 'wake' or 'clock'"
      )
    }
  }

  /// The reason for refusing a timer that repeats too often.
  public static var tooOften: String {
    "a repeating timer needs at least \(Limits.shortestRoundWords) from one ring to the next"
  }

  /// The problem of a duration; nil: there is none. The problem has a `limit` if the duration is
  /// too long.
  public static func problem(durationUsec usec: Int64) -> SpecProblem? {
    // Build the sentence only if something is wrong, because each start calls this.
    guard usec > 0 else { return SpecProblem(.durationUsec, durations) }
    guard usec <= Limits.durationUsec else {
      return SpecProblem(.durationUsec, over: "duration_usec", Limits.durationUsec, durations)
    }
    return nil
  }

  private static var durations: String {
    "'duration_usec' must be more than 0, up to \(Limits.durationWords)"
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
  /// Throws the first problem of the shared part.
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
        "a timer can leave out at most \(Limits.exceptRanges) stretches of days")
    }
    let years = "from 1970-01-01 to 2199-12-31"
    for range in schedule.except {
      guard Limits.days.contains(range.first), Limits.days.contains(range.last),
        range.first <= range.last
      else {
        throw SpecProblem(
          .except,
          "days must be \(years), and the first day of a range must not be after its last")
      }
    }
    guard schedule.except == DayRange.merged(schedule.except) else {
      throw SpecProblem(.except, "the days that are left out must be in order")
    }
    guard schedule.until.map(Limits.days.contains) ?? true else {
      throw SpecProblem(.until, "the last day must be \(years)")
    }
  }

  /// The problem of a number of rounds; nil: there is none.
  public static func problem(rounds: Int64) -> SpecProblem? {
    guard !(0...Limits.rounds).contains(rounds) else { return nil }
    return SpecProblem(
      .rounds, "'rounds' must be from 1 to \(Limits.rounds), or 0 for no end, not \(rounds)")
  }

  /// The problem of the number of rounds from one long step to the next; nil: there is none.
  ///
  /// - Parameter hasLong: whether a step has a long duration.
  public static func problem(longEvery: Int64, hasLong: Bool) -> SpecProblem? {
    guard !(0...Limits.longEvery).contains(longEvery) || hasLong != (longEvery > 0) else {
      return nil
    }
    return SpecProblem(
      .longEvery,
      "a long step needs its length and how often it comes: every 1 to \(Limits.longEvery) rounds")
  }

  private func checkPolicies() throws(SpecProblem) {
    if let problem = Self.problem(rounds: rounds) { throw problem }
    if case .fireWithin(let usec) = late, !(0...Limits.durationUsec).contains(usec) {
      throw SpecProblem(
        .late, "the late limit must be from 0 to \(Limits.durationWords)")
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
        .bands, over: "bands", Limits.bands, "a timer can have at most \(Limits.bands) bands")
    }
    if kind == .stopwatch, !bands.isEmpty {
      throw SpecProblem(.bands, "a stopwatch has no end, so it cannot have bands")
    }
    let misplaced = Band.misplaced(in: bands.lazy.map(\.remainingUsec))
    for (index, band) in bands.enumerated() {
      try Self.check(name: band.name, of: "a band", part: .bands, at: index)
      guard (1...Limits.durationUsec).contains(band.remainingUsec) else {
        throw SpecProblem(
          .bands,
          "the band '\(band.name)' must begin at a remaining time of more than 0 and at most "
            + Limits.durationWords,
          at: index)
      }
      guard index != misplaced else {
        throw SpecProblem(
          .bands,
          "the band '\(band.name)' must have less remaining time than the band before it; write "
            + "the band with the most remaining time first", at: index)
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
          .bands, "the progress of the band '\(band.name)' must be from 0 to 1", at: index)
      }
    }
  }

  private func checkSteps() throws(SpecProblem) {
    guard kind == .sequence else {
      if steps.isEmpty, longEvery == 0, afterSleep == .continue, afterAway == .continue {
        return
      }
      throw SpecProblem(.steps, "only a sequence can have steps")
    }
    let reason = "a sequence must have at least one step and at most \(Limits.steps)"
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
          "the step '\(step.name)' must take from \(Limits.shortestRoundWords) to "
            + Limits.durationWords,
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
        part,
        "\(what) must have a name of 1 to \(Limits.partNameBytes) bytes without control characters",
        at: index)
    }
  }
}

extension SpecProblem {
  /// Whether a text has control characters, which could move the cursor of a terminal.
  static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0) ~= $0.value }
  }
}

extension Band {
  /// The index of the first band that is in the wrong place; nil: there is none. Each band must
  /// begin with less remaining time than the band before it.
  ///
  /// - Parameter remainingUsecs: the remaining time at which each band begins, in the order of the
  ///   bands.
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
  /// Parts of a specification that have no effect on a timer of this kind. The service ignores
  /// them. A preset that sets one of them is refused, so that the user learns of it.
  public var ignoredParts: [SpecProblem.Part] {
    switch self {
    case .alarm: [.clock]
    case .stopwatch: [.late, .missed, .wake]
    case .countdown, .sequence: []
    }
  }
}
