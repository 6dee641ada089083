public import NightjarModel

/// A reading of the wall clock while it was synchronised (adjtimex(2) without STA_UNSYNC).
public struct SynchronizedReading: Equatable, Sendable {
  /// CLOCK_REALTIME, known to be right.
  public var realtimeUsec: Int64
  /// The reading of `elapsed` at that time. Within a boot, this counter advances as BOOTTIME does.
  /// So the right time can be computed from it until the next reboot.
  public var elapsedUsec: Int64
  /// The sum of the absolute steps of the wall clock since this reading.
  public var steppedUsec: Int64

  /// Makes a reading. The default for `steppedUsec` means that the clock was not set since the
  /// reading.
  public init(realtimeUsec: Int64, elapsedUsec: Int64, steppedUsec: Int64 = 0) {
    self.realtimeUsec = realtimeUsec
    self.elapsedUsec = elapsedUsec
    self.steppedUsec = steppedUsec
  }

  /// The right time when the reading of `elapsed` is `elapsedUsec`.
  public func realtimeUsec(atElapsed elapsedUsec: Int64) -> Int64 {
    realtimeUsec + elapsedUsec - self.elapsedUsec
  }
}

/// A reboot whose length is known only from the wall clock. Several consecutive ones may be merged
/// into one value.
public struct UncertainReboot: Equatable, Sendable {
  /// The background span from before the reboot until after it, with its end. For merged reboots:
  /// the span of the last of them.
  public var span: Span
  /// The number of the event that recorded the end of the span. For merged reboots: the number of
  /// the event of the first of them.
  public var leftSeq: Int64 = 0
  /// Like `leftSeq`, but for merged reboots the number of the event of the last of them.
  public var lastLeftSeq: Int64 = 0
  /// The reading of `elapsed` when the span ended.
  public var leftElapsedUsec: Int64
  /// The difference between the readings of the wall clock before and after the reboot.
  public var wallUsec: Int64
  /// CLOCK_BOOTTIME of the new boot at the end of the span. The reboot took at least this long.
  public var uptimeUsec: Int64
  /// By how much the `elapsed` counter was advanced for the reboot.
  public var advancedUsec: Int64
  /// Whether `wallUsec` can be the length of the reboot: at least `uptimeUsec` and at most
  /// `longestUsec`.
  public var isPlausible: Bool
  /// For merged reboots: the sum of `uncertainUsec` of all of them except the first.
  public var surplusUsec: Int64 = 0

  /// 400 days. A larger difference of the wall clock is not used as the length of a reboot.
  public static let longestUsec: Int64 = 400 * 86_400_000_000

  /// Advances the `elapsed` counter by the difference of the wall clock if that is plausible, else
  /// by the uptime.
  public init(span: Span, leftElapsedUsec: Int64 = 0, wallUsec: Int64, uptimeUsec: Int64) {
    self.span = span
    self.leftElapsedUsec = leftElapsedUsec
    self.wallUsec = wallUsec
    self.uptimeUsec = uptimeUsec
    isPlausible = wallUsec >= uptimeUsec && wallUsec <= Self.longestUsec
    advancedUsec = isPlausible ? wallUsec : uptimeUsec
  }

  /// How far the counter was advanced beyond the least possible length of the reboot.
  var uncertainUsec: Int64 { advancedUsec - uptimeUsec }

  /// This reboot and the next one, merged.
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

/// A background span that has ended, but whose effect on sequences is not decided yet. The effect
/// depends on the length of a reboot, which only a right wall clock can show. Sequences with
/// `afterSleep` `continue` are not affected.
public struct UndecidedSpan: Equatable, Sendable {
  public var id: Int64
  /// How long the span took, as far as the daemon knows.
  public var elapsedUsec: Int64
  /// The number of the event that recorded the start of the span.
  public var enteredSeq: Int64
  /// The counters at the start of the span.
  public var entered: Counters
  /// The counter of `present` at the start of the span.
  public var enteredPresentUsec: Int64

