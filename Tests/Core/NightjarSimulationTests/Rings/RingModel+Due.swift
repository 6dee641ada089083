import NightjarModel

/// Handles what is due, one event after the other.
extension RingModel {
  /// Handles the first thing that is due of a timer: of its schedule or of its ring.
  func handleDue(_ timer: ModelTimer) {
    guard isRingDue(timer), let ring = timer.ring, let deadline = ring.deadline else {
      return handleSchedule(timer)
    }
    let late = deadline.lateness()
    guard isScheduleDue(timer) else { return handleRing(timer, late) }
    if timer.remainingUsec > 0 { return announceBand(timer, timer.remainingUsec) }
    let expiries = dueExpiries(timer)
    guard let first = expiries.due.first, let last = expiries.due.last else {
      // Its next instant is another one.
      return
    }
    let firstUsec = lateness(timer, first).usec
    let lastUsec = lateness(timer, last).usec
    if ring.state == .snoozed, firstUsec >= late.usec {
      return join(timer, expiries, notAfter: late.usec)
    }
    if ring.state != .sounding, lastUsec < late.usec {
      // Rule 9: expiries due after it decide alone.
      return decide(timer, expiries, quietsRing: true)
    }
    firstUsec >= late.usec ? decide(timer, expiries) : handleRing(timer, late)
  }

  /// Handles a band or expiries.
  private func handleSchedule(_ timer: ModelTimer) {
    guard timer.remainingUsec <= 0 else { return announceBand(timer, timer.remainingUsec) }
    let expiries = dueExpiries(timer)
    if expiries.due.isEmpty { return }
    if timer.ring?.state == .snoozed {
      join(timer, expiries, notAfter: .min)
    } else {
      decide(timer, expiries)
    }
  }

  private func announceBand(_ timer: ModelTimer, _ leftUsec: Int64) {
    let band = timer.band(leftUsec)
    record("band_crossed", of: timer, ["band": Int64(band), "left": leftUsec]) { timer, _ in
      timer.deadline.isDeadlineWaiting = false
      timer.band = band
    }
  }

  /// Announces another band after time was added or taken.
  func recordBandChange(_ index: Int) {
    let timer = world.timers.all[index]
    guard timer.state == .running || timer.state == .paused, !timer.spec.bands.isEmpty else {
      return
    }
    // A band that begins only by a clock in doubt waits for that.
    var seen = timer
    seen.remainingUsec -= world.timers.backgroundTime?[timer.timeline] ?? 0
    guard !isWaiting(seen) else { return }
    if timer.state == .paused, timer.deadline.pausedSeq != 0, !timer.isAlarmOnWall,
      clockWaitLeft != nil
    {
      return
    }
    let left = world.timers.visibleRemaining(timer)
    if left > 0, timer.band(left) != timer.band { announceBand(timer, left) }
  }
}

// MARK: - Expiries

extension RingModel {
  typealias Lateness = (usec: Int64, blame: Blame?)

  /// The expiries of a timer that are due now.
  struct DueExpiries {
    /// The remaining time of each, not above zero, oldest first.
    var due: [Int64] = []
    /// The round or step of each.
    var positions: [Int64] = []
    /// The remaining time of the next one, and its round or step; nil: there is none.
    var next: Int64?
    var nextPosition: Int64
    /// Whether a step of a sequence waits for Advance after the last one.
    var waits = false
    /// Whether there were more than are counted.
    var hasMore = false
  }

  private func lateness(_ timer: ModelTimer, _ due: Int64) -> Lateness {
    timer.lateness(delta: due - timer.remainingUsec)
  }

  /// The late policy is for what passed in the background, in a pause or by a step of the clock,
  /// and not for a busy machine.
  private func isHidden(_ late: Lateness) -> Bool { late.blame.map { $0.cause != .busy } ?? false }

  /// Rule 2: the late policy judges by the lateness of one expiry.
  private func isTooLate(_ timer: ModelTimer, _ late: Lateness) -> Bool {
    guard isHidden(late) else { return false }
    switch timer.spec.late {
    case .fire: return false
    case .skip: return true
    case .fireWithin(let usec): return late.usec > usec
    }
  }

