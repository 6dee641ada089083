internal import Glibc
internal import NightjarActions
internal import NightjarDesktop
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarService
internal import NightjarStore
internal import NightjarSystem
internal import NightjarTrust
internal import Varlink

/// Where a daemon listens, stores its state and finds its configuration.
public struct DaemonConfiguration: Sendable {
  /// The path of the socket to create, unless the service manager passes a socket to the daemon.
  public var socketPath: String
  public var stateFolder: String
  /// The file with the configuration of the daemon; nil if there is none.
  public var configPath: String?
  /// Whether the user named the configuration file with `--config`. The file then has to exist.
  public var requiresConfig: Bool

  /// Makes a configuration of absolute paths.
  public init(
    socketPath: String, stateFolder: String, configPath: String? = nil, requiresConfig: Bool = false
  ) {
    self.socketPath = socketPath
    self.stateFolder = stateFolder
    self.configPath = configPath
    self.requiresConfig = requiresConfig
  }
}

/// Why a daemon did not start, in one sentence that says what the user can do.
public struct StartFailure: Error, CustomStringConvertible, Sendable {
  public let description: String
}

/// Creates the daemon's parts and connects them.
public final class Daemon {
  /// How often, in microseconds, the daemon writes the anchor (the present reading of all clocks)
  /// while an `awake` timer runs. If the machine crashes and reboots, the time since the last
  /// anchor is not subtracted from such a timer.
  static let anchorUsec: Int64 = 300_000_000

  private let loop: EventLoop
  private let clock: LoopClock
  private let folder: StateFolder
  private let thread: CommitThread
  private let core: TimerCore
  private let commits: Commits
  // Created last, because the lifecycle uses the other parts.
  private var lifecycle: Lifecycle!
  private let server: Server
  private let statusLine: StatusLine
  private let synchronization: Synchronization
  private let stepNotice: ClockStepNotice
  private let waker: Waker
  private let notifier: Notifier
  private let calendar: ZoneCalendar
  private let zoneWatch: ZoneWatch
  private let actions: Actions
  private let settings: Settings
  private let report: Reporter
  private let timers: (elapsed: TimerSource, awake: TimerSource, wall: TimerSource)
  private let anchorTimer: TimerSource
  /// Descriptors of listening sockets, open until the process exits.
  private let listeners: [Int32]