  public init(
    id: Int64, elapsedUsec: Int64, enteredSeq: Int64, entered: Counters, enteredPresentUsec: Int64
  ) {
    self.enteredPresentUsec = enteredPresentUsec
    self.id = id
    self.elapsedUsec = elapsedUsec
    self.enteredSeq = enteredSeq
    self.entered = entered
  }

  /// Applies a correction of the `elapsed` counter, if the span began after the corrected reboot,
  /// or is the span of that reboot.
  fileprivate mutating func apply(_ correction: SpanCorrection) {
    if enteredSeq > correction.sinceSeq { entered.elapsedUsec += correction.byUsec }
    if id == correction.span.id { elapsedUsec = correction.span.elapsedUsec }
  }
}

/// The state of the wall clock: when it was last synchronised, and the reboots since then. The
/// lengths of these reboots are known only from the wall clock. Bounded in size.
///
/// "The clock is synchronised" means that adjtimex(2) reports the clock as synchronised. When the
/// clock is synchronised, the true time since the last synchronised reading is known, and so is the
/// sum of the lengths of all reboots since then. `synchronize(at:elapsedUsec:)` divides this sum
/// among the reboots so that no timer that was set between two of them expires early.
public struct WallClockState: Equatable, Sendable {
  /// The last reading of which it is known that the clock was right. It is the last one that the
  /// kernel reported as synchronised. If a right clock is set, or the machine reboots, it becomes
  /// the reading just before that.
  public var last: SynchronizedReading?
  /// Whether the clock has been synchronised in this boot.
  public var hasBeenSynchronized = false
  /// Whether the clock has been synchronised in this boot and the clock was not set since. Then the
  /// clock stays right, even hours after the network was lost.
  public var isRight = false
  /// The last synchronised reading before `reboots`; nil: the clock was never synchronised before
  /// them.
  public var base: SynchronizedReading?
  /// The reboots since `base`, in order. They stay until the next boot, even after the clock has
  /// been synchronised, because the kernel may vouch for the clock once more in this boot. That
  /// corrects the reboots again.
  public var reboots: [UncertainReboot] = []
  /// The last right time that the wall clock showed before it came into doubt. Nil: the clock is
  /// not in doubt, and all times that the clock jumped over while it was in doubt have been
  /// handled.
  public var inDoubtSinceUsec: Int64?

  /// A reboot of uncertain length and the spans after it, in order. Their effect on sequences is
  /// decided when the clock is synchronised, or when the time to wait for that is over. They are
  /// kept on disk. After a restart, the daemon waits for the clock again and decides then.
  public var undecided: [UndecidedSpan] = []

  /// Rings that were computed from the clock while it was in doubt, and that a user has answered
  /// since, in the order of the answers.
  public var answered: [AnsweredRing] = []

  /// The most entries of `reboots`; if there are more, some are merged. Also the most entries of
  /// `undecided`.
  public static let mostReboots = 16
  /// If the clock was set by more than this in total, its readings before and after a reboot are
  /// not compared. A clock that is wrong by at most this much also counts as right.
  static let tolerableStepsUsec: Int64 = 60_000_000

  /// No reading and no reboots.
  public init() {}

  /// Whether the length of a reboot is uncertain, because the clock has not been synchronised
  /// since.
  public var isOpen: Bool { !hasBeenSynchronized && !reboots.isEmpty }

  /// Notes that the clock was set by `step`. It now reads `now`, and the reading of `elapsed` is
  /// `elapsedUsec`.
  mutating func note(step: Int64, at now: Moment, elapsedUsec: Int64) {
    advanceLast(toRealtimeUsec: now.realtimeUsec - step, elapsedUsec: elapsedUsec)
    last?.steppedUsec += abs(step)
    base?.steppedUsec += abs(step)
    noteDoubt(atRealtimeUsec: now.realtimeUsec - step, elapsedUsec: elapsedUsec)
  }

  /// Moves the last synchronised reading forward, if the clock was right until now.
  private mutating func advanceLast(toRealtimeUsec realtimeUsec: Int64, elapsedUsec: Int64) {
    guard isRight else { return }
    last?.realtimeUsec = realtimeUsec
    last?.elapsedUsec = elapsedUsec
  }

