package import NightjarModel
package import NightjarParameters

/// Access of commands to the timers, the event log and the database.
package protocol ActionStore: AnyObject {
  /// Whether any timer has a command or a sound of its own.
  var hasRings: Bool { get }
  /// The ring of the timer that an event is about, even if the event has ended that timer; nil if
  /// the timer has none.
  func plan(of subject: Event.Subject) -> RingPlan?
  /// The environment variables that describe an event to its command.
  func environment(of event: Event, at moment: Moment) -> [RingPlan.Variable]

  /// Stores that a command was called, was started or has ended, in the same commit as the last
  /// recorded event.
  func save(_ change: ActionChange)
  /// Records the beginning or the end of a command in the event log.
  func record(_ note: ActionNote, end: ActionEnd?, timer: (name: String, id: Int64)?)
  /// Calls `body` when all changes up to now are on disk. If the disk cannot be written, calls it
  /// after some seconds.
  func whenDurable(_ body: @escaping () -> Void)

  /// Calls `body` with the events on disk after `seq`, in order. O(these events).
  func forEachEvent(after seq: Int64, _ body: (Event) -> Void) throws
  /// The stored commands that were started and have not ended.
  func begun() throws -> [PendingAction]
  /// The first `limit` waiting commands on disk that come after `key`, in the order of their
  /// events. At the daemon's start (`isStart`), these are commands of any event. After that, they
  /// are only commands of events that are known to be on disk.
  func waiting(
    after key: PendingAction.Key?, isStart: Bool, limit: Int
  ) throws -> [PendingAction]
  /// The number of stored commands after `key` that wait.
  func waitingCount(after key: PendingAction.Key) throws -> Int
}
