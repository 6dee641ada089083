package import NightjarVarlink

/// One word of a watch: a timer as it is, what has happened to it, or that all there was has been told.
public struct Change: Equatable, Sendable {
  /// The timer as it is now; nil if `event` put it away, if this is about the machine, or with
  /// `isSynced`.
  public let timer: NightjarTimer?
  /// What happened; nil: this is what there was at the beginning, that this was all, or a tick.
  public let event: Event?
  /// All there was at the beginning has been told: from here on it is news.
  public let isSynced: Bool
  /// This reader was too slow, and what happened behind that number was folded into this one:
  /// `TimerClient.events(after:)` has it. With `isSynced` all there is has been told once more; without
  /// a timer, a name and that it is the machine that something happened to.
  public let missedAfter: Int64?
  /// What was folded is that the timer of this name is not there any more.
  public let goneName: String?

  /// Reads a change from what the daemon sent.
  ///
  /// - Parameter json: the parameters of a reply to `Watch`.
  /// - Throws: `ClientError.protocolViolation` if it makes no sense.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "change")
    timer = try fields.optional("timer")
    event = try fields.optional("event")
    isSynced = try fields.optional("synced") ?? false
    missedAfter = try fields.optional("missed_after")
    goneName = try fields.optional("name")
  }
}
