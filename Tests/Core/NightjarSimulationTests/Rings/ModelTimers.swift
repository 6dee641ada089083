import NightjarModel

/// A timer in the simplest form: its schedule, its expiries and its ring.
struct ModelTimer {
  /// Rule 14: what `list` shows of the timer.
  enum State: String { case running, paused, waiting, over, cancelled }

  var name: String
  var id: Int64
  var spec: SharedSpec
  var course = ModelCourse()
  var state = State.running
  var clock: Timeline
  /// The schedule: the time until the next expiry.
  var deadline: ModelDeadline
  var originalUsec: Int64
  var durationUsec: Int64
  var startedUsec: Int64
  /// The time that passed on its clock while it ran, also after its deadline.
  var spentUsec: Int64 = 0
  /// The time that passed while it was paused.
  var pausedUsec: Int64 = 0
  var pauseSeq: Int64 = 0
  var data: [UInt8]

  /// The number of its last expiry. It never goes back.
  var lastNumber: Int64 = 0
  var lastExpiry: ModelExpiry?
  /// Rule 3: the newest expiry that did not ring by policy.
  var miss: ModelExpiry?
  /// How many expiries `miss` is, with those it stands for and those before it.
  var misses: Int64 = 0
  var ring: ModelRing?

  /// The time since it was over, was cancelled, or began to wait, and that event.
  var sinceEndUsec: Int64 = 0
  var endedSeq: Int64 = 0
  /// The time since it last rang, even if that ring was answered; nil: it has not rung, or has
  /// ended.
  var sinceLastRingUsec: Int64?
  var rangSeq: Int64 = 0
  /// The number of the last event about it.
  var lastSeq: Int64 = 0
  /// The count of `elapsed` at its start.
  var startedCountedUsec: Int64 = 0

  /// How often it expired, or the number of its step.
  var position: Int64 = 0
  /// The last instant of an alarm that is handled.
  var mark: Int64 = 0
  /// The last stretch of instants of an alarm that all sounded.
  var rang: ClosedRange<Int64>?
  /// For a repeating countdown or a sequence on `wall`: the last stretch of rounds or steps that
  /// sounded, or are handled.
  var rangRounds: ClosedRange<Int64>?
  /// Whether it was a paused alarm when its time passed.
  var wasMuted = false
  /// The number of announced bands.
  var band = 0
  var laps: [Int64] = []
  /// The local times of an alarm's instants, or rounds of a countdown, that persons skipped; the
  /// last 64 of them.
  var skipped: Set<Int64> = []

  var remainingUsec: Int64 {
    get { deadline.remainingUsec }
    set { deadline.remainingUsec = newValue }
  }
  var timeline: Timeline { deadline.timeline }

  /// The number of skipped rounds directly before a round of a countdown.
  func skips(before round: Int64) -> Int64 {
    guard spec.schedule == nil else { return 0 }
    var count: Int64 = 0
    while skipped.contains(round - 1 - count) { count += 1 }
    return count
  }

  var isActive: Bool { state == .running || state == .paused || state == .waiting }
  /// Rule 7: a name with a snoozed ring is not free.
  var isNameFree: Bool { !isActive && ring?.state != .snoozed }
  var isStopwatch: Bool { spec.kind == .stopwatch }
  var repeats: Bool { spec.repeats || spec.schedule != nil }
  var isOver: Bool { state == .over || state == .cancelled }
  /// Whether it is a paused alarm, which keeps its deadline.
  var isMuted: Bool { state == .paused && isAlarmOnWall }
  var isAlarmOnWall: Bool { spec.kind == .alarm }
  var isBlamed: Bool { deadline.isBlamed || ring?.deadline?.isBlamed == true }

  /// Rule 14: what `list` shows of its ring.
  var ringWord: String {
    switch ring?.state {
    case .sounding: "ringing"
    case .snoozed: "snoozed"
    case .quiet: "unanswered"
    case nil: "none"
    }
  }

  /// How many bands have begun when this much remains.
  func band(_ leftUsec: Int64) -> Int { spec.bands.count { leftUsec <= $0.remainingUsec } }

