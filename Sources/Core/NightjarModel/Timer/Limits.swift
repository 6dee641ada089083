/// Limits of the service. The limits of messages are in `WireLimits`.
public enum Limits {
  /// How deep the JSON of a timer's data may nest. A page of timers adds four levels, so this is
  /// four less than `WireLimits.nestingDepth`, the limit for a message. Neither module imports the
  /// other; a test compares the two.
  public static let dataDepth = 28
  /// A timer's name in bytes of UTF-8.
  public static let nameBytes = 255
  /// A timer's free data in bytes of JSON, as sent.
  public static let dataBytes = 4096
  /// A timer's message in bytes of UTF-8.
  public static let messageBytes = 1024
  /// Labels of a timer.
  public static let labels = 32
  /// A label's key in bytes of UTF-8.
  public static let labelKeyBytes = 63
  /// A label's value in bytes of UTF-8.
  public static let labelValueBytes = 255
  /// A duration in microseconds: 100 years of 365.25 days.
  public static let durationUsec: Int64 = 100 * 31_557_600_000_000
  /// The same as text: `100 years`.
  public static var durationWords: String { "\(durationUsec / 31_557_600_000_000) years" }
  /// A calendar expression in bytes of UTF-8.
  public static let calendarBytes = 1024
  /// The days that a timer can exclude or end on, counted from 1970-01-01. The last is in 2199, as
  /// in calendar expressions.
  public static let days: ClosedRange<Int32> = 0...84_005
  /// Ranges of days that a timer excludes.
  public static let exceptRanges = 512
  /// Future expiries of a timer that are marked as skipped.
  public static let skips = 64
  /// Timers, in any state.
  public static let timers = 4_000_000
  /// Connections at a time.
  public static let connections = 4096
  /// The shortest tick of a watch, in microseconds.
  public static let tickUsec: Int64 = 10_000
  /// Timers in one page of a list.
  public static let pageTimers = 1000
  /// Bytes that wait, in total, for all clients that watch or follow events but do not read. Above
  /// this, the daemon ends the streams with the most bytes, and the clients of these streams must
  /// ask again.
  public static let watchersBytes = 16 * 1024 * 1024
  /// Events in one reply to `Why`. The reply has the newest ones.
  public static let whyEvents = 1000
  /// Background spans in one reply to `Why`. The reply has the newest ones.
  public static let whySpans = 1000
  /// Words of a command, including the program.
  public static let execWords = 256
  /// Bytes of UTF-8 in all words of a command.
  public static let execBytes = 8192
  /// Environment variables that a timer sets for its command.
  public static let environmentVariables = 64
  /// Bytes in the name of an environment variable.
  public static let variableNameBytes = 255
  /// Bytes of UTF-8 in the names and values of all environment variables of a timer.
  public static let environmentBytes = 16 * 1024
  /// How long a command may run if its timer sets no limit, in microseconds: a minute.
  public static let execUsualUsec: Int64 = 60_000_000
  /// The longest time that a timer can allow its command, in microseconds: a day.
  public static let execLongestUsec: Int64 = 86_400_000_000
  /// Bytes in the path of a file: PATH_MAX of limits.h without its NUL.
  public static let pathBytes = 4095
  /// Commands that run at the same time. Of one timer or one hook, only one command runs at a time.
  public static let actionsAtOnce = 8
  /// Commands that have ended and left processes behind, whose output is read at a time.
  /// `FileDescriptorStoreMax=` in the unit is this plus `actionsAtOnce`.
  public static let leftoversAtOnce = 16
  /// Commands that wait in memory. Further ones wait on disk.
  public static let actionsWaiting = 512
  /// Waiting commands of one timer or one hook. Above this, the oldest is dropped.
  public static let actionsWaitingOfOne = 64
  /// How often the daemon starts a command if it does not see the command's end.
  public static let actionAttempts: Int64 = 3
  /// Bytes of a command's output that are logged.
  public static let loggedBytes = 64 * 1024
  /// Lines of a command's output that are logged.
  public static let loggedLines = 1000
  /// Bytes in one line of the log; a longer line is split.
  public static let loggedLineBytes = 2048
  /// The range of a ring's volume.
  public static let volume: ClosedRange<Int64> = 1...100
  /// `volume` as text: `from 1 to 100`.
  public static var volumeWords: String { "from \(volume.lowerBound) to \(volume.upperBound)" }
  /// Last lines of a failed command that are stored.
  public static let lastLines = 3
  /// Bytes of each stored last line of a command; a longer line is cut.
  public static let lastLineBytes = 160
  /// Timers that have a stored failed command. Above this, the oldest failure is only in the
  /// ledger.
  public static let failures = 1_000
  /// The longest ring, in microseconds: an hour.
  public static let ringUsec: Int64 = 3_600_000_000
  /// The length of a snooze if neither the user nor the configuration sets one, in microseconds: 5
  /// minutes.
  public static let usualSnoozeUsec: Int64 = 300_000_000
  /// How long after a ring without an answer a timer may ring again, in microseconds: from a second
  /// to a day.
  public static let insistUsec: ClosedRange<Int64> = 1_000_000...86_400_000_000
  /// How often a timer rings for one expiry if the user does not answer, including the first ring.
  public static let ringsOfExpiry: Int64 = 12
  /// Expiries of a snoozed ring that can still leave it when the clock is set back.
  public static let joined = 64
  /// Rings that play until their end at the same time. Further ones sound once.
  public static let ringsAtOnce = 256
  /// How long a client can delay the popup and sound of rings, in microseconds.
  public static let heldRingsUsec: Int64 = 5_000_000
  /// Bands of a timer.
  public static let bands = 64
  /// Steps of a sequence.
  public static let steps = 64
  /// Bytes of UTF-8 in the name of a band or step, or in a colour.
  public static let partNameBytes = 63
  /// Bytes of UTF-8 in the text of a band.
  public static let bandTextBytes = 255
  /// Rounds from one long step to the next. The limit bounds the work for a sequence whose steps
  /// ended long ago, because after this many rounds everything repeats.
  public static let longEvery: Int64 = 100
  /// Rounds of a timer that rings a limited number of times.
  public static let rounds: Int64 = 1_000_000
  /// The shortest round or step, in microseconds. Shorter ones would only fill the ledger.
  public static let shortestRoundUsec: Int64 = 100_000
  /// `shortestRoundUsec` as text: `100 ms`.
  public static var shortestRoundWords: String { "\(shortestRoundUsec / 1000) ms" }
  /// How long a change can be undone, in microseconds of `elapsed`: a minute.
  public static let undoUsec: Int64 = 60_000_000
  /// Changes of timers that can be undone, in total.
  public static let undoTimers = 10_000
  /// Bytes of UTF-8 in the id of changes that are undone together.
  public static let undoIDBytes = 64
  /// Bytes of UTF-8 in the request id that a client gives to a change.
  public static let requestBytes = 64
  /// How long the reply to a change with a request id is stored, in microseconds of `elapsed`: a
  /// day.
  public static let requestUsec: Int64 = 86_400_000_000
  /// How many replies to changes with a request id are stored. Above this, the oldest are dropped.
  public static let requests: Int64 = 10_000
  /// Bytes of all stored replies together. Above this, the oldest are dropped.
  public static let requestReplyBytes: Int64 = 16 * 1024 * 1024
  /// Bytes of free space, and files, that a daemon needs to start: the log of its database has a
  /// mebibyte from the beginning.
  public static let freeAtStart: (bytes: UInt, files: UInt) = (1_310_720, 8)
  /// Laps of a stopwatch.
  public static let laps = 1000
}
