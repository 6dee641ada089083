import NightjarClient
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTime
import Varlink
import nightjar

struct RehearsalEvent {
  enum Content {
    /// An entry of the ledger, decoded and as the JSON object that the daemon would send.
    case event(Wire.Event, JSONValue)
    /// An event of the machine begins.
    case machine(MachineAction)
    /// The daemon would run a timer's command on the event before. The rehearsal does not run it.
    case command(RehearsedCommand)
    /// A command of the script has shown timers, or the changes that it has undone.
    case shown(ScriptedCommand.Shown)
  }

  let content: Content
  /// The time since the rehearsal began, in microseconds. Steps of the wall clock do not change it.
  let elapsedUsec: Int64
  let wall: WallClock
}

/// A timer's command that the daemon would run on an event.
struct RehearsedCommand {
  let title: String
  /// The number of the event on which the daemon would run the command.
  let seq: Int64

  var json: JSONValue {
    .object([.init("command", .string(title)), .init("event_seq", .integer(seq))])
  }
}

/// An object that gets all events of a rehearsal, in order, at the time when they happen.
///
/// The time line is such an object; others can be added.
protocol RehearsalObserver: AnyObject {
  func happened(_ entry: RehearsalEvent)
}

/// A rehearsal of a script, on a simulated machine with simulated time. The engine is that of the
/// daemon.
final class Rehearsal {
  private let script: Script
  private let daemon: RehearsedDaemon
  private var observers: [any RehearsalObserver] = []
  /// The number of ledger entries after which the rehearsal ends.
  private let limit: Int
  private var entryCount = 0
  /// Whether the last event for the observers was a list of all timers.
  private var isListed = false
  /// The IDs of the timers that have expired since `run` began.
  private var expired: Set<Int64> = []

  init(
    _ script: Script, limit: Int, defaults: RehearsalDefaults = RehearsalDefaults()
  ) throws(CommandError) {
    self.script = script
    self.limit = limit
    daemon = try RehearsedDaemon(at: script.begin, defaults: defaults)
    daemon.machine.onPublished = { [unowned self] events in for event in events { report(event) } }
  }

  /// Ends the daemon. The machine and its daemon refer to each other, which would keep both in
  /// memory.
  deinit {
    daemon.machine.crash()
  }

  /// Adds an observer. It gets each event after the observers that were added before.
  func add(_ observer: some RehearsalObserver) {
    observers.append(observer)
  }

  var isLimitReached: Bool { entryCount >= limit }

  /// Runs the instructions of the script, until the end of the script or the limit.
  ///
  /// - Throws: `CommandError`: an instruction about the machine cannot be carried out, which ends
  ///   the rehearsal at once. At the end, an error without a message if a command about timers was
  ///   refused.
  func play() throws(CommandError) {
    var worst = ExitStatus.fine
    for step in script.steps where !isLimitReached {
      do throws(CommandError) {
        try perform(step.instruction)
      } catch {
        let place = "\(script.name):\(step.line): "
        guard step.instruction.isForTimers else {
          throw CommandError(error.status, "\(place)\(error.message)", see: error.topic)
        }
        for sentence in "\(error.message)".split(separator: "\n") {
          Output.complain(place + sentence)
        }
        worst = max(worst, error.status)
      }
    }
    if worst != .fine { throw CommandError(worst, "") }
  }

  /// Shows all timers at the end of the rehearsal, unless the last line of the script has shown
  /// them.
  func end() throws(CommandError) {
    if !isListed { try carryOut(.list) }
  }

  private func carryOut(_ command: ScriptedCommand) throws(CommandError) {
    let shown = try command.carryOut(by: daemon, at: daemon.wall)
    if case .nothing = shown { return }
    report(.shown(shown))
    if case .listed(let timers, _) = shown {
      isListed = timers.count == daemon.engine.counts.reduce(0, +)
    }
  }
}

// MARK: - Lines of the script

extension Rehearsal {
  private func perform(_ instruction: Instruction) throws(CommandError) {
    switch instruction {
    case .wait(let length): try advance(usec: try usec(length))
    case .hide(let hiding, let length): try hide(hiding, usec: try usec(length))
    case .step(let usec): try step(byUsec: usec)
    case .synchronize:
      report(.machine(.synchronizes))
      try act { machine throws(StoreError) in try machine.synchronize() }
    case .move(let zone):
      daemon.calendar.local = zone
      try act { machine throws(StoreError) in try machine.move(toZone: zone.name ?? "") }
    case .lock(let isLocked):
      report(.machine(isLocked ? .locks : .unlocks))
      try act { machine throws(StoreError) in try machine.note(isLocked ? .away : .here) }
    case .run: try run()
    case .command(let command): try carryOut(command)
    }
  }

  /// The length in microseconds from the present simulated time.
  private func usec(_ length: Length) throws(CommandError) -> Int64 {
    let usec = try length.usec(at: daemon.wall)
    try check(passing: usec)
    return usec
  }

