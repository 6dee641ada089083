package import NightjarVarlink

/// Whether a ring is noticed, or would be.
package struct RingReport: Equatable {
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

  /// Neither seen nor heard.
  package init(reason: String? = nil) {
    self.reason = reason
  }
}

extension JSONWriter {
  package mutating func ring(_ report: RingReport) {
    beginObject()
    member("seen", report.seen)
    member("heard", report.heard)
    if let server = report.server { member("server", server) }
    if let player = report.player { member("player", player) }
    if let reason = report.reason { member("reason", reason) }
    endObject()
  }
}