  private mutating func noteDoubt(atRealtimeUsec realtimeUsec: Int64, elapsedUsec: Int64) {
    guard isBack(atRealtimeUsec: realtimeUsec, elapsedUsec: elapsedUsec) else { return }
    isRight = false
    inDoubtSinceUsec = realtimeUsec
  }

  /// Whether the clock is right. It is right if it was not set since it was synchronised in this
  /// boot. It also counts as right if it is wrong by at most a minute, because a user may have set
  /// it forward and back again.
  func isBack(atRealtimeUsec realtimeUsec: Int64, elapsedUsec: Int64) -> Bool {
    guard hasBeenSynchronized, let last else { return false }
    let wrongUsec = last.realtimeUsec(atElapsed: elapsedUsec) - realtimeUsec
    return isRight || abs(wrongUsec) <= Self.tolerableStepsUsec
  }

  /// Notes a reboot since `anchor` was written.
  mutating func note(_ reboot: UncertainReboot, since anchor: Anchor) {
    advanceLast(toRealtimeUsec: anchor.moment.realtimeUsec, elapsedUsec: anchor.elapsedUsec)
    if hasBeenSynchronized {
      base = last
      reboots = []
    }
    noteDoubt(atRealtimeUsec: anchor.moment.realtimeUsec, elapsedUsec: anchor.elapsedUsec)
    hasBeenSynchronized = false
    reboots.append(reboot)
    if reboots.count > Self.mostReboots {
      let second = reboots.remove(at: 1)
      reboots[0] = reboots[0].merged(with: second)
    }
  }

  /// Notes the number of the event that recorded the end of a span. Does nothing unless this is the
  /// span of the last reboot.
  mutating func note(left spanID: Int64, seq: Int64) {
    guard let last = reboots.indices.last, reboots[last].span.id == spanID else { return }
    reboots[last].leftSeq = seq
    reboots[last].lastLeftSeq = seq
  }

  /// How much too early a deadline on `elapsed` may be, if event `seq` set it. O(reboots), at most
  /// 16.
  func uncertainUsec(setBy seq: Int64) -> Int64 {
    guard isOpen else { return 0 }
    return reboots.reduce(0) { sum, reboot in
      if seq < reboot.leftSeq { return sum + reboot.uncertainUsec }
      return seq < reboot.lastLeftSeq ? sum + reboot.surplusUsec : sum
    }
  }

  /// By how much the `elapsed` counter may have been too high at event `seq`. O(reboots), at most
  /// 16.
  func uncertainUsec(at seq: Int64) -> Int64 {
    guard isOpen else { return 0 }
    return reboots.reduce(0) { $1.leftSeq < seq ? $0 + $1.uncertainUsec : $0 }
  }

  /// Whether there was a reboot of uncertain length since event `seq`. O(reboots), at most 16.
  func isInDoubt(setBy seq: Int64) -> Bool {
    isOpen && reboots.contains { seq < $0.lastLeftSeq }
  }

  /// The reading of `elapsed` at which a deadline on `wall` is certainly due, even if the wall
  /// clock is wrong; nil: the clock was never synchronised, so nothing is certain.
  func certainElapsed(ofWall deadline: Int64) -> Int64? {
    guard let base else { return nil }
    let uncertain = reboots.reduce(0) { $0 + $1.uncertainUsec }
    return base.elapsedUsec + (deadline - base.realtimeUsec) + uncertain
  }
}

/// A correction of the `elapsed` counter over one reboot.
public struct SpanCorrection: Equatable, Sendable {
  /// The background span of the reboot, with its true times.
  public var span: Span
  /// By how much the counter moves; 0: only the times of the span were wrong.
  public var byUsec: Int64
  /// The number of an event. Deadlines set after this event move with the counter.
  public var sinceSeq: Int64
  /// The number of the event that recorded the end of the last reboot; 0: the same as `sinceSeq`. A
  /// timer that was paused at any time between `sinceSeq` and this event did not run during all
  /// reboots. The daemon does not know which part of the correction belongs to the reboots during
  /// which it ran. So the deadline of such a timer moves with the counter, too.
  public var untilSeq: Int64

