import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport

/// A difference between the engine and the model, with the actions that led to it.
struct Mismatch: Error, CustomStringConvertible {
  var seed: UInt64
  var actions: [String]
  var what: String

  var description: String {
    let numbered = actions.enumerated().map { "  \($0.offset + 1): \($0.element)" }
    return "seed \(seed), action \(actions.count): \(what)\n" + numbered.joined(separator: "\n")
      + "\nreplay with NIGHTJAR_SEED=\(seed)"
  }
}

/// One run of the real core and the model side by side, through the actions that the seed gives.
final class DifferentialRun {
  /// Options of a run.
  struct Options {
    var actions = 30
    /// The number of timers at the beginning.
    var extraTimers = 0
    var undoes = true
    /// Injects a fault, to show that it is found.
    var sabotage: ((SimulatedMachine) -> Void)?
    /// The same for requests, on their way to the real core.
    var change: (Request) -> Request = { $0 }
    /// Inspects the machine at the end and returns what is wrong. The disk then keeps the whole
    /// ledger.
    var inspect: ((SimulatedMachine) throws -> String?)?
  }

  let seed: UInt64
  let options: Options
  var scenario: Scenario
  let calendar = FakeCalendar()
  let machine: SimulatedMachine
  let model: RingModel
  private(set) var actions: [String] = []
  /// Events that clients were shown and that must stay in the ledger.
  var publishedDurable: [ModelEvent] = []
  /// The kinds of events and situations that the run had.
  var met: Set<String> = []

  init(seed: UInt64, options: Options = Options()) {
    self.seed = seed
    self.options = options
    scenario = Scenario(seed: seed)
    let limit = options.extraTimers > 0 ? 100_000 : scenario.random.pick([3, 100])
    // With few events in a commit, several commits are pending at a time.
    let eventsPerCommit =
      options.extraTimers > 0
      ? Journal.eventsPerCommit : [1, 3, Journal.eventsPerCommit][Int(seed % 3)]
    machine = SimulatedMachine(
      calendar: calendar, maximumTimers: limit, eventsPerCommit: eventsPerCommit)
    model = RingModel(maximumTimers: limit, eventsPerCommit: eventsPerCommit)
    machine.commitsAtOnce = scenario.random.chance(40)
    machine.disk.keepsNeededRowsOnly = scenario.random.chance(50) && options.inspect == nil
    options.sabotage?(machine)
  }

  private var settles: Bool { machine.commitsAtOnce }

  func play() throws {
    // The machine and its bus refer to each other; a crash frees both.
    defer { machine.crash() }
    note("the first start, \(settles ? "a commit at once" : "commits take their time")")
    try boot(downSince: nil, synchronized: scenario.random.chance(70))
    try compare()
    if options.extraTimers > 0 { try gather() }
    for _ in 0..<options.actions {
      try act()
      try compare()
    }
    try finish()
  }

  func note(_ action: String) { actions.append(action) }

  func fail(_ what: String) throws -> Never {
    throw Mismatch(seed: seed, actions: actions, what: what)
  }

  /// Starts many timers, most of them with equal specifications.
  private func gather() throws {
    note("extra timers: \(options.extraTimers)")
    let requests = (0..<options.extraTimers).map { index in
      Request.start(
        "crowd/\(index)", durationUsec: scenario.random.chance(85) ? scenario.usualUsec : 1 << 40,
        atUsec: nil, clock: scenario.timeline(), spec: .plain, replace: false, ifAbsent: false,
        data: [])
    }
    for start in stride(from: 0, to: requests.count, by: 100) {
      try runIteration(requests[start..<min(start + 100, requests.count)])
    }
    try compare()
    if machine.disk.chunks.count > 1 { met.insert("several chunks") }
    if scenario.random.chance(70) { try hide([.ran(2 * scenario.usualUsec)], "all due") }
    if model.hasFiredInSeveralIterations { met.insert("several iterations to fire") }
  }
}

// MARK: - Actions

extension DifferentialRun {
  private func act() throws {
    guard machine.core != nil else { return try start() }
    switch scenario.random.below(100) {
    case 0..<32: try ask()
    case 32..<50: try advance()
    case 50: try hide([.ran(scenario.random.usec(0...1_000_000))], "busy")
    case 51..<53: try leaveOrReturn()
    case 53..<59: try hide([.slept(scenario.hiddenUsec())], "sleep")
    case 59..<64: try hide(scenario.hiddenParts(), "freeze")
    case 64..<69:
      let usec = scenario.stepUsec(model.world.timers.all, wallUsec: model.clocks.wallUsec)
      try hide([.stepped(usec)], "step")
    case 69..<77: try sleepSignal()
    case 77..<84: try stop()
    case 84..<86: try setClockRight()
    case 86: try changeZone()
    case 87..<91: try commitEnds()
    case 91..<97: try crash()
    default: try shutDown()
    }
  }

