/// How the daemon learns of sleep. Clients get it as the type `Sleep` of the interface.
package struct SleepState {
  /// Whether logind's signals about sleep arrive.
  package var seen: Bool
  /// Whether the daemon holds the delay inhibitor.
  package var inhibitor: Bool
  /// Why one of these is false.
  package var reason: Sentence?
  /// Whether polkit does not allow the inhibitor.
  package var denied = false

  package init(seen: Bool, inhibitor: Bool) { (self.seen, self.inhibitor) = (seen, inhibitor) }
}
