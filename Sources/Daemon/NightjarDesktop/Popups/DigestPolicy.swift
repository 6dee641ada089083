internal import NightjarModel

/// An event in the ledger of a timer that rang.
struct NewRing {
  /// The event of the expiry.
  let event: Event
  let slot: Int
  /// The ID of the background span in which the timer expired; 0: none.
  let span: Int64
}

/// Decides which rings share one popup. Many timers may ring at once, after a sleep or by chance.
/// The user would close a screen full of popups without reading them.
struct DigestPolicy {
  /// The most rings within a second that get their own popups. If there are more, all rings share
  /// one popup until a second passes without a ring.
  static let singlesAtOnce = 3
  private static let windowUsec: Int64 = 1_000_000
  /// The most popups about a single timer at the same time.
  static let singles = 16

  /// The ID of the last background span in which several timers expired; 0: none.
  var span: Int64 = 0
  /// The current window of a second: when it began on CLOCK_MONOTONIC, the timers that got their
  /// own popups in it, and whether there were too many rings in it.
  private var window: (sinceUsec: Int64, slots: [Int], isBurst: Bool) = (.min / 2, [], false)

  /// The rings that share a popup; each other ring gets its own. O(rings + singles).
  ///
  /// - Parameters:
  ///   - rings: for each ring, its slot or another unique number, and the ID of the background span
  ///     in which the timer expired, or 0.
  ///   - singles: the timers whose own popups were not answered yet.
  ///   - isInDigest: returns whether a timer is in the digest that is shown.
  ///   - isDigestUp: whether a digest is shown and was not answered yet.
  mutating func slotsForDigest(
    of rings: [(slot: Int, span: Int64)], singles: Set<Int>, isInDigest: (Int) -> Bool,
    isDigestUp: Bool, nowUsec: Int64
  ) -> Set<Int> {
    var shared: Set<Int> = []
    for (slot, span) in rings where self.span != 0 && span == self.span || isInDigest(slot) {
      shared.insert(slot)
    }
    // A single ring needs no digest: the other timers that expired in the same background span did
    // not ring.
    if shared.count == 1, let only = shared.first, !isInDigest(only) { shared = [] }
    if nowUsec - window.sinceUsec > Self.windowUsec { window = (nowUsec, [], false) }
    // Answered rings do not count towards a burst.
    window.slots.removeAll { !singles.contains($0) }
    var new: [Int] = []
    for (slot, _) in rings where !shared.contains(slot) && !singles.contains(slot) {
      new.append(slot)
    }
    if window.slots.count + new.count > Self.singlesAtOnce {
      window.isBurst = true
    } else if !isDigestUp {
      window.isBurst = false
    }
    guard window.isBurst || singles.count + new.count > Self.singles else {
      window.slots += new
      return shared
    }
    if !new.isEmpty { window.sinceUsec = nowUsec }
    return shared.union(new)
  }

  /// Removes and returns the timers that got their own popups in this window before there were too
  /// many rings.
  mutating func takeSingles() -> [Int] {
    defer { window.slots = [] }
    return window.slots
  }
}