  /// Checks that the clocks can show the time that results.
  private func check(passing usec: Int64, setBy stepUsec: Int64 = 0) throws(CommandError) {
    guard daemon.machine.clocks.canShow(passing: usec, setBy: stepUsec) else {
      throw .usage("that would be before 1970, or after the year 9999")
    }
  }

  private func step(byUsec usec: Int64) throws(CommandError) {
    try check(passing: 0, setBy: usec)
    try act { machine throws(StoreError) in try machine.setClock(byUsec: usec) }
  }
}

// MARK: - Time

extension Rehearsal {
  private func act(
    _ body: (SimulatedMachine) throws(StoreError) -> Void
  ) throws(CommandError) {
    try simulated { () throws(StoreError) in try body(daemon.machine) }
  }

  private func advance(usec: Int64) throws(CommandError) {
    try act { machine throws(StoreError) in try machine.advance(usec: usec) { !isLimitReached } }
  }

  /// Lets time pass until the running timers have ended, and nothing more is to come of their
  /// rings. A timer that repeats without an end must expire once.
  private func run() throws(CommandError) {
    expired = []
    // The list is made once, because no timer starts while time passes.
    var awaited = daemon.awaited
    while !isLimitReached {
      while let last = awaited.last, !isAwaited(last) { awaited.removeLast() }
      guard !awaited.isEmpty, let usec = daemon.machine.untilWake() else { return }
      let before = (entryCount, daemon.now)
      try check(passing: usec)
      try advance(usec: usec)
      // If there was no event and no time has passed, the timers in the list will never expire.
      if before == (entryCount, daemon.now) { return }
    }
  }

  private func isAwaited(_ awaited: (slot: Int, id: Int64)) -> Bool {
    let engine = daemon.engine
    guard engine.isOccupied(awaited.slot), engine.timer(at: awaited.slot).id == awaited.id else {
      return false
    }
    let view = engine.view(awaited.slot, at: daemon.now)
    let timer = view.timer
    let isRunning = timer.state == .running && timer.spec.kind != .stopwatch
    if isRunning, !view.isAway, timer.spec.hasEnd || !expired.contains(timer.id) { return true }
    guard let ringUsec = view.ringLeftUsec else { return false }
    // A timer without an end may ring anew before anything comes of its ring.
    return !isRunning || view.isAway || ringUsec < view.remainingUsec
  }

  private func hide(_ hiding: Hiding, usec: Int64) throws(CommandError) {
    if case .reboot(let error) = hiding { try check(passing: usec, setBy: error) }
    report(.machine(MachineAction(hiding, usec: usec)))
    var slept = usec
    try act { machine throws(StoreError) in
      switch hiding {
      case .sleep:
        slept = try machine.sleep(usec: usec) { self.report(.machine(.woke(afterUsec: $0))) }
      case .stop: try machine.stop(usec: usec)
      case .down: try machine.restart(afterUsec: usec)
      case .crash: try machine.kill(startedAfterUsec: usec)
      case .freeze: try machine.freeze(usec: usec)
      case .reboot(let error): try machine.reboot(takingUsec: usec, errorUsec: error)
      }
    }
    if slept < usec { try advance(usec: usec - slept) }
  }
}

// MARK: - Reports to the observers

extension Rehearsal {
  private func report(_ event: NightjarModel.Event) {
    guard !isLimitReached else { return }
    entryCount += 1
    if let subject = event.subject, event.kind.expiry != nil { expired.insert(subject.id) }
    let json = JSONValue.event(event)
    guard let read = try? Wire.Event(json) else {
      preconditionFailure("the client does not understand \(json.text)")
    }
    report(.event(read, json), at: event.timeUsec)
    guard let ring = event.subject.flatMap({ daemon.engine.attachments(of: $0)?.ring }) else {
      return
    }
    let plan = RingPlan(ring)
    guard plan.runs(on: event) else { return }
    let command = RehearsedCommand(
      title: RingPlan.title(of: plan.state.exec, isHook: false), seq: event.seq)
    report(.command(command), at: event.timeUsec)
  }

  private func report(_ what: RehearsalEvent.Content, at timeUsec: Int64? = nil) {
    isListed = false
    var wall = daemon.wall
    if let timeUsec { wall.nowUsec = timeUsec }
    let entry = RehearsalEvent(
      content: what, elapsedUsec: daemon.machine.clocks.passedUsec, wall: wall)
    for observer in observers { observer.happened(entry) }
  }
}

extension SharedSpec {
  /// Whether the timer ends by itself, because it has an end or a number of rounds.
  fileprivate var hasEnd: Bool {
    self.kind != .stopwatch && (self.rounds > 0 || !isRepeating && self.kind != .sequence)
  }
}

extension Instruction {
  /// Whether the rehearsal continues after this instruction was refused.
  fileprivate var isForTimers: Bool {
    switch self {
    case .command: true
    case .wait, .hide, .step, .synchronize, .move, .lock, .run: false
    }
  }
}
