package import NightjarEngine
package import NightjarModel
package import NightjarService

/// Access of popups and sounds to the timers.
package protocol RingKeeper: AnyObject {
  /// One more than the last slot with a timer.
  var slotEnd: Int { get }
  /// The stored record of the timer in a slot; nil if the slot is empty.
  func record(_ slot: Int) -> TimerRecord?
  /// The name of the timer in a slot. The slot must have a timer.
  func name(_ slot: Int) -> String
  /// The present view of the timer in a slot. The slot must have a timer.
  func view(_ slot: Int) -> TimerView
  /// The message to show when the timer in a slot rings; empty for none. The slot must have a
  /// timer.
  func message(_ slot: Int) -> String
  /// The ring of the timer that an event is about, even if the event has ended that timer; nil if
  /// it has none.
  func plan(of subject: Event.Subject) -> RingPlan?
  /// Records that a ring ended without an answer.
  ///
  /// - Parameter firedUsec: `TimerRecord.firedUsec` of the ring's expiry.
  /// - Returns: whether it was recorded.
  func recordUnanswered(_ slot: Int, firedUsec: Int64) -> Bool
  /// Records that a timer rings again for the same expiry. The parameter and the result are as for
  /// `recordUnanswered`.
  func recordRangAgain(_ slot: Int, firedUsec: Int64) -> Bool
  /// Changes a timer as a client would.
  ///
  /// - Returns: why it was refused; nil on success.
  func perform(_ operation: Operation, _ slot: Int, byUsec: Int64) -> String?
}

extension RingKeeper {
  /// Whether the timer in `slot` rang and has not been answered yet.
  func isRinging(_ slot: Int) -> Bool {
    record(slot)?.isRinging ?? false
  }
}
