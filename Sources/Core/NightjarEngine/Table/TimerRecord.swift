public import NightjarModel

/// A name of up to 16 bytes. For a longer name, the number of the block that has it.
struct ShortName: BitwiseCopyable, Sendable {
  static let byteCount = 16
  private var words: (UInt64, UInt64) = (0, 0)

  /// No name.
  init() {}

  /// Copies `bytes`, at most 16.
  init(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
  }

  /// A longer name, in a block of the arena.
  init(block: UInt32) { words.0 = UInt64(block) }

  /// The arena's block with the name, if that is longer than 16 bytes.
  var block: UInt32 { UInt32(truncatingIfNeeded: words.0) }
}

/// The fields that every timer has. 96 bytes.
public struct TimerRecord: BitwiseCopyable, Sendable {
  /// The name, or its block. The fields that a lookup reads come first, and the record is aligned
  /// so that a lookup reads two cache lines.
  var shortName = ShortName()
  var nameHash: UInt32 = 0
  var nameCount: UInt8 = 0
  /// The state of the timer; nil: the slot is free.
  public var state: TimerState?
  /// The timeline on which the timer was started.
  public var clock: Timeline
  /// The timeline of the present run. A snooze always runs on `elapsed`.
  public var timeline: Timeline
  /// Why the last expiry was handled late; nil: it was not late.
  public var lateCause: LateCause?
  private var flags = Flags()
  private var setSeqHigh: UInt8 = 0
  /// Counts the rings of the present expiry until a user answers. Even: the timer rings. Odd: the
  /// ring has ended. Half of it, rounded down, is how often the timer rang again.
  public var ringPhase: UInt8 = 0
  private var setSeqLow: UInt32 = 0
  /// The number of the event that started the timer.
  public var id: Int64
  /// The number of the last event about the timer.
  public var lastSeq: Int64
  /// The value to which a restart returns: the duration, the duration of the first step, or the
  /// instant of an alarm that rings once. For a repeating alarm: the reading of `elapsed` at its
  /// start.
  public var originalUsec: Int64
  /// The length of the present run, round or step, with all extensions.
  public var durationUsec: Int64
  /// Running: the deadline on `timeline`; for a stopwatch, the reading at which it began. Fired,
  /// cancelled or waiting: the `elapsed` counter at the end. Paused: an alarm keeps its deadline
  /// here. Any other paused timer has the number of the event up to which it ran, if it ran during
  /// a reboot of uncertain length; else 0.
  public var deadline: Int64
  /// Paused or cancelled: the remaining time, or for a stopwatch, the measured time. It is negative
  /// if the timer seemed overdue at the pause, but only by a clock that may be wrong. Otherwise:
  /// how late the timer rang; negative if it rang early, because the clock was ahead.
  public var remainingOrLateUsec: Int64
  /// CLOCK_REALTIME when the present run began.
  public var startedUsec: Int64
  /// CLOCK_REALTIME at the last expiry; 0: the timer has not expired, or it continues and a user
  /// answered the ring.
  public var firedUsec: Int64

  /// The yes-or-no fields, in one byte.
  private struct Flags: OptionSet, BitwiseCopyable {
    var rawValue: UInt8 = 0
    static let wakes = Flags(rawValue: 1)
    static let hasDetail = Flags(rawValue: 2)
    static let isEstimated = Flags(rawValue: 4)
    static let isInterrupted = Flags(rawValue: 8)
    static let hasFailure = Flags(rawValue: 16)
    static let isSnoozed = Flags(rawValue: 32)

    subscript(flag: Flags) -> Bool {
      get { !isDisjoint(with: flag) }
      set { rawValue = newValue ? rawValue | flag.rawValue : rawValue & ~flag.rawValue }
    }
  }

  /// Whether the deadline is to wake the machine.
  public var wakes: Bool {
    get { flags[.wakes] }
    set { flags[.wakes] = newValue }
  }

  /// Whether the timer has a `TimerDetail`, because it is more than a plain countdown.
  public internal(set) var hasDetail: Bool {
    get { flags[.hasDetail] }
    set { flags[.hasDetail] = newValue }
  }

  /// Whether the last ring was computed from a wall clock that was not synchronised (see
  /// `WallClockState`).
  public var isEstimated: Bool {
    get { flags[.isEstimated] }
    set { flags[.isEstimated] = newValue }
  }

  /// Whether the timer has an `Interruption`.
  public internal(set) var isInterrupted: Bool {
    get { flags[.isInterrupted] }
    set { flags[.isInterrupted] = newValue }
  }

  /// Whether a command of the timer failed; see `CommandFailure`.
  public internal(set) var hasFailure: Bool {
    get { flags[.hasFailure] }
    set { flags[.hasFailure] = newValue }
  }

  /// Whether the timer was snoozed and has not rung since. A repetition or sequence waits for that.
  public var isSnoozed: Bool {
    get { flags[.isSnoozed] }
    set { flags[.isSnoozed] = newValue }
  }

  /// The number of the event from which `deadline` or the remaining time is counted: the timer's
  /// start, resumption or end, but not an extension. After a ring that was computed from a clock
  /// that was not synchronised, the event from which the deadline was counted. Only the low 40 bits
  /// are stored, in bytes that would otherwise be padding.
  public var setSeq: Int64 {
    get { Int64(setSeqHigh) << 32 | Int64(setSeqLow) }
    set {
      setSeqHigh = UInt8(truncatingIfNeeded: newValue >> 32)
      setSeqLow = UInt32(truncatingIfNeeded: newValue)
    }
  }
}

/// A pause after a reboot of uncertain length. Such a pause does not change `TimerRecord.setSeq`,
/// because a later correction of the reboot must also correct the remaining time.
public struct Interruption: Equatable, Sendable {
  /// The number of the event up to which the timer ran, and the number of the event since which it
  /// runs again. They are equal if there was no reboot during the pause.
  public var pausedSeq, resumedSeq: Int64

  /// Whether there was no reboot during the pause.
  var isEmpty: Bool { pausedSeq == resumedSeq }

  public init(pausedSeq: Int64, resumedSeq: Int64) {
    self.pausedSeq = pausedSeq
    self.resumedSeq = resumedSeq
  }
}
