public import NightjarModel

/// A reading of the wall clock that the kernel vouched for (adjtimex(2) without STA_UNSYNC).
public struct VouchedReading: Equatable, Sendable {
  /// CLOCK_REALTIME, which was right.
  public var realtimeUsec: Int64
  /// The counter of `elapsed`, which BOOTTIME drives: it carries the reading along within its boot.
  public var elapsedUsec: Int64
  /// The sum of the absolute steps of the wall clock since then.
  public var steppedUsec: Int64

  /// Makes a reading, with no step since unless given.
  public init(realtimeUsec: Int64, elapsedUsec: Int64, steppedUsec: Int64 = 0) {
    self.realtimeUsec = realtimeUsec
    self.elapsedUsec = elapsedUsec
    self.steppedUsec = steppedUsec
  }

  /// What a clock that stayed right shows when the counter of `elapsed` stands at `elapsedUsec`.
  public func realtimeUsec(atElapsed elapsedUsec: Int64) -> Int64 {
    realtimeUsec + elapsedUsec - self.elapsedUsec
  }
}

/// A reboot whose length only the wall clock could tell, or several neighbouring ones that were merged.
public struct UncertainReboot: Equatable, Sendable {
  /// The background span over it, as it was left; of merged ones the last.
  public var span: Span
  /// The number of the event with which the span was left; of merged ones the first.
  public var leftSeq: Int64 = 0
  /// The same of the last of merged ones.
  public var lastLeftSeq: Int64 = 0
  /// The counter of `elapsed` when the span was left.
  public var leftElapsedUsec: Int64
  /// The difference of the wall clock's readings before and after.
  public var wallUsec: Int64
  /// CLOCK_BOOTTIME of the new boot when the span was left: it took at least as long.
  public var uptimeUsec: Int64
  /// By how much the `elapsed` counter was advanced.
  public var advancedUsec: Int64
  /// Whether `wallUsec` could be true.
  public var isPlausible: Bool
  /// How much less than was advanced the reboots behind the first of merged ones took at the least.
  public var surplusUsec: Int64 = 0

  /// The longest reboot that the wall clock is believed: 400 days.
  public static let longestUsec: Int64 = 400 * 86_400_000_000

  /// Makes one. The counter of `elapsed` is advanced by what the wall clock says, if that could be true.
  public init(span: Span, leftElapsedUsec: Int64 = 0, wallUsec: Int64, uptimeUsec: Int64) {
    self.span = span
    self.leftElapsedUsec = leftElapsedUsec
    self.wallUsec = wallUsec
    self.uptimeUsec = uptimeUsec
    isPlausible = wallUsec >= uptimeUsec && wallUsec <= Self.longestUsec
    advancedUsec = isPlausible ? wallUsec : uptimeUsec
  }

  /// By how much the counter was advanced beyond what is certain.
  var uncertainUsec: Int64 { advancedUsec - uptimeUsec }

  /// This reboot and the one behind it as one.
  func merged(with next: UncertainReboot) -> UncertainReboot {
    var both = next
    both.leftSeq = leftSeq
    both.wallUsec += wallUsec
    both.uptimeUsec += uptimeUsec
    both.advancedUsec += advancedUsec
    both.isPlausible = isPlausible && next.isPlausible
    both.surplusUsec = surplusUsec + next.uncertainUsec
    return both
  }
}

/// A span that was left, and whose meaning for the sequences that do not just go on waits for the wall
/// clock: only that tells how long a reboot took.
public struct UndecidedSpan: Equatable, Sendable {
  /// The number of the span.
  public var id: Int64
  /// How long it took, as far as is known.
  public var elapsedUsec: Int64
  /// The number of the event with which it was entered.
  public var enteredSeq: Int64
  /// The counters when it was entered.
  public var entered: Counters
  /// The counter of `present` then.
  public var enteredPresentUsec: Int64

  /// Makes one.
  public init(
    id: Int64, elapsedUsec: Int64, enteredSeq: Int64, entered: Counters, enteredPresentUsec: Int64
  ) {
    self.enteredPresentUsec = enteredPresentUsec
    self.id = id
    self.elapsedUsec = elapsedUsec
    self.enteredSeq = enteredSeq
    self.entered = entered
  }

