/// How many changes of other machines are carried out: some at once after a rest, then so many a second.
///
/// Each change costs this machine an event on disk, and the broker two messages for each of the person's machines. So
/// a machine that is out of order must not decide how many there are.
///
/// It is the generic cell rate algorithm (ITU-T I.371, annex A): one number says until when the changes up to now are
/// paid for.
public struct CallBudget: Equatable, Sendable {
  private static let costUsec = 1_000_000 / Int64(MirrorLimits.changesASecond)
  private static let burstUsec = costUsec * Int64(MirrorLimits.changesAtOnce)

  /// On a clock that does not step.
  private var paidUntilUsec = Int64.min

  /// A budget of which nothing is spent.
  public init() {}

  /// Takes one change off the budget. O(1).
  ///
  /// - Parameter nowUsec: CLOCK_MONOTONIC.
  /// - Returns: whether it was there.
  public mutating func take(nowUsec: Int64) -> Bool {
    let startUsec = max(paidUntilUsec, nowUsec)
    guard startUsec - nowUsec <= Self.burstUsec - Self.costUsec else { return false }
    paidUntilUsec = startUsec + Self.costUsec
    return true
  }
}
