/// Whether a ring is noticed, or would be; the type `RingReport` of the interface.
package struct RingReport: RingReportFields, Equatable {
  /// On the desktop.
  package var seen = false
  /// By the notification server, or by a player.
  package var heard = false
  /// The notification server that is there, and its version.
  package var server: String?
  /// The program that plays the sound, where the server does not.
  package var player: String?
  /// Why not.
  package var reason: String?
  /// The notification server was asked, and says that it is paused.
  package var paused = false

  /// Neither seen nor heard.
  package init(reason: String? = nil) {
    self.reason = reason
  }
}
