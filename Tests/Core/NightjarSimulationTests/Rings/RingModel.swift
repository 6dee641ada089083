import NightjarModel

/// Nightjar's behaviour in the simplest possible form, with timers, expiries and rings as
/// section 10 of the semantics has them.
///
/// The model has no deadlines, anchors or heaps. Each timer has its remaining time. As time passes,
/// a loop over all timers subtracts it. In the background the time is collected, and at the end of
/// the span a loop over all timers subtracts it. The disk has a copy of everything; after a crash
/// the copy is taken and the time that passed since is subtracted. The model gets the time that
/// truly passed, not the readings of the engine.
final class RingModel {
  /// Everything of which the disk has a copy.
  struct World {
    var timers = ModelTimers()
    var span: LiteralSpan?
    /// Whether SIGTSTP came and SIGCONT did not.
    var isStopped = false
    var spans: [LiteralSpan] = []
    var lastSeq: Int64 = 0
    var clock = LiteralClock()
    var isSynchronized = false
    /// The rules of the zones by which all wall deadlines are computed; nil: some are still to be
    /// recomputed.
    var zone: Int64?
    /// The number of the event at the start of the span.
    var enteredSeq: Int64 = 0
    /// A reboot that waits for the clock, because only that tells how long it took, and the spans
    /// after it.
    var undecided: [ModelUndecidedSpan] = []
    /// Timers as they were when a user answered a ring by a clock in doubt, and the number of that
    /// event.
    var answered: [(timers: ModelTimers, seq: Int64)] = []
    /// Whether the user is away, as last reported.
    var isAway = false
    /// The span of the present absence, the time since its start, and the number of the event at
    /// its start; nil: it hides no time.
    var absence: (span: LiteralSpan, elapsed: Int64, enteredSeq: Int64)?
  }

  /// A commit.
  struct Snapshot {
    var world: World
    var clocks: LiteralClocks
    var events: [ModelEvent]
    /// The length of the log at that time.
    var logEnd: Int
  }

  var clocks = LiteralClocks(
    wallUsec: 1_700_000_000_000_000, boottimeUsec: 60_000_000, monotonicUsec: 60_000_000)
  var world = World()
  var isUp = false
  /// The presence that logind would report.
  var isAwayInTruth = false
  var ongoing: [Cause] = []
  let maximumTimers: Int
  /// The slots of the timers in the real core: equal deadlines are handled in this order.
  var slots: [Int64: Int] = [:]
  /// The present rules of the zones.
  var zone: Int64 = 1
  /// Whether wall deadlines must be recomputed.
  var isRecomputeWanted = false
  /// The span that ended last, if its list of expiries is not recorded yet.
  private var unreportedSpan: Int64?
  /// Whether more was due at once than one loop iteration fires.
  private(set) var hasFiredInSeveralIterations = false

  /// BOOTTIME when the daemon was started.
  var startedBoottimeUsec: Int64 = 0
  /// Whether the wall clock was set since the waiting timers were last checked.
  var areWaitsStale = false

  /// The last reading of the clocks, and for when the loop was armed then.
  var seen: LiteralClocks
  var armedIn = RingModel.disarmed
  static let disarmed: [Int64?] = [nil, nil, nil, nil]

  var durable: Snapshot?
  var underway: Snapshot?
  /// The commits after that one, in order.
  var waiting: [Snapshot] = []
  var isFailing = false
  var pending: [ModelEvent] = []
  var isCommitWanted = false
  /// The log of everything since the copy on the disk.
  var log: [ModelPassage] = []
  var published: [ModelEvent] = []
  var publishedSeq: Int64 = 0

  /// Changes that can be undone, in order.
  var undoable: [ModelUndo] = []
  /// The number of the last event when an undo was made.
  var lastUndoneSeq: Int64 = 0
  /// The undo group of the person who is making a change; nil: a program is.
  var person: Int?
  /// True during an undo: there is no loop iteration between its changes.
  var isUndoing = false

  let eventsPerCommit: Int

  init(maximumTimers: Int, eventsPerCommit: Int) {
    self.maximumTimers = maximumTimers
    self.eventsPerCommit = eventsPerCommit
    seen = clocks
  }

  /// The events that clients were shown since the last call of this.
  func takePublished() -> [ModelEvent] {
    defer { published = [] }
    return published
  }

