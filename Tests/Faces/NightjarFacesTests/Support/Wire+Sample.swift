import NightjarClient
import NightjarTestSupport

extension Wire.Timer {
  /// A countdown of four minutes at the moment of `LauncherResultTests` and `TrayMenuTests`: at
  /// noon of 2026-11-25 in UTC, 100 s after the boot.
  static func sample(
    _ name: String, _ state: Wire.State, ringing: Wire.Ringing? = nil, kind: Wire.Kind = .countdown,
    id: Int64 = 1
  ) -> Wire.Timer {
    let noonUsec = 1_795_608_000 * second
    var timer = Wire.Timer.blank
    (timer.id, timer.name, timer.state, timer.kind) = (id, name, state, kind)
    (timer.clock, timer.durationUsec, timer.remainingUsec) = (.elapsed, 240 * second, 240 * second)
    if state == .running {
      timer.deadlineUsec = noonUsec + 240 * second
      timer.deadlineBoottimeUsec = 340 * second
    }
    guard let ringing else { return timer }
    timer.ringing = ringing
    var ring = Wire.OpenRing.blank
    (ring.expiry, ring.rangUsec) = (3, noonUsec - 60 * second)
    if ringing == .snoozed {
      (ring.leftUsec, ring.untilUsec) = (300 * second, noonUsec + 300 * second)
    }
    timer.openRing = ring
    return timer
  }
}
