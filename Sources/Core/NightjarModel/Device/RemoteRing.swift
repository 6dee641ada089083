/// A ring of another machine's timer that this machine plays.
public struct RemoteRing: Equatable, Sendable {
  /// The reason why this machine rings in place of the other one.
  public enum Reason: Equatable, Sendable {
    /// The other machine announced that it goes to sleep, at this time on its CLOCK_REALTIME.
    case asleep(sinceUsec: Int64?)
    /// The other machine disconnected, at this time on its CLOCK_REALTIME; or the broker lost it,
    /// at this time on this machine's CLOCK_REALTIME.
    case offline(sinceUsec: Int64?)
    /// The daemon of the other machine does not answer.
    case noDaemon
    /// The other machine did not report that it rang.
    case silent
    /// The other machine rings, but the user is not there, or that machine cannot show or play a
    /// ring.
    case elsewhere
  }

  /// The name of the machine that owns the timer, such as `laptop`.
  public var device: String
  /// The timer's name. It comes from another machine, so control characters must be removed before
  /// it is shown.
  public var name: String
  /// The timer's message; empty: it has none. Control characters must be removed from it, too.
  public var message: String
  /// The timer's kind. The configuration sets for each kind how long a ring lasts.
  public var kind: TimerKind
  public var isSilent: Bool
  /// When the timer expired, on the other machine's CLOCK_REALTIME.
  public var dueUsec: Int64
  public var reason: Reason
  /// Whether the timer repeats or has further steps, which the other machine will start.
  public var continues: Bool

  public init(
    device: String, name: String, message: String = "", kind: TimerKind, isSilent: Bool = false,
    dueUsec: Int64, reason: Reason, continues: Bool = false
  ) {
    (self.device, self.name, self.message) = (device, name, message)
    (self.kind, self.isSilent, self.dueUsec) = (kind, isSilent, dueUsec)
    (self.reason, self.continues) = (reason, continues)
  }
}
