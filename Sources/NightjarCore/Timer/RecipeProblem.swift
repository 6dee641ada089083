/// What is wrong with a recipe: which part, and one sentence that says what would be right.
public struct RecipeProblem: Error, Equatable, Sendable {
  /// The part, by its name on the wire: `bands`, `steps`, `repeat`…
  public var part: Part
  /// One sentence without a full stop.
  public var reason: String

  /// The parts that can be wrong.
  public enum Part: String, Sendable {
    case bands
    case steps
    case rounds
    case late
    case longEvery = "long_every"
    case clock
    case schedule = "calendar"
    case kind
  }

  init(_ part: Part, _ reason: String) {
    self.part = part
    self.reason = reason
  }
}

extension Recipe {
  /// The most bands of a timer.
  public static let maximumBands = 64
  /// The most steps of a sequence.
  public static let maximumSteps = 64
  /// The longest name of a band or a step, or the name of a colour, in bytes of UTF-8.
  public static let maximumNameBytes = 63
  /// The longest text of a band, in bytes of UTF-8.
  public static let maximumTextBytes = 255
  /// The most rounds from one long one to the next. With it, what repeats is gone through in a bounded
  /// number of steps however long ago it was.
  public static let maximumLongEvery: Int64 = 100
  /// The most rounds, other than without end.
  public static let maximumRounds: Int64 = 1_000_000
  /// What goes on by itself takes at least so long: less would do nothing but fill the ledger.
  public static let shortestRoundUsec: Int64 = 100_000

  /// What is wrong; nil if nothing is.
  var problem: RecipeProblem? {
    bandProblem ?? stepProblem ?? policyProblem
  }

  private var policyProblem: RecipeProblem? {
    guard (0...Self.maximumRounds).contains(rounds) else {
      return RecipeProblem(.rounds, "rounds go from 1 to \(Self.maximumRounds), or 0 for no end")
    }
    if case .fireWithin(let usec) = late, !(0...Engine.maximumDurationUsec).contains(usec) {
      return RecipeProblem(.late, "what a ring may be late by is from nothing to 100 years")
    }
    let belongs =
      switch kind {
      case .countdown: schedule == nil && (repeats || rounds == 0)
      case .alarm: !repeats && (schedule != nil || rounds == 0)
      case .stopwatch: !repeats && schedule == nil && rounds == 0
      case .sequence: !repeats && schedule == nil
      }
    let article = kind == .alarm ? "an" : "a"
    return belongs
      ? nil : RecipeProblem(.kind, "\(article) \(kind.name) does not repeat in that way")
  }

  private var bandProblem: RecipeProblem? {
    guard bands.count <= Self.maximumBands else {
      return RecipeProblem(.bands, "a timer has at most \(Self.maximumBands) bands")
    }
    if kind == .stopwatch, !bands.isEmpty {
      return RecipeProblem(.bands, "a stopwatch has no end, so it has no bands")
    }
    var before = Int64.max
    for band in bands {
      if let problem = Self.problem(name: band.name, of: "a band", part: .bands) { return problem }
      guard (1...Engine.maximumDurationUsec).contains(band.remainingUsec) else {
        return RecipeProblem(
          .bands, "the band '\(band.name)' begins with some time remaining, at most 100 years")
      }
      guard band.remainingUsec < before else {
        return RecipeProblem(
          .bands,
          "bands come in the order in which they begin: '\(band.name)' is not behind the "
            + "one before it; write the one with the most time remaining first")
      }
      before = band.remainingUsec
      guard band.color.utf8.count <= Self.maximumNameBytes,
        band.text.utf8.count <= Self.maximumTextBytes
      else {
        return RecipeProblem(
          .bands,
          "the band '\(band.name)' has a colour of over \(Self.maximumNameBytes) bytes or "
            + "a text of over \(Self.maximumTextBytes)")
      }
      guard !Self.hasControls(band.color), !Self.hasControls(band.text) else {
        return RecipeProblem(
          .bands, "the band '\(band.name)' has a control character in its colour or its text")
      }
      if let range = band.progress,
        !(0...1_000_000).contains(range.from) || !(0...1_000_000).contains(range.to)
      {
        return RecipeProblem(.bands, "the progress of the band '\(band.name)' goes from 0 to 1")
      }
    }
    return nil
  }

  private var stepProblem: RecipeProblem? {
    guard kind == .sequence else {
      return steps.isEmpty && longEvery == 0 && afterSleep == .continue
        ? nil : RecipeProblem(.steps, "only a sequence has steps")
    }
    guard (1...Self.maximumSteps).contains(steps.count) else {
      return RecipeProblem(
        .steps, "a sequence has at least one step and at most \(Self.maximumSteps)")
    }
    for step in steps {
      if let problem = Self.problem(name: step.name, of: "a step", part: .steps) { return problem }
      for usec in [step.durationUsec, step.longUsec ?? step.durationUsec]
      where !(Self.shortestRoundUsec...Engine.maximumDurationUsec).contains(usec) {
        return RecipeProblem(.steps, "the step '\(step.name)' takes from 100 ms to 100 years")
      }
    }
    let hasLong = steps.contains { $0.longUsec != nil }
    guard (0...Self.maximumLongEvery).contains(longEvery), hasLong == (longEvery > 0) else {
      return RecipeProblem(
        .longEvery,
        "a long step takes both its length and in every how many rounds it comes, at most "
          + "\(Self.maximumLongEvery)")
    }
    return nil
  }

  private static func problem(
    name: String, of what: String, part: RecipeProblem.Part
  ) -> RecipeProblem? {
    guard !name.isEmpty, name.utf8.count <= maximumNameBytes, !hasControls(name) else {
      return RecipeProblem(
        part, "\(what) has a name of 1 to \(maximumNameBytes) bytes without control characters")
    }
    return nil
  }

  /// What is shown on terminals must not move their cursors.
  private static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0) ~= $0.value }
  }
}