  public init(span: Span, byUsec: Int64, sinceSeq: Int64, untilSeq: Int64 = 0) {
    self.span = span
    self.byUsec = byUsec
    self.sinceSeq = sinceSeq
    self.untilSeq = untilSeq
  }
}

// MARK: - When the clock is synchronised

extension WallClockState {
  /// Corrects the lengths of the reboots, when the clock is synchronised at `now`. `elapsedUsec` is
  /// the `elapsed` counter before the correction.
  ///
  /// - Returns: the corrections, in order. Their sum is the error of the counter.
  mutating func synchronize(at now: Moment, elapsedUsec: Int64) -> [SpanCorrection] {
    let corrections = distribute(at: now, elapsedUsec: elapsedUsec)
    let byUsec = corrections.reduce(0) { $0 + $1.byUsec }
    for index in undecided.indices {
      for correction in corrections { undecided[index].apply(correction) }
    }
    last = SynchronizedReading(
      realtimeUsec: now.realtimeUsec, elapsedUsec: elapsedUsec + byUsec)
    hasBeenSynchronized = true
    isRight = true
    return corrections
  }

  private mutating func distribute(at now: Moment, elapsedUsec: Int64) -> [SpanCorrection] {
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
      // The length of each single reboot is not known. A timer that was set between merged reboots,
      // or was paused between two reboots, moves as if each reboot had taken the least possible
      // time. So it may be late, but it is not early.
      let untilSeq = reboots.last?.lastLeftSeq ?? 0
      // If the clock is synchronised again in the same boot, all timers move by the small error of
      // the clock.
      let least = hasBeenSynchronized ? by : share.leastUsec - reboot.advancedUsec
      let moves = [
        (least, reboot.leftSeq, 0), (by - least + reboot.surplusUsec, reboot.leftSeq, untilSeq),
        (-reboot.surplusUsec, reboot.lastLeftSeq, 0),
      ]
      let moving = moves.filter { $0.0 != 0 }
      corrections += moving.map { by, sinceSeq, untilSeq in
        SpanCorrection(span: reboot.span, byUsec: by, sinceSeq: sinceSeq, untilSeq: untilSeq)
      }
      // The length was right, but the clock may have shown a wrong time at the end of the reboot.
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

  /// The length and the least possible length of each reboot; nil: the assumed lengths are right.
  private func shares(
    at now: Moment, elapsedUsec: Int64
  ) -> [(usec: Int64, leastUsec: Int64)]? {
    guard let base, let first = reboots.first else { return nil }
    var wrongUsec = base.realtimeUsec(atElapsed: elapsedUsec) - now.realtimeUsec
    if abs(wrongUsec) < Background.stepThresholdUsec {
      // The errors of two reboots may cancel out. So when the kernel first vouches for the clock in
      // a boot, the shares are computed although the sum is right. Later in the same boot they do
      // not change.
      guard !hasBeenSynchronized, reboots.count > 1 else { return nil }
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
    // If there is only one reboot, it certainly took `rest`.
    let leastOfFirst = reboots.count == 1 ? rest : min(least[0], rest)
    let isAsCounted = zip(reboots, [leastOfFirst] + least.dropFirst()).allSatisfy {
      $0.advancedUsec == $1 && $0.surplusUsec == 0
    }
    if wrongUsec == 0, isAsCounted { return nil }
    return [(rest, leastOfFirst)] + least.dropFirst().map { ($0, $0) }
  }
}

extension Span {
  /// Changes the length of the span, and sets its times from the right time at its end.
  fileprivate mutating func correct(byUsec: Int64, leftRealtimeUsec: Int64) {
    elapsedUsec = max(0, elapsedUsec + byUsec)
    left?.realtimeUsec = leftRealtimeUsec
    entered.realtimeUsec = leftRealtimeUsec - elapsedUsec
  }
}
