public import NightjarModel

/// A name of up to 16 bytes, or where a longer one is.
struct ShortName: BitwiseCopyable, Sendable {
  static let byteCount = 16
  private var words: (UInt64, UInt64) = (0, 0)

  /// No name.
  init() {}

  /// At most 16 bytes.
  init(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
  }

  /// One that is in a block of the arena.
  init(block: UInt32) { words.0 = UInt64(block) }

  /// The block of the arena that it is in.
  var block: UInt32 { UInt32(truncatingIfNeeded: words.0) }
}

/// One timer, without what its owner attached to it. 96 bytes.
public struct TimerRecord: BitwiseCopyable, Sendable {
  /// Aligned, and with what is looked at first in front: a timer is found in two lines of the processor's
  /// cache.
  var shortName = ShortName()
  var nameHash: UInt32 = 0
  var nameCount: UInt8 = 0
  /// What it is doing; nil: the slot is free.
  public var state: TimerState?
  /// The timeline it was started on.
  public var clock: Timeline
  /// The timeline of the present run: a snooze runs on `elapsed` whatever the clock.
  public var timeline: Timeline
  /// Why it fired late, if it did.
  public var lateCause: LateCause?
  private var flags = Flags()
  private var setSeqHigh: UInt8 = 0
  /// How far the rings for the present expiry have come that nobody answers: even while it rings, odd when
  /// that ring has ended. Half of it is how often it rang again.
  public var ringTurn: UInt8 = 0
  private var setSeqLow: UInt32 = 0
  /// The number of the event that started it.
  public var id: Int64
  /// The number of the last event about it.
  public var lastSeq: Int64
  /// What it was started with, and a restart goes back to: a duration, that of the first step, or
  /// the point of an alarm that rings once. Of an alarm that repeats the counter of `elapsed` at its
  /// start.
  public var originalUsec: Int64
  /// The length of the present run, round or step, with what was added to it.
  public var durationUsec: Int64
  /// Running: the deadline, on `timeline`; of a stopwatch where it began. Fired, cancelled, waiting:
  /// the `elapsed` counter at which it ended. Paused: of an alarm the deadline all the same; else up to
  /// which event it ran, if it ran over a reboot in doubt, or 0.
  public var point: Int64
  /// Paused, cancelled: what remains, or of a stopwatch what passed. Below zero of one that was paused when
  /// it was overdue, but only by a clock that may be wrong. Otherwise how late it rang; below
  /// zero for a ring by a clock that turned out to have been ahead: it was early.
  public var held: Int64
  /// CLOCK_REALTIME when the present run began.
  public var startedUsec: Int64
  /// CLOCK_REALTIME when it rang; 0 if it did not, or if it goes on and that was seen.
  public var firedUsec: Int64

  /// What is or is not the case, in one byte.
  private struct Flags: OptionSet, BitwiseCopyable {
    var rawValue: UInt8 = 0
    static let wakes = Flags(rawValue: 1)
    static let hasDetail = Flags(rawValue: 2)
    static let isEstimated = Flags(rawValue: 4)
    static let isInterrupted = Flags(rawValue: 8)
    static let hasFailure = Flags(rawValue: 16)

    subscript(flag: Flags) -> Bool {
      get { !isDisjoint(with: flag) }
      set { rawValue = newValue ? rawValue | flag.rawValue : rawValue & ~flag.rawValue }
    }
  }

  /// Whether its deadline is to wake the machine.
  public var wakes: Bool {
    get { flags[.wakes] }
    set { flags[.wakes] = newValue }
  }

  /// Whether it has a detail: it is more than a countdown.
  public internal(set) var hasDetail: Bool {
    get { flags[.hasDetail] }
    set { flags[.hasDetail] = newValue }
  }

  /// Whether it rang only because of a wall clock that was not vouched for.
  public var isEstimated: Bool {
    get { flags[.isEstimated] }
    set { flags[.isEstimated] = newValue }
  }

  /// Whether it was paused since the event that it is counted from; see `Interruption`.
  public internal(set) var isInterrupted: Bool {
    get { flags[.isInterrupted] }
    set { flags[.isInterrupted] = newValue }
  }

  /// Whether a command of it failed; see `CommandFailure`.
  public internal(set) var hasFailure: Bool {
    get { flags[.hasFailure] }
    set { flags[.hasFailure] = newValue }
  }

  /// The number of the event from which `point`, or what remains, is counted: its start, resumption or end,
  /// not an extension; of a ring that is estimated, its deadline. Its low 40 bits are kept, in what would be
  /// padding.
  public var setSeq: Int64 {
    get { Int64(setSeqHigh) << 32 | Int64(setSeqLow) }
    set {
      setSeqHigh = UInt8(truncatingIfNeeded: newValue >> 32)
      setSeqLow = UInt32(truncatingIfNeeded: newValue)
    }
  }
}

/// A pause of a timer that is counted from before it, because the length of a reboot before the pause was in
/// doubt.
public struct Interruption: Equatable, Sendable {
  /// The numbers of the events up to which it ran, and from which it runs again. They are the same if there
  /// was no other reboot between the two.
  public var pausedSeq, resumedSeq: Int64

  /// Whether it was not paused over a reboot.
  var isEmpty: Bool { pausedSeq == resumedSeq }

  /// Makes one.
  public init(pausedSeq: Int64, resumedSeq: Int64) {
    self.pausedSeq = pausedSeq
    self.resumedSeq = resumedSeq
  }
}
