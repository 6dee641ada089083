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

  /// Parts them. O(those that rang + singles).
  ///
  /// - Parameters:
  ///   - cards: those that have popups of their own and were not answered yet.
  ///   - digest: the one that is up.
  mutating func part(
    _ rung: [Rung], cards: [Int: Notifier.Card], digest: Digest?, nowUsec: Int64
  ) -> (own: [Rung], crowd: [Rung]) {
    var (own, crowd): ([Rung], [Rung]) = ([], [])
    func inDigest(_ slot: Int) -> Bool { digest?.slots.contains(slot) ?? false }
    for rung in rung {
      let isOfCrowd = span != 0 && rung.span == span || inDigest(rung.slot)
      if isOfCrowd { crowd.append(rung) } else { own.append(rung) }
    }
    // Others came due in the same span, and did not ring.
    if crowd.count == 1, !inDigest(crowd[0].slot) { (own, crowd) = (own + crowd, []) }
    if nowUsec - window.sinceUsec > Self.windowUsec { window = (nowUsec, [], false) }
    // Those that were answered are no part of a stampede.
    window.slots.removeAll { cards[$0] == nil }
    let new = own.filter { cards[$0.slot] == nil }
    if window.slots.count + new.count > Self.singlesAtOnce {
      window.isStampede = true
    } else if digest?.popup.isAnswered ?? true {
      window.isStampede = false
    }
    guard window.isStampede || cards.count + new.count > Self.singles else {
      window.slots += new.map(\.slot)
      return (own, crowd)
    }
    if !new.isEmpty { window.sinceUsec = nowUsec }
    return (own.filter { cards[$0.slot] != nil }, crowd + new)
  }

  /// Those that had got popups of their own when it turned out to be a stampede.
  mutating func takeSingles() -> [Int] {
    defer { window.slots = [] }
    return window.slots
  }
}