  /// Locks the state folder, reads the state of the last run, and listens. No timer rings before
  /// `run()`.
  public init(_ configuration: DaemonConfiguration) throws(StartFailure) {
    Signals.ignorePipe()
    // The commit thread inherits the signal mask, so the signals are blocked before that thread
    // starts.
    Signals.block(Lifecycle.signals + [SIGCHLD])
    do {
      let loop = try EventLoop()
      let clock = LoopClock(now: Clocks.read())
      let folder = try StateFolder(path: configuration.stateFolder)
      let calendar = ZoneCalendar { Log.write(.warning, $0) }
      let settings = Settings(
        path: configuration.configPath, isRequired: configuration.requiresConfig)
      let (storage, loss) = try Self.open(folder, calendar, settings.current, at: clock.now)
      let (thread, reader, core) = storage
      let rings = RingDecoder(engine: core.engine)
      let notifier = try Notifier(
        loop: loop, timers: EngineRings(core: core, clock: clock, rings: rings),
        clock: clock, wallTime: calendar.wallTime, settings: { settings.current.desktop },
        note: Note(path: "\(configuration.socketPath).popups"))
      let commits = try Commits(
        loop: loop, core: core, thread: thread, reader: reader, clock: clock, loss: loss,
        warn: { notifier.warn(ofLoss: $0.description) })
      let given = try ServiceManager.listenDescriptors()
      let listeners = try Self.listen(at: configuration.socketPath, given, folder)
      let report = Reporter(
        folder: folder, settings: settings, notifier: notifier, commits: commits, clock: clock)
      let methods = Methods(
        core: core, calendar: calendar,
        dependencies: Methods.Dependencies(
          reader: reader,
          status: { [unowned core] in report.report(core: core) },
          testRing: {
            RingTestStream(notifier.testRing) { report.server?.continueStream(with: $0) }
          },
          holdRings: {
            HoldStream(
              begin: notifier.holdRings, end: notifier.endHold,
              onReady: { report.server?.continueStream(with: $0) })
          },
          releaseRings: notifier.releaseRings,
          reportReadFailure: { [unowned commits] what, error in
            Log.write(.error, "\(what) could not be read for a client: \(error)")
            // If only a row is damaged, all other rows are safe. But if the file is damaged, the
            // next write may destroy the rest of the file.
            guard case .sqlite = error, error.isDamage, folder.isReadable else { return }
            commits.replaceDatabase(error)
          })
      ) { settings.current.specs }
      let shortage = try Shortage(loop: loop)
      // Observers are called in the order of registration. The server registers first, and so has
      // queued an event for the clients before any other observer reacts to it.
      let server = try Server(
        loop: loop, core: core, methods: methods, clock: clock, listeners: listeners,
        shortage: shortage)
      report.server = server
      self.report = report
      core.bus.register(notifier)
      statusLine = try StatusLine(loop: loop, core: core, clock: clock)
      report.statusLine = statusLine
      waker = try Waker(loop: loop, core: core, clock: clock)
      zoneWatch = try ZoneWatch(loop: loop, calendar: calendar, core: core, clock: clock)
      let storedActions = StoredActions(
        core: core, reader: reader, commits: commits, clock: clock, rings: rings,
        socketPath: configuration.socketPath)
      actions = try Actions(
        loop: loop, bus: core.bus, store: storedActions, shortage: shortage,
        stateFolder: configuration.stateFolder, configPath: configuration.configPath,
        given: given)
      report.actions = actions
      (self.calendar, self.settings) = (calendar, settings)
      synchronization = try Synchronization(loop: loop, core: core, clock: clock)
      report.synchronization = synchronization
      // These sources only have to wake the loop, because every iteration compares the clocks and
      // handles the timers that are due.
      stepNotice = try ClockStepNotice(
        loop: loop, onChange: {},
        onFailure: {
          Log.write(.warning, "the daemon notices steps of the clock only when it wakes up: \($0)")
        })
      timers = (
        elapsed: try loop.timer(on: .boottime, priority: -5) {},
        awake: try loop.timer(on: .monotonic, priority: -5) {},
        wall: try loop.timer(on: .realtime, priority: -5) {}
      )
      anchorTimer = try loop.timer(on: .monotonic) { [unowned core] in
        core.journal.requestAnchor()
      }
      (self.loop, self.clock, self.folder, self.thread) = (loop, clock, folder, thread)
      (self.core, self.commits) = (core, commits)
      (self.server, self.listeners, self.notifier) = (server, listeners, notifier)
      lifecycle = try Lifecycle(loop: loop, core: core, commits: commits, clock: clock) {
        [unowned self] in lifecycleChanged($0)
      }
      report.lifecycle = lifecycle
    } catch let error as StartFailure {
      throw error
    } catch {
      throw StartFailure(description: "\(error)")
    }
    connect()
  }

  private func lifecycleChanged(_ transition: Lifecycle.Transition) {
    switch transition {
    case .reload: reload()
    case .stopping:
      server.deliverEverything()
      waker.disarm()
    case .continued: statusLine.send()
    case .terminating:
      server.end()
      actions.end()
      notifier.end()
    }
  }

  private func connect() {
    loop.onIterationBegin = { [unowned self] moment in
      clock.begin(moment)
      let last = core.background.last?.id
      core.beginIteration(at: moment) { [unowned self] in
        synchronization.ask()
        return clock.now
      }
      if core.background.last?.id != last { lifecycle.resynchronise() }
    }
    loop.onIterationEnd = { [unowned self] in endIteration() }
  }

  /// Continues where the last run ended, notifies the service manager when all timers are armed,
  /// and runs the loop until a signal ends the daemon.
  ///
  /// - Returns: the exit code.
  public func run() throws(StartFailure) -> Int32 {
    do {
      let (moment, isSynchronized) = synchronization.read()
      clock.begin(moment)
      try actions.resume()
      core.start(
        at: clock.now, downSince: UserManager.lastExitMonotonicUsec, synchronized: isSynchronized,
        zone: calendar.zone)
      endIteration()
      lifecycle.watchSleep()
      if ServiceManager.watchdogUsec != nil { _ = try loop.enableWatchdog(true) }
      // The kernel's timers are armed when the loop begins to wait. This block runs after that.
      loop.later { [unowned self] in ready() }
      let code = try loop.run()
      statusLine.logRest()
      server.log.flush()
      for notice in thread.close() { Log.write(.warning, notice) }
      return code
    } catch {
      throw StartFailure(description: "the event loop failed: \(error)")
    }
  }