  /// The time until the schedule of a running timer is due: at its next band or its end.
  var untilDue: Int64? {
    guard !isStopwatch else { return nil }
    // An overdue timer is due by its end.
    guard remainingUsec > 0, band < spec.bands.count else { return remainingUsec }
    return remainingUsec - spec.bands[band].remainingUsec
  }

  /// Forgets the time after the deadline.
  mutating func settle() {
    if !isStopwatch, !isAlarmOnWall { spentUsec -= max(0, -remainingUsec) }
  }

  func lateness(delta: Int64 = 0) -> (usec: Int64, blame: Blame?) {
    deadline.lateness(delta: delta, wasMuted: wasMuted)
  }

  /// Rule 6: the time until it is removed by itself; nil: it is not.
  var untilForgotten: Int64? {
    guard isOver else { return nil }
    guard let ring else { return RingModel.dayUsec - sinceEndUsec }
    // One whose ring still sounds, insists or is snoozed is not.
    return ring.deadline == nil ? RingModel.dayUsec - min(sinceEndUsec, ring.sinceUsec) : nil
  }

  /// Changes each of its deadlines that is counted down.
  mutating func changeDeadlines(_ change: (inout ModelDeadline) -> Void) {
    if state == .running { change(&deadline) }
    if var ringDeadline = ring?.deadline {
      change(&ringDeadline)
      ring?.deadline = ringDeadline
    }
  }
}

/// Something that applies to all timers alike, and is not undone when requests are lost.
enum ModelPassage {
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
  case event(ModelEvent)
  /// A client requested a change of the timer with this number.
  case requested(Int64)
}

/// A span that has ended, and whose meaning for sequences is not decided yet.
struct ModelUndecidedSpan {
  var id: Int64
  /// The number of the event at its start.
  var enteredSeq: Int64
  /// The time that passed since its start.
  var passed: Amount

  mutating func apply(_ passage: ModelPassage) {
    switch passage {
    case .time(let amount): passed += amount
    case .corrected(let by, let since, _): if enteredSeq <= since { passed.elapsed += by }
    default: break
    }
  }
}

/// All timers, and the background time that is not subtracted from them yet.
struct ModelTimers {
  var all: [ModelTimer] = []
  /// The time since the start of the span; nil in the foreground.
  var backgroundTime: Amount?
  /// A span after which no timer could ring before the next one began.
  var unfinished: (blame: Blame, nap: Jump.Nap?)?

  func index(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

  /// The remaining time that clients see, with the background time subtracted.
  func visibleRemaining(_ timer: ModelTimer) -> Int64 {
    switch timer.state {
    case _ where timer.isStopwatch: 0
    case .running: max(0, timer.remainingUsec - (backgroundTime?[timer.timeline] ?? 0))
    case .paused where timer.isMuted: max(0, timer.remainingUsec - (backgroundTime?.wall ?? 0))
    case .paused, .cancelled: max(0, timer.remainingUsec)
    case .over, .waiting: 0
    }
  }

  /// The time until the snooze of a ring ends; nil: it is not snoozed.
  func snoozeLeft(_ timer: ModelTimer) -> Int64? {
    guard let ring = timer.ring, ring.state == .snoozed, let deadline = ring.deadline else {
      return nil
    }
    return max(0, deadline.remainingUsec - (backgroundTime?.elapsed ?? 0))
  }

  /// What its run has counted, and how long it was paused.
  func sums(_ timer: ModelTimer) -> [Int64] {
    var timer = timer
    switch timer.state {
    case .running:
      let passed = backgroundTime?[timer.timeline] ?? 0
      timer.remainingUsec -= passed
      timer.spentUsec += passed
      timer.settle()
    case .paused:
      timer.pausedUsec += backgroundTime?.elapsed ?? 0
      timer.settle()
    case .waiting, .over, .cancelled: break
    }
    if timer.isStopwatch { timer.spentUsec = max(0, timer.spentUsec) }
    return [timer.isAlarmOnWall ? 0 : timer.spentUsec, timer.pausedUsec]
  }

  /// The time that a stopwatch shows.
  func measured(_ timer: ModelTimer) -> Int64 {
    timer.state == .running
      ? max(0, (backgroundTime?[timer.timeline] ?? 0) - timer.remainingUsec)
      : max(0, timer.remainingUsec)
  }

  /// Subtracts an amount from all timers, in a loop.
  mutating func subtract(_ amount: Amount) {
    for index in all.indices {
      let timer = all[index]
      // Rules 5 and 7: a ring's times run on, whatever its timer does.
      all[index].changeDeadlines { $0.remainingUsec -= amount[$0.timeline] }
      switch timer.state {
      case .running: all[index].spentUsec += amount[timer.timeline]
      case .over, .cancelled, .waiting: all[index].sinceEndUsec += amount.elapsed
      case .paused:
        all[index].pausedUsec += amount.elapsed
        if timer.isMuted { all[index].remainingUsec -= amount.wall }
      }
      all[index].ring?.sinceUsec += amount.elapsed
      all[index].sinceLastRingUsec? += amount.elapsed
    }
  }

  mutating func apply(_ passage: ModelPassage) {
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
      for index in all.indices {
        all[index].deadline.forgetBlame()
        all[index].ring?.deadline?.forgetBlame()
      }
    case .event(let event): happen(event)
    case .requested: break
    }
  }