  /// Applies something to all timers.
  func happen(_ passage: ModelPassage) {
    var passage = passage
    switch passage {
    case .time(var amount):
      if !world.isAway { amount.present = amount.awake }
      world.absence?.elapsed += amount.elapsed
      passage = .time(amount)
    default: break
    }
    for index in world.undecided.indices { world.undecided[index].apply(passage) }
    for index in world.answered.indices { world.answered[index].timers.correctRings(passage) }
    for index in undoable.indices { undoable[index].apply(passage) }
    happenAgain(passage)
  }

  /// Applies something again to all timers that were loaded.
  func happenAgain(_ passage: ModelPassage) {
    world.timers.apply(passage)
    log.append(passage)
  }

  /// Records an event that no client requested.
  func record(
    _ type: String, of timer: ModelTimer? = nil, name: String = "", _ facts: [String: Int64] = [:],
    causes: [Cause] = [], _ effect: ((inout ModelTimer, Int64) -> Void)? = nil
  ) {
    if type == "forgotten", let timer { noteAnswer(timer) }
    world.lastSeq += 1
    let event = ModelEvent(
      seq: world.lastSeq, timeUsec: clocks.wallUsec, type: type, name: timer?.name ?? name,
      id: timer?.id ?? 0, facts: facts, causes: causes, effect: effect)
    pending.append(event)
    happen(.event(event))
    forgetUndo(after: event)
    beginAbsenceIfNeeded()
  }

  /// What an event that ends a part of a run carries.
  func sumFacts(_ timer: ModelTimer) -> [String: Int64] {
    let sums = world.timers.sums(timer)
    return ["counted": sums[0], "paused": sums[1]]
  }

  /// Records an event that a client requested.
  ///
  /// - Parameters:
  ///   - before: the timer before the change; nil: the same.
  ///   - endsRing: whether it ends the open ring, or concerns it (rule 5).
  func recordRequest(
    _ type: String, of timer: ModelTimer, _ facts: [String: Int64] = [:],
    before: ModelTimer? = nil, endsRing: Bool = false
  ) {
    if endsRing { noteAnswer(before ?? timer) }
    if type != "renamed_from" {
      let isLabel = type == "renamed_to" || type == "updated" && facts["spec"] == nil
      noteUndoable(
        type, timer, type == "started" ? before : timer, isLabel: isLabel, changesRing: endsRing)
    }
    world.lastSeq += 1
    var facts = facts
    let ends: Set = [
      "paused", "resumed", "restarted", "cancelled", "removed", "advanced", "undone", "started",
    ]
    if ends.contains(type) || facts["removes"] == 1,
      let of = type == "started" ? before : timer
    {
      facts.merge(sumFacts(of)) { $1 }
    }
    pending.append(
      ModelEvent(
        seq: world.lastSeq, timeUsec: clocks.wallUsec, type: type, name: timer.name, id: timer.id,
        facts: facts))
    // A change of attachments or name does not change when it rings.
    if !type.hasPrefix("renamed"), type != "updated" || facts["spec"] != nil {
      log.append(.requested(timer.id))
    }
    if let index = world.timers.all.firstIndex(where: { $0.id == timer.id }) {
      world.timers.all[index].lastSeq = world.lastSeq
    }
  }
}

// MARK: - Loop iterations

extension RingModel {
  /// One loop iteration in which `body` is called.
  func runIteration(settles: Bool, _ body: () -> Void = {}) {
    guard isUp else { return }
    observe()
    _ = fireDue()
    body()
    finishIteration(settles: settles)
  }

  func finishIteration(settles: Bool) {
    var isMoreDue = true
    while isMoreDue {
      isMoreDue = fireDue()
      commitPending()
      arm()
      if settles { settle() }
    }
  }

  /// Lets time pass while everything runs, with a loop iteration whenever something is due.
  func advance(usec: Int64, settles: Bool) {
    var rest = usec
    while let next = untilDue, next <= rest {
      clocks.pass(.ran(next))
      rest -= next
      runIteration(settles: settles)
    }
    clocks.pass(.ran(rest))
    runIteration(settles: settles)
  }

  /// The time until something is due; nil: in the background, or if nothing is.
  var untilDue: Int64? {
    isUp ? nextDue.compactMap { $0 }.min().map { max(0, $0) } : nil
  }

