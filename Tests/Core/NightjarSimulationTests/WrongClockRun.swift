import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport

/// One machine whose wall clock is wrong after some boots, compared with the time that truly
/// passed.
///
/// It knows nothing of how the daemon counts: it states the promises. Each broken promise is one
/// sentence.
final class WrongClockRun {
  /// A timer, with the true time of its start.
  struct Started {
    var name: String
    var spec: SharedSpec
    var clock: Timeline
    var durationUsec: Int64
    var startedUsec: Int64
    /// Whether it was set while the clock was synchronised; it must then be right to the second.
    var isStartCertain: Bool
    /// The total time of its pauses.
    var pausedUsec: Int64 = 0
    /// The start of its present pause, and how many reboots in doubt there had been by then.
    var pause: (sinceUsec: Int64, reboots: Int)?
  }

  let seed: UInt64
  private var random: SplitMix
  private let machine = SimulatedMachine(calendar: FakeCalendar())
  private let beginUsec: Int64
  private var timers: [Started] = []
  private var isSynchronized = true
  /// The true time when the clock was last synchronised.
  private var synchronizedUsec: Int64
  /// CLOCK_BOOTTIME when the daemon started.
  private var startedBoottimeUsec: Int64 = 0
  /// The errors with which the wall clock came back since it was synchronised.
  private var errors: [Int64] = []
  /// The true beginnings and ends of the reboots since then, and the number of all reboots.
  private var reboots: [ClosedRange<Int64>] = []
  private var rebootCount = 0
  /// The instants of each alarm that rang, and the true time of its last ring.
  private var rung: [String: Set<Int64>] = [:]
  private var heardUsec: [String: Int64] = [:]
  private(set) var actions: [String] = []
  private(set) var broken: [String] = []
  /// The time that has truly passed, in microseconds.
  var passedUsec: Int64 { machine.clocks.passedUsec }

  private static let minuteUsec: Int64 = 60_000_000
  private static let hourUsec = 60 * minuteUsec
  private static let dayUsec = 24 * hourUsec

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix(seed: seed)
    beginUsec = machine.clocks.now.realtimeUsec
    synchronizedUsec = beginUsec
  }

  /// The true time.
  private var trueUsec: Int64 { beginUsec + machine.clocks.passedUsec }

  func play() throws {
    defer { machine.crash() }
    try machine.boot(synchronized: true)
    startedBoottimeUsec = machine.clocks.now.boottimeUsec
    for _ in 0..<3 { try start() }
    for _ in 0..<12 where broken.isEmpty { try act() }
    if broken.isEmpty { try synchronize() }
    if broken.isEmpty { try advance(3 * Self.hourUsec) }
  }

  private func act() throws {
    switch random.below(12) {
    case 10...11: try pauseOrResume()
    case 0...1: try start()
    case 2...3: try advance(random.usec(1...6 * Self.hourUsec))
    case 4: try advance(random.usec(1...90_000_000))
    case 5...7: try reboot()
    case 8: try stepAndBack()
    default: try synchronize()
    }
  }
}

// MARK: - Events

extension WrongClockRun {
  private func start() throws {
    let name = "timer\(timers.count)"
    let usec = random.usec(Self.minuteUsec...20 * Self.hourUsec)
    let (spec, durationUsec) = try self.spec(usec)
    let clock = spec.repeats && random.chance(40) ? Timeline.wall : .elapsed
    let schedule = spec.schedule.map { " \($0.expression), missed \(spec.missed)" } ?? ""
    actions.append("at \(trueUsec): start \(name) \(spec.kind) \(durationUsec)\(schedule)")
    var refused: EngineError?
    try machine.runIteration { core in
      do throws(EngineError) {
        _ = try core.engine.start(
          name, durationUsec: durationUsec, clock: clock, spec: spec, at: self.machine.clocks.now)
      } catch { refused = error }
    }
    if let refused { return broken.append("\(name) is refused: \(refused)") }
    timers.append(
      Started(
        name: name, spec: spec, clock: clock, durationUsec: durationUsec,
        startedUsec: trueUsec, isStartCertain: isSynchronized))
    listen()
  }

