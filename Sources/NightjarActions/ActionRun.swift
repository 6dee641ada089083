internal import Glibc
internal import NightjarConfig
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarVarlink

/// One command while it runs: as a service of the user's service manager, or as a child of this process
/// where there is none; within its time, with its output in the log.
final class ActionRun {
  /// Where it is in its life.
  private enum Phase {
    /// Not yet started, or nobody has said so.
    case starting
    case running
    /// Its time is up, and it has been asked to end.
    case terminating
    /// It did not, and was killed.
    case killing
    /// It has ended; its output is taken.
    case finishing
    case over
  }

  /// What runs.
  private enum Body {
    case none
    /// Nil: the daemon has no descriptor left to watch it by, and tries again.
    case child(pid: Int32, Source?)
    case service
  }

  /// Whoever is asked to end has so long before being killed, in microseconds; and again so long before
  /// nobody waits any more.
  private static let graceUsec: Int64 = 5_000_000
  /// The service manager ends it itself so long after its time, in microseconds, if we are not there.
  private static let managersGraceUsec: Int64 = 15_000_000

  /// The command.
  let entry: ActionEntry
  /// Called once, when it has ended.
  private let onEnd: (ActionEnd) -> Void
  /// Called instead, when it could not be started for want of descriptors, memory or processes.
  private let onShortage: (SystemError) -> Void
  /// Called instead, when it may have been started and does not run now: nobody saw its end.
  private let onMissing: () -> Void

  private let loop: EventLoop
  private let services: TransientServices
  private let shortage: Shortage
  private var phase = Phase.starting
  private var body = Body.none
  private var output: ActionOutput?
  private var timer: TimerSource?
  private var startedUsec: Int64 = 0
  private var endedUsec: Int64 = 0
  private var outcome = ActionOutcome.unseen
  /// It may have been started; the service manager has not said yet that it has it.
  private var isUnsure = false
  /// While the service manager cannot say how it is: until then it is asked, on CLOCK_MONOTONIC.
  private var askUntilUsec: Int64?

  init(
    _ entry: ActionEntry, on loop: EventLoop, services: TransientServices, shortage: Shortage,
    onEnd: @escaping (ActionEnd) -> Void, onShortage: @escaping (SystemError) -> Void,
    onMissing: @escaping () -> Void
  ) {
    self.entry = entry
    self.loop = loop
    self.services = services
    self.shortage = shortage
    self.onEnd = onEnd
    self.onShortage = onShortage
    self.onMissing = onMissing
  }

  private var command: ActionCommand { entry.command }

  /// The name that the service manager holds its output under until nobody can print any more.
  static func outputName(_ key: PendingAction.Key) -> String { "output-\(key.seq)-\(key.number)" }

  /// What it prints, if somebody may still print: others that it has left running.
  var leftOutput: ActionOutput? { output.flatMap { $0.isOver ? nil : $0 } }

  /// Whether the service manager knows of it.
  var isService: Bool { if case .service = body { true } else { false } }

  /// Whether it is a child of this process.
  var isChild: Bool { if case .child = body { true } else { false } }
}

// MARK: - Its beginning

extension ActionRun {
  /// Starts it.
  func start() {
    do {
      timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
      let program = try program()
      let pipe = try OutputPipe()
      try listen(to: pipe)
      guard services.isConceivable else { return spawn(program, pipe) }
      services.start(
        command.unit, program, description: "Nightjar: \(command.title)",
        output: pipe.writingEnd, longestUsec: command.timeoutUsec + Self.managersGraceUsec,
        started: { [weak self] refusal in self?.served(refusal, program, pipe) },
        changed: { [weak self] report in self?.changed(report) })
    } catch {
      fail(error)
    }
  }

  /// It could not be started: for good, or for want of something that may be there again.
  private func fail(_ error: any Error) {
    switch error {
    case let obstacle as ProgramFile.Obstacle: end(.notStarted(obstacle.sentence))
    case let refusal as HookFolder.Refusal: end(.notStarted(refusal.sentence))
    case let error as SystemError where error.isShortage:
      guard phase == .starting else { return }
      phase = .over
      timer?.cancel()
      output = nil
      onShortage(error)
    case let error as SystemError:
      let obstacle = ProgramFile.Obstacle(execution: error.code)
      end(.notStarted(obstacle?.sentence ?? "\(error)"))
    default: end(.notStarted("\(error)"))
    }
  }

  /// Goes on with one that another process has started, if the service manager has it.
  func resume(output descriptor: Int32?) {
    isUnsure = true
    do {
      timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
      if let descriptor { try listen(to: OutputPipe(reading: descriptor)) }
    } catch {
      Log.write(.warning, "what \(command.title) prints is lost: \(error), ignoring")
    }
    ask()
  }