  /// Rule 2, and rule 3 for those that do not ring. Each call records one event; the rest are still
  /// due and are judged again.
  ///
  /// - Parameter quietsRing: whether a snooze or an insist passed before them, so that its ring is
  ///   quiet if they do not ring (rule 9).
  private func decide(_ timer: ModelTimer, _ expiries: DueExpiries, quietsRing: Bool = false) {
    var newest = expiries.due.count - 1
    // Those that were only delayed, before the clock was set over the others, are handled first.
    let delayed = expiries.due.prefix { !isHidden(lateness(timer, $0)) }.count
    if delayed > 0 { newest = delayed - 1 }
    let tooLate = expiries.due[...newest].lastIndex { isTooLate(timer, lateness(timer, $0)) }
    // Those before one that is too late are over with it.
    let first = tooLate.map { $0 + 1 } ?? 0
    if first < newest, timer.spec.missed == .skip, isHidden(lateness(timer, expiries.due[first])) {
      return miss(timer, expiries, at: newest, quietsRing)
    }
    if let tooLate { return miss(timer, expiries, at: tooLate, quietsRing) }
    if timer.spec.missed == .each, !expiries.hasMore {
      // At most 1,000 ring; the first of them stands for those before it.
      return ring(timer, expiries, at: max(0, newest - 999))
    }
    ring(timer, expiries, at: newest)
  }

  /// The last instant of an alarm that is handled before an expiry; -1: there are others between.
  private func mark(of timer: ModelTimer, before due: Int64) -> Int64 {
    if timer.spec.schedule == nil { return 0 }
    return due == timer.remainingUsec ? timer.mark : -1
  }

  /// The facts of an expiry: those at the places up to `at` are over with it.
  private func expiry(
    _ timer: ModelTimer, _ expiries: DueExpiries, at place: Int, _ outcome: ModelExpiry.Outcome
  ) -> ModelExpiry {
    let late = lateness(timer, expiries.due[place])
    return ModelExpiry(
      number: timer.lastNumber + Int64(place) + 1, handledUsec: clocks.wallUsec,
      lateUsec: late.usec, cause: late.blame?.cause, span: late.blame?.span ?? 0,
      outcome: outcome, missed: Int64(place), position: expiries.positions[place],
      markBefore: mark(of: timer, before: expiries.due[place]),
      isEstimated: isInDoubt(timer.deadline), deadline: timer.deadline)
  }

  /// The payload of an event about an expiry, with what the timer does next.
  private func facts(
    _ timer: ModelTimer, _ expiry: ModelExpiry, _ expiries: DueExpiries, at place: Int
  ) -> [String: Int64] {
    let next = continuation(timer, expiries, at: place)
    return [
      "expiry": expiry.number, "due": expiry.dueUsec, "late": expiry.lateUsec,
      "cause": Int64(expiry.cause?.rawValue ?? 0), "span": expiry.span, "missed": expiry.missed,
      "estimated": expiry.isEstimated ? 1 : 0, "position": next.position,
      "then": next.state == .over ? 0 : next.state == .waiting ? 1 : 2,
      "duration": next.durationUsec ?? 0,
      "counted": timer.isAlarmOnWall ? 0 : timer.spentUsec + expiries.due[place],
      "paused": timer.pausedUsec,
    ]
  }

  /// An expiry rings. With the end of a snooze and an insist this is all that is ever heard.
  private func ring(_ timer: ModelTimer, _ expiries: DueExpiries, at place: Int) {
    let expiry = expiry(timer, expiries, at: place, .rang)
    var facts = facts(timer, expiry, expiries, at: place)
    facts["expiries"] = (timer.ring?.expiries ?? 0) + 1
    facts["first_due"] = timer.ring?.firstDueUsec ?? expiry.dueUsec
    let go = goOn(timer, expiries, at: place)
    let now = clocks.wallUsec
    record("rang", of: timer, facts) { timer, seq in
      var expiry = expiry
      expiry.seq = seq
      let sound = ModelSound(
        atUsec: now, lateUsec: expiry.lateUsec, cause: expiry.cause, span: expiry.span,
        isEstimated: expiry.isEstimated, seq: seq, deadline: expiry.deadline)
      go(&timer, seq)
      timer.lastNumber = expiry.number
      timer.lastExpiry = expiry
      // Rule 3.
      timer.miss = nil
      timer.misses = 0
      timer.add(expiry, sound)
      timer.sound(sound, isInsist: false, isExpiry: true)
    }
  }

