package import NightjarVarlink

/// One element of a watch: a timer's state, an event, or the end of the initial states.
public struct Change: Equatable, Sendable {
  /// The present state of the timer. Nil if `event` removed the timer, if `event` is about the
  /// machine, and with `isSynced`.
  public let timer: NightjarTimer?
  /// The event; nil for an initial state, with `isSynced`, and for a tick.
  public let event: Event?
  /// All initial states have been delivered; from here on the changes are new.
  public let isSynced: Bool
  /// Set if this reader was too slow: this change stands for the events after this number.
  /// `TimerClient.events(after:)` returns these events. With `isSynced`, all states were delivered
  /// again. Without `timer`, `goneName` and `isSynced`, the missed events are about the machine.
  public let missedAfter: Int64?
  /// The missed events removed the timer of this name.
  public let goneName: String?

  /// Reads a change from a reply of the daemon.
  ///
  /// - Parameter json: the parameters of a reply to `Watch`.
  /// - Throws: `ClientError.protocolViolation` if it is malformed.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "change")
    timer = try fields.optional("timer")
    event = try fields.optional("event")
    isSynced = try fields.optional("synced") ?? false
    missedAfter = try fields.optional("missed_after")
    goneName = try fields.optional("name")
  }
}
