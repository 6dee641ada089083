internal import NightjarDesktop
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem

/// Gives the code for popups and sounds access to the engine.
final class EngineRings: TimerAccess {
  private let core: TimerCore
  private let clock: LoopClock
  private let rings: RingDecoder

  init(core: TimerCore, clock: LoopClock, rings: RingDecoder) {
    self.core = core
    self.clock = clock
    self.rings = rings
  }

  var slotEnd: Int { core.engine.slotEnd }

  func timer(_ slot: Int) -> Timer? {
    core.engine.isOccupied(slot) ? core.engine.timer(at: slot) : nil
  }

  func name(_ slot: Int) -> String { core.engine.name(at: slot) }

  func view(_ slot: Int) -> TimerView { core.engine.view(slot, at: clock.now) }

  func message(_ slot: Int) -> String { core.engine.timer(at: slot).attachments?.message ?? "" }

  func plan(of subject: Event.Subject) -> RingPlan? { rings.plan(of: subject) }

  func isCommitted(_ seq: Int64) -> Bool { seq <= core.journal.durableSeq }

  func record(_ unnoticed: Unnoticed, _ slot: Int, seq: Int64) {
    // A failed commit is told elsewhere, and its events are not kept.
    guard core.journal.failure == nil else { return }
    core.engine.recordUnnoticed(slot, unnoticed, seq: seq, at: clock.now)
  }

  func perform(
    _ operation: Operation, _ slot: Int, byUsec: Int64, expiry: Int64
  ) -> String? {
    if let failure = core.journal.failure { return failure.description }
    let (engine, now) = (core.engine, clock.now)
    do throws(EngineError) {
      // The user has pressed a button of the popup, so the user can undo the change.
      try engine.asPerson("popup \(engine.lastSeq)") { () throws(EngineError) in
        try engine.perform(operation, slot, byUsec: byUsec, expiry: expiry, at: now)
      }
      return nil
    } catch {
      return "\(error)"
    }
  }
}