  private func pauseOrResume() throws {
    guard !timers.isEmpty else { return }
    let index = random.below(timers.count)
    let timer = timers[index]
    guard timer.spec.schedule == nil, timer.clock == .elapsed,
      let slot = try? machine.core?.engine.require(timer.name)
    else { return }
    let operation: Operation = timer.pause == nil ? .pause : .resume
    var isDone = true
    try machine.runIteration { core in
      do throws(EngineError) {
        switch operation {
        case .pause: try core.engine.pause(slot, at: self.machine.clocks.now)
        default: try core.engine.resume(slot, at: self.machine.clocks.now)
        }
      } catch { isDone = false }
    }
    guard isDone else { return listen() }
    actions.append("at \(trueUsec): \(operation) \(timer.name)")
    if let pause = timer.pause {
      timers[index].pausedUsec += trueUsec - pause.sinceUsec
      timers[index].pause = nil
      // Set between two reboots in doubt: it must only not be early.
      if pause.reboots < reboots.count, !isSynchronized { timers[index].isStartCertain = false }
    } else {
      timers[index].pause = (trueUsec, reboots.count)
    }
    listen()
  }

  private func spec(_ usec: Int64) throws -> (SharedSpec, Int64) {
    switch random.below(5) {
    case 0: return (.plain, usec)
    case 1: return (try SharedSpec(kind: .countdown, repeats: true), usec)
    case 2: return (try SharedSpec(kind: .stopwatch), 0)
    case 3:
      let steps = [
        Step(name: "work", durationUsec: usec), Step(name: "rest", durationUsec: usec / 5 + 1),
      ]
      return (try SharedSpec(kind: .sequence, steps: steps), 0)
    default:
      let period = random.pick([Self.hourUsec, Self.dayUsec, 7 * Self.dayUsec])
      let schedule = Schedule(expression: "\(period)/\(random.usec(0...period - 1))", zone: "fixed")
      return (
        try SharedSpec(kind: .alarm, missed: random.pick([.once, .each]), schedule: schedule), 0
      )
    }
  }

  private func advance(_ usec: Int64) throws {
    actions.append("advance \(usec)")
    // A ring is checked when it happens.
    var rest = usec
    while let next = machine.untilWake(), next <= rest {
      machine.clocks.advance(usec: next)
      rest -= next
      try machine.runIteration()
      listen()
    }
    machine.clocks.advance(usec: rest)
    try machine.runIteration()
    listen()
  }

  private func reboot() throws {
    let (off, up) = (random.usec(0...5 * Self.hourUsec), random.usec(1...40_000_000))
    var error: Int64 = 0
    switch random.below(6) {
    case 0: error = 0
    case 1: error = -random.usec(1...5 * Self.dayUsec)
    case 2: error = random.usec(1...5 * Self.dayUsec)
    case 3: error = errors.last ?? -3 * Self.dayUsec
    case 4: error = -machine.clocks.now.realtimeUsec + Self.dayUsec
    default: error = random.pick([-1, 1]) * random.usec(1...5 * Self.hourUsec)
    }
    // No clock shows a time before 1970 (settimeofday(2)).
    error = max(error, -machine.clocks.now.realtimeUsec)
    try machine.runIteration { $0.background.enter(.down, at: self.machine.clocks.now) }
    machine.crash()
    let downUsec = trueUsec
    machine.clocks.reboot(offUsec: off, uptimeUsec: up, errorUsec: error)
    let isRight = machine.clocks.wallErrorUsec == 0
    let isKnown = isRight && random.chance(50)
    actions.append("reboot off \(off) up \(up) error \(error)\(isKnown ? ", vouched for" : "")")
    errors.append(error)
    reboots.append(downUsec...trueUsec)
    rebootCount += 1
    isSynchronized = false
    try machine.boot(synchronized: isKnown)
    startedBoottimeUsec = machine.clocks.now.boottimeUsec
    if isKnown { markSynchronized() }
    listen()
    if isKnown { check() }
  }

  /// A user sets the clock a year ahead, and back.
  private func stepAndBack() throws {
    let by = random.pick([365 * Self.dayUsec, Self.hourUsec, -Self.hourUsec, 3 * Self.dayUsec])
    actions.append("step \(by), and back")
    isSynchronized = false
    for step in [by, -by] {
      machine.clocks.step(usec: step)
      try machine.runIteration()
      listen()
      if random.chance(30) { try advance(random.usec(1...Self.hourUsec)) }
    }
  }

  private func synchronize() throws {
    actions.append("synchronised")
    machine.clocks.step(usec: -machine.clocks.wallErrorUsec)
    if random.chance(70) { try machine.runIteration() }
    listen()
    try machine.runIteration { $0.background.note(synchronized: true, at: self.machine.clocks.now) }
    let before = synchronizedUsec
    markSynchronized()
    listen()
    check(sinceUsec: before)
  }

