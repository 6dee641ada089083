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
    sentence(
      shown: "\(ring.server ?? "the notification server") has shown it",
      played: "\(player) has played it", nobody: "nobody can have noticed it")
  }

  /// What is missing is what the configuration leaves out.
  var isAsConfigured: Bool {
    (ring.isSeen || (ring.reason ?? "").contains("notify = false"))
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