  /// Applies it to rings that were answered.
  mutating func correctRings(_ passage: ModelPassage) {
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
      if all[index].isMuted { all[index].remainingUsec -= by }
      guard all[index].state == .running, all[index].timeline == .wall else { continue }
      let before = all[index].remainingUsec
      all[index].remainingUsec -= by
      all[index].spentUsec += by
      if isNoticed, by > 0 {
        all[index].deadline.jump = Jump(
          blame: Blame(cause: .step, span: 0), before: -before, after: by - before)
      }
    }
  }

  /// The end of a span.
  private mutating func leave(_ span: LiteralSpan) {
    let hidden = backgroundTime ?? Amount()
    backgroundTime = nil
    let blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
    let nap =
      span.causes == [.down, .sleep]
      ? Jump.Nap(
        awakeUsec: hidden.awake, asleepUsec: span.elapsedUsec - hidden.awake,
        isEstimated: span.estimated) : nil
    if unfinished == nil { unfinished = (blame, nap) }
    let before = self
    subtract(hidden)
    for index in all.indices {
      var timer = all[index]
      let (old, oldRing) = (before.all[index].deadline, before.all[index].ring?.deadline)
      if timer.state == .running {
        timer.deadline.pass(span, blame, nap, hidden, from: old)
      }
      if let oldRing { timer.ring?.deadline?.pass(span, blame, nap, hidden, from: oldRing) }
      all[index] = timer
    }
  }

  /// A reboot was longer than counted: timers that were set before its end have less time
  /// remaining.
  private mutating func correct(by: Int64, since: Int64, until: Int64) {
    for index in all.indices {
      var timer = all[index]
      // It is not known how much of it concerns timers that did not run until the end of the last
      // reboot.
      let isSetBehind = !timer.deadline.ranOver(since, until, isPaused: timer.state == .paused)
      timer.correctEstimates(by: by, since: since, until: until)
      if timer.id > since { timer.startedCountedUsec += by }
      if timer.rangSeq <= max(since, until) { timer.sinceLastRingUsec? += by }
      if let seq = timer.ring?.sinceSeq, seq <= max(since, until) { timer.ring?.sinceUsec += by }
      if let deadline = timer.ring?.deadline, deadline.ranOver(since, until, isPaused: false) {
        timer.ring?.deadline?.remainingUsec -= by
        timer.ring?.deadline?.correctedUsec += by
      }
      switch timer.state {
      case .running:
        if timer.timeline == .elapsed, !isSetBehind {
          timer.deadline.remainingUsec -= by
          timer.deadline.correctedUsec += by
          timer.spentUsec += by
        }
      case .over, .cancelled, .waiting:
        if timer.endedSeq <= since { timer.sinceEndUsec += by }
      case .paused:
        if timer.pauseSeq <= max(since, until) { timer.pausedUsec += by }
        if !timer.timeline.countsUptime, !timer.isAlarmOnWall, !isSetBehind {
          timer.spentUsec += by
          timer.remainingUsec += timer.isStopwatch ? by : -by
        }
      }
      all[index] = timer
    }
  }

  /// Timers that corrections made due are late because of a span.
  private mutating func blame(_ span: LiteralSpan, for by: Int64) {
    let blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
    let unfinished = unfinished
    for index in all.indices {
      let isPaused = all[index].state != .running
      if isPaused { all[index].deadline.correctedUsec = 0 }
      all[index].changeDeadlines { deadline in
        let corrected = deadline.correctedUsec
        deadline.correctedUsec = 0
        for jump in deadline.spans.indices { deadline.spans[jump].after += corrected }
        guard by > 0, deadline.timeline == .elapsed else { return }
        let after = -deadline.remainingUsec
        let before = after - corrected
        deadline.jump = Jump(blame: blame, before: after - by, after: after)
        if corrected > 0, before < 0, after >= 0, let unfinished {
          deadline.spans = [
            Jump(
              blame: unfinished.blame, before: before, after: after, nap: unfinished.nap)
          ]
        }
      }
    }
  }

  /// Applies an event that no client requested.
  private mutating func happen(_ event: ModelEvent) {
    if event.type == "clock_stepped" {
      // By the new clock, rings by a clock in doubt were later or earlier.
      for index in all.indices { all[index].stepEstimates(by: event["by"]) }
    }
    guard let index = all.firstIndex(where: { $0.id == event.id }) else { return }
    if event.type == "forgotten" {
      all.remove(at: index)
      return
    }
    all[index].lastSeq = event.seq
    event.effect?(&all[index], event.seq)
  }
}