  private func ask() throws {
    let requests = (0..<1 + scenario.random.below(3)).map { _ in
      scenario.request(wallUsec: model.clocks.wallUsec)
    }
    let answers = scenario.answers(model.world.timers.all)
    guard options.undoes else { return try runIteration((requests + answers)[...]) }
    let personal = requests.map { scenario.personal($0) }
    try runIteration((personal + scenario.renaming() + answers)[...])
    guard scenario.undoRandom.chance(30) else { return }
    if scenario.undoRandom.chance(70) {
      try compare()
      let usec = scenario.shortUsec()
      note("a while \(usec)")
      try machine.advance(usec: usec)
      model.advance(usec: usec, settles: settles)
    }
    let before = model.world.lastSeq
    try runIteration((0..<1 + scenario.undoRandom.below(3)).map { _ in Request.undo }[...])
    if model.world.lastSeq > before { met.insert("something taken back") }
  }

  /// A loop iteration with requests.
  private func runIteration(_ requests: ArraySlice<Request>) throws {
    var answers: [EngineError?] = []
    try machine.runIteration { core in
      answers = requests.map {
        self.options.change($0).perform(on: core, at: self.machine.clocks.now)
      }
    }
    var expected: [EngineError?] = []
    model.runIteration(settles: settles) { expected = requests.map { $0.perform(on: self.model) } }
    let isShown = requests.count <= 5
    note(isShown ? requests.map(\.description).joined(separator: "; ") : "\(requests.count) more")
    answers = answers.map { $0?.withoutReason }
    if answers != expected { try fail("answered \(answers), not \(expected)") }
  }

  private func advance() throws {
    var usec = scenario.hiddenUsec()
    if scenario.random.chance(50), let next = model.untilDue {
      usec = max(0, next + scenario.random.pick([-1, 0, 0, 1]))
    }
    note("advance \(usec)")
    try machine.advance(usec: usec)
    model.advance(usec: usec, settles: settles)
  }

  /// Lets something happen to the machine, and then runs a loop iteration.
  private func hide(_ parts: [Part], _ name: String) throws {
    note("\(name) \(parts)")
    happen(parts)
    try runIteration([])
    actions.removeLast()
  }

  /// Changes the clocks of the machine, without a loop iteration.
  private func happen(_ parts: [Part]) {
    for part in parts {
      model.clocks.pass(part)
      switch part {
      case .ran(let usec): machine.clocks.advance(usec: usec)
      case .slept(let usec): machine.clocks.sleep(usec: usec)
      case .stepped(let usec): machine.clocks.step(usec: usec)
      case .rebooted(let off, let uptime, let error):
        machine.clocks.reboot(offUsec: off, uptimeUsec: uptime, errorUsec: error)
      }
    }
  }

  /// logind announces the beginning or end of a sleep, perhaps twice.
  private func sleepSignal() throws {
    let isGoing = scenario.random.chance(model.ongoing.contains(.sleep) ? 15 : 85)
    note("PrepareForSleep(\(isGoing))")
    try signal { background, now in
      if isGoing { background.enter(.sleep, at: now) } else { background.leave(.sleep, at: now) }
    } model: {
      if isGoing { $0.enter(.sleep) } else { $0.leave(.sleep) }
    }
  }

  /// The screen is locked or unlocked, perhaps twice, or logind goes away.
  private func leaveOrReturn() throws {
    let presence = scenario.random.pick([Presence.here, .away, .away, .unknown])
    note("presence \(presence)")
    model.isAwayInTruth = presence == .away
    try machine.note(presence)
    model.runIteration(settles: settles) { model.note(isAway: model.isAwayInTruth) }
  }

  private func signal(
    _ body: (Background, Moment) -> Void, model also: (RingModel) -> Void
  ) throws {
    try machine.runIteration { body($0.background, self.machine.clocks.now) }
    model.runIteration(settles: settles) { also(self.model) }
  }

  /// A loop iteration without requests.
  private func look() throws {
    try machine.runIteration()
    model.runIteration(settles: settles)
  }

  /// The sequence SIGTSTP, commit, SIGSTOP, SIGCONT.
  private func stop() throws {
    note("SIGTSTP")
    try signal {
      $0.enter(.stop, at: $1)
    } model: {
      $0.enter(.stop)
    }
    while scenario.random.chance(25) {
      try hide([.ran(scenario.random.usec(0...1_000_000))], "not stopped yet")
      try scenario.random.chance(50) ? ask() : commitEnds()
      try compare()
    }
    let parts = scenario.hiddenParts()
    note("stopped \(parts)")
    happen(parts)
    if scenario.random.chance(12) { return try crash() }
    let also = scenario.random.below(6)
    note("SIGCONT\(also == 0 ? ", asleep again" : also == 1 ? ", and awake" : "")")
    try signal { background, now in
      background.leave(.stop, at: now)
      if also == 0 { background.enter(.sleep, at: now) }
      if also == 1 { background.leave(.sleep, at: now) }
    } model: {
      $0.leave(.stop)
      if also == 0 { $0.enter(.sleep) }
      if also == 1 { $0.leave(.sleep) }
    }
  }

