import NightjarModel

/// The time that passed on each clock, in microseconds.
struct Amount: Equatable {
  var elapsed: Int64 = 0
  var awake: Int64 = 0
  var wall: Int64 = 0
  /// The time on `awake` while the user was there.
  var present: Int64 = 0

  subscript(timeline: Timeline) -> Int64 {
    switch timeline {
    case .elapsed: elapsed
    case .awake: awake
    case .wall: wall
    case .present: present
    }
  }

  static func += (a: inout Amount, b: Amount) {
    a.elapsed += b.elapsed
    a.awake += b.awake
    a.wall += b.wall
    a.present += b.present
  }
}

/// Why a timer is late, and the number of the span, or 0.
struct Blame: Equatable {
  var cause: LateCause
  var span: Int64
}

/// Something that made a timer overdue, and by how much it was overdue before and after, negative
/// if it was not.
struct Jump {
  var blame: Blame
  var before: Int64
  var after: Int64
  /// The time that the span hid and that an awake clock does not count.
  var hiddenUsec: Int64 = 0
  /// If the machine slept while the daemon was down: how long it was awake and asleep, and whether
  /// the beginning is only estimated.
  var nap: (awakeUsec: Int64, asleepUsec: Int64, isEstimated: Bool)?

  /// The blame for an expiry that was overdue by this much at the end of the span.
  func blame(overdue usec: Int64) -> Blame {
    guard let nap, usec > nap.awakeUsec || nap.isEstimated && usec <= nap.asleepUsec else {
      return blame
    }
    return Blame(cause: .sleep, span: blame.span)
  }
}

/// A timer in the simplest form: it has no deadline, only its remaining time.
struct LiteralTimer {
  var name: String
  var id: Int64
  var spec: SharedSpec
  var state = TimerState.running
  var clock: Timeline
  var timeline: Timeline
  var originalUsec: Int64
  var durationUsec: Int64
  /// For a running timer, negative once it is overdue. For a stopwatch, the measured time, negated.
  var remainingUsec: Int64
  /// The order in which equal deadlines ring.
  var order: Int64
  /// The number of the event from which the remaining time is counted.
  var setSeq: Int64
  /// The number of the event up to which it ran, if it ran over a reboot in doubt and is paused;
  /// else 0.
  var pausedSeq: Int64 = 0
  /// A pause after a reboot in doubt: it ran up to the first of these events, and runs since the
  /// second.
  var interruption: (pausedSeq: Int64, resumedSeq: Int64)?
  /// For a repeating countdown or a sequence on `wall`: how many rounds or steps before the present
  /// one rang without a gap, or are handled; nil: the one before it did not ring.
  var roundsRung: Int64?
  var startedUsec: Int64
  var data: [UInt8]

  /// The time since it fired, was cancelled, or began to wait.
  var sinceEndUsec: Int64 = 0
  var firedUsec: Int64 = 0
  var lateUsec: Int64 = 0
  var lateCause: LateCause?
  /// The time since it rang, while it continues.
  var sinceRingUsec: Int64?
  var rangSeq: Int64 = 0
  /// The time since it last rang, even if that ring was answered; nil: it has not rung, or has
  /// ended.
  var sinceLastRingUsec: Int64?
  /// Whether its being due, or its lateness, depended on a wall clock in doubt.
  var isEstimated = false
  /// The number of the event of that ring.
  var estimatedSeq: Int64 = 0
  var endedSilently = false
  /// The number of the last event about it.
  var lastSeq: Int64 = 0
  /// The count of `elapsed` at its start.
  var startedCountedUsec: Int64 = 0

  /// How often it expired, or the number of its step.
  var position: Int64 = 0
  /// The last instant of an alarm that is handled.
  var mark: Int64 = 0
  /// The last stretch of instants of an alarm that all rang.
  var rang: ClosedRange<Int64>?
  var isSnoozed = false
  /// The time until the next deadline of a repetition that a snooze delays, and the event from
  /// which it is counted.
  var gridUsec: Int64?
  var gridSeq: Int64 = 0
  var wasMuted = false
  /// The number of announced bands.
  var band = 0
  var laps: [Int64] = []
  /// The local times of an alarm's instants, or rounds of a countdown, that persons skipped; the
  /// last 64 of them.
  var skipped: Set<Int64> = []

