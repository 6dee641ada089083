package import NightjarEngine

/// A timer as it is stored on disk, with its name.
@dynamicMemberLookup
package struct NamedTimer: Equatable {
  package var name: String
  package var timer: Engine.StoredTimer

  package init(name: String, _ timer: Engine.StoredTimer) {
    self.name = name
    self.timer = timer
  }

  package subscript<Part>(dynamicMember part: KeyPath<Timer, Part>) -> Part {
    timer.timer[keyPath: part]
  }
}

extension Engine {
  /// The timer in `slot`, as `load` would read it; nil for a free slot. Tests compare it.
  package func stored(_ slot: Int) -> NamedTimer? {
    guard isOccupied(slot) else { return nil }
    return NamedTimer(name: name(at: slot), stored(at: slot))
  }
}
