import NightjarModel

/// What goes by the wall clock, when that is set or the zones have other rules.
extension Engine {
  /// The wall clock went back, or the zones have other rules: what goes by them is worked out anew,
  /// before anything on `wall` comes due.
  public func reckonAnew() {
    reckoning = 0
    background.zone = nil
  }

  /// The zones' rules are those that `fingerprint` stands for.
  public func note(zone fingerprint: Int64) {
    zoneFingerprint = fingerprint
    if reckoning == nil { background.zone = fingerprint }
  }

  /// Works out `firingsAtOnce` timers, or looks whether there are any in `slotsPerPass` slots.
  func reckon(at now: Moment) {
    guard let first = reckoning else { return }
    var budget = Engine.firingsAtOnce
    var slot = first
    let end = min(first + Engine.slotsPerPass, table.slotEnd)
    while slot < end, budget > 0 {
      if table.isOccupied(slot), table[slot].hasDetail {
        reschedule(slot, at: now)
        settleBand(slot, at: now)
        budget -= 1
      }
      slot += 1
    }
    guard slot >= table.slotEnd else {
      reckoning = slot
      return
    }
    reckoning = nil
    background.zone = zoneFingerprint
  }

  func reschedule(_ slot: Int, at now: Moment) {
    let record = table[slot]
    guard let schedule = table.spec(slot).schedule else { return goBack(slot, at: now) }
    guard record.state?.isCounting == true, record.timeline == .wall,
      record.point > now.realtimeUsec,
      let next = nextInstant(slot, schedule, afterUsec: dealtWith(slot, at: now)),
      next != record.point
    else { return }
    // Its instant passed while the clock showed something else.
    if next <= now.realtimeUsec { clockWaitCauses[slot] = (.step, 0) }
    self.record(
      .rescheduled(deadline: next, durationUsec: max(0, next - now.realtimeUsec)), about: slot,
      at: now)
  }

  /// Up to where the instants of an alarm have been dealt with, if the clock was set back: to now, unless it
  /// was ahead and is right again. Then what passed meanwhile was only counted, by a wrong clock: but for
  /// what was before its last ring, which people heard.
  private func dealtWith(_ slot: Int, at now: Moment) -> Int64 {
    guard let doubt = background.doubtThatEnds(at: now), let last = background.clock.last,
      let detail = table.detail(slot)
    else { return now.realtimeUsec }
    let rang = detail.rangSeq > 0 ? last.realtimeUsec(atElapsed: detail.rangAtElapsed) : .min
    return min(now.realtimeUsec, max(doubt, rang, floor(slot, at: now)))
  }

  /// The first instant of a calendar after `afterUsec` that is not among those that really rang, nor among
  /// those that a client had the alarm pass over.
  func nextInstant(_ slot: Int, _ schedule: Schedule, afterUsec: Int64) -> Int64? {
    let passed = table.passedOver(slot)
    var after = afterUsec
    while let next = calendar.next(schedule, afterUsec: after) {
      if let detail = table.detail(slot), detail.hasRung(at: next) {
        after = detail.rangTo
      } else if isPassedOver(next, schedule, in: passed) {
        after = next
      } else {
        return next
      }
    }
    return nil
  }

  /// What repeats and was counted on by a clock that was ahead comes back to its present round or step:
  /// more can remain of that than it takes only if its clock was set back. On `wall` what really rang does
  /// not ring again, and what a client had it pass over stays passed over. O(rounds or steps of one cycle, and
  /// of those that rang or are passed over one after the other).
  private func goBack(_ slot: Int, at now: Moment) {
    let record = table[slot]
    let spec = table.spec(slot)
    guard spec.repeats || spec.kind == .sequence, record.state?.isCounting == true,
      !isSnoozed(slot), let detail = table.detail(slot)
    else { return }
    let reading = background.timelines.reading(record.clock, at: now)
    let left = record.state == .paused ? record.held : record.point - reading
    let passed = table.passedOver(slot)
    let passedUsec = passedBefore(Int64(detail.position), slot) * record.originalUsec
    var place = (
      left: left, position: Int64(detail.position), usec: record.durationUsec - passedUsec
    )
    func length(at position: Int64) -> Int64 {
      spec.kind == .sequence ? spec.stepUsec(at: position) : record.originalUsec
    }
    let cycle = spec.kind == .sequence ? spec.cycle : (steps: 1, usec: record.originalUsec)
    while place.left > place.usec, place.position > 0 {
      place.left -= place.usec
      place.position -= 1
      place.usec = length(at: place.position)
      guard let cycle else { continue }
      let cycles = min((place.left - 1) / cycle.usec, place.position / cycle.steps)
      place.left -= cycles * cycle.usec
      place.position -= cycles * cycle.steps
    }
    while place.position < Int64(detail.position) {
      let isPassed = passed.contains(place.position)
      guard isPassed || record.clock == .wall && detail.hasRung(in: place.position) else { break }
      place.position += 1
      let usec = length(at: place.position)
      place.usec = isPassed ? place.usec + usec : usec
      place.left += usec
    }
    guard place.position < Int64(detail.position) else { return }
    let step = spec.kind == .sequence ? spec.step(at: place.position).name : ""
    self.record(
      .rescheduled(
        deadline: record.state == .paused ? place.left : reading + place.left,
        durationUsec: place.usec, back: .init(position: place.position, step: step)),
      about: slot, at: now)
  }
}
