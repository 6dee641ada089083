package import NightjarModel
package import NightjarService

/// What commands ask of those who keep the timers, the event log and the disk.
package protocol ActionKeeper: AnyObject {
  /// Whether any timer has a command or a sound of its own.
  var hasRings: Bool { get }
  /// What is in the ring of the timer that an event is about, which it may have ended; nil: it has none.
  func plan(of subject: Event.Subject) -> RingPlan?
  /// What a command is told of the event that calls for it.
  func environment(of event: Event, at moment: Moment) -> [RingPlan.Variable]

  /// Has what happened to a command kept on disk, with the event that was recorded last.
  func keep(_ change: ActionChange)
  /// Enters the beginning of a command into the event log, or its end.
  func record(_ note: ActionNote, end: ActionEnd?, timer: (name: String, id: Int64)?)
  /// Calls `body` when all that has been changed up to now is on disk, or cannot be within some seconds.
  func whenDurable(_ body: @escaping () -> Void)

  /// The commands on disk whose start was noted, and not their end.
  func begun() throws -> [PendingAction]
  /// The first commands on disk that wait, in the order of their events: at the start all, later those
  /// whose events are known to be on disk.
  func waiting(
    after key: PendingAction.Key?, isStart: Bool, limit: Int
  ) throws -> [PendingAction]
  /// How many wait on disk.
  func waitingCount(after key: PendingAction.Key) throws -> Int
}
