public import NightjarModel

/// The state of a timer that is more than a plain countdown, beside its record.
public struct TimerDetail: Equatable, Sendable {
  public var spec: SharedSpec
  /// For a repeating timer: how often it has expired. For a sequence: the number of its step,
  /// counted on through all rounds.
  public var position: UInt32 = 0
  /// For a repeating alarm: the last instant that the engine handled, whether the alarm rang for it
  /// or the engine only counted it; 0: none yet. For a repeating countdown that is snoozed: the
  /// next deadline of the repetition, on the timer's clock.
  public var mark: Int64 = 0
  /// The reading of `elapsed` at the last ring of a timer that still continues. For an alarm, also
  /// at its last restart.
  public var rangAtElapsed: Int64 = 0
  /// The number of the event of the last ring of a timer that still continues.
  public var rangSeq: Int64 = 0
  /// `TimerRecord.setSeq` before a snooze.
  public var markSeq: Int64 = 0
  /// For a repeating alarm: the last instant for which it rang; 0: none yet. For a repeating
  /// countdown or a sequence on `wall`: 1 if the timer rang for the round or step before the
  /// present one, else 0.
  public var rangTo: Int64 = 0
  /// For an alarm: the time from the first to the last of the consecutive instants up to `rangTo`
  /// for which the alarm rang, in seconds, rounded down. For a countdown or sequence on `wall`: for
  /// how many rounds or steps directly before the last one the timer rang too.
  public var rangForSec: UInt32 = 0
  /// How many of the timer's bands have been announced.
  public var band: UInt8 = 0
  /// Whether the timer was paused when its deadline passed.
  public var wasMuted = false
  /// Whether the timer did not ring at its last expiry, because of its late policy.
  public var wasSkipped = false

  /// The detail of a new timer.
  public init(spec: SharedSpec) { self.spec = spec }

  /// How far back the engine remembers for which instants an alarm rang: 90 days.
  public static let rangForMostSec: Int64 = 90 * 86_400

  /// Notes that an alarm rang for the instant `instant`. With `isNext`, `instant` extends the
  /// consecutive instants for which the alarm rang. Without it, `instant` begins new ones.
  mutating func noteRang(_ instant: Int64, isNext: Bool) {
    if isNext, rangTo != 0, instant > rangTo {
      let sec = Int64(rangForSec) + (instant - rangTo) / 1_000_000
      rangForSec = UInt32(min(sec, Self.rangForMostSec))
    } else {
      rangForSec = 0
    }
    rangTo = instant
  }

  /// Notes that a round or step on `wall` has ended, and whether the timer rang for it.
  ///
  /// - Parameter isEndOfSnooze: whether the timer rang for the end of a snooze, not for a round.
  mutating func noteRound(_ next: Recurrence, isHeard: Bool, isEndOfSnooze: Bool) {
    if !isHeard || next.position < Int64(position) { return rangNone() }
    // After a snooze, the repetition may still be in the round that has been noted already.
    if isEndOfSnooze, next.missed == 0 { return }
    let isNext = rangTo != 0 && next.missed == 0
    rangForSec = isNext ? rangForSec + (rangForSec == .max ? 0 : 1) : 0
    rangTo = 1
  }

  /// Adds to the number of rounds on `wall` that count as handled, or subtracts from it. These are
  /// rounds for which the timer did not ring.
  mutating func shiftRounds(by rounds: Int32) {
    guard rangTo != 0, rangForSec != .max else { return }
    rangForSec = UInt32(clamping: Int64(rangForSec) + Int64(rounds))
  }

  /// Forgets for which rounds, steps or instants the timer rang.
  mutating func rangNone() { (rangTo, rangForSec) = (0, 0) }

  /// Marks all rounds or steps before the present one as handled.
  mutating func rangAll() { (rangTo, rangForSec) = (1, .max) }

  /// Whether a round or step on `wall` before the present one is among the consecutive ones for
  /// which the timer rang last.
  func hasRung(in round: Int64) -> Bool {
    rangTo != 0 && round < Int64(position) && round >= Int64(position) - 1 - Int64(rangForSec)
  }

  /// Whether an instant is among the consecutive ones for which the alarm rang last.
  func hasRung(at instant: Int64) -> Bool {
    rangTo != 0 && instant <= rangTo && instant >= rangTo - Int64(rangForSec) * 1_000_000
  }
}
