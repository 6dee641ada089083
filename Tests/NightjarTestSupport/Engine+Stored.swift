package import NightjarEngine

extension Engine {
  /// The timer in `slot`, as `load` would read it; nil for a free slot. Tests compare it.
  package func stored(_ slot: Int) -> StoredTimer? { isOccupied(slot) ? stored(at: slot) : nil }

  /// The slot of a timer. Throws if there is none with that name.
  package func require(_ name: String) throws(EngineError) -> Int {
    guard let slot = slot(named: name) else { throw .timerNotFound }
    return slot
  }
}
