internal import NightjarEngine
internal import NightjarModel
internal import NightjarParameters

/// Parses the stored rings of timers. It caches the last result, because timers that ring one after
/// another often have the same ring.
final class RingDecoder {
  private let engine: Engine
  private var recent: (ring: EncodedRing, plan: RingPlan)?

  init(engine: Engine) { self.engine = engine }

  /// The command and sound of the timer that the event is about, even if the event has ended that
  /// timer; nil if the timer specifies none.
  func plan(of subject: Event.Subject) -> RingPlan? {
    engine.attachments(of: subject)?.ring.map { decoded($0) }
  }

  private func decoded(_ ring: EncodedRing) -> RingPlan {
    if let recent, recent.ring === ring { return recent.plan }
    let plan = RingPlan(ring)
    recent = (ring, plan)
    return plan
  }
}
