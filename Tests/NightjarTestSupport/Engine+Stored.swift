package import NightjarEngine

extension Engine {
  /// The timer in `slot`, as `load` would read it; nil for a free slot. Tests compare it.
  package func stored(_ slot: Int) -> StoredTimer? { isOccupied(slot) ? stored(at: slot) : nil }
}
