/// Whether the user notices a ring, or would notice one; the type `RingReport` of the interface.
package struct RingReport: RingReportFields, Equatable {
  /// Whether the desktop shows it.
  package var seen = false
  /// Whether the notification server or a player makes a sound.
  package var heard = false
  /// The name and version of the running notification server.
  package var server: String?
  /// The program that plays the sound, if the server does not play it.
  package var player: String?
  /// Why it is not seen or not heard.
  package var reason: String?
  /// Whether the notification server reports that it is paused.
  package var paused = false

  /// A ring that is neither seen nor heard.
  package init(reason: String? = nil) {
    self.reason = reason
  }
}
