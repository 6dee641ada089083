package import NightjarEngine
internal import NightjarInterface
package import NightjarModel
internal import NightjarParameters
package import NightjarSystem
internal import Varlink

/// A command that waits or runs.
struct ActionEntry {
  var action: PendingAction
  let command: ActionCommand
  /// Whether the event log already has this attempt. This is so if the attempt was begun but failed
  /// because resources had run out.
  var isRecorded = false
}

/// Runs the commands that events call: a timer's own commands, and hooks.
///
/// A command is stored in the commit of the event that calls it, and stays on disk until its end is
/// on disk. When this commit is on disk, a second event records the start. When that event is on
/// disk, too, the command is started. If the disk cannot be written, it is started after some
/// seconds. If the daemon did not see its end, it is started again, up to three times in all. All
/// attempts use the same service name, and the service manager runs only one service of a name at a
/// time.
///
/// The commands of one timer run one after another, and so do the runs of one hook. At most eight
/// commands run at once. Of the others, a limited number waits in memory. The rest waits on disk
/// only.
package final class Actions: NotificationObserver {
  private let loop: EventLoop
  private let store: any ActionStore
  private let hooks: Hooks
  private let services: TransientServices
  private let shortage: Shortage
  /// Whether no command is started until `shortage` calls back, because resources had run out.
  private var isShort = false
  /// Whether the shortage is in the log and no command has been started since.
  private var isShortLogged = false
  /// A part of the names of this daemon's services. It distinguishes them from another daemon's.
  private let tag: String
  /// The waiting commands, in the order of their events.
  private var waiting: [ActionEntry] = []
  /// The newest command that was ever added to `waiting`.
  private var lastTaken = PendingAction.Key(seq: 0, number: 0)
  /// If further commands wait on disk only: the last command before them in the order of the
  /// events. Nil if no command waits on disk only.
  private var frontier: PendingAction.Key?
  private var running: [PendingAction.Key: ActionRun] = [:]
  private var lanes: Set<ActionCommand.Lane> = []
  /// The output of processes that a command started and that run on after its end. The output is
  /// read and discarded. `name` is the name under which the service manager holds it.
  private var leftovers: [(name: String, output: ActionOutput)] = []
  /// The timers that were cancelled or removed, by ID, with the number of that event. Waiting
  /// commands of earlier events are not run; they end with this outcome. An entry stays in memory
  /// until the next commit, or longer while commands wait on disk only.
  private var withdrawn: [Int64: (seq: Int64, outcome: ActionOutcome)] = [:]
  /// The new names of renamed timers, by ID.
  private var newNames: [Int64: String] = [:]
  /// The numbers of events that are not on disk, but whose commands may run.
  private var undurable: Set<Int64> = []
  /// The output of commands that a previous process of the daemon started, by the name under which
  /// the service manager has held it.
  private var outputs: [String: Int32]
  private var isEnding = false
  private var isInBackground = false
  /// The lanes, each the queue of one timer or hook, of which waiting commands were dropped. A lane
  /// is removed from this set when none of its commands waits.
  private var flooding: Set<ActionCommand.Lane> = []
  /// Whether the log already says that commands wait because the maximum number is running.
  private var isFullLogged = false

  /// - Parameters:
  ///   - configPath: the path of the configuration file, which need not exist.
  ///   - given: the descriptors that the service manager has held; those that are outputs of
  ///     commands are taken over.
  package init(
    loop: EventLoop, bus: NotificationBus, store: any ActionStore, shortage: Shortage,
    stateFolder: String, configPath: String?, given: [(name: String, descriptor: Int32)]
  ) throws(SystemError) {
    self.loop = loop
    self.store = store
    self.shortage = shortage
    tag = Self.tag(of: stateFolder)
    hooks = try Hooks(beside: configPath, on: loop, shortage: shortage)
    services = try TransientServices(loop: loop)
    outputs = Dictionary(
      given.filter { $0.name.hasPrefix("output-") }.map { ($0.name, $0.descriptor) },
      uniquingKeysWith: { $1 })
    bus.register(self)
  }

  /// Six hexadecimal digits that depend on the path: a part of its FNV-1a hash.
  private static func tag(of path: String) -> String {
    let hash = path.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    let digits = String(hash & 0xFF_FFFF, radix: 16)
    return String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }

  package func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .recorded(let event):
      follow(event)
      call(for: event, at: moment)
    case .committed(let events, let durable):
      if durable { undurable = [] } else { undurable.formUnion(events.map(\.seq)) }
      withdraw(for: events)
    case .actionsCalled(let actions): enqueue(actions)
    case .didEnterBackground: isInBackground = true
    case .willEnterForeground:
      isInBackground = false
      pumpLater()
    case .spanExtended, .spansCorrected, .clockStepped, .zoneChanged,
      .synchronizationChanged, .presenceChanged, .absenceBegan, .absenceEnded, .commitFailed:
      break
    }
  }

  /// The numbers of running and waiting commands. O(commands that wait on disk only).
  package var counts: (running: Int, waiting: Int) {
    var waitingCount = waiting.count
    if let frontier {
      do { waitingCount += try store.waitingCount(after: frontier) } catch {
        Log.write(.error, "the commands that wait on disk cannot be counted: \(error)")
      }
    }
    return (running.count, waitingCount)
  }

  package func reload() { hooks.reload() }
}