  private func listen(to pipe: OutputPipe) throws(SystemError) {
    var fields: [(key: StaticString, value: String)] = [
      ("NIGHTJAR_EVENT", "action_output"), ("NIGHTJAR_SEQ", "\(entry.action.key.seq)"),
    ]
    if let timer = command.timer { fields.append(("NIGHTJAR_TIMER", timer.name)) }
    output = try ActionOutput(pipe, on: loop, title: command.program, fields: fields)
  }

  /// The service manager has taken it on, or will not.
  private func served(
    _ refusal: TransientServices.Refusal?, _ program: Program, _ pipe: OutputPipe
  ) {
    if let refusal {
      guard phase == .starting else { return pipe.closeWriting() }
      guard !refusal.isTaken, !refusal.isUncertain else {
        // An earlier attempt still has the name, or this one may run all the same: beside it there must
        // not be another.
        pipe.closeWriting()
        isUnsure = true
        return ask()
      }
      Log.write(
        .notice,
        "the service manager does not run \(command.title) (\(refusal)); it runs as a child")
      return spawn(program, pipe)
    }
    pipe.closeWriting()
    body = .service
    // It may have told of its end before.
    guard phase == .starting else { return }
    ServiceManager.store(pipe.readingEnd, as: Self.outputName(entry.action.key))
    began(atUsec: Clocks.monotonicUsec())
  }

  private func spawn(_ program: Program, _ pipe: OutputPipe) {
    var program = program
    program.environment = OwnEnvironment.assignments(under: program.environment)
    do {
      let beforeUsec = Clocks.monotonicUsec()
      let pid = try program.spawn(output: pipe.writingEnd)
      pipe.closeWriting()
      watch(pid)
      began(atUsec: beforeUsec)
    } catch {
      pipe.closeWriting()
      fail(error)
    }
  }

  /// Watches the child. It runs whether it can be watched or not: it is a zombie at worst until it can.
  private func watch(_ pid: Int32) {
    guard phase != .over else { return }
    do {
      body = .child(
        pid: pid,
        try loop.watchChild(pid) { [unowned self] end in ended(end, atUsec: Clocks.monotonicUsec())
        })
    } catch {
      body = .child(pid: pid, nil)
      shortage.again { [weak self] in self?.watch(pid) }
    }
  }

  /// The service manager had not the means to start it, and may not have them for long: it runs as a child.
  private func spawnInstead() {
    services.release(command.unit)
    (body, phase, output) = (.none, .starting, nil)
    Log.write(
      .notice,
      "the service manager is short of resources for \(command.title); it runs as a child")
    do {
      let program = try program()
      let pipe = try OutputPipe()
      try listen(to: pipe)
      spawn(program, pipe)
    } catch {
      fail(error)
    }
  }

  private func began(atUsec usec: Int64) {
    // The service manager knows better than we who asked for it: it may have taken its time.
    startedUsec = usec
    guard phase == .starting || phase == .running else { return }
    phase = .running
    timer?.arm(atUsec: startedUsec + command.timeoutUsec)
  }
}

// MARK: - What it runs with

extension ActionRun {
  private func program() throws(HookFolder.Refusal) -> Program {
    // It may have become another's since the event called for it.
    if command.isHook, let refusal = HookFolder.refusal(of: command.exec[0]) { throw refusal }
    let home = command.value(of: "HOME") ?? OwnEnvironment.value(of: "HOME") ?? "/"
    let search = command.value(of: "PATH") ?? OwnEnvironment.value(of: "PATH")
    let attempt = RingPlan.Variable(name: "NIGHTJAR_ATTEMPT", value: "\(entry.action.attempt)")
    let path: String
    switch ProgramFile(command.exec[0], search: search, in: home) {
    case .found(let found): path = found
    case .obstructed(let obstacle): throw .obstacle(obstacle)
    }
    return Program(
      path: path, arguments: command.exec,
      environment: (command.environment + [attempt]).map { "\($0.name)=\($0.value)" },
      folder: home)
  }
}

// MARK: - Its end

extension ActionRun {
  /// The service manager says how it is, or nobody can.
  private func changed(_ report: TransientServices.Report) {
    switch phase {
    case .finishing, .over: return
    case .starting, .running, .terminating, .killing: break
    }
    switch report {
    case .state(let state): found(state)
    case .unknown: isUnsure ? vanish() : finish(.unseen)
    case .unreachable(let refusal): askLater(because: refusal)
    }
  }

  private func found(_ state: TransientServices.State) {
    body = .service
    isUnsure = false
    // What it was told meanwhile nobody heard.
    if askUntilUsec != nil, !state.isOver, phase != .starting { phase = .running }
    askUntilUsec = nil
    if state.startedUsec > 0 { began(atUsec: state.startedUsec) }
    guard state.isOver else { return }
    endedUsec = state.endedUsec
    if state.isNotExecuted {
      finish(.notStarted("the service manager could not execute it"))
    } else if state.result == "timeout" {
      finish(.timedOut)
    } else if let end = state.end {
      ended(end, atUsec: state.endedUsec)
    } else if state.result == "resources", phase == .starting || phase == .running {
      // systemd.exec(5), $SERVICE_RESULT: an operation of the system failed, such as fork(2).
      spawnInstead()
    } else {
      finish(.notStarted("the service manager could not start it: \(state.result)"))
    }
  }