  private func ready() {
    ServiceManager.notify("READY=1")
    statusLine.send()
    // The first iterations use memory that only the start needs. The daemon returns it to the
    // kernel when it sends the next status line.
    statusLine.sendSoon()
    if let loss = commits.loss { notifier.warn(ofLoss: loss.description) }
    let running = core.engine.counts[Int(TimerState.running.rawValue)]
    Log.write(.info, "ready; timers running: \(running)")
  }

  private func endIteration() {
    guard !commits.isLost else { return }
    synchronization.iterationWillEnd()
    server.iterationEnded()
    let (wake, isMoreDue) = core.endIteration(at: clock.now)
    // If more timers are due than one iteration may handle, request another iteration. A kernel
    // timer that is armed in the past would starve the clients, because timers have a higher
    // priority.
    timers.elapsed.arm(atUsec: isMoreDue ? nil : wake.boottimeUsec)
    timers.awake.arm(atUsec: isMoreDue ? nil : wake.monotonicUsec)
    timers.wall.arm(atUsec: isMoreDue ? nil : wake.realtimeUsec)
    if isMoreDue { loop.requestIteration() }
    waker.iterationEnded()
    lifecycle.keepAwake(waker.isKeepingAwake)
    armAnchor()
    statusLine.iterationEnded()
    clock.end()
  }

  private var anchorAtUsec: Int64?

  private func armAnchor() {
    let now = clock.now.monotonicUsec
    if !core.engine.hasAwakeTimers {
      anchorAtUsec = nil
    } else if anchorAtUsec ?? 0 <= now {
      anchorAtUsec = now + Self.anchorUsec
    }
    anchorTimer.arm(atUsec: anchorAtUsec)
  }

  private func reload() {
    ServiceManager.notify("RELOADING=1\nMONOTONIC_USEC=\(clock.now.monotonicUsec)")
    // Hooks first, because a change of the zone may call one.
    actions.reload()
    zoneWatch.look()
    if settings.reload() {
      core.background.clockWaitUsec = settings.current.clockWaitUsec
      core.engine.maximumTimers = settings.current.maximumTimers
      core.engine.usualRing = settings.current.desktop.rings.usual
      thread.setRetention(settings.current.retention)
      // The new retention applies with the next commit. Request a commit, because there may be no
      // other reason for one.
      core.journal.requestAnchor()
    }
    Log.write(.info, "reloaded; no timer was touched")
    ServiceManager.notify("READY=1")
    statusLine.send()
  }
}

// MARK: - Start

extension Daemon {
  private typealias Storage = (CommitThread, LedgerReader, TimerCore)

  /// Opens the database and reads it. A damaged database is set aside, and an empty one takes its
  /// place. The daemon then runs without the timers of the damaged database, but their file is
  /// kept.
  private static func open(
    _ folder: StateFolder, _ calendar: ZoneCalendar, _ settings: DaemonSettings, at now: Moment
  ) throws(StoreError) -> (Storage, StorageLoss?) {
    do {
      return try found(folder, calendar, settings, at: now)
    } catch  where error.isDamage {
      // SQLite reports a read that fails with EIO as damage (SQLITE_IOERR_CORRUPTFS). A disk that
      // cannot be read now may be readable later, so its database is not set aside.
      try folder.checkReadable()
    }
    do {
      return try found(folder, calendar, settings, at: now)
    } catch  where error.isDamage {
      let loss = try folder.setDatabaseAside(
        stamp: now.realtimeUsec / 1_000_000, reason: error.description)
      Log.write(
        .error, "\(error); it was set aside as \(folder.setAside ?? "") and a new one begun",
        [("NIGHTJAR_STORE", "damaged")])
      return (try attempt(folder, calendar, settings, at: now), loss)
    }
  }

