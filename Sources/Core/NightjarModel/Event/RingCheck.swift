/// Whether the user notices a ring, or would notice one. Clients get it as the type `RingReport` of
/// the interface.
package struct RingCheck: Equatable {
  /// Whether the desktop shows a popup for the ring.
  package var seen = false
  /// Whether the notification server or a player makes a sound for the ring.
  package var heard = false
  /// The name and version of the running notification server.
  package var server: String?
  /// The program that plays the sound; nil if the notification server plays it, or if there is no
  /// sound.
  package var player: String?
  /// Why the ring is not seen or not heard.
  package var reason: String?
  /// Whether the notification server reports that the user has paused popups.
  package var paused = false

  /// A ring that is neither seen nor heard.
  package init(reason: String? = nil) {
    self.reason = reason
  }
}
