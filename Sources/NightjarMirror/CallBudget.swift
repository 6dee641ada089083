/// Limits the changes of other machines that this machine carries out: a burst after a rest, and
/// then a fixed number per second.
///
/// Each change costs this machine an event on disk, and the broker two messages for each of the
/// user's machines. A faulty machine could send any number of changes.
///
/// The algorithm is the generic cell rate algorithm (ITU-T I.371, annex A): the only state is the
/// time until which the past changes have used up the budget.
public struct CallBudget: Equatable, Sendable {
  private static let costUsec = 1_000_000 / Int64(MirrorLimits.changesASecond)
  private static let burstUsec = costUsec * Int64(MirrorLimits.changesAtOnce)

  /// CLOCK_MONOTONIC, which does not step.
  private var paidUntilUsec = Int64.min

  /// A full budget.
  public init() {}

  /// Takes one change from the budget. O(1).
  ///
  /// - Parameter nowUsec: CLOCK_MONOTONIC.
  /// - Returns: whether the budget allowed it.
  public mutating func take(nowUsec: Int64) -> Bool {
    let startUsec = max(paidUntilUsec, nowUsec)
    guard startUsec - nowUsec <= Self.burstUsec - Self.costUsec else { return false }
    paidUntilUsec = startUsec + Self.costUsec
    return true
  }
}