// MARK: - Commands of an event

extension Actions {
  private func call(for event: Event, at moment: Moment) {
    guard event.action == nil, store.hasRings || event.removesTimer || hooks.hasPrograms else {
      return
    }
    // The event was recorded before, and again after a failed commit. Its commands wait or run
    // already.
    guard !undurable.contains(event.seq) else { return }
    let programs = hooks.hasPrograms ? hooks.programs(for: "\(event.typeName)") : []
    let plan = event.subject.flatMap { store.plan(of: $0) }
    let isOwn = plan?.runs(on: event) ?? false
    guard isOwn || !programs.isEmpty else { return }
    var command = ActionCommand(
      event: "\(event.typeName)",
      timer: event.subject.map { ActionCommand.Subject(name: $0.name, id: $0.id) }, isHook: false,
      exec: plan?.state.exec ?? [],
      environment: (plan?.environment ?? []) + store.environment(of: event, at: moment),
      timeoutUsec: plan?.state.timeoutUsec ?? Limits.execUsualUsec, unit: "")
    if isOwn { note(command, number: 0, for: event) }
    command.isHook = true
    command.timeoutUsec = Limits.execUsualUsec
    for (index, program) in programs.enumerated() {
      command.exec = [program]
      note(command, number: Int64(index + 1), for: event)
    }
  }

  private func note(_ command: ActionCommand, number: Int64, for event: Event) {
    var command = command
    let word = command.isHook ? "hook" : "action"
    // Event numbers begin anew with a new database, so the name of the service also contains a part
    // of the time.
    let stamp = String(event.timeUsec & 0xFFFF, radix: 16)
    command.unit = "nightjar-\(word)-\(tag)-\(event.seq)-\(number)-\(stamp).service"
    let key = PendingAction.Key(seq: event.seq, number: number)
    store.save(.called(PendingAction(key: key, command: command.json)))
  }
}

// MARK: - The queue

extension Actions {
  /// Continues with the commands that the last process left. Must run before anything else
  /// happens.
  package func resume() throws {
    let begun = try store.begun()
    withdrawOfLastProcess()
    try readMore(isStart: true)
    for action in begun {
      guard let entry = entry(action) else { continue }
      seek(entry)
    }
    // Here are only the outputs of processes that run on after the end of their command.
    for (name, descriptor) in outputs {
      let pipe = OutputPipe(reading: descriptor)
      if let output = try? ActionOutput(pipe, on: loop, title: name, fields: []) {
        keepReading(output, as: name)
      }
    }
    outputs = [:]
  }

