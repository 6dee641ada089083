import NightjarClient
import NightjarModel
import NightjarTestSupport

@testable import NightjarFaces

/// Noon of 2026-11-25 in UTC, 100 s after the boot.
let noon = Moment(
  realtimeUsec: 1_795_608_000 * second, boottimeUsec: 100 * second, monotonicUsec: 50 * second,
  bootID: BootID(high: 0, low: 1))

/// A timer as it was at noon.
func shown(
  _ name: String, _ state: Wire.State = .running, _ ringing: Wire.Ringing? = nil,
  kind: Wire.Kind = .countdown, id: Int64 = 1
) -> ShownTimer {
  ShownTimer(timer: .sample(name, state, ringing: ringing, kind: kind, id: id), asOf: noon)
}

extension Wire.Timer {
  /// A countdown of four minutes that was started at noon.
  static func sample(
    _ name: String, _ state: Wire.State, ringing: Wire.Ringing? = nil, kind: Wire.Kind = .countdown,
    id: Int64 = 1
  ) -> Wire.Timer {
    var timer = Wire.Timer.blank
    (timer.id, timer.name, timer.state, timer.kind) = (id, name, state, kind)
    (timer.clock, timer.durationUsec, timer.remainingUsec) = (.elapsed, 240 * second, 240 * second)
    if state == .running {
      timer.deadlineUsec = noon.realtimeUsec + 240 * second
      timer.deadlineBoottimeUsec = 340 * second
    }
    guard let ringing else { return timer }
    timer.ringing = ringing
    var ring = Wire.OpenRing.blank
    (ring.expiry, ring.rangUsec) = (3, noon.realtimeUsec - 60 * second)
    if ringing == .snoozed {
      (ring.leftUsec, ring.untilUsec) = (300 * second, noon.realtimeUsec + 300 * second)
    }
    timer.openRing = ring
    return timer
  }
}
