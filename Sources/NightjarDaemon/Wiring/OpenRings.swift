internal import NightjarEngine
internal import NightjarModel
internal import NightjarService

/// Parses the stored rings of timers. It caches the last result, because timers that ring one after
/// another often have the same ring.
final class OpenRings {
  private let engine: Engine
  private var recent: (ring: SealedRing, plan: RingPlan)?

  init(engine: Engine) { self.engine = engine }

  /// The command and sound of the timer that the event is about, even if the event has ended that
  /// timer; nil if the timer specifies none.
  func plan(of subject: Event.Subject) -> RingPlan? {
    engine.attachments(of: subject)?.ring.map { opened($0) }
  }

  private func opened(_ ring: SealedRing) -> RingPlan {
    if let recent, recent.ring === ring { return recent.plan }
    let plan = RingPlan(ring)
    recent = (ring, plan)
    return plan
  }
}
