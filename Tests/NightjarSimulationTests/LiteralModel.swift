import NightjarModel

/// What Nightjar does, written the way that anyone would write it first.
///
/// No deadlines, no anchors, no heaps. Each timer has what remains of it; as time passes, a loop
/// over all of them subtracts. In the background it is held back, and on the way out a loop over
/// all of them subtracts. What is on the disk is a copy of everything; after a crash the copy is
/// taken and what passed since is subtracted. It is told what truly passed, not what the engine
/// reads.
final class LiteralModel {
  /// What the disk has a copy of.
  struct World {
    var timers = LiteralTimers()
    var span: LiteralSpan?
    /// SIGTSTP came and SIGCONT did not.
    var isStopped = false
    var spans: [LiteralSpan] = []
    var lastSeq: Int64 = 0
    var clock = LiteralClock()
    var isSynchronized = false
    /// The zones' rules by which everything was worked out; nil: not everything has been.
    var zone: Int64?
    /// The number of the event with which the span was entered.
    var enteredSeq: Int64 = 0
    /// A reboot that waits for the clock, which tells how long it took, and the spans behind it.
    var undecided: [UndecidedLiteralSpan] = []
    /// Timers as they were when somebody answered a ring by a clock in doubt, and the number of that event.
    var answered: [(timers: LiteralTimers, seq: Int64)] = []
    /// The user is away, as far as was told.
    var isAway = false
    /// The span over the absence that lasts, and what has passed since; nil: it hides no time.
    var absence: (span: LiteralSpan, elapsed: Int64)?
  }

  /// A commit.
  struct Snapshot {
    var world: World
    var clocks: LiteralClocks
    var events: [LiteralEvent]
    /// How much of the log had passed.
    var logEnd: Int
  }

  var clocks = LiteralClocks(
    wallUsec: 1_700_000_000_000_000, boottimeUsec: 60_000_000, monotonicUsec: 60_000_000)
  var world = World()
  var isUp = false
  /// What logind would say.
  var isAwayInTruth = false
  var ongoing: [Cause] = []
  let maximumTimers: Int
  /// Where the real core keeps its timers: what comes at the same time comes in this order.
  var slots: [Int64: Int] = [:]
  /// The zones' rules as they are.
  var zone: Int64 = 1
  /// What goes by the wall clock has to be worked out anew.
  var isReckoningWanted = false
  /// The span of which nobody has said yet what came due in it.
  private var spanToTell: Int64?
  /// Whether more was due at once than one pass fires.
  private(set) var hasFiredInTurns = false

  /// BOOTTIME when the daemon was started.
  var startedBoottimeUsec: Int64 = 0
  /// The wall clock was set since what waits for it was looked at.
  var areWaitsStale = false

  /// What was seen last, and for when the loop was armed then.
  var seen: LiteralClocks
  var armedIn = LiteralModel.disarmed
  static let disarmed: [Int64?] = [nil, nil, nil, nil]

  var durable: Snapshot?
  var underway: Snapshot?
  /// Behind that one, in order.
  var waiting: [Snapshot] = []
  var isFailing = false
  var pending: [LiteralEvent] = []
  var isCommitWanted = false
  /// Everything since the copy that is on the disk.
  var log: [Passage] = []
  var told: [LiteralEvent] = []
  var toldSeq: Int64 = 0

  /// Changes that can be taken back, in their order.
  var undoable: [LiteralUndo] = []
  /// Who changes something now is a person, and this is what belongs together; nil: a program.
  var person: Int?
  /// Between the changes that are taken back together nobody looks.
  var isUndoing = false

  let eventsPerCommit: Int

  init(maximumTimers: Int, eventsPerCommit: Int) {
    self.maximumTimers = maximumTimers
    self.eventsPerCommit = eventsPerCommit
    seen = clocks
  }

  /// What people have been told since this was last asked.
  func takeTold() -> [LiteralEvent] {
    defer { told = [] }
    return told
  }

