import NightjarModel

/// The state that a timer has, beside its record, if it is more than a plain countdown. 56 bytes.
public struct TimerDetail: BitwiseCopyable, Equatable, Sendable {
  /// The index of its specification among those in use.
  var spec: UInt32 = 0
  /// For a repeating timer: how often it has expired. For a sequence: the number of its step,
  /// counted through all rounds.
  public var position: UInt32 = 0
  /// For a repeating alarm: the last instant that was handled, whether it rang or was only counted;
  /// 0: none yet. For a repeating countdown that is snoozed: the next deadline of the repetition,
  /// on its clock.
  public var mark: Int64 = 0
  /// While the timer continues: the counter of `elapsed` at its last ring; for an alarm, also at
  /// its last restart.
  public var rangAtElapsed: Int64 = 0
  /// While the timer continues: the number of the event of its last ring.
  public var rangSeq: Int64 = 0
  /// The low 32 bits of `markSeq`.
  var markSeqLow: UInt32 = 0
  var markSeqHigh: UInt8 = 0
  /// For a repeating alarm: the last instant that really rang; 0: none yet. For a repeating
  /// countdown or a sequence on `wall`: 1 if the round or step before the present one really rang,
  /// else 0.
  public var rangTo: Int64 = 0
  /// For an alarm: the length of the stretch of instants that rang without a gap up to `rangTo`, in
  /// seconds, rounded down. For a countdown or sequence on `wall`: how many rounds or steps
  /// directly before the last one rang too.
  public var rangForSec: UInt32 = 0
  /// How many of its bands have been announced.
  public var band: UInt8 = 0
  /// Whether it is snoozed, so that its repetition or sequence waits.
  public var isSnoozed = false
  /// Whether it was paused when its deadline passed.
  public var wasMuted = false
  /// Whether its last expiry was silent.
  public var wasSkipped = false

  /// The detail of a new timer.
  public init() {}

  /// How long instants that rang are remembered: 90 days.
  public static let rangForMostSec: Int64 = 90 * 86_400

  /// Notes that the instant `point` of an alarm really rang. With `isNext`, it extends the stretch
  /// of instants that rang; else it begins a new one.
  mutating func noteRang(_ point: Int64, isNext: Bool) {
    if isNext, rangTo != 0, point > rangTo {
      let sec = Int64(rangForSec) + (point - rangTo) / 1_000_000
      rangForSec = UInt32(min(sec, Self.rangForMostSec))
    } else {
      rangForSec = 0
    }
    rangTo = point
  }

  /// Notes that a round or step on `wall` has ended.
  mutating func noteRound(_ next: Recurrence, isHeard: Bool) {
    if !isHeard || next.position < Int64(position) { return rangNone() }
    // After a snooze, the repetition may still be in the round that is noted already.
    if isSnoozed, next.missed == 0 { return }
    let isNext = rangTo != 0 && next.missed == 0
    rangForSec = isNext ? rangForSec + (rangForSec == .max ? 0 : 1) : 0
    rangTo = 1
  }

  /// Adds rounds on `wall` that count as handled though they did not ring, or subtracts them.
  mutating func shiftRounds(by rounds: Int32) {
    guard rangTo != 0, rangForSec != .max else { return }
    rangForSec = UInt32(clamping: Int64(rangForSec) + Int64(rounds))
  }

  /// Forgets which rounds or steps rang.
  mutating func rangNone() { (rangTo, rangForSec) = (0, 0) }

  /// Marks all rounds or steps before the present one as handled.
  mutating func rangAll() { (rangTo, rangForSec) = (1, .max) }

  /// Whether a round or step on `wall` before the present one is in the last stretch that really
  /// rang.
  func hasRung(in round: Int64) -> Bool {
    rangTo != 0 && round < Int64(position) && round >= Int64(position) - 1 - Int64(rangForSec)
  }

  /// Whether an instant is in the last stretch of instants that really rang.
  func hasRung(at point: Int64) -> Bool {
    rangTo != 0 && point <= rangTo && point >= rangTo - Int64(rangForSec) * 1_000_000
  }

  /// `TimerRecord.setSeq` from before a snooze; its low 40 bits.
  public var markSeq: Int64 {
    get { Int64(markSeqHigh) << 32 | Int64(markSeqLow) }
    set {
      markSeqHigh = UInt8(truncatingIfNeeded: newValue >> 32)
      markSeqLow = UInt32(truncatingIfNeeded: newValue)
    }
  }
}
