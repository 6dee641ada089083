package import NightjarEngine
package import NightjarModel

/// Selects timers by a prefix of the name and by state. A criterion that is nil selects all timers.
package struct TimerFilter {
  package var prefix: [UInt8]?
  package var states: Set<TimerState>?

  package init(prefix: String? = nil, states: [TimerState]? = nil) {
    self.prefix = prefix.map { Array($0.utf8) }
    self.states = states.map(Set.init)
  }

  package func matches(_ slot: Int, of engine: Engine) -> Bool {
    guard engine.isOccupied(slot) else { return false }
    if let states {
      // A timer that rings and continues is in both states.
      let timer = engine.timer(at: slot)
      guard states.contains(timer.state) || states.contains(timer.shownState) else {
        return false
      }
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
