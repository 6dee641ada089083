import NightjarModel

/// How much passed on each clock, in microseconds.
struct Amount: Equatable {
  var elapsed: Int64 = 0
  var awake: Int64 = 0
  var wall: Int64 = 0
  /// Of `awake`, while the user was there.
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

/// Something that made a timer overdue: by how much it was so before and after, below zero if it was
/// not.
struct Jump {
  var blame: Blame
  var before: Int64
  var after: Int64
  /// What the span hid that an awake clock does not count.
  var hiddenUsec: Int64 = 0
}

/// A timer as anyone would write it first: it has no deadline, only what remains.
struct LiteralTimer {
  var name: String
  var id: Int64
  var spec: SharedSpec
  var state = TimerState.running
  var clock: Timeline
  var timeline: Timeline
  var originalUsec: Int64
  var durationUsec: Int64
  /// Of a running timer below zero once it is overdue; of a stopwatch what it has measured, below
  /// zero.
  var remainingUsec: Int64
  /// Equal deadlines ring in this order.
  var order: Int64
  /// The number of the event from which what remains is counted.
  var setSeq: Int64
  /// The number of the event up to which it ran, if it ran over a reboot in doubt and is paused; or 0.
  var pausedSeq: Int64 = 0
  /// A pause behind a reboot in doubt: it ran up to the first of these events, and runs from the other on.
  var interruption: (pausedSeq: Int64, resumedSeq: Int64)?
  /// Of what repeats on `wall`: so many rounds or steps before the present one rang one after the other, or
  /// are dealt with; nil: that before it did not ring.
  var roundsRung: Int64?
  var startedUsec: Int64
  var data: [UInt8]

  /// Since it fired, was cancelled, or waits.
  var sinceEndUsec: Int64 = 0
  var firedUsec: Int64 = 0
  var lateUsec: Int64 = 0
  var lateCause: LateCause?
  /// It rang and goes on, so long ago.
  var sinceRingUsec: Int64?
  var rangSeq: Int64 = 0
  /// How long ago it rang last, also if that was heard; nil: it has not, or it is over.
  var sinceLastRingUsec: Int64?
  /// Only a wall clock in doubt said that it was due, or how late.
  var isEstimated = false
  /// The number of the event with which it rang so.
  var estimatedSeq: Int64 = 0
  var endedSilently = false
  /// The number of the last event about it.
  var lastSeq: Int64 = 0
  /// What had been counted on `elapsed` when it was started.
  var startedCountedUsec: Int64 = 0

  /// How often it came due, or the step it is in.
  var position: Int64 = 0
  /// The last point of an alarm that is dealt with.
  var mark: Int64 = 0
  /// The last stretch of points of an alarm that each rang.
  var rang: ClosedRange<Int64>?
  var isSnoozed = false
  /// What remains until the next point of a repetition that a snooze keeps waiting, and what that is
  /// counted from.
  var gridUsec: Int64?
  var gridSeq: Int64 = 0
  var wasMuted = false
  /// So many bands have been announced.
  var band = 0
  var laps: [Int64] = []
  /// What clocks show at points of an alarm, or rounds of a countdown, that people had it pass over; the last 64 of
  /// them.
  var skipped: Set<Int64> = []

  /// By how much it was corrected just now.
  var correctedUsec: Int64 = 0
  /// Why it is late once it has waited for a clock that is right.
  var waitBlame: Blame?
  /// Its present turn is what waits, and not one that came after.
  var isTurnHeld = false
  /// The spans in which it came due.
  var spans: [Jump] = []
  /// The step or the correction by which it came due.
  var jump: Jump?

  /// How many rounds of a countdown directly before a round are skipped.
  func skips(before round: Int64) -> Int64 {
    guard spec.schedule == nil else { return 0 }
    var count: Int64 = 0
    while skipped.contains(round - 1 - count) { count += 1 }
    return count
  }

  var isActive: Bool { state == .running || state == .paused || state == .waiting }
  var isStopwatch: Bool { spec.kind == .stopwatch }
  var repeats: Bool { spec.repeats || spec.schedule != nil }
  /// An alarm is not held by a pause.
  var isMuted: Bool { state == .paused && isAlarmOnWall }
  var isAlarmOnWall: Bool { spec.kind == .alarm && timeline == .wall }
  /// It rang, and nobody said that they heard.
  var hasRung: Bool { firedUsec != 0 }

  var isBlamed: Bool { !spans.isEmpty || jump != nil || waitBlame != nil }
  var rangOnWall: Bool { (state == .running ? clock : timeline) == .wall }

  /// Whether it ran on from one event to another, since it was set by `set`.
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

  mutating func beHeard() {
    firedUsec = 0
    lateUsec = 0
    lateCause = nil
    sinceRingUsec = nil
    isEstimated = false
  }

