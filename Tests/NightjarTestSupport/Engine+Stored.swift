package import NightjarCore

extension Engine {
  /// The timer in `slot` as `load` would be given it, to compare; nil for a free slot.
  package func stored(_ slot: Int) -> StoredTimer? {
    guard isOccupied(slot) else { return nil }
    let hasMore = detail(at: slot) != nil
    return StoredTimer(
      slot: slot, name: name(at: slot), record: record(at: slot), order: order(at: slot),
      attachments: attachments(at: slot), recipe: hasMore ? recipe(at: slot) : nil,
      detail: detail(at: slot) ?? TimerDetail(), laps: hasMore ? laps(at: slot) : [])
  }
}