  /// Something happens to all timers.
  func happen(_ passage: Passage) {
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

  /// Something happens to all timers that were read back.
  func happenAgain(_ passage: Passage) {
    world.timers.apply(passage)
    log.append(passage)
  }

  /// What nobody asked for that makes a timer forget its ring.
  static let answering = ["expired", "paused_after_sleep", "restarted_after_sleep"]

  /// Something happens that nobody asked for, and is an event.
  func record(
    _ type: String, of timer: LiteralTimer? = nil, name: String = "", _ numbers: [Int64] = [],
    _ effect: Effect? = nil
  ) {
    if Self.answering.contains(type), let timer { noteAnswer(timer) }
    world.lastSeq += 1
    let event = LiteralEvent(
      seq: world.lastSeq, timeUsec: clocks.wallUsec, type: type, name: timer?.name ?? name,
      id: timer?.id ?? 0, numbers: numbers, effect: effect)
    pending.append(event)
    happen(.event(event))
    forgetUndo(after: event)
    settleAbsence()
  }

  /// What people can ask for that does not answer a ring.
  private static let leavingRings = [
    "resumed", "updated", "lapped", "extended", "passed_over", "reinstated", "undone",
    "renamed_to", "renamed_from",
  ]

  /// Somebody asked for something, which has been done.
  ///
  /// - Parameter before: the timer that it is done to; nil: the same.
  func recordRequest(
    _ type: String, of timer: LiteralTimer, _ numbers: [Int64] = [], before: LiteralTimer? = nil
  ) {
    if !Self.leavingRings.contains(type) { noteAnswer(before ?? timer) }
    if type != "renamed_from" { noteUndoable(type, timer, type == "started" ? before : timer) }
    world.lastSeq += 1
    pending.append(
      LiteralEvent(
        seq: world.lastSeq, timeUsec: clocks.wallUsec, type: type, name: timer.name, id: timer.id,
        numbers: numbers))
    // What it only carries changes nothing of when it rings.
    if !type.hasPrefix("renamed"), type != "updated" || numbers[1] >= 0 {
      log.append(.requested(timer.id))
    }
    if let index = world.timers.all.firstIndex(where: { $0.id == timer.id }) {
      world.timers.all[index].lastSeq = world.lastSeq
    }
  }
}

// MARK: - Passes of the loop

extension LiteralModel {
  /// One pass, in which `body` is done.
  func pass(settles: Bool, _ body: () -> Void = {}) {
    guard isUp else { return }
    observe()
    _ = fireDue()
    body()
    finishPass(settles: settles)
  }

  func finishPass(settles: Bool) {
    var isMoreDue = true
    while isMoreDue {
      isMoreDue = fireDue()
      seal()
      arm()
      if settles { settle() }
    }
  }

  /// Time passes with everything up: a pass whenever something is due.
  func advance(usec: Int64, settles: Bool) {
    var rest = usec
    while let next = untilDue, next <= rest {
      clocks.pass(.ran(next))
      rest -= next
      pass(settles: settles)
    }
    clocks.pass(.ran(rest))
    pass(settles: settles)
  }

  /// How long until something is due; nil in the background, and if nothing will be.
  var untilDue: Int64? {
    isUp ? nextDue.compactMap { $0 }.min().map { max(0, $0) } : nil
  }

  /// How long until something is due on each clock, below zero if it is overdue.
  private var nextDue: [Int64?] {
    var next = Self.disarmed
    guard world.span == nil else { return next }
    next[0] = clockWaitLeft
    for timer in world.timers.all {
      let (clock, usec) = untilNext(timer)
      // While the user is away, nothing comes due on it; what is due already is done in the same pass.
      if clock == .present, world.isAway, usec > 0 { continue }
      if usec < next[Int(clock.rawValue)] ?? .max { next[Int(clock.rawValue)] = usec }
    }
    return next
  }

  private func untilNext(_ timer: LiteralTimer) -> (Timeline, Int64) {
    switch timer.state {
    case .running where isHeld(timer):
      (.elapsed, isUndecided(timer) ? .max : untilCertain(timer) ?? .max)
    case .running: (timer.timeline, timer.untilTurn ?? .max)
    case .fired, .cancelled:
      (.elapsed, clockWaitLeft == nil ? Self.dayUsec - timer.sinceEndUsec : .max)
    case .paused, .waiting: (.elapsed, .max)
    }
  }

  static let dayUsec: Int64 = 24 * 60 * 60 * 1_000_000

  private func arm() {
    armedIn = nextDue
    for clock in armedIn.indices { armedIn[clock] = armedIn[clock].map { max(0, $0) } }
  }

  /// What passed since the last pass is looked at: nothing, a step, a sleep, a freeze.
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

  /// For how long the daemon would have had something to do, and the machine ran.
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
    record("clock_stepped", [step])
    areWaitsStale = true
    if step < 0 { reckonAnew() }
  }

  /// Does what is due; true if that was not all.
  func fireDue() -> Bool {
    guard world.span == nil else { return false }
    decide()
    reckon()
    if areWaitsStale { forgetWaitsThatAreOver() }
    if clockWaitLeft == nil { tellWhatCameDue() }
    noteWaiting()
    guard untilDue == 0 else {
      endDoubt()
      forgetBlame()
      return false
    }
    var budget = 256
    for timeline in Timeline.allCases {
      while budget > 0 {
        noteWaiting()
        let due = world.timers.all.filter {
          $0.state == .running && $0.timeline == timeline && ($0.untilTurn ?? .max) <= 0
            && !isWaiting($0)
        }.sorted { (Self.turn($0), $0.order) < (Self.turn($1), $1.order) }
        // What comes of one may come before the next; what is plain has nothing to come.
        let isPlain = due.allSatisfy { $0.spec.isPlain }
        let now = isPlain ? due.prefix(budget) : due.prefix(1)
        if now.isEmpty { break }
        for timer in now { comeDue(timer) }
        budget -= now.count
      }
    }
    let over = world.timers.all.filter {
      ($0.state == .fired || $0.state == .cancelled) && $0.sinceEndUsec >= Self.dayUsec
        && clockWaitLeft == nil
    }.sorted { (-$0.sinceEndUsec, $0.order) < (-$1.sinceEndUsec, $1.order) }
    for timer in over.prefix(budget) { record("expired", of: timer) }
    let isMoreOver = over.count > budget
    budget -= min(budget, over.count)
    if budget == 0,
      world.timers.all.contains(where: {
        $0.state == .running && ($0.untilTurn ?? 1) <= 0 && !isWaiting($0)
      })
    {
      hasFiredInTurns = true
      return true
    }
    // What begins to wait with the last of so many rings is late for the same cause as they.
    noteWaiting()
    endDoubt()
    forgetBlame()
    return isMoreOver
  }