  private func entry(_ action: PendingAction) -> ActionEntry? {
    if let command = ActionCommand(json: action.command) {
      return ActionEntry(
        action: PendingAction(key: action.key, attempt: action.attempt, command: []),
        command: command)
    }
    Log.write(.error, "a command of event \(action.key.seq) cannot be read, ignoring")
    store.save(.over(action.key))
    return nil
  }

  /// Asks the service manager about a command that a previous process of the daemon started. If the
  /// result of the command is unknown, the command is started again.
  private func seek(_ entry: ActionEntry) {
    let run = make(entry)
    lanes.insert(entry.command.lane)
    run.resume(output: outputs.removeValue(forKey: ActionRun.outputName(entry.action.key)))
  }

  /// Puts a command that was begun back into the queue, in the order of the events.
  private func takeBack(_ entry: ActionEntry) {
    let key = entry.action.key
    running[key] = nil
    lanes.remove(entry.command.lane)
    let place = waiting.firstIndex { $0.action.key > key } ?? waiting.endIndex
    waiting.insert(entry, at: place)
  }

  private func enqueue(_ actions: [PendingAction]) {
    for action in actions {
      let isOnDisk = !undurable.contains(action.key.seq)
      if isOnDisk, frontier != nil { continue }
      if isOnDisk, waiting.count >= Limits.actionsWaiting {
        frontier = lastTaken
        continue
      }
      guard let entry = entry(action) else { continue }
      guard waiting.count < 2 * Limits.actionsWaiting else {
        recordEnd(entry, ActionEnd(.dropped))
        continue
      }
      append(entry)
    }
    pumpLater()
  }

  /// Reads the next commands that wait on disk only, but only those of events that were published.
  /// Commands of later events are added to the queue when their events are published. If they were
  /// read now, they would run twice.
  private func readMore(isStart: Bool = false) throws {
    let limit = Limits.actionsWaiting / 2
    let found = try store.waiting(after: frontier, isStart: isStart, limit: limit)
    let known = Set(waiting.map(\.action.key)).union(running.keys)
    for action in found where !known.contains(action.key) {
      if let entry = entry(action) { append(entry) }
    }
    frontier = found.count < limit ? nil : found.last?.key
    pumpLater()
  }

  /// Withdraws the waiting commands of timers that were cancelled or removed. Two kinds of commands
  /// are not withdrawn: those that the cancellation or the removal itself calls, and hooks, because
  /// they do not belong to the timer.
  private func withdraw(for events: [Event]) {
    if frontier == nil { withdrawn = [:] }
    let outcomes = events.compactMap(Self.withdrawal)
    guard !outcomes.isEmpty else { return }
    for (timer, outcome) in outcomes { withdrawn[timer] = outcome }
    // Not those of timers that were cancelled before: such a command may have begun then, and wait
    // to be run again.
    let timers = Set(outcomes.map(\.timer))
    waiting.removeAll { entry in
      guard let timer = entry.command.timer, timers.contains(timer.id) else { return false }
      return isWithdrawn(entry)
    }
  }

  /// Withdraws the commands of timers that were cancelled or removed while a previous process of
  /// the daemon ran, if that process ended before it recorded the end of these commands.
  private func withdrawOfLastProcess() {
    var found: [Int64: (seq: Int64, outcome: ActionOutcome)] = [:]
    do {
      let first = try store.waiting(after: nil, isStart: true, limit: 1).first
      guard let oldest = first?.key.seq else { return }
      try store.forEachEvent(after: oldest) { event in
        if let (timer, outcome) = Self.withdrawal(by: event) { found[timer] = outcome }
      }
    } catch {
      Log.write(.error, "commands of cancelled timers may run, as the ledger is unread: \(error)")
    }
    // The ends can be recorded only when the engine has started. Commands start later. A command
    // that was begun ran when its timer was cancelled, so it runs again.
    loop.later { [weak self] in
      guard let self else { return }
      withdrawn.merge(found) { $0.seq > $1.seq ? $0 : $1 }
      waiting.removeAll { $0.action.attempt == 0 && isWithdrawn($0) }
    }
  }

