extension DeadlineQueue {
  /// What is wrong with the queue, or nil: parents before children, every position true. O(n); for
  /// tests and simulation.
  public func violatedInvariant() -> String? {
    for position in 0..<count {
      let entry = entries[position]
      if position > 0, entry < entries[(position - 1) >> 2] {
        return "the entry at \(position) is before its parent"
      }
      if !contains(entry.slot) { return "slot \(entry.slot) is queued and has no position" }
    }
    return nil
  }
}
