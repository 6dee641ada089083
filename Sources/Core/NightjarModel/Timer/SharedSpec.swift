/// The shared part of a specification as an object, which copies of a timer share. A plain
/// countdown has `plain`.
@dynamicMemberLookup
public final class SharedSpec: Sendable {
  public let content: TimerSpec.Shared
  /// The hash of `content`, which is computed once.
  private let contentHash: Int

  public static let plain = SharedSpec(.plain)

  /// Makes an object. O(bands + steps).
  public init(_ content: TimerSpec.Shared) {
    self.content = content
    var hasher = Hasher()
    hasher.combine(content)
    contentHash = hasher.finalize()
  }

  @inlinable
  public subscript<Value>(dynamicMember member: KeyPath<TimerSpec.Shared, Value>) -> Value {
    content[keyPath: member]
  }

  /// Whether the timer continues after a ring, until its rounds are over. True for repeating
  /// countdowns and alarms.
  public var isRepeating: Bool { content.repeats || content.schedule != nil }

  public var isPlain: Bool { self === Self.plain || self == .plain }
}

extension SharedSpec: Hashable {
  public static func == (a: SharedSpec, b: SharedSpec) -> Bool {
    a === b || a.contentHash == b.contentHash && a.content == b.content
  }

  /// Uses the stored hash. O(1).
  public func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }
}

// MARK: - Bands

extension SharedSpec {
  /// How many bands have begun when `remainingUsec` remains. O(bands).
  package func band(remainingUsec: Int64) -> Int {
    content.bands.firstIndex { remainingUsec > $0.remainingUsec } ?? content.bands.count
  }

  /// The progress from 0 to 1 when `remainingUsec` of `durationUsec` remains.
  package func progress(remainingUsec: Int64, of durationUsec: Int64) -> Double {
    guard durationUsec > 0 else { return 1 }
    let whole = min(1, max(0, Double(durationUsec - remainingUsec) / Double(durationUsec)))
    let begun = band(remainingUsec: remainingUsec)
    guard begun > 0, let range = content.bands[begun - 1].progress else { return whole }
    // A band that would begin before the timer starts begins with the timer.
    let top = min(content.bands[begun - 1].remainingUsec, durationUsec)
    let bottom = begun < content.bands.count ? content.bands[begun].remainingUsec : 0
    let part =
      top > bottom ? Double(max(0, top - remainingUsec)) / Double(top - bottom) : 1
    return (Double(range.from) + Double(range.to - range.from) * min(1, part)) / 1_000_000
  }
}

// MARK: - Sequences

extension SharedSpec {
  /// The step at a position, which is counted through all rounds.
  public func step(at position: Int64) -> Step {
    content.steps[Int(position % Int64(content.steps.count))]
  }

  /// The round of a position, counted from 0.
  public func round(at position: Int64) -> Int64 { position / Int64(content.steps.count) }

  /// The length of the step at a position, in microseconds.
  public func stepUsec(at position: Int64) -> Int64 {
    let step = step(at: position)
    guard let longUsec = step.longUsec,
      Self.isLong(at: position, stepCount: content.steps.count, longEvery: content.longEvery)
    else { return step.durationUsec }
    return longUsec
  }

  /// Whether steps have their long lengths in the round of this position. They have them in every
  /// `longEvery`th round; if that is 0, in none.
  package static func isLong(at position: Int64, stepCount: Int, longEvery: Int64) -> Bool {
    longEvery > 0 && (position / Int64(stepCount) + 1) % longEvery == 0
  }

  /// Whether no step follows the one at `position`.
  public func isLast(_ position: Int64) -> Bool {
    content.rounds > 0 && position == content.rounds * Int64(content.steps.count) - 1
  }

  /// The step that begins after a span; nil: the present step goes on.
  ///
  /// - Parameters:
  ///   - position: the step in which the span began, and `remainingUsec` what remained of it then.
  ///   - startsCountAnew: whether a span as long as a long break begins the count of the rounds
  ///     up to the next long break anew.
  package func position(
    after policy: AfterSpan, lasting spanUsec: Int64, at position: Int64, remainingUsec: Int64,
    startsCountAnew: Bool
  ) -> Int64? {
    var next = position
    if step(at: position).isBreak {
      // A break continues to its end. If it ended in the span, the next step begins now.
      let waits = step(at: position).waits && policy != .break
      guard spanUsec >= remainingUsec, !waits, !isLast(position) else { return nil }
      next += 1
    } else if policy == .break {
      guard !isLast(position), step(at: position + 1).isBreak,
        spanUsec >= stepUsec(at: position + 1), !isLast(position + 1)
      else { return nil }
      next += 2
    }
    let longUsec = content.steps.compactMap { $0.isBreak ? $0.longUsec : nil }.max()
    if startsCountAnew, content.longEvery > 0, let longUsec, spanUsec >= longUsec {
      next -= round(at: next) % content.longEvery * Int64(content.steps.count)
    }
    return next
  }

  /// The number of steps until the sequence repeats itself, and their length in microseconds; nil:
  /// they take more than 100 years.
  package var cycle: (steps: Int64, usec: Int64)? {
    let count = max(1, content.longEvery) * Int64(content.steps.count)
    var usec: Int64 = 0
    for step in content.steps {
      let normal = step.durationUsec.multipliedReportingOverflow(by: max(1, content.longEvery))
      guard !normal.overflow else { return nil }
      let more =
        content.longEvery > 0 ? (step.longUsec ?? step.durationUsec) - step.durationUsec : 0
      usec += normal.partialValue + more
      guard usec <= Limits.durationUsec else { return nil }
    }
    return (count, usec)
  }

  /// The length of the shortest break, or of the shortest step if there are no breaks. A background
  /// span that is at least this long counts as a break.
  package var shortestBreakUsec: Int64 {
    let breaks = content.steps.filter(\.isBreak)
    return (breaks.isEmpty ? content.steps : breaks).map {
      min($0.durationUsec, $0.longUsec ?? .max)
    }.min()
      ?? 0
  }
}
