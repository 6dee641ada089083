/// How long rings sound, and whether they insist, if their timers do not say it.
public struct UsualRing: Equatable, Sendable {
  /// The kinds of timers that can ring.
  public static let kinds: [TimerKind] = [.alarm, .countdown, .sequence]

  /// How long a ring of each kind sounds, in microseconds; 0: once. Only an alarm sounds that long
  /// if it continues by itself; another timer then sounds once.
  public var forUsec: [TimerKind: Int64] = [
    .alarm: 600_000_000, .countdown: 60_000_000, .sequence: 60_000_000,
  ]
  /// How long after an unanswered ring the same timers ring again, in microseconds; 0: they do not.
  public var insistUsec: Int64 = 0

  public init() {}
}
