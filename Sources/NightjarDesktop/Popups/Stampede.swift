internal import NightjarModel

/// A timer that rang, by an event of the ledger.
struct Rung {
  /// The event.
  let event: Event
  /// Where the timer is in the table.
  let slot: Int
  /// The number of the span it came due in, or 0.
  let span: Int64
}

/// Tells timers that ring one by one from those that all ring at once, after a sleep or by chance:
/// a screen full of popups would be closed without being read.
struct Stampede {
  /// So many rings within a second have popups of their own; beyond, all are one, until there was
  /// none for a second.
  static let singlesAtOnce = 3
  private static let windowUsec: Int64 = 1_000_000
  /// So many timers have popups of their own at the same time.
  static let singles = 16

  /// The last span in which several timers came due; 0: none.
  var span: Int64 = 0
  /// Those that have got popups of their own since a point on CLOCK_MONOTONIC, and whether it has
  /// turned out to be a stampede.
  private var window: (sinceUsec: Int64, slots: [Int], isStampede: Bool) = (.min / 2, [], false)

  /// Which of those that ring are one with others; the rest have popups of their own. O(those that
  /// rang + singles).
  ///
  /// - Parameters:
  ///   - rung: where each is, or another number that no two have, and the span that it came due in,
  ///     or 0.
  ///   - singles: those that have popups of their own and were not answered yet.
  ///   - isInDigest: whether one is in the digest that is up.
  ///   - isDigestUp: whether there is a digest that was not answered yet.
  mutating func crowd(
    of rung: [(slot: Int, span: Int64)], singles: Set<Int>, isInDigest: (Int) -> Bool,
    isDigestUp: Bool, nowUsec: Int64
  ) -> Set<Int> {
    var crowd: Set<Int> = []
    for (slot, span) in rung where self.span != 0 && span == self.span || isInDigest(slot) {
      crowd.insert(slot)
    }
    // Others came due in the same span, and did not ring.
    if crowd.count == 1, let only = crowd.first, !isInDigest(only) { crowd = [] }
    if nowUsec - window.sinceUsec > Self.windowUsec { window = (nowUsec, [], false) }
    // Those that were answered are no part of a stampede.
    window.slots.removeAll { !singles.contains($0) }
    var new: [Int] = []
    for (slot, _) in rung where !crowd.contains(slot) && !singles.contains(slot) {
      new.append(slot)
    }
    if window.slots.count + new.count > Self.singlesAtOnce {
      window.isStampede = true
    } else if !isDigestUp {
      window.isStampede = false
    }
    guard window.isStampede || singles.count + new.count > Self.singles else {
      window.slots += new
      return crowd
    }
    if !new.isEmpty { window.sinceUsec = nowUsec }
    return crowd.union(new)
  }

  /// Those that had got popups of their own when it turned out to be a stampede.
  mutating func takeSingles() -> [Int] {
    defer { window.slots = [] }
    return window.slots
  }
}