  /// The time until something is due on each clock, negative if it is overdue.
  private var nextDue: [Int64?] {
    var next = Self.disarmed
    guard world.span == nil else { return next }
    next[0] = clockWaitLeft
    func note(_ clock: Timeline, _ usec: Int64) {
      // While the user is away, nothing becomes due on `present`; what is due already is handled in
      // the same iteration.
      if clock == .present, world.isAway, usec > 0 { return }
      if usec < next[Int(clock.rawValue)] ?? .max { next[Int(clock.rawValue)] = usec }
    }
    for timer in world.timers.all {
      if timer.state == .running {
        if isDeferred(timer) {
          note(.elapsed, isUndecided(timer) ? .max : untilCertain(timer) ?? .max)
        } else {
          note(timer.timeline, timer.untilDue ?? .max)
        }
      }
      if let deadline = timer.ring?.deadline {
        note(
          .elapsed, isDeferred(deadline) ? untilCertain(deadline) : deadline.remainingUsec)
      }
      if let usec = timer.untilForgotten, clockWaitLeft == nil { note(.elapsed, usec) }
    }
    return next
  }

  static let dayUsec: Int64 = 24 * 60 * 60 * 1_000_000

  private func arm() {
    armedIn = nextDue
    for clock in armedIn.indices { armedIn[clock] = armedIn[clock].map { max(0, $0) } }
  }

  /// Compares the clocks with the last iteration: nothing, a step, a sleep or a freeze.
  private func observe() {
    var passed = clocks.since(seen)
    world.clock.countedUsec += passed.elapsed
    let slept = passed.elapsed - passed.awake
    let step = passed.wall - passed.elapsed
    let ran = passed.awake
    seen = clocks
    if abs(step) >= 10_000 { noteStep(step) }
    let isSleep = slept > 100_000
    guard world.span == nil else {
      if world.isStopped { passed.awake = 0 }
      happen(.time(passed))
      if isSleep { addCauses([.sleep]) }
      return
    }
    let frozen = provenFreeze(ran: ran, step: step)
    guard isSleep || frozen > 0 else {
      happen(.time(Amount(elapsed: passed.elapsed, awake: ran, wall: passed.elapsed)))
      happen(.stepped(step, isNoticed: abs(step) >= 10_000))
      return
    }
    let hidden = frozen + (isSleep ? slept : 0)
    let before = passed.elapsed - hidden
    happen(.time(Amount(elapsed: before, awake: ran - frozen, wall: before)))
    enter(isSleep ? (frozen > 0 ? [.sleep, .freeze] : [.sleep]) : [.freeze])
    happen(.time(Amount(elapsed: hidden, awake: 0, wall: hidden + step)))
    leave()
  }

  /// How long the daemon would have had something to do while the machine ran.
  private func provenFreeze(ran: Int64, step: Int64) -> Int64 {
    let overdue = zip(armedIn, [0, 0, min(0, step), 0]).compactMap { armed, set in
      armed.map { ran - $0 + set }
    }.max()
    return overdue.map { $0 > 1_000_000 ? $0 : 0 } ?? 0
  }

  func noteStep(_ step: Int64) {
    world.isSynchronized = false
    world.clock.step(step, wallUsec: clocks.wallUsec)
    isCommitWanted = true
    record("clock_stepped", ["by": step])
    areWaitsStale = true
    if step < 0 { recomputeWallDeadlines() }
  }

  /// Handles what is due. Returns true if more is due.
  func fireDue() -> Bool {
    guard world.span == nil else { return false }
    applyUndecidedSpans()
    recomputeIfWanted()
    if areWaitsStale { forgetWaitsThatAreOver() }
    if clockWaitLeft == nil { recordExpiriesOfSpan() }
    noteWaiting()
    guard untilDue == 0 else {
      clearEndedDoubt()
      forgetBlame()
      return false
    }
    var budget = 256
    for timeline in Timeline.allCases {
      while budget > 0 {
        noteWaiting()
        let due = world.timers.all.compactMap { timer in
          firstDue(timer, on: timeline).map { (key: $0, timer: timer) }
        }.min { $0.key < $1.key }
        guard let due else { break }
        handleDue(due.timer)
        budget -= 1
      }
    }
    let over = world.timers.all.filter {
      $0.untilForgotten ?? 1 <= 0 && clockWaitLeft == nil
    }.sorted { ($0.untilForgotten ?? 0, $0.id) < ($1.untilForgotten ?? 0, $1.id) }
    for timer in over.prefix(budget) {
      let facts = ["ring": timer.ring?.number ?? 0].merging(sumFacts(timer)) { $1 }
      record("forgotten", of: timer, facts)
    }
    let isMoreOver = over.count > budget
    budget -= min(budget, over.count)
    if budget == 0,
      world.timers.all.contains(where: { timer in
        Timeline.allCases.contains { firstDue(timer, on: $0) != nil }
      })
    {
      hasFiredInSeveralIterations = true
      return true
    }
    // Timers that begin to wait after the last of these rings are late for the same cause.
    noteWaiting()
    clearEndedDoubt()
    forgetBlame()
    return isMoreOver
  }