  /// By how much the present correction moved it.
  var correctedUsec: Int64 = 0
  /// Its cause of lateness once it has waited for a right clock.
  var waitBlame: Blame?
  /// Whether its present deadline or band is the one that waits, and not a later one.
  var isDeadlineWaiting = false
  /// The spans in which it expired.
  var spans: [Jump] = []
  /// The step or correction that made it overdue.
  var jump: Jump?

  /// The number of skipped rounds directly before a round of a countdown.
  func skips(before round: Int64) -> Int64 {
    guard spec.schedule == nil else { return 0 }
    var count: Int64 = 0
    while skipped.contains(round - 1 - count) { count += 1 }
    return count
  }

  var isActive: Bool { state == .running || state == .paused || state == .waiting }
  var isStopwatch: Bool { spec.kind == .stopwatch }
  var repeats: Bool { spec.repeats || spec.schedule != nil }
  /// Whether it is a paused alarm, which keeps its deadline.
  var isMuted: Bool { state == .paused && isAlarmOnWall }
  var isAlarmOnWall: Bool { spec.kind == .alarm && timeline == .wall }
  /// Whether it rang and no user has answered.
  var hasRung: Bool { firedUsec != 0 }

  var isBlamed: Bool { !spans.isEmpty || jump != nil || waitBlame != nil }
  var rangOnWall: Bool { (state == .running ? clock : timeline) == .wall }

  /// Whether it ran without a break from one event to another, since it was set by `set`.
  func ranOver(_ since: Int64, _ until: Int64, set: Int64? = nil) -> Bool {
    let until = max(since, until)
    if set ?? setSeq > since || set == nil && state == .paused && until >= pausedSeq {
      return false
    }
    guard let pause = interruption, pause.pausedSeq < pause.resumedSeq else { return true }
    return until < pause.pausedSeq || since >= pause.resumedSeq
  }

  mutating func forgetBlame() {
    spans = []
    jump = nil
  }

  mutating func clearRing() {
    firedUsec = 0
    lateUsec = 0
    lateCause = nil
    sinceRingUsec = nil
    isEstimated = false
  }

  /// How many bands have begun when this much remains.
  func band(_ leftUsec: Int64) -> Int { spec.bands.count { leftUsec <= $0.remainingUsec } }

  /// The time until a running timer is due: at its next band or its end.
  var untilDue: Int64? {
    guard !isStopwatch else { return nil }
    // An overdue timer is due by its end.
    guard remainingUsec > 0, band < spec.bands.count else { return remainingUsec }
    return remainingUsec - spec.bands[band].remainingUsec
  }
}

/// Something that applies to all timers alike, and is not undone when requests are lost.
enum Passage {
  /// Time that passes; in the background it goes to `backgroundTime`.
  case time(Amount)
  /// The wall clock was set. A step that is too small to be noticed causes no lateness.
  case stepped(Int64, isNoticed: Bool)
  case entered
  case left(LiteralSpan)
  /// A reboot was longer than counted, with the event at its end, and that at the end of the last
  /// reboot if it matters, or 0.
  case corrected(by: Int64, since: Int64, until: Int64)
  /// Timers that corrections made due are late because of this span.
  case blamed(LiteralSpan, by: Int64)
  /// No due timer waits any longer, and causes of lateness are forgotten.
  case forgotBlame
  /// An event that no client requested.
  case event(LiteralEvent)
  /// A client requested a change of the timer with this number.
  case requested(Int64)
}

/// A span that has ended, and whose meaning for sequences is not decided yet.
struct UndecidedLiteralSpan {
  var id: Int64
  /// The number of the event at its start.
  var enteredSeq: Int64
  /// The time that passed since its start.
  var passed: Amount

  mutating func apply(_ passage: Passage) {
    switch passage {
    case .time(let amount): passed += amount
    case .corrected(let by, let since, _): if enteredSeq <= since { passed.elapsed += by }
    default: break
    }
  }
}

/// All timers, and the background time that is not subtracted from them yet.
struct LiteralTimers {
  var all: [LiteralTimer] = []
  /// The time since the start of the span; nil in the foreground.
  var backgroundTime: Amount?
  /// A span after which no timer could fire before the next one began.
  var unfinished: Blame?