  /// The timer that an event cancels or removes, and the end of its earlier commands that wait.
  private static func withdrawal(
    by event: Event
  ) -> (timer: Int64, (seq: Int64, outcome: ActionOutcome))? {
    guard let id = event.subject?.id else { return nil }
    switch event.kind {
    case .cancelled: return (id, (event.seq, .timerCancelled))
    case .removed: return (id, (event.seq, .timerRemoved))
    default: return nil
    }
  }

  /// Whether the command was withdrawn. If so, this records its end.
  private func isWithdrawn(_ entry: ActionEntry) -> Bool {
    guard !entry.command.isHook, let timer = entry.command.timer,
      let found = withdrawn[timer.id], entry.action.key.seq < found.seq
    else { return false }
    recordEnd(entry, ActionEnd(found.outcome))
    return true
  }

  /// Appends a command to the queue. If too many commands of its lane wait, the oldest of them is
  /// dropped.
  private func append(_ entry: ActionEntry) {
    if isWithdrawn(entry) { return }
    let lane = entry.command.lane
    waiting.append(entry)
    lastTaken = max(lastTaken, entry.action.key)
    guard waiting.count(where: { $0.command.lane == lane }) > Limits.actionsWaitingOfOne,
      let oldest = waiting.firstIndex(where: { $0.command.lane == lane })
    else { return }
    recordEnd(waiting.remove(at: oldest), ActionEnd(.dropped))
  }

  private func pumpLater() {
    guard !waiting.isEmpty || frontier != nil else { return }
    loop.later { [weak self] in self?.pump() }
  }

  /// Starts the waiting commands that may run now.
  private func pump() {
    if frontier != nil, waiting.count <= Limits.actionsWaiting / 2 {
      do {
        try readMore()
      } catch {
        Log.write(.error, "the commands that wait on disk cannot be read: \(error), trying again")
      }
    }
    var index = 0
    while !isEnding, !isShort, running.count < Limits.actionsAtOnce, index < waiting.count {
      let command = waiting[index].command
      if lanes.contains(command.lane) || !isTime(for: command) {
        index += 1
      } else {
        begin(waiting.remove(at: index))
      }
    }
    logWhenFull()
  }

  /// Writes to the log when commands begin to wait because the maximum number is running. Does not
  /// write again until there is room.
  private func logWhenFull() {
    let isFull = running.count >= Limits.actionsAtOnce && !waiting.isEmpty
    if isFull, !isFullLogged {
      let titles = running.values.map(\.entry.command.title).sorted()
      Log.write(
        .notice,
        "\(running.count) commands run, and others wait for one to end: "
          + titles.joined(separator: "; "), [("NIGHTJAR_ACTIONS", "crowded")])
    }
    isFullLogged = isFull
    flooding.formIntersection(waiting.map(\.command.lane))
  }

  /// Whether the command may be started now. In a background span, only the commands of the event
  /// `did_enter_background` are started. The others wait, as timers do.
  private func isTime(for command: ActionCommand) -> Bool {
    !isInBackground || command.event == Wire.EventType.didEnterBackground.rawValue
  }
}

// MARK: - Runs

extension Actions {
  private func begin(_ entry: ActionEntry) {
    var entry = entry
    guard entry.action.attempt < Limits.actionAttempts else {
      return recordEnd(entry, ActionEnd(.givenUp))
    }
    entry.action.attempt += 1
    let run = make(entry)
    lanes.insert(entry.command.lane)
    if !entry.isRecorded {
      store.record(note(entry), end: nil, timer: timer(entry))
    }
    store.save(.begun(entry.action.key, attempt: entry.action.attempt))
    store.whenDurable { [weak self] in
      // When the daemon is exiting, the next process starts the command.
      if self?.isEnding == false { run.start() }
    }
  }

