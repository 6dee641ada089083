/// A ring of a timer of another machine, for which this machine rings.
public struct RemoteRing: Equatable, Sendable {
  /// Why this machine rings for the other one.
  public enum Reason: Equatable, Sendable {
    /// The other machine announced that it goes to sleep; since when, on this machine's
    /// CLOCK_REALTIME.
    case asleep(sinceUsec: Int64?)
    /// The broker has lost the other machine; since when, on this machine's CLOCK_REALTIME.
    case offline(sinceUsec: Int64?)
    /// The other machine did not say that it rang.
    case silent
    /// It rings there, but the user is not at it, or nothing there can be seen or heard.
    case elsewhere
  }

  /// The machine whose timer it is, such as `laptop`.
  public var device: String
  /// The timer's name. Foreign text: it is made safe before it is shown.
  public var name: String
  /// The timer's message; empty: it has none. Foreign text, too.
  public var message: String
  /// What the timer does: the configuration says for each kind how long it rings.
  public var kind: TimerKind
  /// It makes no sound.
  public var isSilent: Bool
  /// When it was due, on this machine's CLOCK_REALTIME.
  public var dueUsec: Int64
  /// Why this machine rings.
  public var reason: Reason
  /// It repeats, or has further steps, which wait for its own machine.
  public var continues: Bool

  /// A ring.
  public init(
    device: String, name: String, message: String = "", kind: TimerKind, isSilent: Bool = false,
    dueUsec: Int64, reason: Reason, continues: Bool = false
  ) {
    (self.device, self.name, self.message) = (device, name, message)
    (self.kind, self.isSilent, self.dueUsec) = (kind, isSilent, dueUsec)
    (self.reason, self.continues) = (reason, continues)
  }
}
