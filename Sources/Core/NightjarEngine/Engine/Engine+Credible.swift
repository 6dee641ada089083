import NightjarModel

/// Checks of values that were read from disk. A correct checksum proves only that the disk returned
/// the written bytes. It does not prove that the values are possible.
extension Engine {
  /// Times and counters from disk must be nearer to zero than this, in microseconds: 9,000 years.
  /// So their sums with later times stay below 2^60, the limit for numbers in the packed forms on
  /// disk.
  static let credibleUsec: Int64 = 1 << 58

  /// Whether the timers are possible after an event was replayed. O(1) for an event about a timer;
  /// O(timers) for the correction of a reboot, which changes all of them.
  func isCredible(after event: Event) -> Bool {
    if let slot = event.subject?.slot { return !table.isOccupied(slot) || isCredible(slot) }
    switch event.kind {
    case .spanCorrected, .clockStepped: break
    default: return true
    }
    return (0..<table.slotEnd).allSatisfy { !table.isOccupied($0) || isCredible($0) }
  }

  /// Whether the values of the timer in `slot` are possible.
  func isCredible(_ slot: Int) -> Bool {
    let timer = table[slot]
    let isPlainCredible =
      timer.id > 0 && timer.id <= timer.lastEvent && Self.isCredible(timer.fullLengthUsec)
      && Self.isCredible(timer.runLengthUsec) && Self.isCredible(timer.startedUsec)
      && Self.isCredible(timer.phase) && timer.expiriesIfAny.map(isCredible) ?? true
      && isPossible(timer.phase, of: timer)
    guard isPlainCredible, !timer.spec.isPlain else { return isPlainCredible }
    let (spec, course) = (timer.spec, timer.course)
    return [
      timer.instantUsec, timer.startedAtElapsed, course.handledInstant, course.rangAtElapsed,
    ].allSatisfy(Self.isCredible)
      && timer.laps.count <= Limits.laps && timer.laps.allSatisfy(Self.isCredible)
      && timer.passedOver.allSatisfy(Self.isCredible) && isPossible(timer, of: spec)
      && (0...spec.bands.count).contains(course.announcedBands)
      && (0...ConsecutiveInstants.rememberedSec).contains(course.rangFor?.forSec ?? 0)
      && course.rangRounds.map { $0.first >= 0 && $0.first <= $0.last } ?? true
  }

  private func isPossible(_ phase: Timer.Phase, of timer: Timer) -> Bool {
    switch phase {
    case .runningStopwatch, .pausedStopwatch, .cancelledStopwatch: timer.spec.kind == .stopwatch
    case .running, .over, .cancelled: timer.spec.kind != .stopwatch
    case .paused: timer.spec.kind != .stopwatch && !timer.keepsDeadlineWhilePaused
    case .pausedAlarm: timer.keepsDeadlineWhilePaused
    case .waiting: timer.spec.kind == .sequence
    }
  }

  /// Whether a timer with this specification can have these values.
  private func isPossible(_ timer: Timer, of spec: SharedSpec) -> Bool {
    switch spec.kind {
    case .countdown:
      !spec.repeats || timer.fullLengthUsec >= Limits.shortestRoundUsec && isCounted(timer, spec)
    case .alarm: timer.clock == .wall && isCounted(timer, spec)
    case .stopwatch: timer.clock != .wall
    case .sequence: spec.rounds == 0 || spec.round(at: timer.course.position) < spec.rounds
    }
  }

  /// Whether a timer that repeats has a round left, unless it is over.
  private func isCounted(_ timer: Timer, _ spec: SharedSpec) -> Bool {
    spec.rounds == 0 || !timer.state.isCounting || timer.course.position < spec.rounds
  }

  private func isCredible(_ expiries: Expiries) -> Bool {
    let ring = expiries.ring
    let all = [expiries.last, expiries.miss, ring?.expiry].compactMap { $0 } + (ring?.joined ?? [])
    return Self.isCredible(expiries.lastNumber) && Self.isCredible(expiries.misses)
      && all.allSatisfy { expiry in
        expiry.number <= expiries.lastNumber
          && [
            expiry.reached.atUsec, expiry.reached.lateUsec, expiry.missed, expiry.position,
            expiry.handledBefore,
          ].allSatisfy(Self.isCredible)
      }
      && (ring.map(Self.isCredible) ?? true)
  }

  private static func isCredible(_ ring: Ring) -> Bool {
    [
      ring.deadline ?? 0, ring.expiries, ring.firstDueUsec, ring.sound.atUsec, ring.sound.lateUsec,
      ring.insistUsec, ring.sinceElapsed,
    ].allSatisfy(isCredible)
      && (0..<Limits.ringsOfExpiry).contains(ring.insisted) && ring.joined.count <= Limits.joined
  }

  private static func isCredible(_ phase: Timer.Phase) -> Bool {
    switch phase {
    case .running(let usec), .runningStopwatch(let usec), .paused(let usec, _),
      .pausedAlarm(let usec), .pausedStopwatch(let usec, _), .over(let usec), .waiting(let usec):
      isCredible(usec)
    case .cancelled(let elapsed, let usec), .cancelledStopwatch(let elapsed, let usec):
      isCredible(elapsed) && isCredible(usec)
    }
  }

  private static func isCredible(_ usec: Int64) -> Bool { usec.magnitude < credibleUsec }
}
