/// Limits of the service, other than those of messages (`WireLimits`).
public enum Limits {
  /// How deep a timer's data may nest. A page of timers has four levels around it, so this is four levels
  /// less than a message may have (`WireLimits.nestingDepth`). Neither module imports the other; a test
  /// compares the two.
  public static let dataDepth = 28
  /// A timer's name in bytes of UTF-8.
  public static let nameBytes = 255
  /// A timer's free data in bytes of JSON, as sent.
  public static let dataBytes = 4096
  /// A timer's message in bytes of UTF-8.
  public static let messageBytes = 1024
  /// How many labels a timer may have.
  public static let labels = 32
  /// A label's key in bytes of UTF-8.
  public static let labelKeyBytes = 63
  /// A label's value in bytes of UTF-8.
  public static let labelValueBytes = 255
  /// A duration in microseconds: 100 years of 365.25 days.
  public static let durationUsec: Int64 = 100 * 31_557_600_000_000
  /// The same as sentences have it: `100 years`.
  public static var durationWords: String { "\(durationUsec / 31_557_600_000_000) years" }
  /// A calendar expression in bytes of UTF-8.
  public static let calendarBytes = 1024
  /// Days that a timer can leave out or end on, counted from 1970-01-01: to the end of 2199, as calendar
  /// expressions go.
  public static let days: ClosedRange<Int32> = 0...84_005
  /// Stretches of days that a timer leaves out.
  public static let exceptRanges = 512
  /// Rings that a timer passes over, of those to come.
  public static let skips = 64
  /// Timers, in whatever state.
  public static let timers = 4_000_000
  /// Connections at a time.
  public static let connections = 4096
  /// Streams that are kept across a restart of the daemon. The unit's `FileDescriptorStoreMax=` is
  /// one more, and `actionsAtOnce`.
  public static let keptStreams = 512
  /// The shortest tick of a watch, in microseconds.
  public static let tickUsec: Int64 = 10_000
  /// Timers in one page of a list.
  public static let pageTimers = 1000
  /// Bytes waiting for a client that does not read; beyond it, its requests wait too.
  public static let outputBytes = 256 * 1024
  /// Bytes waiting for all clients that watch or follow events and do not read, together; beyond it, those
  /// with the most are told to ask again.
  public static let watchersBytes = 16 * 1024 * 1024
  /// Events in one answer to `Why`, the newest.
  public static let whyEvents = 1000
  /// Spans in one answer to `Why`, the newest.
  public static let whySpans = 1000
  /// A command's words, with the program.
  public static let execWords = 256
  /// A command's words in bytes of UTF-8, in all.
  public static let execBytes = 8192
  /// Variables that a timer brings along for its command.
  public static let environmentVariables = 64
  /// The name of one of them in bytes.
  public static let variableNameBytes = 255
  /// Their names and values in bytes of UTF-8, in all.
  public static let environmentBytes = 16 * 1024
  /// How long a command may run that does not say, in microseconds: a minute.
  public static let execUsualUsec: Int64 = 60_000_000
  /// How long a command may run at the most, in microseconds: a day.
  public static let execLongestUsec: Int64 = 86_400_000_000
  /// A file's path in bytes: PATH_MAX of limits.h, without its NUL.
  public static let pathBytes = 4095
  /// Commands that run at a time; those of one timer, and those of one hook, run one by one.
  public static let actionsAtOnce = 8
  /// Commands that wait in memory; more wait on disk.
  public static let actionsWaiting = 512
  /// Commands of one timer, or of one hook, that wait; beyond it, the oldest is dropped.
  public static let actionsWaitingOfOne = 64
  /// How often a command is started whose end nobody sees.
  public static let actionAttempts: Int64 = 3
  /// What of a command's output is logged, in bytes.
  public static let loggedBytes = 64 * 1024
  /// The same in lines.
  public static let loggedLines = 1000
  /// A longer line of it is several.
  public static let loggedLineBytes = 2048
  /// How loud a ring is.
  public static let volume: ClosedRange<Int64> = 1...100
  /// The same as sentences have it: `from 1 to 100`.
  public static var volumeWords: String { "from \(volume.lowerBound) to \(volume.upperBound)" }
  /// Lines that are kept of those that a failed command printed last.
  public static let lastLines = 3
  /// A longer one is cut, in bytes.
  public static let lastLineBytes = 160
  /// The timers that a failure of a command is kept with. Beyond it, the oldest one is only in the ledger.
  public static let failures = 1_000
  /// How long a ring may last, in microseconds: an hour.
  public static let ringUsec: Int64 = 3_600_000_000
  /// How long a snooze is for which neither the user nor the configuration gives a time span.
  public static let usualSnoozeUsec: Int64 = 300_000_000
  /// How much later a timer may ring again that nobody answers, in microseconds: from a second to a day.
  public static let insistUsec: ClosedRange<Int64> = 1_000_000...86_400_000_000
  /// How often a timer rings for one expiry that nobody answers, the first ring included.
  public static let ringsOfExpiry: Int64 = 12
  /// Rings that last and whose end is awaited; of more at the same time, the others sound once.
  public static let ringsAtOnce = 256
  /// How long clients can hold back what is seen and heard of rings, in microseconds.
  public static let heldRingsUsec: Int64 = 5_000_000
  /// Bands of a timer.
  public static let bands = 64
  /// Steps of a sequence.
  public static let steps = 64
  /// The name of a band or a step, or of a colour, in bytes of UTF-8.
  public static let partNameBytes = 63
  /// The text of a band in bytes of UTF-8.
  public static let bandTextBytes = 255
  /// Rounds from one long one to the next. With it, what repeats is gone through in a bounded number of steps
  /// however long ago it was.
  public static let longEvery: Int64 = 100
  /// Rounds, other than without end.
  public static let rounds: Int64 = 1_000_000
  /// The shortest round or step, in microseconds: a shorter one would only fill the ledger.
  public static let shortestRoundUsec: Int64 = 100_000
  /// The same as sentences have it: `100 ms`.
  public static var shortestRoundWords: String { "\(shortestRoundUsec / 1000) ms" }
  /// For how long a change can be taken back, in microseconds of `elapsed`: a minute.
  public static let undoUsec: Int64 = 60_000_000
  /// Timers whose changes can be taken back, in all.
  public static let undoTimers = 10_000
  /// What holds changes together that are taken back together, in bytes of UTF-8.
  public static let undoIDBytes = 64
  /// The id that a client gives to a change, in bytes of UTF-8.
  public static let requestBytes = 64
  /// For how long the answer to a change with an id is kept, in microseconds of `elapsed`: a day.
  public static let requestUsec: Int64 = 86_400_000_000
  /// How many of these answers are kept; with more, the oldest are forgotten.
  public static let requests: Int64 = 10_000
  /// How long they may be together, in bytes; beyond it, the oldest are forgotten.
  public static let requestReplyBytes: Int64 = 16 * 1024 * 1024
  /// Laps of a stopwatch.
  public static let laps = 1000
}
