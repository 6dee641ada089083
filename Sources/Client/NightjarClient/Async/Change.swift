package import Varlink

/// One element of a watch: a timer's state, an event, or the end of the initial states.
public struct Change: Equatable, Sendable {
  /// The present state of the timer. Nil in three cases: `event` removed the timer, `event` is
  /// about the machine, or `isSynced` is true.
  public let timer: NightjarTimer?
  /// The event of this change. Nil for an initial state, for a change with `isSynced`, and for a
  /// tick.
  public let event: Event?
  /// Whether all initial states have been delivered. The changes after this one are new.
  public let isSynced: Bool
  /// Not nil if this reader was too slow: this change then replaces the events after this number.
  /// `TimerClient.events(after:)` returns these events. With `isSynced`, all states were delivered
  /// again. Without `timer`, `goneName` and `isSynced`, the missed events are about the machine.
  public let missedAfter: Int64?
  /// The name of the timer that the missed events removed; nil: they removed none.
  public let goneName: String?

  /// Reads a change from a reply of the daemon.
  ///
  /// - Parameter json: the parameters of a reply to `Watch`.
  /// - Throws: `ClientError.protocolViolation` if the reply is malformed.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "change")
    timer = try fields.optional("timer")
    event = try fields.optional("event")
    isSynced = try fields.optional("synced") ?? false
    missedAfter = try fields.optional("missed_after")
    goneName = try fields.optional("name")
  }
}