  /// The time and order of the first deadline of a timer that is due on a timeline: of its schedule
  /// or its ring; nil: none is due.
  private func firstDue(_ timer: ModelTimer, on timeline: Timeline) -> (Int64, Int64)? {
    var due: [(Int64, Int64)] = []
    if isScheduleDue(timer), timer.timeline == timeline {
      due.append((timer.untilDue ?? 0, timer.deadline.order))
    }
    if timeline == .elapsed, let deadline = timer.ring?.deadline, isRingDue(timer) {
      due.append((deadline.remainingUsec, deadline.order))
    }
    return due.min { $0 < $1 }
  }

  /// Whether an expiry or a band of a timer is due, and does not wait for the clock.
  func isScheduleDue(_ timer: ModelTimer) -> Bool {
    timer.state == .running && timer.untilDue ?? 1 <= 0 && !isWaiting(timer)
  }

  /// Whether the end of its sound, its insist or the end of its snooze is due.
  func isRingDue(_ timer: ModelTimer) -> Bool {
    timer.ring?.deadline.map { $0.remainingUsec <= 0 && !isWaiting($0) } ?? false
  }

  func forgetBlame() {
    if !world.timers.all.contains(where: isAnythingDeferred) { forgetWaits() }
    if case .forgotBlame = log.last { return }
    log.append(.forgotBlame)
    if world.timers.unfinished != nil || world.timers.all.contains(where: \.isBlamed) {
      world.timers.apply(.forgotBlame)
    }
  }

  /// Records the list of timers that expired in the last span.
  private func recordExpiriesOfSpan() {
    guard let span = unreportedSpan else { return }
    unreportedSpan = nil
    let due = Timeline.allCases.flatMap { timeline in
      world.timers.all.filter {
        $0.state == .running && $0.timeline == timeline && !$0.isStopwatch && $0.remainingUsec <= 0
      }.sorted { ($0.remainingUsec, $0.deadline.order) < ($1.remainingUsec, $1.deadline.order) }
    }
    guard !due.isEmpty else { return }
    let names = due.prefix(256).map(\.name).joined(separator: " ")
    record("came_due", name: names, ["span": span, "count": Int64(due.count)])
  }
}

// MARK: - Entering and leaving spans

extension RingModel {
  func enter(_ cause: Cause) {
    guard !ongoing.contains(cause) else { return }
    ongoing.append(cause)
    if world.span == nil { enter([cause]) } else { addCauses([cause]) }
    if cause == .stop { world.isStopped = true }
  }

  func leave(_ cause: Cause) {
    guard let index = ongoing.firstIndex(of: cause) else { return }
    ongoing.remove(at: index)
    if cause == .stop { world.isStopped = false }
    if ongoing.isEmpty { leave() }
  }

  func enter(_ causes: [Cause], estimated: Bool = false) {
    let id = (world.spans.last?.id ?? 0) + 1
    let span = LiteralSpan(id: id, causes: causes, estimated: estimated)
    world.span = span
    world.spans.append(span)
    isCommitWanted = true
    happen(.entered)
    record("did_enter_background", Self.facts(span), causes: span.causes)
    world.enteredSeq = world.lastSeq
  }

  func addCauses(_ causes: [Cause]) {
    for cause in causes { world.span?.add(cause) }
    noteSpan()
  }

  func noteSpan() {
    guard let span = world.span else { return }
    if let index = world.spans.firstIndex(where: { $0.id == span.id }) { world.spans[index] = span }
    isCommitWanted = true
  }

