package import NightjarEngine
package import NightjarModel
package import NightjarService

/// What popups and sounds ask of those who keep the timers.
package protocol RingKeeper: AnyObject {
  /// One more than the last slot that a timer is in.
  var slotEnd: Int { get }
  /// What is stored of the timer in a slot; nil: there is none.
  func record(_ slot: Int) -> TimerRecord?
  /// The name of the timer in a slot, which there is.
  func name(_ slot: Int) -> String
  /// The timer in a slot, which there is, as it is now.
  func view(_ slot: Int) -> TimerView
  /// What people are to be told when the timer in a slot rings, which there is; empty: no more than that.
  func message(_ slot: Int) -> String
  /// What is in the ring of the timer that an event is about, which it may have ended; nil: it has none.
  func plan(of subject: Event.Subject) -> RingPlan?
  /// Records that a ring ended, and that nobody answered it.
  ///
  /// - Parameter firedUsec: `TimerRecord.firedUsec` of the expiry that was rung for.
  /// - Returns: whether it was recorded.
  func recordUnanswered(_ slot: Int, firedUsec: Int64) -> Bool
  /// Records that a timer rings again for the same expiry. The parameter and the result are as above.
  func recordRangAgain(_ slot: Int, firedUsec: Int64) -> Bool
  /// Changes a timer as a client would.
  ///
  /// - Returns: why it was refused; nil: it was not.
  func perform(_ operation: Operation, _ slot: Int, byUsec: Int64) -> String?
}

extension RingKeeper {
  /// The timer in `slot` rang, and nobody has said yet that they heard.
  func isRinging(_ slot: Int) -> Bool {
    record(slot)?.isRinging ?? false
  }
}