extension ModelDeadline {
  /// It passed in a span, or was overdue already.
  fileprivate mutating func pass(
    _ span: LiteralSpan, _ blame: Blame, _ nap: Jump.Nap?, _ hidden: Amount,
    from old: ModelDeadline
  ) {
    guard remainingUsec <= 0 else { return }
    spans.append(
      Jump(
        blame: blame, before: -old.remainingUsec, after: -remainingUsec,
        hiddenUsec: max(0, span.elapsedUsec - hidden[timeline]),
        nap: timeline.countsUptime ? nil : nap))
  }
}

/// Section 8: what rang by a clock in doubt.
extension ModelTimer {
  fileprivate mutating func correctEstimates(by: Int64, since: Int64, until: Int64) {
    func corrects(_ isEstimated: Bool, _ seq: Int64, _ deadline: ModelDeadline) -> Bool {
      isEstimated && deadline.timeline != .wall && seq > since
        && deadline.ranOver(since, until, isPaused: false)
    }
    changeEstimates {
      if corrects($0.isEstimated, $0.seq, $0.deadline) { $0.lateUsec += by }
    }
    if let sound = ring?.sound, corrects(sound.isEstimated, sound.seq, sound.deadline) {
      ring?.sound.lateUsec += by
    }
  }

  /// By the new clock they were handled later or earlier. What was due on the wall clock was due
  /// when it was. Others were late by as much as they were.
  fileprivate mutating func stepEstimates(by: Int64) {
    changeEstimates {
      guard $0.isEstimated else { return }
      $0.handledUsec += by
      if $0.deadline.timeline == .wall { $0.lateUsec += by }
    }
    if let sound = ring?.sound, sound.isEstimated {
      ring?.sound.atUsec += by
      if sound.deadline.timeline == .wall { ring?.sound.lateUsec += by }
    }
  }

  private mutating func changeEstimates(_ change: (inout ModelExpiry) -> Void) {
    if var expiry = lastExpiry {
      change(&expiry)
      lastExpiry = expiry
    }
    if var expiry = miss {
      change(&expiry)
      miss = expiry
    }
    if var open = ring {
      change(&open.expiry)
      for index in open.joined.indices { change(&open.joined[index]) }
      if open.expiries == 1 { open.firstDueUsec = open.expiry.dueUsec }
      ring = open
    }
  }
}