  /// Rule 3: those up to a place do not ring. The last one stands for the others.
  private func miss(
    _ timer: ModelTimer, _ expiries: DueExpiries, at place: Int, _ quietsRing: Bool
  ) {
    let expiry = expiry(timer, expiries, at: place, .didNotRing)
    let go = goOn(timer, expiries, at: place)
    var facts = facts(timer, expiry, expiries, at: place)
    facts["quiets_ring"] = quietsRing ? 1 : 0
    record("did_not_ring", of: timer, facts) { timer, seq in
      if quietsRing { timer.quietRing(seq) }
      var expiry = expiry
      expiry.seq = seq
      go(&timer, seq)
      timer.lastNumber = expiry.number
      timer.lastExpiry = expiry
      timer.miss = expiry
      timer.misses += expiry.missed + 1
    }
  }

  /// Rule 8: expiries that were due before the end of the snooze join the ring in silence.
  ///
  /// - Parameter lateUsec: how late the end of the snooze is.
  private func join(_ timer: ModelTimer, _ expiries: DueExpiries, notAfter lateUsec: Int64) {
    let places = expiries.due.indices.filter {
      lateUsec == .min || lateness(timer, expiries.due[$0]).usec >= lateUsec
    }
    guard let place = places.last else { return }
    // The last of them are listed, and can leave the ring again.
    var listed: [ModelExpiry] = []
    let all = places.suffix(Limits.joined)
    var mark = mark(of: timer, before: expiries.due[all[all.startIndex]])
    for place in all {
      var each = expiry(timer, expiries, at: place, .joined)
      each.missed = 0
      each.markBefore = mark
      mark = timer.spec.schedule == nil ? 0 : each.dueUsec
      listed.append(each)
    }
    let last = listed[listed.count - 1]
    var facts = facts(timer, last, expiries, at: place)
    facts["missed"] = nil
    facts["joined"] = Int64(places.count)
    facts["expiries"] = (timer.ring?.expiries ?? 0) + Int64(places.count)
    facts["listed"] = Int64(listed.count)
    facts["all_late"] = listed.reduce(0) { $0 + $1.lateUsec }
    facts["all_ended"] = listed.reduce(0) { $0 + $1.position }
    let go = goOn(timer, expiries, at: place)
    record("joined", of: timer, facts) { timer, seq in
      go(&timer, seq)
      timer.lastNumber = last.number
      timer.ring?.expiries += Int64(places.count)
      for var expiry in listed {
        expiry.seq = seq
        timer.lastExpiry = expiry
        timer.ring?.joined.append(expiry)
      }
      let kept = timer.ring?.joined.suffix(Limits.joined) ?? []
      timer.ring?.joined = Array(kept)
    }
  }

  private typealias Continuation = (
    state: ModelTimer.State, position: Int64, durationUsec: Int64?
  )

  /// What a timer does after the expiries up to a place.
  private func continuation(
    _ timer: ModelTimer, _ expiries: DueExpiries, at place: Int
  ) -> Continuation {
    let isLast = place == expiries.due.count - 1
    let next = isLast ? expiries.next : expiries.due[place + 1]
    let position = isLast ? expiries.nextPosition : expiries.positions[place + 1]
    guard let next else { return (expiries.waits ? .waiting : .over, position, nil) }
    if timer.spec.kind == .sequence {
      return (.running, position, Self.stepUsec(timer.spec, position))
    }
    return (.running, position, next - expiries.due[place])
  }

  /// The schedule continues after the expiries up to a place. It does not know of rings.
  private func goOn(
    _ timer: ModelTimer, _ expiries: DueExpiries, at place: Int
  ) -> (inout ModelTimer, Int64) -> Void {
    let (state, position, durationUsec) = continuation(timer, expiries, at: place)
    let next = place < expiries.due.count - 1 ? expiries.due[place + 1] : expiries.next
    let more = next.map { $0 - timer.remainingUsec }
    let mark = timer.spec.schedule == nil ? 0 : clocks.wallUsec + expiries.due[place]
    let isEstimated = isInDoubt(timer.deadline)
    let dueUsec = expiries.due[place]
    // An extension of a step does not apply to the steps after it.
    let lastStepUsec =
      timer.spec.kind == .sequence && place > 0
      ? Self.stepUsec(timer.spec, expiries.positions[place]) : nil
    return { timer, seq in
      timer.deadline.isDeadlineWaiting = false
      timer.wasMuted = false
      timer.position = position
      timer.mark = mark
      timer.state = state
      guard let more, let durationUsec else {
        timer.spentUsec += dueUsec
        if let lastStepUsec { timer.durationUsec = lastStepUsec }
        timer.band = timer.spec.bands.count
        timer.sinceEndUsec = 0
        timer.endedSeq = seq
        // For an estimated ring, the event that set its deadline still matters.
        if !isEstimated {
          timer.deadline.setSeq = seq
          timer.deadline.interruption = nil
        }
        timer.deadline.order = seq
        timer.deadline.forgetBlame()
        return
      }
      timer.deadline.order = timer.deadline.setSeq
      timer.durationUsec = durationUsec
      timer.band = timer.band(durationUsec)
      timer.remainingUsec += more
      // A timer that is still overdue keeps the time at which it became due.
      timer.deadline.shiftBlame(by: more)
    }
  }
}