  /// How many bands have begun with so much left.
  func band(_ leftUsec: Int64) -> Int { spec.bands.count { leftUsec <= $0.remainingUsec } }

  /// How long until something is due of a running one: its next band, or its end.
  var untilTurn: Int64? {
    guard !isStopwatch else { return nil }
    // What is overdue has its turn by its end.
    guard remainingUsec > 0, band < spec.bands.count else { return remainingUsec }
    return remainingUsec - spec.bands[band].remainingUsec
  }
}

/// Something that passes for all timers alike, and is not undone when requests are.
enum Passage {
  /// Time; held back in the background.
  case time(Amount)
  /// The wall clock was set. A step too small to be noticed is nobody's cause.
  case stepped(Int64, isNoticed: Bool)
  case entered
  case left(LiteralSpan)
  /// A reboot was longer than was counted; the event with which it was left, and that of the last reboot if
  /// that matters, or 0.
  case corrected(by: Int64, since: Int64, until: Int64)
  /// What has become due by corrections, in all, is late because of this span.
  case blamed(LiteralSpan, by: Int64)
  /// Nothing that is due waits any longer, or nobody remembers why it did.
  case forgotBlame
  /// An event that nobody asked for.
  case event(LiteralEvent)
  /// Somebody asked something of the timer with this number.
  case requested(Int64)
}

/// A span that was left, and of which nobody knows yet what it means to sequences.
struct UndecidedLiteralSpan {
  var id: Int64
  /// The number of the event with which it was entered.
  var enteredSeq: Int64
  /// What passed since then.
  var passed: Amount

  mutating func apply(_ passage: Passage) {
    switch passage {
    case .time(let amount): passed += amount
    case .corrected(let by, let since, _): if enteredSeq <= since { passed.elapsed += by }
    default: break
    }
  }
}

/// All timers, and what is held back from them in the background.
struct LiteralTimers {
  var all: [LiteralTimer] = []
  /// What passed since the span was entered; nil in the foreground.
  var heldBack: Amount?
  /// The span that was left without anything firing before the next was entered.
  var unfinished: Blame?

