extension DeadlineQueue {
  /// The first inconsistency in the queue: an entry that is earlier than its parent, or a wrong
  /// position. Nil: there is none. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    for position in Self.root..<end {
      let entry = entries[position]
      if position > Self.root, entry < entries[Self.parent(of: position)] {
        return "the entry at \(position) is before its parent"
      }
      if self.position(of: entry.slot) != position {
        return "slot \(entry.slot) is queued and its position is another"
      }
    }
    return nil
  }
}