  /// It was entered behind a reboot that took longer, or is that reboot.
  fileprivate mutating func take(_ correction: SpanCorrection) {
    if enteredSeq > correction.sinceSeq { entered.elapsedUsec += correction.byUsec }
    if id == correction.span.id { elapsedUsec = correction.span.elapsedUsec }
  }
}

/// What is known of the wall clock: when it was right last, and the reboots since whose length only it
/// could tell. Bounded in size.
///
/// The rules are worked out in SEMANTICS section 8. In short: when the kernel vouches for the clock, the
/// true time since the last vouched reading is known, and so is the sum of all reboots in between. The
/// sum is shared out so that no deadline that was set between the reboots is early.
public struct VouchedClock: Equatable, Sendable {
  /// The last vouched reading; carried along within its boot up to the first step behind it.
  public var last: VouchedReading?
  /// Whether the clock was vouched for in this boot.
  public var isVouched = false
  /// Whether it was, and no step was made since: then it is still right, also hours after a network
  /// was there last.
  public var isRight = false
  /// The last vouched reading before `reboots`; nil: the clock was never vouched for before them.
  public var base: VouchedReading?
  /// The reboots since `base`, in their order. They stay until the next boot after the clock was vouched
  /// for: the same boot may be vouched for again.
  public var reboots: [UncertainReboot] = []
  /// The right time when the clock was last known to be right before it came into doubt; nil: it is not in
  /// doubt, and what it passed over meanwhile has been dealt with.
  public var doubtUsec: Int64?

  /// A reboot whose length is in doubt, and the spans behind it, in their order, until the clock is vouched
  /// for or has been waited for for long enough. They are on disk: a restart waits for the clock anew, and
  /// decides then.
  public var undecided: [UndecidedSpan] = []

  /// Estimated rings that were answered while the clock was in doubt, in the order in which they were.
  public var answered: [AnsweredRing] = []

  /// At most so many reboots are kept apart, and so many spans wait.
  public static let mostReboots = 16
  /// Steps of the wall clock up to this leave its differences over reboots believable.
  static let tolerableStepsUsec: Int64 = 60_000_000

  /// Knows nothing.
  public init() {}

  /// Whether the length of a reboot hangs on a clock that was not vouched for since.
  public var isOpen: Bool { !isVouched && !reboots.isEmpty }

  /// The clock was set by `step`; it reads `now`, and the counter of `elapsed` stands at `elapsedUsec`.
  mutating func note(step: Int64, at now: Moment, elapsedUsec: Int64) {
    carry(toRealtimeUsec: now.realtimeUsec - step, elapsedUsec: elapsedUsec)
    last?.steppedUsec += abs(step)
    base?.steppedUsec += abs(step)
    doubt(atRealtimeUsec: now.realtimeUsec - step, elapsedUsec: elapsedUsec)
  }

  /// A clock that is right read `realtimeUsec` when the counter stood at `elapsedUsec`.
  private mutating func carry(toRealtimeUsec realtimeUsec: Int64, elapsedUsec: Int64) {
    guard isRight else { return }
    last?.realtimeUsec = realtimeUsec
    last?.elapsedUsec = elapsedUsec
  }

  private mutating func doubt(atRealtimeUsec realtimeUsec: Int64, elapsedUsec: Int64) {
    guard isBack(atRealtimeUsec: realtimeUsec, elapsedUsec: elapsedUsec) else { return }
    isRight = false
    doubtUsec = realtimeUsec
  }

  /// Whether the clock, which reads `realtimeUsec` while the counter stands at `elapsedUsec`, is where it
  /// would be had it never been set, by a minute at most: also where somebody set it forward and back.
  func isBack(atRealtimeUsec realtimeUsec: Int64, elapsedUsec: Int64) -> Bool {
    guard isVouched, let last else { return false }
    let wrongUsec = last.realtimeUsec(atElapsed: elapsedUsec) - realtimeUsec
    return isRight || abs(wrongUsec) <= Self.tolerableStepsUsec
  }