  func index(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

  /// What remains as anyone sees it, with what is held back.
  func visibleRemaining(_ timer: LiteralTimer) -> Int64 {
    switch timer.state {
    case _ where timer.isStopwatch: 0
    case .running: max(0, timer.remainingUsec - (heldBack?[timer.timeline] ?? 0))
    case .paused where timer.isMuted: max(0, timer.remainingUsec - (heldBack?.wall ?? 0))
    case .paused, .cancelled: max(0, timer.remainingUsec)
    case .fired, .waiting: 0
    }
  }

  /// What a stopwatch shows.
  func measured(_ timer: LiteralTimer) -> Int64 {
    timer.state == .running
      ? max(0, (heldBack?[timer.timeline] ?? 0) - timer.remainingUsec) : max(0, timer.remainingUsec)
  }

  /// Loops over all of them, and subtracts.
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
      if heldBack == nil { subtract(amount) } else { heldBack? += amount }
    case .stepped(let by, let isNoticed): step(by, isNoticed: isNoticed)
    case .entered: heldBack = Amount()
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

  /// What a passage says of rings that were answered.
  mutating func correctRings(_ passage: Passage) {
    switch passage {
    case .corrected: apply(passage)
    case .event(let event) where event.type == "clock_stepped": apply(passage)
    default: break
    }
  }

  private mutating func step(_ by: Int64, isNoticed: Bool) {
    guard heldBack == nil else {
      heldBack?.wall += by
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

  /// The way out of a span.
  private mutating func leave(_ span: LiteralSpan) {
    let held = heldBack ?? Amount()
    heldBack = nil
    let blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
    if unfinished == nil { unfinished = blame }
    let before = all.map { -$0.remainingUsec }
    subtract(held)
    for index in all.indices {
      if all[index].state == .running, all[index].remainingUsec <= 0 {
        all[index].spans.append(
          Jump(
            blame: blame, before: before[index], after: -all[index].remainingUsec,
            hiddenUsec: max(0, span.elapsedUsec - held[all[index].timeline])))
      }
    }
  }

  /// A reboot was longer than was counted: what was set before its end has that much less.
  private mutating func correct(by: Int64, since: Int64, until: Int64) {
    for index in all.indices {
      let timer = all[index]
      // Nobody knows what part of it fell on what did not run on to the end of the last reboot.
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

  /// What has come due by corrections did so because of a span.
  private mutating func blame(_ span: LiteralSpan, for by: Int64) {
    let blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
    for index in all.indices {
      let corrected = all[index].correctedUsec
      all[index].correctedUsec = 0
      guard by > 0, all[index].state == .running, all[index].timeline == .elapsed else { continue }
      let after = -all[index].remainingUsec
      let before = after - corrected
      all[index].jump = Jump(blame: blame, before: after - by, after: after)
      for jump in all[index].spans.indices { all[index].spans[jump].after += corrected }
      if corrected > 0, before < 0, after >= 0, let unfinished {
        all[index].spans = [Jump(blame: unfinished, before: before, after: after)]
      }
    }
  }

  /// What nobody asked for.
  private mutating func happen(_ event: LiteralEvent) {
    if event.type == "clock_stepped" {
      // By the clock as it is now, a ring by one in doubt was so much later or earlier.
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
    all[index].isTurnHeld = false
    var timer = all[index]
    let before = timer.position
    let isRing = ["fired", "skipped", "stepped", "step_ended"].contains(event.type)
    if let band = effect.band { timer.band = band }
    if let position = effect.position { timer.position = position }
    if isRing, event.type != "skipped", timer.spec.schedule != nil, !timer.isSnoozed,
      let mark = effect.mark
    {
      let isDue = event.timeUsec + timer.remainingUsec == mark
      timer.noteRang(
        mark, isNext: event.numbers[4] == 0 && isDue && timer.mark == timer.rang?.upperBound)
    }
    if isRing, timer.spec.schedule == nil, timer.clock == .wall, event.numbers.count > 5 {
      timer.noteRound(
        isHeard: event.type != "skipped" && event.numbers[3] >= before, missed: event.numbers[4])
    }
    if event.type == "rescheduled", timer.spec.schedule == nil { timer.roundsRung = nil }
    if let mark = effect.mark { timer.mark = mark }
    if isRing { ring(&timer, event, effect) }
    if event.type == "paused_after_sleep" { timer.pausedSeq = effect.pausedSeq }
    if event.type == "restarted_after_sleep" { timer.rangAllOnWall() }
    if event.type == "paused_after_sleep" || event.type == "restarted_after_sleep" {
      timer.beHeard()
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
      // What is still overdue came due when it did.
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

  private func ring(_ timer: inout LiteralTimer, _ event: LiteralEvent, _ effect: Effect) {
    timer.wasMuted = false
    timer.state = effect.state
    let isEstimated = event.numbers.last == 1
    let isHeard = event.type != "skipped"
    timer.endedSilently = !isHeard && effect.state != .running
    if effect.state != .running {
      timer.sinceEndUsec = 0
      timer.sinceRingUsec = nil
      // Of an estimated ring, what its deadline was counted from matters on.
      if !isEstimated {
        timer.setSeq = event.seq
        timer.interruption = nil
      }
      timer.order = event.seq
      timer.forgetBlame()
    } else {
      if timer.isSnoozed {
        timer.setSeq = timer.gridSeq
        timer.forgetBlame()
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
  /// What is counted down now came due so much later than what was before.
  fileprivate mutating func shiftBlame(by usec: Int64) {
    for index in spans.indices {
      spans[index].before -= usec
      spans[index].after -= usec
    }
    spans.removeAll { $0.after < 0 }
    jump?.before -= usec
    jump?.after -= usec
  }

  /// The user has begun the present round or step.
  mutating func rangAllOnWall() {
    if clock == .wall, spec.schedule == nil { roundsRung = .max }
  }

  /// A round or step on `wall` is over.
  mutating func noteRound(isHeard: Bool, missed: Int64) {
    if !isHeard {
      roundsRung = nil
    } else if missed > 0 || roundsRung == nil {
      if !isSnoozed || missed > 0 { roundsRung = 1 }
    } else if !isSnoozed, let rung = roundsRung, rung < .max {
      roundsRung = rung + 1
    }
  }

  /// One more point of an alarm really rang.
  mutating func noteRang(_ point: Int64, isNext: Bool) {
    guard isNext, let rang, point > rang.upperBound else {
      rang = point...point
      return
    }
    // Remembered in whole seconds, for 90 days.
    let sec = (rang.upperBound - rang.lowerBound) / 1_000_000
    let more = (point - rang.upperBound) / 1_000_000
    self.rang = (point - min(sec + more, 90 * 86_400) * 1_000_000)...point
  }

  /// How late something is that came due `delta` behind what is counted down, and why.
  func lateness(delta: Int64 = 0) -> (usec: Int64, blame: Blame?) {
    let late = -remainingUsec - delta
    if wasMuted { return (late, Blame(cause: .paused, span: 0)) }
    if let waitBlame { return (late, waitBlame) }
    let spans = spans.filter { $0.after >= delta }
    if let first = spans.first {
      guard timeline.countsUptime else { return (late, first.blame) }
      return (spans.filter { $0.before >= delta }.reduce(late) { $0 + $1.hiddenUsec }, first.blame)
    }
    if let jump, jump.before < delta, jump.after >= delta { return (late, jump.blame) }
    return (late, late > 10_000 ? Blame(cause: .busy, span: 0) : nil)
  }
}
