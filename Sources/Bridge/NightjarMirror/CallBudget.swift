/// Limits how many changes of other machines this machine carries out: at most a burst, and after
/// that a fixed number per second.
///
/// Each change costs this machine an event on disk, and the broker two messages for each of the
/// user's machines. A faulty machine could send any number of changes.
///
/// The algorithm is the generic cell rate algorithm (ITU-T I.371, annex A): its only state is the
/// time until which the changes so far have used up the budget.
public struct CallBudget: Equatable, Sendable {
  private static let costUsec = 1_000_000 / Int64(MirrorLimits.changesASecond)
  private static let burstUsec = costUsec * Int64(MirrorLimits.changesAtOnce)

  /// The time until which the changes so far have used up the budget. It is on CLOCK_MONOTONIC,
  /// which cannot be set.
  private var paidUntilUsec = Int64.min

  /// Makes a budget that allows a burst.
  public init() {}

  /// Takes one change from the budget, if the budget allows it. O(1).
  ///
  /// - Parameter nowUsec: CLOCK_MONOTONIC.
  /// - Returns: whether the budget allowed the change.
  public mutating func take(nowUsec: Int64) -> Bool {
    let startUsec = max(paidUntilUsec, nowUsec)
    guard startUsec - nowUsec <= Self.burstUsec - Self.costUsec else { return false }
    paidUntilUsec = startUsec + Self.costUsec
    return true
  }
}