  /// The machine moves to another zone. Half of the times, an alarm in the machine's zone skips a
  /// ring first.
  private func changeZone() throws {
    let alarm = model.world.timers.all.first {
      $0.spec.schedule?.zone == "" && $0.state == .running
    }
    if machine.zone % 2 == 1, let alarm {
      let before = model.world.lastSeq
      try runIteration([.change(.skip, alarm.name, byUsec: 0)])
      if model.world.lastSeq > before { met.insert("a skip before another zone") }
    }
    note("another zone")
    calendar.zone += 1
    machine.zone += 1
    try machine.runIteration {
      $0.note(zone: ("Elsewhere", self.machine.zone), at: self.machine.clocks.now)
    }
    model.runIteration(settles: settles) { model.note(zone: model.zone + 1) }
  }

  /// The wall clock is corrected, and perhaps reported as synchronised.
  private func setClockRight() throws {
    // A timer that waits for the end of a second span might have been due in the first one with a
    // right clock. The model does not decide that.
    if model.world.timers.all.contains(where: \.isBlamed) { return try ask() }
    var parts: [Part] = []
    if scenario.random.chance(75) {
      parts.append(.stepped(-machine.clocks.wallErrorUsec))
      if scenario.random.chance(50) {
        parts.append(.ran(scenario.random.pick([1, 59_999_999, 60_000_000, 60_000_001])))
      }
    }
    let isKnown = scenario.random.chance(80)
    let looksBetween = scenario.random.chance(70)
    note("clock set \(parts)\(looksBetween ? ", seen" : ""), synchronized \(isKnown)")
    for part in parts {
      happen([part])
      if looksBetween { try look() }
    }
    try signal {
      $0.note(synchronized: isKnown, at: $1)
    } model: {
      $0.note(synchronized: isKnown)
    }
  }
}

// MARK: - The disk, and the end of the daemon

extension DifferentialRun {
  private func commitEnds() throws {
    switch scenario.random.below(10) {
    case 0:
      machine.commitsAtOnce.toggle()
      note("commits at once: \(settles)")
      if settles { try mend() }
    case 1...4:
      note("the disk is full")
      try machine.settle(.failed)
      if model.fail() { met.insert("requests undone") }
      try look()
    case 5:
      note("shown before it is durable")
      machine.core?.journal.publishUndurable(at: machine.clocks.now)
      model.publishUndurable()
    case 6, 7: retry()
    default:
      note("the commit is durable")
      try settle()
    }
  }

  private func retry() {
    note("try again")
    machine.core?.journal.retry(at: machine.clocks.now)
    model.retry()
  }

  private func settle() throws {
    try machine.settle(.durable)
    model.settle()
  }

  /// The disk works again.
  private func mend() throws {
    if model.isFailing { retry() }
    try settle()
  }

  private func crash() throws {
    let isDurable = scenario.random.chance(50)
    note("crash, the commit under way \(isDurable ? "kept" : "lost")")
    machine.crash(underwayIsDurable: isDurable)
    model.crash(underwayIsDurable: isDurable)
    if scenario.random.chance(90) { try start() }
  }

  private func shutDown() throws {
    note("SIGTERM")
    try signal {
      $0.enter(.down, at: $1)
    } model: {
      $0.enter(.down)
    }
    try mend()
    machine.crash()
    model.crash(underwayIsDurable: false)
    try start()
  }

  private func start() throws {
    let isEndKnown = scenario.random.chance(50)
    let isReboot = scenario.random.chance(40)
    var parts = scenario.random.chance(85) ? scenario.hiddenParts() : []
    if scenario.random.chance(20) {
      machine.presence = scenario.random.pick([.here, .away, .unknown])
      model.isAwayInTruth = machine.presence == .away
    }
    if isReboot { parts.append(scenario.reboot()) }
    let synchronized = scenario.random.chance(isReboot ? 40 : 70)
    note("down \(parts), start\(isEndKnown ? ", end known" : ""), synchronized \(synchronized)")
    // The manager may see the end late, for example only after a sleep.
    if model.clocks.monotonicUsec % 3 == 0, !parts.isEmpty { happen([parts.removeFirst()]) }
    let end = (machine.clocks.now.monotonicUsec, model.clocks)
    happen(parts)
    try boot(downSince: isEndKnown ? end : nil, synchronized: synchronized)
  }

  private func boot(downSince: (Int64, LiteralClocks)?, synchronized: Bool) throws {
    do {
      try machine.boot(downSince: downSince?.0, synchronized: synchronized)
    } catch {
      try fail("did not start: \(error)")
    }
    model.boot(downSince: downSince?.1, synchronized: synchronized, settles: settles)
  }

  /// All changes are on the disk, and the disk is correct.
  private func finish() throws {
    note("the end")
    if machine.core == nil { try start() }
    machine.commitsAtOnce = true
    try mend()
    try look()
    try compare()
    try compareReloaded()
    try readLedger()
    if let wrong = try options.inspect?(machine) { try fail(wrong) }
  }
}