  /// Ends the span. Returns the number of the event.
  @discardableResult func leave() -> Int64 {
    guard var span = world.span else { return 0 }
    span.elapsedUsec = max(0, world.timers.backgroundTime?.elapsed ?? 0)
    span.isOpen = false
    world.span = span
    noteSpan()
    world.span = nil
    armedIn = Self.disarmed
    let hidden = world.timers.backgroundTime ?? Amount()
    happen(.left(span))
    record("will_enter_foreground", Self.facts(span), causes: span.causes)
    let seq = world.lastSeq
    unreportedSpan = span.id
    if span.causes.contains(.reboot) || !world.undecided.isEmpty {
      world.undecided.append(
        ModelUndecidedSpan(
          id: span.id, enteredSeq: world.enteredSeq,
          passed: Amount(elapsed: hidden.elapsed, awake: hidden.awake, present: hidden.present)))
      if world.undecided.count > 16 { decideFirst() }
    } else {
      applyPolicy(\.afterSleep, for: span, passed: hidden, enteredSeq: world.enteredSeq)
    }
    return seq
  }

  /// Notes whether the wall clock is synchronised.
  func note(synchronized: Bool) {
    let wasSynchronized = world.isSynchronized
    if synchronized != world.isSynchronized {
      world.isSynchronized = synchronized
      isCommitWanted = true
      // Instants that the clock passed over while it was in doubt may count as missed.
      if synchronized, world.clock.inDoubtSinceUsec != nil { recomputeWallDeadlines() }
    }
    guard synchronized, !wasSynchronized || !world.clock.hasBeenSynchronized else { return }
    defer { world.answered = [] }
    let corrections = world.clock.synchronize(wallUsec: clocks.wallUsec)
    guard !corrections.isEmpty else { return }
    isCommitWanted = true
    let all = corrections.reduce(0) { $0 + $1.by }
    let longest = corrections.max { $0.by < $1.by }?.reboot.spanID
    for (index, correction) in corrections.enumerated() {
      guard let span = world.spans.firstIndex(where: { $0.id == correction.reboot.spanID }) else {
        continue
      }
      if correction.until == 0 || index == 0 {
        let moved = corrections.filter { $0.reboot.spanID == correction.reboot.spanID }
        let by = moved.reduce(0) { $0 + $1.by }
        world.spans[span].elapsedUsec = max(0, world.spans[span].elapsedUsec + by)
      }
      happen(
        .corrected(by: correction.by, since: correction.reboot.leftSeq, until: correction.until))
      let isLast = index == corrections.count - 1
      var facts = Self.facts(world.spans[span])
      facts["by"] = correction.by
      facts["early"] = isLast ? earliestUsec : 0
      record("span_corrected", facts, causes: world.spans[span].causes)
    }
    if let blamed = world.spans.first(where: { $0.id == longest }) {
      happen(.blamed(blamed, by: all))
    }
    if corrections.contains(where: { $0.by < 0 }) { recomputeWallDeadlines() }
  }

  /// The payload of an event about a span.
  static func facts(_ span: LiteralSpan) -> [String: Int64] {
    ["span": span.id, "elapsed": span.elapsedUsec, "estimated": span.estimated ? 1 : 0]
  }

  /// By how much the earliest of the rings by a clock in doubt was early.
  private var earliestUsec: Int64 {
    let first = world.clock.reboots.first?.leftSeq ?? 0
    let sounds = (world.timers.all + world.answered.flatMap(\.timers.all)).compactMap(\.ring?.sound)
    return sounds.filter { $0.isEstimated && $0.seq > first }.map { -$0.lateUsec }.reduce(0, max)
  }

  /// A user answers a ring before it is known how early it was.
  func noteAnswer(_ timer: ModelTimer) {
    guard timer.ring?.sound.isEstimated == true, world.clock.isOpen else { return }
    world.answered.append((ModelTimers(all: [timer]), world.lastSeq + 1))
    guard world.answered.count > 16 else { return }
    let latest = world.answered.indices.max {
      lateUsec(world.answered[$0].timers) < lateUsec(world.answered[$1].timers)
    }
    if let latest { world.answered.remove(at: latest) }
  }

  private func lateUsec(_ timers: ModelTimers) -> Int64 { timers.all[0].ring?.sound.lateUsec ?? 0 }
}
