package import NightjarEngine
package import NightjarModel
package import NightjarParameters

/// Gives the code for popups and sounds access to the timers.
package protocol TimerAccess: AnyObject {
  /// One more than the last slot with a timer.
  var slotEnd: Int { get }
  /// The timer in a slot; nil if the slot is empty.
  func timer(_ slot: Int) -> Timer?
  /// The name of the timer in a slot. The slot must have a timer.
  func name(_ slot: Int) -> String
  /// The present view of the timer in a slot. The slot must have a timer.
  func view(_ slot: Int) -> TimerView
  /// The message that the timer in a slot shows when it rings; empty: it has none. The slot must
  /// have a timer.
  func message(_ slot: Int) -> String
  /// The command and sound of the timer that an event is about, even if the event has ended that
  /// timer; nil: the timer specifies none.
  func plan(of subject: Event.Subject) -> RingPlan?
  /// Records that a ring ended without an answer.
  ///
  /// - Parameter firedUsec: `LastRing.firedUsec` of the ring's expiry.
  /// - Returns: whether it was recorded.
  func recordUnanswered(_ slot: Int, firedUsec: Int64) -> Bool
  /// Records that a timer rings again for the same expiry. The parameter and the result are as for
  /// `recordUnanswered`.
  func recordRangAgain(_ slot: Int, firedUsec: Int64) -> Bool
  /// Makes the change that a client's request would make.
  ///
  /// - Returns: why the change was refused; nil: it was made.
  func perform(_ operation: Operation, _ slot: Int, byUsec: Int64) -> String?
}

extension TimerAccess {
  /// Whether the timer in `slot` rang and has not been answered yet.
  func isRinging(_ slot: Int) -> Bool { timer(slot)?.lastRing != nil }
}