  func index(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

  /// The remaining time that clients see, with the background time subtracted.
  func visibleRemaining(_ timer: LiteralTimer) -> Int64 {
    switch timer.state {
    case _ where timer.isStopwatch: 0
    case .running: max(0, timer.remainingUsec - (backgroundTime?[timer.timeline] ?? 0))
    case .paused where timer.isMuted: max(0, timer.remainingUsec - (backgroundTime?.wall ?? 0))
    case .paused, .cancelled: max(0, timer.remainingUsec)
    case .fired, .waiting: 0
    }
  }

  /// The time that a stopwatch shows.
  func measured(_ timer: LiteralTimer) -> Int64 {
    timer.state == .running
      ? max(0, (backgroundTime?[timer.timeline] ?? 0) - timer.remainingUsec)
      : max(0, timer.remainingUsec)
  }

  /// Subtracts an amount from all timers, in a loop.
  mutating func subtract(_ amount: Amount) {
    for index in all.indices {
      let timer = all[index]
      switch timer.state {
      case .running: all[index].remainingUsec -= amount[timer.timeline]
      case .fired, .cancelled, .waiting: all[index].sinceEndUsec += amount.elapsed
      case .paused: if timer.isMuted { all[index].remainingUsec -= amount.wall }
      }
      if timer.gridUsec != nil { all[index].gridUsec? -= amount[timer.clock] }
      all[index].sinceRingUsec? += amount.elapsed
      all[index].sinceLastRingUsec? += amount.elapsed
    }
  }

  mutating func apply(_ passage: Passage) {
    switch passage {
    case .time(let amount):
      if backgroundTime == nil { subtract(amount) } else { backgroundTime? += amount }
    case .stepped(let by, let isNoticed): step(by, isNoticed: isNoticed)
    case .entered: backgroundTime = Amount()
    case .left(let span): leave(span)
    case .corrected(let by, let since, let until): correct(by: by, since: since, until: until)
    case .blamed(let span, let by): blame(span, for: by)
    case .forgotBlame:
      unfinished = nil
      for index in all.indices { all[index].forgetBlame() }
    case .event(let event): happen(event)
    case .requested: break
    }
  }

  /// Applies it to rings that were answered.
  mutating func correctRings(_ passage: Passage) {
    switch passage {
    case .corrected: apply(passage)
    case .event(let event) where event.type == "clock_stepped": apply(passage)
    default: break
    }
  }

  private mutating func step(_ by: Int64, isNoticed: Bool) {
    guard backgroundTime == nil else {
      backgroundTime?.wall += by
      return
    }
    for index in all.indices {
      if all[index].clock == .wall { all[index].gridUsec? -= by }
      if all[index].isMuted { all[index].remainingUsec -= by }
      guard all[index].state == .running, all[index].timeline == .wall else { continue }
      let before = all[index].remainingUsec
      all[index].remainingUsec -= by
      if isNoticed, by > 0 {
        all[index].jump = Jump(
          blame: Blame(cause: .step, span: 0), before: -before, after: by - before)
      }
    }
  }

  /// The end of a span.
  private mutating func leave(_ span: LiteralSpan) {
    let hidden = backgroundTime ?? Amount()
    backgroundTime = nil
    let blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
    if unfinished == nil { unfinished = blame }
    let before = all.map { -$0.remainingUsec }
    subtract(hidden)
    for index in all.indices {
      if all[index].state == .running, all[index].remainingUsec <= 0 {
        let isNap = span.causes == [.down, .sleep] && !all[index].timeline.countsUptime
        all[index].spans.append(
          Jump(
            blame: blame, before: before[index], after: -all[index].remainingUsec,
            hiddenUsec: max(0, span.elapsedUsec - hidden[all[index].timeline]),
            nap: isNap ? (hidden.awake, span.elapsedUsec - hidden.awake, span.estimated) : nil))
      }
    }
  }

  /// A reboot was longer than counted: timers that were set before its end have less time
  /// remaining.
  private mutating func correct(by: Int64, since: Int64, until: Int64) {
    for index in all.indices {
      let timer = all[index]
      // It is not known how much of it concerns timers that did not run until the end of the last
      // reboot.
      let isSetBehind = !timer.ranOver(since, until)
      let endedBehind = (timer.isEstimated ? timer.estimatedSeq : timer.setSeq) > since
      if timer.isEstimated, !timer.rangOnWall, timer.estimatedSeq > since, !isSetBehind {
        all[index].lateUsec += by
      }
      if timer.id > since { all[index].startedCountedUsec += by }
      if timer.rangSeq <= max(since, until) {
        all[index].sinceRingUsec? += by
        all[index].sinceLastRingUsec? += by
      }
      if timer.clock == .elapsed, timer.ranOver(since, until, set: timer.gridSeq) {
        all[index].gridUsec? -= by
      }
      switch timer.state {
      case .running:
        guard timer.timeline == .elapsed, !isSetBehind else { continue }
        all[index].remainingUsec -= by
        all[index].correctedUsec += by
      case .fired, .cancelled, .waiting: if !endedBehind { all[index].sinceEndUsec += by }
      case .paused:
        guard !timer.timeline.countsUptime, !timer.isAlarmOnWall, !isSetBehind else { continue }
        all[index].remainingUsec += timer.isStopwatch ? by : -by
      }
    }
  }

  /// Timers that corrections made due are late because of a span.
  private mutating func blame(_ span: LiteralSpan, for by: Int64) {
    let blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
    for index in all.indices {
      let corrected = all[index].correctedUsec
      all[index].correctedUsec = 0
      for jump in all[index].spans.indices { all[index].spans[jump].after += corrected }
      guard by > 0, all[index].state == .running, all[index].timeline == .elapsed else { continue }
      let after = -all[index].remainingUsec
      let before = after - corrected
      all[index].jump = Jump(blame: blame, before: after - by, after: after)
      if corrected > 0, before < 0, after >= 0, let unfinished {
        all[index].spans = [Jump(blame: unfinished, before: before, after: after)]
      }
    }
  }

  /// Applies an event that no client requested.
  private mutating func happen(_ event: LiteralEvent) {
    if event.type == "clock_stepped" {
      // By the new clock, rings by a clock in doubt were later or earlier.
      for index in all.indices where all[index].isEstimated && all[index].rangOnWall {
        all[index].lateUsec += event.numbers[0]
      }
    }
    guard let index = all.firstIndex(where: { $0.id == event.id }) else { return }
    if event.type == "expired" {
      all.remove(at: index)
      return
    }
    all[index].lastSeq = event.seq
    guard let effect = event.effect else { return }
    all[index].isDeadlineWaiting = false
    var timer = all[index]
    let before = timer.position
    let isRing = ["fired", "skipped", "stepped", "step_ended"].contains(event.type)
    let isEndOfSnooze = isRing && timer.isSnoozed && event.numbers[0] == -timer.remainingUsec
    if let band = effect.band { timer.band = band }
    if let position = effect.position { timer.position = position }
    if isRing, event.type != "skipped", timer.spec.schedule != nil, !isEndOfSnooze,
      let mark = effect.mark
    {
      let isDue = event.timeUsec + timer.remainingUsec == mark
      timer.noteRang(
        mark, isNext: event.numbers[4] == 0 && isDue && timer.mark == timer.rang?.upperBound)
    }
    if isRing, timer.spec.schedule == nil, timer.clock == .wall, event.numbers.count > 5 {
      timer.noteRound(
        isHeard: event.type != "skipped" && event.numbers[3] >= before, missed: event.numbers[4],
        isEndOfSnooze: isEndOfSnooze)
    }
    if event.type == "rescheduled", timer.spec.schedule == nil { timer.roundsRung = nil }
    if let mark = effect.mark { timer.mark = mark }
    if isRing { ring(&timer, event, effect, isEndOfSnooze: isEndOfSnooze) }
    if event.type == "paused_after_sleep" { timer.pausedSeq = effect.pausedSeq }
    if event.type == "restarted_after_sleep" { timer.rangAllOnWall() }
    if event.type == "paused_after_sleep" || event.type == "restarted_after_sleep" {
      timer.clearRing()
      timer.state = effect.state
      timer.forgetBlame()
    }
    let overdue = -timer.remainingUsec
    switch effect.remaining {
    case .more(let usec)?: timer.remainingUsec += usec
    case .grid(let more)?: timer.remainingUsec = (timer.gridUsec ?? 0) + more
    case .exactly(let usec)?: timer.remainingUsec = usec
    case nil: break
    }
    if isRing {
      // A timer that is still overdue keeps the time at which it became due.
      timer.shiftBlame(by: overdue + timer.remainingUsec)
      timer.isSnoozed = false
      timer.gridUsec = nil
    }
    if let usec = effect.durationUsec { timer.durationUsec = usec }
    if event.type == "rescheduled" { timer.order = event.seq }
    if effect.isSet {
      timer.interruption = nil
      timer.setSeq = event.seq
      timer.order = event.seq
    }
    all[index] = timer
  }

  private func ring(
    _ timer: inout LiteralTimer, _ event: LiteralEvent, _ effect: Effect, isEndOfSnooze: Bool
  ) {
    timer.wasMuted = false
    timer.state = effect.state
    let isEstimated = event.numbers.last == 1
    let isHeard = event.type != "skipped"
    timer.endedSilently = !isHeard && effect.state != .running
    if effect.state != .running {
      timer.sinceEndUsec = 0
      timer.sinceRingUsec = nil
      // For an estimated ring, the event that set its deadline still matters.
      if !isEstimated {
        timer.setSeq = event.seq
        timer.interruption = nil
      }
      timer.order = event.seq
      timer.forgetBlame()
    } else {
      if timer.isSnoozed {
        timer.setSeq = timer.gridSeq
        if isEndOfSnooze { timer.forgetBlame() }
      }
      timer.timeline = timer.clock
      timer.order = timer.setSeq
      if isHeard {
        timer.sinceRingUsec = 0
        timer.sinceLastRingUsec = 0
        timer.rangSeq = event.seq
      }
    }
    guard isHeard || effect.state != .running else { return }
    timer.firedUsec = event.timeUsec
    timer.lateUsec = event.numbers[0]
    timer.lateCause = LateCause(rawValue: UInt8(event.numbers[1]))
    timer.isEstimated = isEstimated
    timer.estimatedSeq = event.seq
  }
}

extension LiteralTimer {
  /// The next deadline is later by this much than the one before it.
  fileprivate mutating func shiftBlame(by usec: Int64) {
    for index in spans.indices {
      spans[index].before -= usec
      spans[index].after -= usec
    }
    spans.removeAll { $0.after < 0 }
    jump?.before -= usec
    jump?.after -= usec
  }

