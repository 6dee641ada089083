import NightjarModel

/// Recomputes timers after the wall clock was set or corrected, or after the rules of the time
/// zones changed.
extension Engine {
  /// Starts to recompute all repeating timers and sequences. Call it when the wall clock or the
  /// `elapsed` counter was set back, or the rules of the zones changed. No timer on `wall` expires
  /// before this is done.
  public func recomputeWallDeadlines() {
    recomputeSlot = 0
    background.zone = nil
  }

  /// Notes the fingerprint of the present rules of the time zones.
  public func note(zone fingerprint: Int64) {
    zoneFingerprint = fingerprint
    if recomputeSlot == nil { background.zone = fingerprint }
  }

  /// Recomputes at most `firingsAtOnce` timers and scans at most `slotsPerIteration` slots. The
  /// next call continues.
  func recomputeSomeWallDeadlines(at now: Moment) {
    guard let first = recomputeSlot else { return }
    var budget = Engine.firingsAtOnce
    var slot = first
    let end = min(first + Engine.slotsPerIteration, table.slotEnd)
    while slot < end, budget > 0 {
      if table.isOccupied(slot), !table[slot].spec.isPlain {
        if table[slot].spec.schedule != nil {
          let handled = handledUpTo(slot, at: now)
          // Those that are overdue now do not come again.
          if deadline(slot) > now.realtimeUsec {
            leaveRing(slot, at: now) { $0.reached.dueUsec > handled }
          }
        }
        reschedule(slot, at: now)
        recordBandChange(slot, at: now)
        budget -= 1
      }
      slot += 1
    }
    guard slot >= table.slotEnd else {
      recomputeSlot = slot
      return
    }
    recomputeSlot = nil
    background.zone = zoneFingerprint
  }

  func reschedule(_ slot: Int, at now: Moment) {
    guard let schedule = table[slot].spec.schedule else {
      return returnToTrueRound(slot, at: now)
    }
    guard let deadline = table[slot].phase.deadline,
      deadline > now.realtimeUsec,
      let next = nextInstant(slot, schedule, afterUsec: handledUpTo(slot, at: now)),
      next != deadline
    else { return }
    // When this instant passed, the clock showed another time. So the step of the clock is the
    // cause of the lateness.
    if next <= now.realtimeUsec { clockWaitCauses[slot] = WaitCause(cause: .step, span: 0) }
    record(
      .rescheduled(deadline: next, durationUsec: max(0, next - now.realtimeUsec)), about: slot,
      at: now)
  }

  /// The time up to which the instants of an alarm count as handled, after the clock was set back.
  /// Usually this is `now`. If the clock was ahead and is right again, it is the last right time
  /// before the clock was ahead, because only the wrong clock counted later instants. Instants up
  /// to the last ring always count as handled, because the user heard that ring.
  private func handledUpTo(_ slot: Int, at now: Moment) -> Int64 {
    guard let doubt = background.endedDoubtSinceUsec(at: now), let last = background.clock.last
    else { return now.realtimeUsec }
    let course = table[slot].course
    let rang = course.rangEvent > 0 ? last.realtimeUsec(atElapsed: course.rangAtElapsed) : .min
    return min(now.realtimeUsec, max(doubt, rang, missedSince(slot, at: now)))
  }

  /// The first instant of a schedule after `afterUsec` for which the timer has not rung and which
  /// no client skipped.
  func nextInstant(_ slot: Int, _ schedule: Schedule, afterUsec: Int64) -> Int64? {
    let (rang, passed) = (table[slot].course.rangFor, table[slot].passedOver)
    var after = afterUsec
    while let next = calendar.next(schedule, afterUsec: after) {
      if let rang, rang.contains(next) {
        after = rang.last
      } else if isPassedOver(next, schedule, in: passed) {
        after = next
      } else {
        return next
      }
    }
    return nil
  }

  /// Moves a repeating countdown or a sequence back to its right round or step. While the clock was
  /// ahead, the engine may have counted too many: then the remaining time is longer than the
  /// present round or step. On `wall`, rounds for which the timer rang do not ring again, and
  /// skipped rounds stay skipped. O(rounds or steps of one cycle, plus consecutive rounds that rang
  /// or are skipped).
  private func returnToTrueRound(_ slot: Int, at now: Moment) {
    let (timer, spec, course) = (table[slot], table[slot].spec, table[slot].course)
    guard spec.repeats || spec.kind == .sequence else { return }
    // Paused, the new remaining time is stored instead of a deadline.
    var reading: Int64 = 0
    let left: Int64
    if case .paused(let remaining, _) = timer.phase {
      left = remaining
    } else if let deadline = timer.phase.deadline {
      reading = background.timelines.reading(timer.clock, at: now)
      left = deadline - reading
    } else {
      return
    }
    let passedUsec = passedBefore(course.position, slot) * timer.fullLengthUsec
    var place = (left: left, position: course.position, usec: timer.runLengthUsec - passedUsec)
    func length(at position: Int64) -> Int64 {
      spec.kind == .sequence ? spec.stepUsec(at: position) : timer.fullLengthUsec
    }
    let cycle = spec.kind == .sequence ? spec.cycle : (steps: 1, usec: timer.fullLengthUsec)
    while place.left > place.usec, place.position > 0 {
      place.left -= place.usec
      place.position -= 1
      place.usec = length(at: place.position)
      guard let cycle else { continue }
      let cycles = min((place.left - 1) / cycle.usec, place.position / cycle.steps)
      place.left -= cycles * cycle.usec
      place.position -= cycles * cycle.steps
    }
    while place.position < course.position {
      let isPassed = timer.passedOver.contains(place.position)
      guard isPassed || hasRung(timer, place.position) else { break }
      place.position += 1
      let usec = length(at: place.position)
      place.usec = isPassed ? place.usec + usec : usec
      place.left += usec
    }
    guard place.position < course.position else { return }
    if timer.clock == .wall {
      leaveRing(slot, at: now) { $0.position >= place.position }
    }
    let step = spec.kind == .sequence ? spec.step(at: place.position).name : ""
    record(
      .rescheduled(
        deadline: reading + place.left, durationUsec: place.usec,
        back: .init(position: place.position, step: step)),
      about: slot, at: now)
  }

  private func hasRung(_ timer: Timer, _ round: Int64) -> Bool {
    timer.clock == .wall && round < timer.course.position
      && timer.course.rangRounds?.contains(round) == true
  }
}
