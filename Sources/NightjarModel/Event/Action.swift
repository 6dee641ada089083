/// Which command was called for, and by what.
public struct ActionNote: Equatable, Sendable {
  /// Whose command it is.
  public enum Owner: Equatable, Sendable {
    /// Of the timer that the event is about.
    case subject
    /// Of a timer that is not there any more.
    case former(name: String, id: Int64)
    /// Of nobody: something happened to the machine.
    case machine
  }

  /// Whose command it is.
  public var owner: Owner
  /// The event that called for it, and which of those it is that the event called for.
  public var key: PendingAction.Key
  /// Which time it is that it was started, from 1; 0: it never was.
  public var attempt: Int64
  /// What it is called, for people.
  public var command: String

  /// Makes a note.
  public init(
    owner: Owner = .machine, key: PendingAction.Key, attempt: Int64, command: String
  ) {
    self.owner = owner
    self.key = key
    self.attempt = attempt
    self.command = command
  }
}

/// What became of a command.
public struct ActionEnd: Equatable, Sendable {
  /// How it ended.
  public var outcome: ActionOutcome
  /// How long it ran, in microseconds of CLOCK_MONOTONIC.
  public var durationUsec: Int64
  /// How many bytes it printed while it ran.
  public var printedBytes: Int64
  /// How many of those are not in the log.
  public var droppedBytes: Int64
  /// The last lines that it printed: at most `Limits.lastLines`, of at most `Limits.lastLineBytes` each. None
  /// are kept of a command that did not fail.
  public var lastLines: [String]

  /// Makes an end.
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

/// A command of a timer, or a hook for an event of it, that failed: what is kept with the timer until a client
/// dismisses it. A class, because few timers have one and all are moved: it is one word of them.
public final class CommandFailure: Equatable, Sendable {
  /// The number of the event that called for the command.
  public let callingSeq: Int64
  /// CLOCK_REALTIME when it ended.
  public let timeUsec: Int64
  /// What it is called, for people.
  public let command: String
  /// How it ended.
  public let outcome: ActionOutcome
  /// The last lines that it printed, as in `ActionEnd`.
  public let lastLines: [String]

  /// Makes one.
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

  /// Equal in everything.
  public static func == (a: CommandFailure, b: CommandFailure) -> Bool {
    a.callingSeq == b.callingSeq && a.timeUsec == b.timeUsec && a.command == b.command
      && a.outcome == b.outcome && a.lastLines == b.lastLines
  }
}

/// How a command ended.
public enum ActionOutcome: Equatable, Sendable {
  /// By itself, with this exit status.
  case exited(status: Int64)
  /// By a signal that was not ours.
  case signalled(Int64)
  /// It took longer than it may, and was ended.
  case timedOut
  /// It could not be started; why.
  case notStarted(String)
  /// So many attempts have not seen it end: it is not tried again.
  case givenUp
  /// More were waiting than may.
  case dropped
  /// It was left running by a daemon that ended, with nobody to see how it ends.
  case unseen

  /// It is not run, because its timer was cancelled or removed.
  public static let timerCancelled = notStarted("its timer was cancelled")
  /// Likewise.
  public static let timerRemoved = notStarted("its timer was removed")

  /// Whether the user should know of it. A command whose end is not known may have done its work.
  public var isFailure: Bool {
    switch self {
    case .exited(let status): status != 0
    case .notStarted: self != .timerCancelled && self != .timerRemoved
    case .signalled, .timedOut, .givenUp, .dropped: true
    case .unseen: false
    }
  }
}

/// A command that an event calls for and that has not come to its end: kept on disk, from the commit of
/// the event to that of the end.
public struct PendingAction: Equatable, Sendable {
  /// What tells it from all others.
  public struct Key: Hashable, Comparable, Sendable {
    /// The number of the event.
    public var seq: Int64
    /// Which of those it is that the event calls for: 0 is the timer's own.
    public var number: Int64

    /// Makes a key.
    public init(seq: Int64, number: Int64) {
      self.seq = seq
      self.number = number
    }

    /// In the order of the events.
    public static func < (left: Key, right: Key) -> Bool {
      (left.seq, left.number) < (right.seq, right.number)
    }
  }

  /// What tells it from all others.
  public var key: Key
  /// How often it was started.
  public var attempt: Int64
  /// What is to be run, as whoever runs it wrote it down.
  public var command: [UInt8]

  /// Makes one.
  public init(key: Key, attempt: Int64 = 0, command: [UInt8]) {
    self.key = key
    self.attempt = attempt
    self.command = command
  }
}

/// What happens to the commands that are kept on disk.
public enum ActionChange: Equatable, Sendable {
  /// An event calls for one.
  case called(PendingAction)
  /// One is started for the `attempt`th time.
  case begun(PendingAction.Key, attempt: Int64)
  /// One has ended.
  case over(PendingAction.Key)
}
