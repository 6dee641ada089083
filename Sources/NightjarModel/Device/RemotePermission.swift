/// What the person's other machines may do to the timers of this one.
public enum RemotePermission: String, CaseIterable, Comparable, Sendable {
  /// They see the timers.
  case look
  /// They may also change those that are there.
  case change
  /// They may also start timers.
  case start

  /// The one that allows less is less.
  public static func < (left: RemotePermission, right: RemotePermission) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .look: 0
    case .change: 1
    case .start: 2
    }
  }
}