  private func make(_ entry: ActionEntry) -> ActionRun {
    let run = ActionRun(
      entry, on: loop, services: services, shortage: shortage,
      onEnd: { [weak self] end in self?.ended(entry, end) },
      onShortage: { [weak self] error in self?.postpone(entry, because: error) },
      onMissing: { [weak self] in
        self?.takeBack(entry)
        self?.pumpLater()
      })
    running[entry.action.key] = run
    return run
  }

  /// Puts back a command that could not be started because resources had run out, as if it had not
  /// been tried. All other commands wait too, until resources may be available again.
  private func postpone(_ entry: ActionEntry, because error: SystemError) {
    var entry = entry
    entry.action.attempt -= 1
    entry.isRecorded = true
    store.save(.begun(entry.action.key, attempt: entry.action.attempt))
    takeBack(entry)
    if !isShortLogged {
      isShortLogged = true
      Log.write(
        .warning, "commands wait, as \(entry.command.title) cannot be started now: \(error)",
        [("NIGHTJAR_ACTIONS", "short")])
    }
    guard !isShort else { return }
    isShort = true
    shortage.again { [weak self] in
      self?.isShort = false
      self?.pump()
    }
  }

  private func ended(_ entry: ActionEntry, _ end: ActionEnd) {
    guard let run = running.removeValue(forKey: entry.action.key) else { return }
    lanes.remove(entry.command.lane)
    if end.durationUsec > 0 { isShortLogged = false }
    shortage.relieved()
    recordEnd(entry, end)
    store.whenDurable { run.release() }
    if let output = run.leftOutput {
      keepReading(output, as: ActionRun.outputName(entry.action.key))
    }
    pumpLater()
  }

  /// Records the end of a command in the ledger, and logs a failure.
  private func recordEnd(_ entry: ActionEntry, _ end: ActionEnd) {
    store.record(note(entry), end: end, timer: timer(entry))
    store.save(.over(entry.action.key))
    guard end.outcome.isFailure else { return }
    // If many commands of a lane are dropped, only the first is logged.
    if end.outcome == .dropped, !flooding.insert(entry.command.lane).inserted { return }
    let whose = entry.command.timer.map { "\($0.name): " } ?? ""
    Log.write(
      .warning, "\(whose)\(entry.command.title) \(end.outcome.sentence)",
      [
        ("NIGHTJAR_EVENT", Wire.EventType.actionEnded.rawValue),
        ("NIGHTJAR_SEQ", "\(entry.action.key.seq)"),
        ("NIGHTJAR_OUTCOME", "\(end.outcome.name)"),
      ])
  }

  private func note(_ entry: ActionEntry) -> ActionNote {
    ActionNote(
      key: entry.action.key, attempt: entry.action.attempt, command: entry.command.title)
  }

  private func timer(_ entry: ActionEntry) -> (name: String, id: Int64)? {
    entry.command.timer.map { (newNames[$0.id] ?? $0.name, $0.id) }
  }

  /// Stores the new name of a timer while there are commands with the old one.
  private func follow(_ event: Event) {
    guard case .renamedTo(let name) = event.kind, let id = event.subject?.id else { return }
    if running.isEmpty, waiting.isEmpty, frontier == nil { newNames = [:] }
    newNames[id] = name
  }

  /// Keeps reading an output after the end of its command. If there are too many such outputs, the
  /// oldest is closed.
  private func keepReading(_ output: ActionOutput, as name: String) {
    leftovers.append((name, output))
    output.discardRest { [weak self, unowned output] in
      self?.leftovers.removeAll { $0.output === output }
    }
    if leftovers.count > Limits.leftoversAtOnce {
      ServiceManager.unstore(leftovers.removeFirst().name)
    }
  }

  /// Called when the daemon exits. Services run on, and the next process finds them. Children run
  /// on too, but the daemon does not see their end.
  package func end() {
    isEnding = true
    for run in running.values.filter(\.isChild) { run.detach() }
  }
}