  /// The machine was started anew since `anchor` was written.
  mutating func note(_ reboot: UncertainReboot, since anchor: Anchor) {
    carry(toRealtimeUsec: anchor.moment.realtimeUsec, elapsedUsec: anchor.elapsedUsec)
    if isVouched {
      base = last
      reboots = []
    }
    doubt(atRealtimeUsec: anchor.moment.realtimeUsec, elapsedUsec: anchor.elapsedUsec)
    isVouched = false
    reboots.append(reboot)
    if reboots.count > Self.mostReboots {
      let second = reboots.remove(at: 1)
      reboots[0] = reboots[0].merged(with: second)
    }
  }

  /// The span of this number was left with event `seq`; of interest if it is that over the last reboot.
  mutating func note(left spanID: Int64, seq: Int64) {
    guard let last = reboots.indices.last, reboots[last].span.id == spanID else { return }
    reboots[last].leftSeq = seq
    reboots[last].lastLeftSeq = seq
  }

  /// By how much a deadline on `elapsed` that was set by event `seq` may be nearer than it truly is.
  /// O(reboots), at most 16.
  func uncertainUsec(setBy seq: Int64) -> Int64 {
    guard isOpen else { return 0 }
    return reboots.reduce(0) { sum, reboot in
      if seq < reboot.leftSeq { return sum + reboot.uncertainUsec }
      return seq < reboot.lastLeftSeq ? sum + reboot.surplusUsec : sum
    }
  }

  /// By how much the counter of `elapsed` may have been ahead at event `seq`. O(reboots).
  func uncertainUsec(at seq: Int64) -> Int64 {
    guard isOpen else { return 0 }
    return reboots.reduce(0) { $1.leftSeq < seq ? $0 + $1.uncertainUsec : $0 }
  }

  /// Whether there was a reboot whose length is in doubt since event `seq`. O(reboots), at most 16.
  func isInDoubt(setBy seq: Int64) -> Bool {
    isOpen && reboots.contains { seq < $0.lastLeftSeq }
  }

  /// How much a deadline on `wall` lies behind what is certain of the time: it is due for certain when
  /// the counter of `elapsed` stands there; nil: nothing is certain.
  func certainElapsed(ofWall deadline: Int64) -> Int64? {
    guard let base else { return nil }
    let uncertain = reboots.reduce(0) { $0 + $1.uncertainUsec }
    return base.elapsedUsec + (deadline - base.realtimeUsec) + uncertain
  }
}

/// By how much the `elapsed` counter was advanced wrong over one reboot.
public struct SpanCorrection: Equatable, Sendable {
  /// The background span over the reboot, as it truly was.
  public var span: Span
  /// What the counter is to be moved by; 0: only the span's times were wrong.
  public var byUsec: Int64
  /// The number of the event behind which deadlines were set that move along.
  public var sinceSeq: Int64
  /// The number of the event with which the last reboot was left; 0: it does not matter. A timer that was
  /// paused before that event moves along as well: which part of the correction belongs to the reboots that
  /// it ran over is not known.
  public var untilSeq: Int64

  /// Makes one.
  public init(span: Span, byUsec: Int64, sinceSeq: Int64, untilSeq: Int64 = 0) {
    self.span = span
    self.byUsec = byUsec
    self.sinceSeq = sinceSeq
    self.untilSeq = untilSeq
  }
}

// MARK: - When the clock is vouched for

extension VouchedClock {
  /// The kernel vouches for what `now` reads, while the counter of `elapsed` stands at `elapsedUsec`, as
  /// it was counted.
  ///
  /// - Returns: what has to be corrected, in order; the sum of it is what the counter was wrong by.
  mutating func vouch(at now: Moment, elapsedUsec: Int64) -> [SpanCorrection] {
    let corrections = shareOut(at: now, elapsedUsec: elapsedUsec)
    let byUsec = corrections.reduce(0) { $0 + $1.byUsec }
    for index in undecided.indices {
      for correction in corrections { undecided[index].take(correction) }
    }
    last = VouchedReading(
      realtimeUsec: now.realtimeUsec, elapsedUsec: elapsedUsec + byUsec)
    isVouched = true
    isRight = true
    return corrections
  }

