/// Every limit of the protocol, by name, in one place.
public enum Limits {
  /// A message in bytes, without its NUL. A longer one closes the connection.
  public static let frameBytes = 128 * 1024
  /// How deep a message's objects and arrays may nest.
  public static let nestingDepth = 32
  /// How deep a timer's data may nest: less, for in a page of timers four levels are around it, and
  /// whoever reads that has the same limit.
  public static let dataDepth = nestingDepth - 4
  /// A timer's name in bytes of UTF-8.
  public static let nameBytes = 255
  /// A timer's free data in bytes of JSON, as sent.
  public static let dataBytes = 4096
  /// How many labels a timer may have.
  public static let labels = 32
  /// A label's key in bytes of UTF-8.
  public static let labelKeyBytes = 63
  /// A label's value in bytes of UTF-8.
  public static let labelValueBytes = 255
  /// A duration in microseconds: 100 years of 365.25 days.
  public static let durationUsec: Int64 = 100 * 31_557_600_000_000
  /// A calendar expression in bytes of UTF-8.
  public static let calendarBytes = 1024
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
  /// A number in bytes of JSON, where it is read as floating point. No double needs more than 1,100
  /// to be told exactly.
  public static let numberBytes = 1100
}