  /// Notes that the user began the present round or step.
  mutating func rangAllOnWall() {
    if clock == .wall, spec.schedule == nil { roundsRung = .max }
  }

  /// Notes that a round or step on `wall` has ended.
  mutating func noteRound(isHeard: Bool, missed: Int64, isEndOfSnooze: Bool) {
    if !isHeard {
      roundsRung = nil
    } else if missed > 0 || roundsRung == nil {
      if !isEndOfSnooze || missed > 0 { roundsRung = 1 }
    } else if !isEndOfSnooze, let rung = roundsRung, rung < .max {
      roundsRung = rung + 1
    }
  }

  /// Notes that an instant of an alarm really rang.
  mutating func noteRang(_ instant: Int64, isNext: Bool) {
    guard isNext, let rang, instant > rang.upperBound else {
      rang = instant...instant
      return
    }
    // Stored in whole seconds, for 90 days.
    let sec = (rang.upperBound - rang.lowerBound) / 1_000_000
    let more = (instant - rang.upperBound) / 1_000_000
    self.rang = (instant - min(sec + more, 90 * 86_400) * 1_000_000)...instant
  }

  /// The lateness of a deadline that is `delta` after the one that is counted down, and its cause.
  func lateness(delta: Int64 = 0) -> (usec: Int64, blame: Blame?) {
    let late = -remainingUsec - delta
    if wasMuted { return (late, Blame(cause: .paused, span: 0)) }
    if let waitBlame { return (late, waitBlame) }
    let spans = spans.filter { $0.after >= delta }
    if let first = spans.first {
      guard timeline.countsUptime else { return (late, first.blame(overdue: first.after - delta)) }
      return (spans.filter { $0.before >= delta }.reduce(late) { $0 + $1.hiddenUsec }, first.blame)
    }
    if let jump, jump.before < delta, jump.after >= delta { return (late, jump.blame) }
    return (late, late > 10_000 ? Blame(cause: .busy, span: 0) : nil)
  }
}