  private func markSynchronized() {
    isSynchronized = true
    synchronizedUsec = trueUsec
  }
}

// MARK: - Promises

extension WrongClockRun {
  /// The allowed difference between two readings of the clocks.
  private static let toleranceUsec = Background.stepThresholdUsec

  /// Errors of several boots that cancel out cannot be detected.
  private var isDecidable: Bool { errors.count { $0 != 0 } < 2 || errors.reduce(0, +) != 0 }

  /// Checks that nothing rings early, or for a time before its start.
  private func listen() {
    for event in machine.takePublished() {
      guard let name = event.subject?.name, let timer = timers.first(where: { $0.name == name })
      else { continue }
      if timer.spec.schedule != nil, "\(event.typeName)" != "started" {
        actions.append("  at \(trueUsec), by the clock \(event.timeUsec): \(name) \(event.kind)")
      }
      guard case .rang(let late, _, let passing?) = event.kind else { continue }
      let firedUsec = trueUsec
      if timer.spec.isPlain, !late.isEstimated, isDecidable || timer.isStartCertain {
        let lateUsec = firedUsec - timer.startedUsec - timer.durationUsec - timer.pausedUsec
        if lateUsec < -Self.toleranceUsec {
          broken.append("\(name) rang early, at \(firedUsec - timer.startedUsec)")
        } else if timer.isStartCertain, abs(late.usec - lateUsec) > Self.toleranceUsec {
          broken.append("\(name) rang \(lateUsec) late, and says \(late.usec)")
        }
      }
      if late.isEstimated, !isTrulyDue(timer, passing),
        machine.clocks.now.boottimeUsec - startedBoottimeUsec < Background.clockWaitUsec
      {
        broken.append("\(name) rang by an unsynchronized clock without waiting")
      }
      if timer.clock == .wall,
        case .runs(let deadline, let durationUsec) = passing.next.continuation
      {
        rung[name, default: []].insert(deadline - durationUsec)
      }
      guard timer.spec.schedule != nil else { continue }
      let instant = passing.next.handledInstant
      rung[name, default: []].insert(instant)
      heardUsec[name] = firedUsec
      // Until the clock is synchronised, nothing is known of a start under a wrong clock.
      let isJumped = late.cause == .step || late.cause == .reboot
      if isJumped, timer.isStartCertain, instant < timer.startedUsec - Self.toleranceUsec {
        broken.append("\(name) rang for a time before it was started")
      }
    }
  }

  /// Whether the ring, or the first expiry for which it stands, was due by the true time. A timer
  /// on `wall` that was started under a wrong clock is measured by that clock.
  private func isTrulyDue(_ timer: Started, _ passing: Passing) -> Bool {
    if timer.clock == .wall, !timer.isStartCertain { return true }
    let dueUsec: Int64
    if timer.spec.schedule != nil {
      dueUsec = first(of: passing, timer)
    } else {
      let position = passing.position - passing.missed + 1
      let steps = timer.spec.steps.map(\.durationUsec)
      let usec =
        steps.isEmpty
        ? position * timer.durationUsec
        : (0..<position).reduce(0) { $0 + steps[Int($1) % steps.count] }
      dueUsec = timer.startedUsec + timer.pausedUsec + usec
    }
    return dueUsec <= trueUsec + Self.toleranceUsec
  }

  /// The first of the instants for which an alarm's ring stands, without those that rang before.
  private func first(of passing: Passing, _ timer: Started) -> Int64 {
    var (instant, missed) = (passing.next.handledInstant, passing.missed)
    while missed > 0 {
      instant -= Self.period(of: timer)
      if rung[timer.name]?.contains(instant) != true { missed -= 1 }
    }
    return instant
  }

  /// Checks that all timers are as if the clock had been right, after it was synchronised.
  private func check(sinceUsec: Int64? = nil) {
    guard let engine = machine.core?.engine else { return }
    for index in timers.indices {
      // Paused between two reboots in doubt: it must only not be early.
      let pausedBehind = timers[index].pause?.reboots ?? 0
      if 1..<max(1, reboots.count) ~= pausedBehind { timers[index].isStartCertain = false }
      let timer = timers[index]
      guard let slot = try? engine.require(timer.name) else { continue }
      let view = engine.view(slot, at: machine.clocks.now)
      let isCounting = timer.spec.isPlain || timer.spec.kind == .stopwatch
      guard view.timer.state == .running || view.timer.state == .paused && isCounting else {
        continue
      }
      let passed = (timer.pause?.sinceUsec ?? trueUsec) - timer.startedUsec - timer.pausedUsec
      if timer.clock == .wall {
        checkWall(timer, view)
      } else if timer.spec.schedule != nil {
        checkAlarm(timer, view, sinceUsec: sinceUsec)
      } else if timer.isStartCertain {
        checkCounting(timer, view, passed)
      }
    }
    checkSpans()
    (errors, reboots) = ([], [])
    for index in timers.indices { timers[index].pause?.reboots = 0 }
  }

