internal import NightjarModel

/// A timer that rang, and the event in the ledger.
struct Rung {
  /// The event.
  let event: Event
  /// The timer's slot in the table.
  let slot: Int
  /// The ID of the background span in which it expired, or 0.
  let span: Int64
}

/// Decides which rings share one popup. Many timers may ring at once, after a sleep or by chance.
/// The user would close a screen full of popups without reading them.
struct Stampede {
  /// The most rings within a second that get their own popups. Beyond that, all share one popup,
  /// until a second passes without a ring.
  static let singlesAtOnce = 3
  private static let windowUsec: Int64 = 1_000_000
  /// The most timers with their own popups at the same time.
  static let singles = 16

  /// The last span in which several timers expired; 0 for none.
  var span: Int64 = 0
  /// When the present window began on CLOCK_MONOTONIC, the timers that got their own popups in it,
  /// and whether it has become a stampede.
  private var window: (sinceUsec: Int64, slots: [Int], isStampede: Bool) = (.min / 2, [], false)

  /// The rings that share a popup; the others get their own. O(rung + singles).
  ///
  /// - Parameters:
  ///   - rung: the slot of each ring, or another unique number, and the span in which it expired,
  ///     or 0.
  ///   - singles: the timers with their own popups that were not answered yet.
  ///   - isInDigest: whether a timer is in the present digest.
  ///   - isDigestUp: whether there is a digest that was not answered yet.
  mutating func crowd(
    of rung: [(slot: Int, span: Int64)], singles: Set<Int>, isInDigest: (Int) -> Bool,
    isDigestUp: Bool, nowUsec: Int64
  ) -> Set<Int> {
    var crowd: Set<Int> = []
    for (slot, span) in rung where self.span != 0 && span == self.span || isInDigest(slot) {
      crowd.insert(slot)
    }
    // The other timers that expired in the same span did not ring.
    if crowd.count == 1, let only = crowd.first, !isInDigest(only) { crowd = [] }
    if nowUsec - window.sinceUsec > Self.windowUsec { window = (nowUsec, [], false) }
    // Answered rings do not count towards a stampede.
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

  /// Removes and returns the timers that got their own popups before the stampede was recognised.
  mutating func takeSingles() -> [Int] {
    defer { window.slots = [] }
    return window.slots
  }
}