  private static func found(
    _ folder: StateFolder, _ calendar: ZoneCalendar, _ settings: DaemonSettings, at now: Moment
  ) throws(StoreError) -> (Storage, StorageLoss?) {
    let storage = try attempt(folder, calendar, settings, at: now)
    if let loss = storage.0.loss { Log.write(loss) }
    return (storage, storage.0.loss)
  }

  private static func attempt(
    _ folder: StateFolder, _ calendar: ZoneCalendar, _ settings: DaemonSettings, at now: Moment
  ) throws(StoreError) -> Storage {
    let thread = try CommitThread(
      folder: folder, retention: settings.retention, stamp: now.realtimeUsec / 1_000_000)
    let reader = try LedgerReader(folder: folder)
    try reader.checkActions()
    let core = try TimerCore(
      reader: reader, committer: thread, calendar: calendar,
      maximumTimers: settings.maximumTimers, at: now)
    core.background.clockWaitUsec = settings.clockWaitUsec
    core.engine.usualRing = settings.desktop.rings.usual
    return (thread, reader, core)
  }

  /// The sockets that the service manager has passed to the daemon; if there are none, a socket
  /// that the daemon binds itself.
  private static func listen(
    at path: String, _ given: [(name: String, descriptor: Int32)], _ folder: StateFolder
  ) throws -> [Int32] {
    let sockets = given.filter { ["varlink", "connection", "unknown"].contains($0.name) }
    if !sockets.isEmpty { return sockets.map(\.descriptor) }
    do throws(Distrust) {
      // A user who can write to the folder could replace the daemon's socket by another one.
      try TrustRule.namedFolder.check(UnixSocket.parent(of: path))
    } catch {
      throw StartFailure(
        description: "cannot listen at \(path): \(error); or name another socket with --socket")
    }
    do {
      let own = try UnixSocket.listen(
        path: path, backlog: Int32(Limits.connections),
        isFolderLocked: folder.isFolder(at: UnixSocket.parent(of: path)))
      return [own.take()]
    } catch let error where error.code == EADDRINUSE {
      throw StartFailure(
        description: "another daemon answers at \(path); stop it first, or name another socket "
          + "with --socket")
    } catch {
      throw StartFailure(
        description: "cannot listen at \(path): \(error); name another socket with --socket")
    }
  }
}

/// What the methods need of parts of the daemon that are created after the methods: the values that
/// `Status` reports, and the server, which continues streams.
private final class Reporter {
  weak var server: Server?
  weak var lifecycle: Lifecycle?
  weak var actions: Actions?
  weak var statusLine: StatusLine?
  weak var synchronization: Synchronization?
  private let folder: StateFolder
  private let settings: Settings
  private let notifier: Notifier
  private let commits: Commits
  private let clock: LoopClock
  private let startedUsec: Int64

  init(
    folder: StateFolder, settings: Settings, notifier: Notifier, commits: Commits, clock: LoopClock
  ) {
    self.folder = folder
    self.settings = settings
    self.notifier = notifier
    self.commits = commits
    self.clock = clock
    startedUsec = clock.now.realtimeUsec
  }

  func report(core: TimerCore) -> StatusReport {
    // Returns the memory for the report to the kernel. Otherwise it would stay resident in an idle
    // daemon.
    statusLine?.sendSoon()
    var report = StatusReport(
      pid: getpid(), startedUsec: startedUsec,
      storage: StatusReport.Storage(
        folder: folder.path, schemaVersion: LedgerReader.schemaVersion, setAside: folder.setAside,
        loss: commits.loss),
      ring: notifier.ringCheck)
    report.longestPassUsec = clock.longestUsec
    report.clients = server?.sessionCount ?? 0
    report.watchers = server?.watcherCount ?? 0
    if let synchronization { report.synchronized = synchronization.read().isSynchronized }
    if let actions { report.commands = actions.counts }
    if let lifecycle {
      (report.sleep, report.keepsAwake) = (lifecycle.sleep, lifecycle.keepsAwake)
      report.unseenPresence = lifecycle.unseenPresence
    }
    // The warning about the configuration comes last because it contains semicolons.
    let warnings = [lifecycle?.warning, commits.warning, settings.warning].compactMap { $0 }
    if !warnings.isEmpty { report.warning = warnings.joined(separator: "; ") }
    return report
  }
}
