/// A command, and the event that called it.
public struct ActionNote: Equatable, Sendable {
  /// The timer that the command belongs to.
  public enum Owner: Equatable, Sendable {
    /// The timer that this event is about.
    case subject
    /// A timer that does not exist any more.
    case former(name: String, id: Int64)
    /// No timer: the event that called the command is about the machine.
    case machine
  }

  public var owner: Owner
  /// The event that called the command, and the command's number among the commands of this event.
  public var key: PendingAction.Key
  /// How often the command has been started, this time included; 0: never.
  public var attempt: Int64
  /// The command's name for people.
  public var command: String

  public init(
    owner: Owner = .machine, key: PendingAction.Key, attempt: Int64, command: String
  ) {
    self.owner = owner
    self.key = key
    self.attempt = attempt
    self.command = command
  }
}

public struct ActionEnd: Equatable, Sendable {
  public var outcome: ActionOutcome
  /// How long the command ran on CLOCK_MONOTONIC, in microseconds.
  public var durationUsec: Int64
  /// How many bytes the command printed while it ran.
  public var printedBytes: Int64
  /// How many of the printed bytes are not in the log.
  public var droppedBytes: Int64
  /// The last lines that the command printed: at most `Limits.lastLines`, of at most
  /// `Limits.lastLineBytes` each. Empty if the command did not fail.
  public var lastLines: [String]

  public init(
    _ outcome: ActionOutcome, durationUsec: Int64 = 0, printedBytes: Int64 = 0,
    droppedBytes: Int64 = 0, lastLines: [String] = []
  ) {
    self.outcome = outcome
    self.durationUsec = durationUsec
    self.printedBytes = printedBytes
    self.droppedBytes = droppedBytes
    self.lastLines = lastLines
  }
}

/// A failed command of a timer, or a failed hook for one of the timer's events. The timer keeps it
/// until a client dismisses it.
public struct CommandFailure: Equatable, Sendable {
  /// The number of the event that called the command.
  public var callingSeq: Int64
  /// CLOCK_REALTIME when the command ended.
  public var timeUsec: Int64
  /// The command's name for people.
  public var command: String
  public var outcome: ActionOutcome
  /// The last lines that the command printed, as in `ActionEnd`.
  public var lastLines: [String]

  public init(
    callingSeq: Int64, timeUsec: Int64, command: String, outcome: ActionOutcome,
    lastLines: [String]
  ) {
    self.callingSeq = callingSeq
    self.timeUsec = timeUsec
    self.command = command
    self.outcome = outcome
    self.lastLines = lastLines
  }
}

public enum ActionOutcome: Equatable, Sendable {
  case exited(status: Int64)
  /// A signal that the daemon did not send killed the command.
  case signalled(Int64)
  /// The command ran longer than allowed, so the daemon ended it.
  case timedOut
  /// The command could not be started, for this reason.
  case notStarted(String)
  /// The daemon started the command `Limits.actionAttempts` times without seeing its end, and does
  /// not start it again.
  case givenUp
  /// The command was dropped because too many commands were waiting.
  case dropped
  /// The daemon ended while the command ran, so its end is not known.
  case unseen

  /// The command is not run, because its timer was cancelled.
  public static let timerCancelled = notStarted("its timer was cancelled")
  /// The command is not run, because its timer was removed.
  public static let timerRemoved = notStarted("its timer was removed")

  /// Whether the user should learn of this outcome. If the end of a command is not known, it may
  /// have succeeded, so that is no failure.
  public var isFailure: Bool {
    switch self {
    case .exited(let status): status != 0
    case .notStarted: self != .timerCancelled && self != .timerRemoved
    case .signalled, .timedOut, .givenUp, .dropped: true
    case .unseen: false
    }
  }
}

/// A command that an event called and that has not ended. The command is stored on disk together
/// with its event, and is deleted together with the event of its end.
public struct PendingAction: Equatable, Sendable {
  /// Identifies one call of a command.
  public struct Key: Hashable, Comparable, Sendable {
    public var seq: Int64
    /// The number of the command among the commands that the event called; 0 is the timer's own
    /// command.
    public var number: Int64

    public init(seq: Int64, number: Int64) {
      self.seq = seq
      self.number = number
    }

    /// By the number of the event, then by the number of the command.
    public static func < (left: Key, right: Key) -> Bool {
      (left.seq, left.number) < (right.seq, right.number)
    }
  }

  /// The event that called the command, and the command's number among those of this event.
  public var key: Key
  /// How often the command has been started.
  public var attempt: Int64
  /// The command, encoded by the code that runs it.
  public var command: [UInt8]

  public init(key: Key, attempt: Int64 = 0, command: [UInt8]) {
    self.key = key
    self.attempt = attempt
    self.command = command
  }
}

/// A change of the pending commands on disk.
public enum ActionChange: Equatable, Sendable {
  /// An event called a command.
  case called(PendingAction)
  /// The command is started for the `attempt`th time.
  case begun(PendingAction.Key, attempt: Int64)
  case over(PendingAction.Key)
}
