internal import Glibc
internal import NightjarConfig
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem
internal import Varlink

/// One running command: a service of the user's service manager or, if there is no service manager,
/// a child of this process. The run ends the command at its time limit, and writes its output to
/// the log.
final class ActionRun {
  private enum Phase {
    /// The command has not been started, or the start is not confirmed.
    case starting
    case running
    /// The time limit has passed, and the command was sent SIGTERM.
    case terminating
    /// The command did not end after SIGTERM, and was sent SIGKILL.
    case killing
    /// The command has ended, and the rest of its output is being read.
    case finishing
    case over
  }

  /// What the command runs as.
  private enum Body {
    case none
    /// A child of this process. The source watches the child. It is nil while the daemon has no
    /// descriptor left to watch it; the daemon tries again.
    case child(pid: Int32, Source?)
    case service
  }

  /// The time from SIGTERM to SIGKILL, and from SIGKILL until the run stops waiting for the end, in
  /// microseconds.
  private static let graceUsec: Int64 = 5_000_000
  /// The service manager ends the command this long after the time limit, in microseconds. This is
  /// needed if the daemon does not run then.
  private static let managersGraceUsec: Int64 = 15_000_000

  let entry: ActionEntry
  /// Called once, when the command has ended.
  private let onEnd: (ActionEnd) -> Void
  /// Called instead of `onEnd` if the command could not be started because descriptors, memory or
  /// processes had run out.
  private let onShortage: (SystemError) -> Void
  /// Called instead of `onEnd` if the command may have been started, does not run now, and its end
  /// was not seen.
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
  /// Whether the command may have been started without a confirmation by the service manager.
  private var isUnsure = false
  /// The time on CLOCK_MONOTONIC at which the run stops asking the service manager about the
  /// command; nil while the service manager answers.
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

  /// The name under which the service manager keeps the command's output pipe until no process can
  /// write to the pipe.
  static func outputName(_ key: PendingAction.Key) -> String { "output-\(key.seq)-\(key.number)" }

  /// The output of processes that the command started and that run on after its end; nil if no
  /// process can write to it any more.
  var leftOutput: ActionOutput? { output.flatMap { $0.isOver ? nil : $0 } }

  var isService: Bool { if case .service = body { true } else { false } }

  var isChild: Bool { if case .child = body { true } else { false } }
}

// MARK: - Start

extension ActionRun {
  func start() {
    do {
      timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
      let program = try program()
      let pipe = try OutputPipe()
      try listen(to: pipe)
      guard services.hasBus else { return spawn(program, pipe) }
      services.start(
        command.unit, program, description: "Nightjar: \(command.title)",
        output: pipe.writingEnd, longestUsec: command.timeoutUsec + Self.managersGraceUsec,
        started: { [weak self] refusal in self?.served(refusal, program, pipe) },
        changed: { [weak self] report in self?.changed(report) })
    } catch {
      fail(error)
    }
  }

  /// Ends the run because the command could not be started. If the cause is a shortage that may
  /// pass, reports the shortage instead.
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

