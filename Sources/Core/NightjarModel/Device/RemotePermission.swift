/// The permission of a person's other machines for the timers of this machine.
public enum RemotePermission: String, CaseIterable, Comparable, Sendable {
  /// The other machines may see the timers.
  case look
  /// The other machines may also change existing timers.
  case change
  /// The other machines may also start timers.
  case start

  /// A permission that allows less is smaller.
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