  private static func turn(_ timer: LiteralTimer) -> Int64 { timer.untilTurn ?? .max }

  func forgetBlame() {
    if !world.timers.all.contains(where: isHeld) { forgetWaits() }
    if case .forgotBlame = log.last { return }
    log.append(.forgotBlame)
    if world.timers.unfinished != nil || world.timers.all.contains(where: \.isBlamed) {
      world.timers.apply(.forgotBlame)
    }
  }

  /// Lists what came due in the span that was left.
  private func tellWhatCameDue() {
    guard let span = spanToTell else { return }
    spanToTell = nil
    let due = Timeline.allCases.flatMap { timeline in
      world.timers.all.filter {
        $0.state == .running && $0.timeline == timeline && !$0.isStopwatch && $0.remainingUsec <= 0
      }.sorted { ($0.remainingUsec, $0.order) < ($1.remainingUsec, $1.order) }
    }
    guard !due.isEmpty else { return }
    let names = due.prefix(256).map(\.name).joined(separator: " ")
    record("came_due", name: names, [span, Int64(due.count)])
  }
}

// MARK: - The way in and the way out

extension LiteralModel {
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
    record("did_enter_background", LiteralEvent.numbers(span))
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

  /// The span is left; the number of the event that says so.
  @discardableResult
  func leave() -> Int64 {
    guard var span = world.span else { return 0 }
    span.elapsedUsec = max(0, world.timers.heldBack?.elapsed ?? 0)
    span.isOpen = false
    world.span = span
    noteSpan()
    world.span = nil
    armedIn = Self.disarmed
    let held = world.timers.heldBack ?? Amount()
    happen(.left(span))
    record("will_enter_foreground", LiteralEvent.numbers(span))
    let seq = world.lastSeq
    spanToTell = span.id
    if span.causes.contains(.reboot) || !world.undecided.isEmpty {
      world.undecided.append(
        UndecidedLiteralSpan(
          id: span.id, enteredSeq: world.enteredSeq,
          passed: Amount(elapsed: held.elapsed, awake: held.awake, present: held.present)))
      if world.undecided.count > 16 { decideFirst() }
    } else {
      makeUp(for: span, passed: held, enteredSeq: world.enteredSeq)
    }
    return seq
  }

  /// Whether the wall clock is known to be right.
  func note(synchronized: Bool) {
    let wasSynchronized = world.isSynchronized
    if synchronized != world.isSynchronized {
      world.isSynchronized = synchronized
      isCommitWanted = true
      // What the clock passed over while it was in doubt may have been missed.
      if synchronized, world.clock.doubtUsec != nil { reckonAnew() }
    }
    guard synchronized, !wasSynchronized || !world.clock.isVouched else { return }
    defer { world.answered = [] }
    let corrections = world.clock.vouch(wallUsec: clocks.wallUsec)
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
      record(
        "span_corrected",
        LiteralEvent.numbers(world.spans[span]) + [correction.by, isLast ? earliestUsec : 0])
    }
    if let blamed = world.spans.first(where: { $0.id == longest }) {
      happen(.blamed(blamed, by: all))
    }
    if corrections.contains(where: { $0.by < 0 }) { reckonAnew() }
  }

  /// By how much the earliest of the rings was early that were by a clock in doubt.
  private var earliestUsec: Int64 {
    let first = world.clock.reboots.first?.leftSeq ?? 0
    let rung = (world.timers.all + world.answered.flatMap(\.timers.all)).filter {
      $0.isEstimated && !$0.endedSilently && $0.estimatedSeq > first
    }
    return rung.map { -$0.lateUsec }.reduce(0, max)
  }

  /// A ring is answered before it is known how early it was.
  func noteAnswer(_ timer: LiteralTimer) {
    guard timer.isEstimated, !timer.endedSilently, world.clock.isOpen else { return }
    world.answered.append((LiteralTimers(all: [timer]), world.lastSeq + 1))
    guard world.answered.count > 16 else { return }
    let latest = world.answered.indices.max {
      world.answered[$0].timers.all[0].lateUsec < world.answered[$1].timers.all[0].lateUsec
    }
    if let latest { world.answered.remove(at: latest) }
  }
}
