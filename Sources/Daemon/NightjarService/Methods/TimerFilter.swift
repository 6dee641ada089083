package import NightjarEngine
package import NightjarInterface
package import NightjarModel

/// Selects timers by a prefix of the name, and by their state or ring. Without a prefix, and
/// without states and rings, all timers are selected.
package struct TimerFilter {
  package var prefix: [UInt8]?
  package var states: [TimerState]?
  package var ringing: [Wire.Ringing]?

  package init(
    prefix: String? = nil, states: [TimerState]? = nil, ringing: [Wire.Ringing]? = nil
  ) {
    self.prefix = prefix.map { Array($0.utf8) }
    (self.states, self.ringing) = (states, ringing)
  }

  package func matches(_ slot: Int, of engine: Engine) -> Bool {
    guard engine.isOccupied(slot) else { return false }
    if states != nil || ringing != nil {
      let timer = engine.timer(at: slot)
      let ring = timer.ring.map { Wire.Ringing($0.state) }
      let isRinging = ringing?.contains { $0 == ring } == true
      guard isRinging || states?.contains(timer.state) == true else { return false }
    }
    return matches(name: engine.name(at: slot))
  }

  package func matches(name: UnsafeRawBufferPointer) -> Bool {
    guard let prefix else { return true }
    return prefix.withUnsafeBytes { TimerName.matches(name, prefix: $0) }
  }

  package func matches(name: String) -> Bool {
    var name = name
    return name.withUTF8 { matches(name: UnsafeRawBufferPointer($0)) }
  }
}