  private func ask() {
    guard phase != .finishing, phase != .over else { return }
    services.resume(command.unit) { [weak self] report in self?.changed(report) }
  }

  /// The service manager is gone, or its bus, or they are slow: they may be there again, and it runs all
  /// the while. It cannot run for longer than the service manager lets it.
  private func askLater(because refusal: TransientServices.Refusal) {
    guard isService || isUnsure else { return }
    let now = Clocks.monotonicUsec()
    if askUntilUsec == nil {
      Log.write(
        .notice, "nobody can say how \(command.title) is, asking again: \(refusal)",
        [("NIGHTJAR_EVENT", "action_unreachable"), ("NIGHTJAR_SEQ", "\(entry.action.key.seq)")])
    }
    let untilUsec =
      askUntilUsec ?? (startedUsec > 0 ? startedUsec : now) + command.timeoutUsec
      + Self.managersGraceUsec + TransientServices.stopUsec
    askUntilUsec = untilUsec
    if now < untilUsec { return shortage.again { [weak self] in self?.ask() } }
    // Its service manager has ended it by now; if not, it does so as soon as it listens.
    if isUnsure { return vanish() }
    finish(phase == .terminating || phase == .killing ? .timedOut : .unseen)
  }

  /// It does not run, and it cannot be seen what became of it.
  private func vanish() {
    guard phase != .finishing, phase != .over else { return }
    phase = .over
    timer?.cancel()
    onMissing()
  }

  private func ended(_ end: ChildEnd, atUsec usec: Int64) {
    endedUsec = usec
    if phase == .terminating || phase == .killing {
      // What it has started may not have listened.
      signal(SIGKILL)
      // The service manager may have seen it end in time, by itself, while we could not look.
      guard isService, case .exited = end, usec > 0, usec - startedUsec < command.timeoutUsec
      else { return finish(.timedOut) }
    }
    switch end {
    case .exited(let status): finish(.exited(status: Int64(status)))
    case .killed(let number): finish(.signalled(Int64(number)))
    }
  }

  private func timePassed() {
    switch phase {
    case .running:
      // We may have been stopped ourselves for longer than it took.
      if case .child(let pid, _) = body, Program.hasEnded(pid) { return }
      phase = .terminating
      signal(SIGTERM)
      timer?.arm(atUsec: Clocks.monotonicUsec() + Self.graceUsec)
    case .terminating:
      phase = .killing
      signal(SIGKILL)
      timer?.arm(atUsec: Clocks.monotonicUsec() + Self.graceUsec)
    case .killing:
      // Nobody has heard of that: it runs until the service manager ends it.
      if askUntilUsec == nil { finish(.timedOut) }
    case .starting, .finishing, .over: break
    }
  }

  private func signal(_ number: Int32) {
    switch body {
    case .none: break
    case .child(let pid, _): Program.signal(group: pid, number)
    case .service: services.signal(command.unit, number)
    }
  }

  /// It has ended: what it has printed is taken, and then somebody is told.
  private func finish(_ outcome: ActionOutcome) {
    guard phase != .finishing, phase != .over else { return }
    phase = .finishing
    timer?.cancel()
    self.outcome = outcome
    if endedUsec == 0 { endedUsec = Clocks.monotonicUsec() }
    guard let output else { return tell() }
    output.finish { [weak self] in self?.tell() }
  }

  /// It has ended before it began.
  private func end(_ outcome: ActionOutcome) {
    guard phase == .starting else { return }
    phase = .finishing
    timer?.cancel()
    output = nil
    self.outcome = outcome
    tell()
  }

  private func tell() {
    phase = .over
    onEnd(
      ActionEnd(
        outcome, durationUsec: startedUsec > 0 ? max(0, endedUsec - startedUsec) : 0,
        printedBytes: output?.printedBytes ?? 0, droppedBytes: output?.droppedBytes ?? 0,
        lastLines: outcome.isFailure ? output?.lastLines ?? [] : []))
  }

  /// Its end is on disk: the service manager may forget it.
  func release() {
    if isService { services.release(command.unit) }
  }

  /// This process ends, and cannot see the end of its child, which runs on.
  func leave() {
    guard isChild, phase != .over else { return }
    phase = .over
    timer?.cancel()
    onEnd(
      ActionEnd(
        .unseen, durationUsec: max(0, Clocks.monotonicUsec() - startedUsec),
        printedBytes: output?.printedBytes ?? 0, droppedBytes: output?.droppedBytes ?? 0))
  }
}
