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
  /// Whether the event with this number is committed.
  func isCommitted(_ seq: Int64) -> Bool
  /// Records what a ring lacked. Does nothing if the ring is over, or has sounded again since event
  /// `seq`.
  func record(_ unnoticed: Unnoticed, _ slot: Int, seq: Int64)
  /// Makes the change that a client's request would make.
  ///
  /// - Parameter expiry: the number of the ring that the change is about. The change does nothing
  ///   if that ring is over, or if a newer expiry has joined it.
  /// - Returns: why the change was refused; nil: it was made, or did nothing.
  func perform(_ operation: Operation, _ slot: Int, byUsec: Int64, expiry: Int64) -> String?
}

extension TimerAccess {
  /// Whether a popup shows the ring of the timer in `slot`: it is open, and not snoozed.
  func isRinging(_ slot: Int) -> Bool { timer(slot)?.ring.map { !$0.isSnoozed } ?? false }

  /// Whether the ledger says of the open ring of the timer in `slot` that nobody could see it.
  func isUnseen(_ slot: Int) -> Bool { timer(slot)?.ring?.unnoticed?.unseen != nil }
}