  private mutating func shareOut(at now: Moment, elapsedUsec: Int64) -> [SpanCorrection] {
    guard let base, let shares = shares(at: now, elapsedUsec: elapsedUsec) else { return [] }
    var corrections: [SpanCorrection] = []
    var movedUsec: Int64 = 0
    for (index, share) in shares.enumerated() {
      var reboot = reboots[index]
      let by = share.usec - reboot.advancedUsec
      movedUsec += by
      reboot.leftElapsedUsec += movedUsec
      let shownUsec = reboot.span.left?.realtimeUsec
      reboot.span.correct(
        byUsec: by, leftRealtimeUsec: base.realtimeUsec(atElapsed: reboot.leftElapsedUsec))
      // What was set between merged reboots moves as if these had taken the least that they can have. So
      // does what was paused between reboots.
      let untilSeq = reboots.last?.lastLeftSeq ?? 0
      // Vouched for anew in the same boot, all move by the little that the clock was wrong.
      let least = isVouched ? by : share.leastUsec - reboot.advancedUsec
      let moves = [
        (least, reboot.leftSeq, 0), (by - least + reboot.surplusUsec, reboot.leftSeq, untilSeq),
        (-reboot.surplusUsec, reboot.lastLeftSeq, 0),
      ]
      let moving = moves.filter { $0.0 != 0 }
      corrections += moving.map { by, sinceSeq, untilSeq in
        SpanCorrection(span: reboot.span, byUsec: by, sinceSeq: sinceSeq, untilSeq: untilSeq)
      }
      // One that took as long as was counted may have been left by a clock that showed another time.
      if moving.isEmpty, reboot.span.left?.realtimeUsec != shownUsec {
        corrections.append(
          SpanCorrection(span: reboot.span, byUsec: 0, sinceSeq: reboot.leftSeq))
      }
      reboot.advancedUsec = share.usec
      reboot.surplusUsec = 0
      reboots[index] = reboot
    }
    return corrections
  }

  /// How long each of the reboots took, and how long at the least; nil: as long as was counted.
  private func shares(
    at now: Moment, elapsedUsec: Int64
  ) -> [(usec: Int64, leastUsec: Int64)]? {
    guard let base, let first = reboots.first else { return nil }
    var wrongUsec = base.realtimeUsec(atElapsed: elapsedUsec) - now.realtimeUsec
    if abs(wrongUsec) < Background.stepThresholdUsec {
      // The errors of two reboots may cancel out, so the first voucher of a boot looks at the shares all the
      // same. A later one of the same boot leaves them.
      guard !isVouched, reboots.count > 1 else { return nil }
      wrongUsec = 0
    }
    let sum = reboots.reduce(0) { $0 + $1.advancedUsec } - wrongUsec
    let isPlausible =
      base.steppedUsec <= Self.tolerableStepsUsec && reboots.allSatisfy(\.isPlausible)
    var least = reboots.map(\.uptimeUsec)
    if isPlausible {
      let believed = reboots.map { max($0.uptimeUsec, $0.wallUsec - base.steppedUsec) }
      if believed.dropFirst().reduce(first.uptimeUsec, +) <= sum { least = believed }
    }
    let rest = max(first.uptimeUsec, sum - least.dropFirst().reduce(0, +))
    // One that is alone took the rest for certain.
    let leastOfFirst = reboots.count == 1 ? rest : min(least[0], rest)
    let isAsCounted = zip(reboots, [leastOfFirst] + least.dropFirst()).allSatisfy {
      $0.advancedUsec == $1 && $0.surplusUsec == 0
    }
    if wrongUsec == 0, isAsCounted { return nil }
    return [(rest, leastOfFirst)] + least.dropFirst().map { ($0, $0) }
  }
}

extension Span {
  /// It was longer than was thought, and this is what a clock that is right showed when it was left.
  fileprivate mutating func correct(byUsec: Int64, leftRealtimeUsec: Int64) {
    elapsedUsec = max(0, elapsedUsec + byUsec)
    left?.realtimeUsec = leftRealtimeUsec
    entered.realtimeUsec = leftRealtimeUsec - elapsedUsec
  }
}
