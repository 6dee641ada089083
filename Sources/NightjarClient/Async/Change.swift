package import NightjarVarlink

/// One element of a watch: a timer's state, an event, or the end of the initial states.
public struct Change: Equatable, Sendable {
  /// The present state of the timer; nil if `event` removed it, for an event of the machine, and
  /// with `isSynced`.
  public let timer: NightjarTimer?
  /// The event; nil for an initial state, with `isSynced`, and for a tick.
  public let event: Event?
  /// All initial states have been delivered; from here on the changes are new.
  public let isSynced: Bool
  /// This reader was too slow: events after this number were folded into this change, and can be
  /// read with `TimerClient.events(after:)`. With `isSynced`, all states have been delivered once
  /// more; without a timer and a name, the folded events were of the machine.
  public let missedAfter: Int64?
  /// The folded events removed the timer of this name.
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
