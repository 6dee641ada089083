import NightjarClient

/// The text for people that says whether the user can notice a ring.
struct RingText {
  let ring: Wire.RingReport

  init(_ ring: Wire.RingReport) { self.ring = ring }

  /// The text about a ring that has not taken place.
  var expectedEffect: String {
    sentence(
      shown: ring.server.map { "shown by \($0)" } ?? "shown by a server that is started for it",
      played: "played by \(player)", unnoticed: "the user would not notice one")
  }

  /// The text about a ring that has taken place.
  var actualEffect: String {
    let server = ring.server ?? "the notification server"
    let played = "\(player) has played it"
    guard !isSuppressed else {
      return "\(server) does not show it, because it is paused (do not disturb), "
        + (ring.heard ? played : "and it is not heard\(reason)")
    }
    return sentence(
      shown: "\(server) has shown it", played: played, unnoticed: "the user cannot have noticed it")
  }

  /// The warning that this machine would neither show nor play the ring of a timer, with the
  /// reason. Nil if it would show or play it, if the timer runs a command instead, or if the
  /// configuration turns off what the ring lacks.
  func warning(about timer: Wire.Timer) -> String? {
    let isHeard = ring.heard && timer.ring?.silent != true
    guard timer.kind != .stopwatch, timer.ring?.exec.isEmpty != false,
      !ring.seen, !isHeard, !isAsConfigured, !isUndecided
    else { return nil }
    return "this machine would neither show nor play its ring\(reason); "
      + "nightjar doctor says what helps"
  }

  /// Whether the daemon does not know yet if the desktop shows notifications. This is so for some
  /// milliseconds after its start.
  var isUndecided: Bool { ring.unseen == .asking }

  /// Whether the notification server accepted the notification, but does not show it.
  var isSuppressed: Bool { ring.seen && ring.paused }

  /// Whether the user has turned off, in the configuration, each part that the ring lacks.
  var isAsConfigured: Bool {
    !isSuppressed && (ring.seen || ring.unseen == .off) && (ring.heard || ring.unheard == .off)
  }

  /// The reason for a part that the ring lacks, with a colon before it; empty: it lacks none.
  private var reason: String { ring.reason.map { ": \($0)" } ?? "" }

  private var player: String { ring.player ?? ring.server ?? "the notification server" }

  private func sentence(shown: String, played: String, unnoticed: String) -> String {
    switch (ring.seen, ring.heard) {
    case (true, true): "\(shown), \(played)"
    case (true, false): "\(shown), and not heard\(reason)"
    case (false, true): "\(played), and not shown\(reason)"
    case (false, false): "\(unnoticed)\(reason)"
    }
  }
}

extension Wire.Status.Reply {
  /// What a ring lacks, and in which boot, as a text to compare; nil: it is not known yet.
  var ringState: String? {
    guard !RingText(ring).isUndecided else { return nil }
    let lacks = [ring.unseen, ring.unheard].map { $0?.rawValue ?? "no" }
    return "\(clocks.bootId) \(lacks.joined(separator: " "))"
  }
}
