public enum LateText {
  /// The lateness and its cause: `2 h late: the machine slept`. Nil if the lateness is below a
  /// millisecond. If the cause is `busy` or none, also nil up to a second, which users do not
  /// notice.
  ///
  /// - Parameters:
  ///   - usec: the lateness, in microseconds.
  ///   - cause: the cause, by its name on the wire.
  ///   - withReason: whether to add the cause.
  public static func late(usec: Int64, cause: String?, withReason: Bool = true) -> String? {
    let isHidden = cause.map { $0 != "busy" } ?? false
    guard usec > (isHidden ? 999 : 1_000_000) else { return nil }
    let reason = withReason ? cause.map { ": \(self.reason($0))" } ?? "" : ""
    return "\(SpanFormat.text(usec: usec, units: 2)) late\(reason)"
  }

  /// A sentence for a cause of a background span or of lateness, given by its name on the wire.
  public static func reason(_ cause: String) -> String {
    switch cause {
    case "sleep": "the machine slept"
    case "stop": "the daemon was stopped"
    case "down": "the daemon was down"
    case "reboot": "the machine was rebooted"
    case "freeze": "the machine stood still"
    case "away": "the session was locked or idle"
    case "step": "the clock was set"
    case "busy": "the machine was busy"
    case "paused": "it was paused"
    case "undone": "a change was undone"
    default: cause
    }
  }
}
