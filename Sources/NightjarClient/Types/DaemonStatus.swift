package import NightjarWire

/// How the daemon is; the answer to `Status`.
public struct DaemonStatus: Equatable, Sendable {
  /// How many timers there are in each state, and who is connected.
  public struct Counts: Equatable, Sendable {
    /// Timers that run.
    public let running: Int64
    /// Timers that are paused.
    public let paused: Int64
    /// Timers that rang and wait to be dismissed.
    public let fired: Int64
    /// Timers that were cancelled.
    public let cancelled: Int64
    /// Sequences that wait for their next step to be asked for.
    public let waiting: Int64
    /// Connections.
    public let clients: Int64
    /// Connections that watch, or follow the ledger.
    public let watchers: Int64
  }

  /// One reading of the clocks.
  public struct Clocks: Equatable, Sendable {
    /// CLOCK_REALTIME in microseconds since the epoch.
    package let realtimeUsec: Int64
    /// CLOCK_BOOTTIME in microseconds.
    package let boottimeUsec: Int64
    /// CLOCK_MONOTONIC in microseconds.
    package let monotonicUsec: Int64
    /// The kernel's ID of this boot.
    public let bootID: String
  }

  /// How many commands of timers and hooks there are.
  public struct Commands: Equatable, Sendable {
    /// Those that run.
    public let running: Int64
    /// Those that wait for one to end.
    public let waiting: Int64
  }

  /// The disk.
  public struct Storage: Equatable, Sendable {
    /// What is acknowledged is on disk.
    public let isGood: Bool
    /// Why not.
    public let reason: String?
    /// The folder.
    public let stateDirectory: String
    /// The version of the database's schema.
    public let schemaVersion: Int64
    /// What tells the ledger, in which events are numbered, from every other; nil from a daemon that
    /// does not tell.
    public let ledger: String?
    /// The first event that is kept.
    public let oldestSeq: Int64
    /// The last event there is; 0 if there is none.
    public let lastSeq: Int64
    /// Where a damaged database was put.
    public let setAside: String?
    /// What was found to be missing since the daemon was started; nil if nothing is.
    public let loss: Loss?
  }

  /// Something happened to the database that cannot have been the daemon.
  public struct Loss: Equatable, Sendable {
    /// What was found.
    public let reason: String
    /// The numbers of the events that are missing; nil: none is known to be.
    public let missing: ClosedRange<Int64>?
    /// The file, in the state folder, that has what was found.
    public let keptAs: String?
  }

  /// The version of the daemon.
  public let version: String
  /// Its process.
  public let processID: Int64
  /// When it was started, in microseconds since the epoch.
  package let startedUsec: Int64
  /// Since when it has been in the foreground; nil while a span is open.
  package let foregroundSinceUsec: Int64?
  /// The span that is open.
  public let openSpan: BackgroundSpan?
  /// The span that was left last.
  public let lastSpan: BackgroundSpan?
  /// How many timers and clients there are.
  public let counts: Counts
  /// The timer that rings next.
  public let nextName: String?
  /// When it rings, in microseconds since the epoch.
  package let nextUsec: Int64?
  /// The clocks, read once.
  public let clocks: Clocks
  /// The kernel says that the wall clock is synchronised.
  public let isClockSynchronized: Bool
  /// The disk.
  public let storage: Storage
  /// logind's sleep signals reach the daemon.
  public let isSleepSeen: Bool
  /// A delay inhibitor is held.
  public let hasSleepInhibitor: Bool
  /// Why sleep is not seen.
  public let sleepReason: String?
  /// The machine is kept from sleeping, for a timer woke it that nobody has seen yet.
  public let isKeptAwake: Bool
  /// Whether a timer could wake the machine.
  public let wake: Wake
  /// How many commands of timers and hooks run and wait; nil from a daemon that does not tell.
  public let commands: Commands?
  /// Whether a ring would be noticed; nil from a daemon that does not tell.
  public let ring: RingReport?
  /// The longest that the daemon has done one thing after another without looking for what else there
  /// is, in microseconds; nil from a daemon that does not tell.
  package let longestPassUsec: Int64?
  /// Something that was survived, and that somebody should know.
  public let warning: String?

  /// Reads the status from what the daemon sent.
  ///
  /// - Parameter json: the parameters of the reply to `Status`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "status")
    version = try fields.string("version")
    processID = try fields.integer("pid")
    startedUsec = try fields.integer("started_usec")
    foregroundSinceUsec = try fields.optionalInteger("foreground_since_usec")
    openSpan = try Self.span(fields["open_span"])
    lastSpan = try Self.span(fields["last_span"])
    counts = try Counts(fields.object("counts"))
    nextName = try fields.optionalString("next_name")
    nextUsec = try fields.optionalInteger("next_usec")
    clocks = try Clocks(fields.object("clocks"))
    isClockSynchronized = try fields.bool("clock_synchronized")
    storage = try Storage(fields.object("storage"))
    let sleep = try fields.object("sleep")
    isSleepSeen = try sleep.bool("seen")
    hasSleepInhibitor = try sleep.bool("inhibitor")
    sleepReason = try sleep.optionalString("reason")
    isKeptAwake = try sleep.optionalBool("kept_awake") ?? false
    wake = try Wake(fields["wake"] ?? .null)
    ring = try fields["ring"].map { (json) throws(ClientError) in try RingReport(json) }
    commands = try fields["commands"].map { (json) throws(ClientError) in try Commands(json) }
    longestPassUsec = try fields.optionalInteger("longest_pass_usec")
    warning = try fields.optionalString("warning")
  }

  private static func span(_ json: JSONValue?) throws(ClientError) -> BackgroundSpan? {
    guard let json else { return nil }
    return try BackgroundSpan(json)
  }
}

extension DaemonStatus.Counts {
  fileprivate init(_ fields: Fields) throws(ClientError) {
    running = try fields.integer("running")
    paused = try fields.integer("paused")
    fired = try fields.integer("fired")
    cancelled = try fields.integer("cancelled")
    waiting = try fields.optionalInteger("waiting") ?? 0
    clients = try fields.integer("clients")
    watchers = try fields.integer("watchers")
  }
}

extension DaemonStatus.Clocks {
  fileprivate init(_ fields: Fields) throws(ClientError) {
    realtimeUsec = try fields.integer("realtime_usec")
    boottimeUsec = try fields.integer("boottime_usec")
    monotonicUsec = try fields.integer("monotonic_usec")
    bootID = try fields.string("boot_id")
  }
}

extension DaemonStatus.Commands {
  fileprivate init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "commands")
    running = try fields.integer("running")
    waiting = try fields.integer("waiting")
  }
}

extension DaemonStatus.Storage {
  fileprivate init(_ fields: Fields) throws(ClientError) {
    isGood = try fields.bool("ok")
    reason = try fields.optionalString("reason")
    stateDirectory = try fields.string("state_directory")
    schemaVersion = try fields.integer("schema_version")
    ledger = try fields.optionalString("ledger")
    oldestSeq = try fields.integer("oldest_seq")
    lastSeq = try fields.integer("last_seq")
    setAside = try fields.optionalString("set_aside")
    loss = try fields["loss"].map { (json) throws(ClientError) in try DaemonStatus.Loss(json) }
  }
}

extension DaemonStatus.Loss {
  fileprivate init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "loss")
    reason = try fields.string("reason")
    let first = try fields.optionalInteger("first_seq")
    let last = try fields.optionalInteger("last_seq")
    missing = if let first, let last, first <= last { first...last } else { nil }
    keptAs = try fields.optionalString("kept_as")
  }
}