  /// Continues with a command that a previous process started, if the service manager knows it.
  func resume(output descriptor: Int32?) {
    isUnsure = true
    do {
      timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
      if let descriptor { try listen(to: OutputPipe(reading: descriptor)) }
    } catch {
      Log.write(.warning, "the output of \(command.title) is lost: \(error)")
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

  /// Called when the service manager has accepted or refused the service.
  private func served(
    _ refusal: TransientServices.Refusal?, _ program: Program, _ pipe: OutputPipe
  ) {
    if let refusal {
      guard phase == .starting else { return pipe.closeWriting() }
      guard !refusal.isTaken, !refusal.isUncertain else {
        // An earlier attempt may still have the name of the service, or this attempt may run in
        // spite of the error. A second attempt must not run at the same time.
        pipe.closeWriting()
        isUnsure = true
        return ask()
      }
      Log.write(
        .notice,
        "the service manager refused \(command.title) (\(refusal)), so the daemon runs "
          + "\(command.title) as a child process")
      return spawn(program, pipe)
    }
    pipe.closeWriting()
    body = .service
    // The end of the service may have been reported before this answer.
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

  /// Watches the child. If the daemon has no descriptor for this, the child runs all the same.
  /// After its end, it stays a zombie until the daemon can watch it.
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

  /// Runs the command as a child, because the service manager lacked the resources to start it and
  /// may lack them for long.
  private func spawnAsChild() {
    services.release(command.unit)
    (body, phase, output) = (.none, .starting, nil)
    Log.write(
      .notice,
      "the service manager is short of resources for \(command.title), so the daemon runs "
        + "\(command.title) as a child process")
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
    // A second call passes the time that the service manager has stored. It is better, because the
    // service manager may have started the command late.
    startedUsec = usec
    guard phase == .starting || phase == .running else { return }
    phase = .running
    timer?.arm(atUsec: startedUsec + command.timeoutUsec)
  }
}

// MARK: - Program

extension ActionRun {
  private func program() throws(HookFolder.Refusal) -> Program {
    // The owner or the mode of the hook may have changed since the event.
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

// MARK: - End

extension ActionRun {
  /// Handles a report of the service manager about the service.
  private func changed(_ report: TransientServices.Report) {
    switch phase {
    case .finishing, .over: return
    case .starting, .running, .terminating, .killing: break
    }
    switch report {
    case .state(let state): found(state)
    case .unknown: isUnsure ? endAsUnseen() : finish(.unseen)
    case .unreachable(let refusal): askLater(because: refusal)
    }
  }

  private func found(_ state: TransientServices.State) {
    body = .service
    isUnsure = false
    // Signals that were sent while the service manager did not answer were lost, so they are sent
    // again.
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
      // systemd.exec(5), $SERVICE_RESULT: a system operation failed, such as fork(2).
      spawnAsChild()
    } else {
      finish(.notStarted("the service manager could not start it: \(state.result)"))
    }
  }

  private func ask() {
    guard phase != .finishing, phase != .over else { return }
    services.resume(command.unit) { [weak self] report in self?.changed(report) }
  }

  /// Asks the service manager again later, because it or its bus has ended or is slow. Meanwhile
  /// the command runs on, at most until the service manager's own time limit.
  private func askLater(because refusal: TransientServices.Refusal) {
    guard isService || isUnsure else { return }
    let now = Clocks.monotonicUsec()
    if askUntilUsec == nil {
      Log.write(
        .notice, "the state of \(command.title) is unknown, asking again: \(refusal)",
        [("NIGHTJAR_EVENT", "action_unreachable"), ("NIGHTJAR_SEQ", "\(entry.action.key.seq)")])
    }
    let untilUsec =
      askUntilUsec ?? (startedUsec > 0 ? startedUsec : now) + command.timeoutUsec
      + Self.managersGraceUsec + TransientServices.stopUsec
    askUntilUsec = untilUsec
    if now < untilUsec { return shortage.again { [weak self] in self?.ask() } }
    // By now, the service manager has ended the command, or will end it when it responds again.
    if isUnsure { return endAsUnseen() }
    finish(phase == .terminating || phase == .killing ? .timedOut : .unseen)
  }

  /// Reports that the command does not run any more and that its result is unknown.
  private func endAsUnseen() {
    guard phase != .finishing, phase != .over else { return }
    phase = .over
    timer?.cancel()
    onMissing()
  }

  private func ended(_ end: ChildEnd, atUsec usec: Int64) {
    endedUsec = usec
    if phase == .terminating || phase == .killing {
      // Processes that the command has started may have ignored SIGTERM, so they get SIGKILL.
      signal(SIGKILL)
      // The command may have ended before its time limit, while the daemon did not look. The
      // service manager knows the time of the end.
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
      // The command may have ended before its time limit, while this process was stopped.
      if case .child(let pid, _) = body, Program.hasEnded(pid) { return }
      phase = .terminating
      signal(SIGTERM)
      timer?.arm(atUsec: Clocks.monotonicUsec() + Self.graceUsec)
    case .terminating:
      phase = .killing
      signal(SIGKILL)
      timer?.arm(atUsec: Clocks.monotonicUsec() + Self.graceUsec)
    case .killing:
      // If the service manager cannot be reached, the signals were lost, and the command runs until
      // the service manager ends it.
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

  /// Ends the run: reads the rest of the output, then reports the result.
  private func finish(_ outcome: ActionOutcome) {
    guard phase != .finishing, phase != .over else { return }
    phase = .finishing
    timer?.cancel()
    self.outcome = outcome
    if endedUsec == 0 { endedUsec = Clocks.monotonicUsec() }
    guard let output else { return reportEnd() }
    output.finish { [weak self] in self?.reportEnd() }
  }

  /// Ends a run whose command was not started.
  private func end(_ outcome: ActionOutcome) {
    guard phase == .starting else { return }
    phase = .finishing
    timer?.cancel()
    output = nil
    self.outcome = outcome
    reportEnd()
  }

  private func reportEnd() {
    phase = .over
    onEnd(
      ActionEnd(
        outcome, durationUsec: startedUsec > 0 ? max(0, endedUsec - startedUsec) : 0,
        printedBytes: output?.printedBytes ?? 0, droppedBytes: output?.droppedBytes ?? 0,
        lastLines: outcome.isFailure ? output?.lastLines ?? [] : []))
  }

  /// Lets the service manager forget the service, because its end is on disk.
  func release() {
    if isService { services.release(command.unit) }
  }

  /// Reports that the result of a child is unknown, because the daemon exits while the child runs
  /// on.
  func detach() {
    guard isChild, phase != .over else { return }
    phase = .over
    timer?.cancel()
    onEnd(
      ActionEnd(
        .unseen, durationUsec: max(0, Clocks.monotonicUsec() - startedUsec),
        printedBytes: output?.printedBytes ?? 0, droppedBytes: output?.droppedBytes ?? 0))
  }
}
