public import NightjarModel

/// Open rings: the end of a sound, insists, snoozes, and what changes a ring.
extension Engine {
  /// How long a sound waits for an answer that sounds once and is to be repeated.
  private static let onceUsec: Int64 = 10_000_000

  /// How many timers have an open ring.
  public struct RingCounts: Equatable, Sendable {
    public var ringing = 0
    public var snoozed = 0
    public var unanswered = 0
  }

  /// How long a timer's ring sounds from now on, 0 for once, and after how long it insists.
  ///
  /// - Parameter continues: whether the timer continues by itself. Then it needs no answer, unless
  ///   it is an alarm.
  func ringLength(_ slot: Int, continues: Bool) -> (forUsec: Int64, insistUsec: Int64) {
    let kind = table[slot].spec.kind
    let wantsAnswer = !continues || kind == .alarm
    let own = table[slot].attachments?.ring
    let insistUsec = own?.insistUsec ?? (wantsAnswer ? usualRing.insistUsec : 0)
    let forUsec = own?.forUsec ?? (wantsAnswer ? usualRing.forUsec[kind] ?? 0 : 0)
    return (forUsec == 0 && insistUsec > 0 ? Self.onceUsec : forUsec, insistUsec)
  }

  /// Whether a time of the open ring is reached, and does not wait for the clock.
  func isRingDue(_ slot: Int, at now: Moment) -> Bool {
    guard let ring = table[slot].ring, let deadline = ring.deadline,
      deadline <= background.timelines.reading(.elapsed, at: now)
    else { return false }
    return clockWaitEnd == nil || certainElapsed(ring, deadline, at: now) == nil
  }

  /// Handles the end of a sound, an insist or the end of a snooze.
  func handleRing(_ slot: Int, _ ring: Ring, _ late: Lateness, at now: Moment) {
    guard !ring.isSounding else {
      return _ = record(
        .unanswered(expiry: ring.number, number: ring.insisted + 1), about: slot, at: now)
    }
    // A snooze that ended before an undo brought it back rings at once.
    if late.cause != .undone, isTooLate(slot, late) {
      return _ = record(
        .stayedQuiet(late, expiry: ring.number, isSnooze: ring.isSnoozed), about: slot, at: now)
    }
    let length = ringLength(slot, continues: table[slot].state == .running)
    let sounding = Sounding(
      expiry: ring.number, expiries: ring.expiries, firstDueUsec: ring.firstDueUsec,
      forUsec: length.forUsec, insistUsec: length.insistUsec)
    record(
      ring.isSnoozed
        ? .rang(late, sounding, nil) : .rangAgain(late, sounding, insisted: ring.insisted + 1),
      about: slot, at: now)
  }

  /// Records that less of a sound was noticed than its timer asked for. Does nothing if the ring is
  /// over, or has sounded again.
  ///
  /// - Parameter seq: the number of the event with which the ring began to sound.
  public func recordUnnoticed(_ slot: Int, _ unnoticed: Unnoticed, seq: Int64, at now: Moment) {
    guard table.isOccupied(slot), let ring = table[slot].ring, ring.sinceEvent == seq,
      ring.unnoticed != unnoticed
    else { return }
    record(.unnoticed(unnoticed, expiry: ring.expiry.number), about: slot, at: now)
  }

  /// Lets expiries leave the ring that joined it and have not sounded, because the clock was set
  /// back behind them. They come again. What is over stays over.
  func leaveRing(_ slot: Int, at now: Moment, where isBack: (Expiry) -> Bool) {
    guard let ring = table[slot].ring, table[slot].state.isActive else { return }
    let left = Int64(ring.joined.count(where: isBack))
    guard left > 0 else { return }
    let number = ring.joined.last { !isBack($0) }?.number ?? ring.expiry.number
    record(
      .leftRing(expiry: number, left: left, expiries: ring.expiries - left), about: slot, at: now)
  }
}

// MARK: - Applying events

extension Engine {
  /// Applies an event about the open ring of a timer.
  func changeRing(_ slot: Int, _ event: Event, _ body: (inout Ring) -> Void) {
    changeRings(slot) { timer in
      guard var ring = timer.ring else { return }
      body(&ring)
      timer.ring = ring
    }
  }

  /// Runs `body`, which may change the ring of a timer. The schedule stays as it is.
  func changeRings(_ slot: Int, _ body: (inout Timer) -> Void) {
    count(slot, -1)
    let queues = queues(of: slot)
    body(&table[slot])
    count(slot, 1)
    enqueueRing(slot, from: queues)
  }
}

extension Timer {
  /// Notes an expiry that rang or did not ring.
  mutating func note(_ expiry: Expiry, isMiss: Bool) {
    var all = expiries
    all.lastNumber = expiry.number
    all.last = expiry
    if isMiss {
      all.miss = expiry
      all.misses += expiry.missed + 1
    }
    expiries = all
  }

  /// The open ring sounds from now on, with all expiries that joined it.
  ///
  /// - Parameter expiry: the expiry for which it sounds; nil: for the end of a snooze or an insist.
  mutating func sound(_ reached: Reached, _ sounding: Sounding, _ expiry: Expiry?, _ event: Event) {
    var all = expiries
    var ring = all.ring ?? Ring()
    var sounded = ring.joined
    if let expiry { sounded.append(expiry) }
    for one in sounded { noteSounded(one) }
    if var newest = sounded.last {
      newest.outcome = .rang
      ring.expiry = newest
      if all.last?.number == newest.number { all.last?.outcome = .rang }
    }
    ring.joined = []
    ring.expiries = sounding.expiries
    ring.firstDueUsec = sounding.firstDueUsec
    ring.insistUsec = sounding.insistUsec
    (ring.sound, ring.unnoticed) = (reached, nil)
    let elapsed = event.counters.elapsedUsec
    ring.state =
      sounding.forUsec > 0
      ? .sounding(until: elapsed + sounding.forUsec) : .quiet(since: elapsed)
    (ring.countedFrom, ring.sinceEvent, ring.sinceElapsed) = (event.seq, event.seq, elapsed)
    if case .rangAgain(_, _, let insisted) = event.kind {
      ring.insisted = insisted
    } else {
      ring.insisted = 0
      (all.miss, all.misses) = (nil, 0)
    }
    all.ring = ring
    expiries = all
    // To insist is not to ring for an instant.
    if spec.schedule != nil, !sounded.isEmpty {
      (self.course.rangAtElapsed, self.course.rangEvent) = (elapsed, event.seq)
    }
  }

  /// The ring is quiet, and does not insist.
  mutating func quietRing(_ event: Event) {
    guard var ring else { return }
    (ring.sinceElapsed, ring.sinceEvent) = (event.counters.elapsedUsec, event.seq)
    ring.state = .quiet(since: event.counters.elapsedUsec)
    self.ring = ring
  }

  /// Notes an instant or a round that sounded: it does not ring again when the clock shows it
  /// again.
  private mutating func noteSounded(_ expiry: Expiry) {
    guard clock == .wall else { return }
    if spec.schedule != nil {
      let isNext = expiry.missed == 0 && expiry.handledBefore == self.course.rangFor?.last
      let due = expiry.reached.dueUsec
      self.course.rangFor =
        (isNext ? self.course.rangFor : nil)?.extended(to: due) ?? ConsecutiveInstants(last: due)
    } else if spec.repeats || spec.kind == .sequence {
      let rang = self.course.rangRounds
      let isNext = expiry.missed == 0 && rang?.last == expiry.position - 1
      self.course.rangRounds = Rounds(
        first: isNext ? rang?.first ?? 0 : expiry.position, last: expiry.position)
    }
  }
}