// MARK: - The times of a ring

extension RingModel {
  /// The end of a sound, an insist, or the end of a snooze.
  private func handleRing(_ timer: ModelTimer, _ late: Lateness) {
    guard let ring = timer.ring else { return }
    if ring.state == .sounding { return endSound(timer, ring) }
    // Rule 9: judged by its own lateness. Rule 13: a snooze that ended before an undo rings at
    // once.
    if late.blame?.cause != .undone, isTooLate(timer, late) {
      return stayQuiet(timer, late)
    }
    let sound = ModelSound(
      atUsec: clocks.wallUsec, lateUsec: late.usec, cause: late.blame?.cause,
      span: late.blame?.span ?? 0, isEstimated: ring.deadline.map { isInDoubt($0) } ?? false,
      seq: 0, deadline: ring.deadline ?? timer.deadline)
    let isInsist = ring.state == .quiet
    var facts = soundFacts(ring, late)
    if isInsist {
      facts["insisted"] = ring.insisted + 1
    } else {
      // Rule 7: the end of a snooze is a ring in every way.
      facts["snoozed"] = 1
      facts["expiries"] = ring.expiries
      facts["first_due"] = ring.firstDueUsec
    }
    record(isInsist ? "rang_again" : "rang", of: timer, facts) { timer, seq in
      var sound = sound
      sound.seq = seq
      if !isInsist {
        timer.miss = nil
        timer.misses = 0
      }
      timer.sound(sound, isInsist: isInsist, isExpiry: false)
    }
  }

  /// Rule 8: the lateness of the end of a snooze, and of an insist, is its own.
  private func soundFacts(_ ring: ModelRing, _ late: Lateness) -> [String: Int64] {
    [
      "expiry": ring.number, "due": clocks.wallUsec - late.usec, "late": late.usec,
      "cause": Int64(late.blame?.cause.rawValue ?? 0), "span": late.blame?.span ?? 0,
      "estimated": ring.deadline.map { isInDoubt($0) } == true ? 1 : 0,
    ]
  }

  /// Rule 5: a ring that nobody answered is quiet, and open.
  private func endSound(_ timer: ModelTimer, _ ring: ModelRing) {
    let number = ring.insisted + 1
    let facts = ["expiry": ring.number, "number": number]
    record("unanswered", of: timer, facts) { timer, _ in
      timer.ring = timer.ringWithoutSound
      timer.ring?.deadline?.shiftBlame(by: timer.course.insistUsec)
    }
  }

  /// Rule 9: a snooze or an insist is too late to sound.
  private func stayQuiet(_ timer: ModelTimer, _ late: Lateness) {
    guard let ring = timer.ring else { return }
    var facts = soundFacts(ring, late)
    facts["snoozed"] = ring.state == .snoozed ? 1 : 0
    record("stayed_quiet", of: timer, facts) { timer, seq in timer.quietRing(seq) }
  }

  /// Rule 10: expiries that joined and have not sounded leave the ring when the clock is set back
  /// behind them.
  func leaveRing(_ timer: ModelTimer, _ isBack: (ModelExpiry) -> Bool) {
    // What ended stays ended (section 8).
    guard let ring = timer.ring, !timer.isOver else { return }
    let isAlarm = timer.spec.schedule != nil
    let stays = ring.joined.filter { !isBack($0) }
    let left = Int64(ring.joined.count - stays.count)
    guard left > 0 else { return }
    let number = stays.last?.number ?? ring.expiry.number
    record(
      "left_ring", of: timer, ["expiry": number, "left": left, "expiries": ring.expiries - left]
    ) { timer, _ in
      timer.ring?.joined = stays
      timer.ring?.expiries -= left
      if let gone = timer.lastExpiry, gone.number > number, gone.outcome == .joined {
        timer.lastExpiry = stays.last ?? ring.expiry
        if let miss = timer.miss, miss.number > number { timer.lastExpiry = miss }
      }
      if isAlarm { timer.position -= left }
    }
  }
}
