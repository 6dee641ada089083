import NightjarModel

/// What changes about a timer that is more than a countdown. 56 bytes, beside its record.
public struct TimerDetail: BitwiseCopyable, Equatable, Sendable {
  /// Where its specification is among the specifications in use.
  var spec: UInt32 = 0
  /// Of one that repeats: how many times it has come due. Of a sequence: the step it is in, counted
  /// on through all rounds.
  public var position: UInt32 = 0
  /// Of an alarm that repeats: up to where its instants have been dealt with, whether they rang or were
  /// counted; 0 before the first. Of a countdown that repeats and is snoozed: the next point of the
  /// repetition, on its clock.
  public var mark: Int64 = 0
  /// The counter of `elapsed` when it rang last, while it goes on; of an alarm, or was restarted.
  public var rangAtElapsed: Int64 = 0
  /// The number of the event with which it rang last, while it goes on.
  public var rangSeq: Int64 = 0
  /// `TimerRecord.setSeq` from before a snooze, its low 32 bits.
  var markSeqLow: UInt32 = 0
  var markSeqHigh: UInt8 = 0
  /// Of an alarm that repeats, the last instant that really rang; 0 before the first. Of another that repeats
  /// on `wall`, or is a sequence: 1 if the round or step before the present one really rang.
  public var rangTo: Int64 = 0
  /// Of an alarm: how long before `rangTo` the first of the instants lies that rang without a gap, in seconds,
  /// rounded down. Of another that repeats on `wall`: how many rounds or steps rang without a gap before the
  /// last one.
  public var rangForSec: UInt32 = 0
  /// How many of its bands have been announced as begun.
  public var band: UInt8 = 0
  /// It was snoozed, and its repetition, or its sequence, waits.
  public var isSnoozed = false
  /// It was paused when its point passed.
  public var wasMuted = false
  /// It came due last without a ring.
  public var wasSkipped = false

  /// As it begins.
  public init() {}

  /// For how long instants that rang are remembered: 90 days.
  public static let rangForMostSec: Int64 = 90 * 86_400

  /// The instant `point` of an alarm really rang, alone or behind the last of the stretch.
  mutating func noteRang(_ point: Int64, isNext: Bool) {
    if isNext, rangTo != 0, point > rangTo {
      let sec = Int64(rangForSec) + (point - rangTo) / 1_000_000
      rangForSec = UInt32(min(sec, Self.rangForMostSec))
    } else {
      rangForSec = 0
    }
    rangTo = point
  }

  /// A round or step on `wall` is over.
  mutating func noteRound(_ next: Recurrence, isHeard: Bool) {
    if !isHeard || next.position < Int64(position) { return rangNone() }
    // Behind a snooze the grid may be where it was.
    if isSnoozed, next.missed == 0 { return }
    let isNext = rangTo != 0 && next.missed == 0
    rangForSec = isNext ? rangForSec + (rangForSec == .max ? 0 : 1) : 0
    rangTo = 1
  }

  /// So many more rounds on `wall` are over without a ring, or fewer, and stay dealt with.
  mutating func shiftRounds(by rounds: Int32) {
    guard rangTo != 0, rangForSec != .max else { return }
    rangForSec = UInt32(clamping: Int64(rangForSec) + Int64(rounds))
  }

  /// Nothing is known of the rounds or steps before the present one.
  mutating func rangNone() { (rangTo, rangForSec) = (0, 0) }

  /// All rounds or steps before the present one have been dealt with.
  mutating func rangAll() { (rangTo, rangForSec) = (1, .max) }

  /// Whether a round or step on `wall`, before the present one, is among the last that really rang.
  func hasRung(in round: Int64) -> Bool {
    rangTo != 0 && round < Int64(position) && round >= Int64(position) - 1 - Int64(rangForSec)
  }

  /// Whether an instant is in the last stretch of those that really rang.
  func hasRung(at point: Int64) -> Bool {
    rangTo != 0 && point <= rangTo && point >= rangTo - Int64(rangForSec) * 1_000_000
  }

  /// `TimerRecord.setSeq` from before a snooze; 40 bits of it.
  public var markSeq: Int64 {
    get { Int64(markSeqHigh) << 32 | Int64(markSeqLow) }
    set {
      markSeqHigh = UInt8(truncatingIfNeeded: newValue >> 32)
      markSeqLow = UInt32(truncatingIfNeeded: newValue)
    }
  }
}
