import NightjarClient

/// Whether a ring is noticed, in plain words.
struct RingText {
  let ring: RingReport

  init(_ ring: RingReport) { self.ring = ring }

  /// What would become of one.
  var wouldBe: String {
    sentence(
      shown: ring.server.map { "shown by \($0)" } ?? "shown by a server that is started for it",
      played: "played by \(player)", nobody: "nobody would notice one")
  }

  /// What became of one.
  var was: String {
    let server = ring.server ?? "the notification server"
    let (reason, played) = (ring.reason.map { ": \($0)" } ?? "", "\(player) has played it")
    guard !isKeptBack else {
      return "\(server) does not show it, because it is paused (do not disturb), "
        + (ring.isHeard ? played : "and it is not heard\(reason)")
    }
    return sentence(
      shown: "\(server) has shown it", played: played, nobody: "nobody can have noticed it")
  }

  /// The server took it, and does not show it.
  var isKeptBack: Bool { ring.isSeen && ring.isPaused }

  /// What is missing is what the configuration leaves out.
  var isAsConfigured: Bool {
    !isKeptBack && (ring.isSeen || (ring.reason ?? "").contains("notify = false"))
      && (ring.isHeard || (ring.reason ?? "").contains("sound = false"))
  }

  private var player: String { ring.player ?? ring.server ?? "the notification server" }

  private func sentence(shown: String, played: String, nobody: String) -> String {
    let reason = ring.reason.map { ": \($0)" } ?? ""
    return switch (ring.isSeen, ring.isHeard) {
    case (true, true): "\(shown), \(played)"
    case (true, false): "\(shown), and not heard\(reason)"
    case (false, true): "\(played), and not shown\(reason)"
    case (false, false): "\(nobody)\(reason)"
    }
  }
}