  /// Checks that `why` has each reboot among the spans since the first start, at its true time.
  private func checkSpans() {
    let found = (try? machine.disk.spans(since: beginUsec, limit: .max)) ?? []
    let spans = found.filter { $0.causes.contains(.reboot) }
    if spans.count != rebootCount {
      broken.append("\(spans.count) of \(rebootCount) reboots are among the spans")
    }
    guard let reboot = reboots.last, let span = spans.last, isDecidable else { return }
    let wrong = [
      (span.left?.realtimeUsec ?? 0) - reboot.upperBound,
      reboots.count == 1 ? span.entered.realtimeUsec - reboot.lowerBound : 0,
    ]
    if wrong.contains(where: { abs($0) > Self.toleranceUsec }) {
      broken.append("the span of the last reboot is wrong by \(wrong)")
    }
  }

  private static func period(of timer: Started) -> Int64 {
    timer.spec.schedule.flatMap { Int64($0.expression.split(separator: "/")[0]) } ?? 0
  }

  private func checkCounting(_ timer: Started, _ view: TimerView, _ passed: Int64) {
    let wrong: Int64
    switch timer.spec.kind {
    case .stopwatch: wrong = view.elapsedUsec - passed
    case .sequence:
      let cycle = timer.spec.steps.reduce(0) { $0 + $1.durationUsec }
      let inCycle = passed % cycle
      let first = timer.spec.steps[0].durationUsec
      let left = inCycle < first ? first - inCycle : cycle - inCycle
      wrong = view.remainingUsec - left
    case .countdown where timer.spec.repeats:
      wrong = view.remainingUsec - (timer.durationUsec - passed % timer.durationUsec)
    case .countdown: wrong = view.remainingUsec - max(0, timer.durationUsec - passed)
    case .alarm: return
    }
    if abs(wrong) > Self.toleranceUsec {
      broken.append(
        "\(timer.name) (\(timer.spec.kind)) is wrong by \(wrong) after the clock was set")
    }
  }

  /// Checks that a repeating timer on `wall` rings next at the first of its deadlines that has not
  /// rung.
  private func checkWall(_ timer: Started, _ view: TimerView) {
    guard timer.isStartCertain, let deadline = view.deadlineUsec else { return }
    let now = machine.clocks.now.realtimeUsec
    var next = timer.startedUsec
    next += ((now - next) / timer.durationUsec + 1) * timer.durationUsec
    while rung[timer.name]?.contains(next) == true { next += timer.durationUsec }
    let isOnGrid = (deadline - timer.startedUsec) % timer.durationUsec == 0
    if deadline > next || deadline <= now || !isOnGrid {
      broken.append("\(timer.name) rings at \(deadline), and not at \(next)")
    }
  }

  /// Checks that the next ring is the calendar's next instant unless that has rung, and that missed
  /// instants have rung.
  private func checkAlarm(_ timer: Started, _ view: TimerView, sinceUsec: Int64?) {
    guard let schedule = timer.spec.schedule, let deadline = view.deadlineUsec else { return }
    let now = machine.clocks.now.realtimeUsec
    let rung = rung[timer.name] ?? []
    var next = FakeCalendar.next(schedule, afterUsec: now, zone: 1)
    while let instant = next, rung.contains(instant) {
      next = FakeCalendar.next(schedule, afterUsec: instant, zone: 1)
    }
    if let next, deadline > next {
      broken.append("\(timer.name) passes over its ring at \(next), for that at \(deadline)")
    }
    // An alarm that was started under a clock that was ahead has not seen the instants before.
    guard let sinceUsec, timer.isStartCertain else { return }
    guard let after = FakeCalendar.next(schedule, afterUsec: now, zone: 1) else { return }
    let last = after - Self.period(of: timer)
    // Instants that only a wrong clock counted have not rung.
    let hasRung = rung.contains(last) || (heardUsec[timer.name] ?? .min) >= last
    if last > max(timer.startedUsec, sinceUsec) + Self.toleranceUsec, !hasRung {
      broken.append("\(timer.name) was due at \(last) and never rang")
    }
  }
}
