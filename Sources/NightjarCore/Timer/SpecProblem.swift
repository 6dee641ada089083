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

  /// The parts that can be wrong, by their names on the wire.
  public enum Part: String, Sendable {
    case bands
    case steps
    case rounds
    case late
    case longEvery = "long_every"
    case clock
    case schedule = "calendar"
    case kind
    case wake
    case labels
    case data
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
  init(_ part: Part, over name: String, _ most: Int, _ reason: String, at index: Int? = nil) {
    self.init(part, reason, at: index, limit: Limit(name: name, most: Int64(most)))
  }
}

extension TimerSpec {
  /// What is wrong; nil if nothing is. When it rings is looked at when it is started. O(bands + steps + bytes
  /// of data).
  public var problem: SpecProblem? {
    bandProblem ?? stepProblem ?? policyProblem ?? clockProblem ?? attachmentProblem
  }

  private var clockProblem: SpecProblem? {
    if kind == .stopwatch, clock == .wall {
      return SpecProblem(.clock, "a stopwatch measures elapsed or awake, for wall can be set")
    }
    // It stands still while the machine sleeps: such a deadline never comes to be waited for.
    if wakes, clock == .awake {
      return SpecProblem(
        .wake,
        "the clock awake stands still while the machine sleeps; leave out 'wake' or 'clock'")
    }
    return nil
  }

  private var attachmentProblem: SpecProblem? {
    guard labels.count <= Limits.labels else {
      return SpecProblem(
        .labels, over: "labels", Limits.labels, "a timer has at most \(Limits.labels) labels")
    }
    for (index, label) in labels.enumerated() {
      guard (1...Limits.labelKeyBytes).contains(label.key.utf8.count) else {
        return SpecProblem(
          .labels, over: "label_key_bytes", Limits.labelKeyBytes,
          "a label's key has 1 to \(Limits.labelKeyBytes) bytes", at: index)
      }
      guard label.value.utf8.count <= Limits.labelValueBytes else {
        return SpecProblem(
          .labels, over: "label_value_bytes", Limits.labelValueBytes,
          "a label's value has at most \(Limits.labelValueBytes) bytes", at: index)
      }
    }
    return dataProblem
  }

  private var dataProblem: SpecProblem? {
    guard data.count <= Limits.dataBytes else {
      return SpecProblem(
        .data, over: "data_bytes", Limits.dataBytes,
        "a timer's data has at most \(Limits.dataBytes) bytes")
    }
    guard dataDepth <= Limits.dataDepth else {
      return SpecProblem(
        .data, over: "data_depth", Limits.dataDepth,
        "a timer's data has at most \(Limits.dataDepth) objects and arrays inside one another")
    }
    return nil
  }

  /// How many objects and arrays stand inside one another in data, which is valid JSON.
  private var dataDepth: Int {
    var (depth, deepest) = (0, 0)
    var (isInString, isEscaped) = (false, false)
    for byte in data {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  private var policyProblem: SpecProblem? {
    guard (0...Limits.rounds).contains(rounds) else {
      return SpecProblem(.rounds, "rounds go from 1 to \(Limits.rounds), or 0 for no end")
    }
    if case .fireWithin(let usec) = late, !(0...Limits.durationUsec).contains(usec) {
      return SpecProblem(.late, "what a ring may be late by is from nothing to 100 years")
    }
    guard atUsec == nil || kind == .alarm && schedule == nil else {
      return SpecProblem(
        .kind, "a point in time is for an alarm, and takes the place of a calendar expression")
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
      ? nil : SpecProblem(.kind, "\(article) \(kind.name) does not repeat in that way")
  }

  private var bandProblem: SpecProblem? {
    guard bands.count <= Limits.bands else {
      return SpecProblem(
        .bands, over: "bands", Limits.bands, "a timer has at most \(Limits.bands) bands")
    }
    if kind == .stopwatch, !bands.isEmpty {
      return SpecProblem(.bands, "a stopwatch has no end, so it has no bands")
    }
    var before = Int64.max
    for (index, band) in bands.enumerated() {
      if let problem = Self.problem(name: band.name, of: "a band", part: .bands, at: index) {
        return problem
      }
      guard (1...Limits.durationUsec).contains(band.remainingUsec) else {
        return SpecProblem(
          .bands, "the band '\(band.name)' begins with some time remaining, at most 100 years",
          at: index)
      }
      guard band.remainingUsec < before else {
        return SpecProblem(
          .bands,
          "bands come in the order in which they begin: '\(band.name)' is not behind the "
            + "one before it; write the one with the most time remaining first", at: index)
      }
      before = band.remainingUsec
      guard band.color.utf8.count <= Limits.partNameBytes,
        band.text.utf8.count <= Limits.bandTextBytes
      else {
        return SpecProblem(
          .bands,
          "the band '\(band.name)' has a colour of over \(Limits.partNameBytes) bytes or "
            + "a text of over \(Limits.bandTextBytes)", at: index)
      }
      guard !Self.hasControls(band.color), !Self.hasControls(band.text) else {
        return SpecProblem(
          .bands, "the band '\(band.name)' has a control character in its colour or its text",
          at: index)
      }
      if let range = band.progress,
        !(0...1_000_000).contains(range.from) || !(0...1_000_000).contains(range.to)
      {
        return SpecProblem(
          .bands, "the progress of the band '\(band.name)' goes from 0 to 1", at: index)
      }
    }
    return nil
  }

  private var stepProblem: SpecProblem? {
    guard kind == .sequence else {
      return steps.isEmpty && longEvery == 0 && afterSleep == .continue
        ? nil : SpecProblem(.steps, "only a sequence has steps")
    }
    let reason = "a sequence has at least one step and at most \(Limits.steps)"
    guard !steps.isEmpty else { return SpecProblem(.steps, reason) }
    guard steps.count <= Limits.steps else {
      return SpecProblem(.steps, over: "steps", Limits.steps, reason)
    }
    for (index, step) in steps.enumerated() {
      if let problem = Self.problem(name: step.name, of: "a step", part: .steps, at: index) {
        return problem
      }
      for usec in [step.durationUsec, step.longUsec ?? step.durationUsec]
      where !(Limits.shortestRoundUsec...Limits.durationUsec).contains(usec) {
        return SpecProblem(
          .steps, "the step '\(step.name)' takes from 100 ms to 100 years", at: index)
      }
    }
    let hasLong = steps.contains { $0.longUsec != nil }
    guard (0...Limits.longEvery).contains(longEvery), hasLong == (longEvery > 0) else {
      return SpecProblem(
        .longEvery,
        "a long step takes both its length and in every how many rounds it comes, at most "
          + "\(Limits.longEvery)")
    }
    return nil
  }

  private static func problem(
    name: String, of what: String, part: SpecProblem.Part, at index: Int
  ) -> SpecProblem? {
    guard !name.isEmpty, name.utf8.count <= Limits.partNameBytes, !hasControls(name) else {
      return SpecProblem(
        part, "\(what) has a name of 1 to \(Limits.partNameBytes) bytes without control characters",
        at: index)
    }
    return nil
  }

  /// What is shown on terminals must not move their cursors.
  private static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0) ~= $0.value }
  }
}
