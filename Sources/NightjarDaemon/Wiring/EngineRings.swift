internal import NightjarDesktop
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem

/// What popups and sounds ask of the engine.
final class EngineRings: RingKeeper {
  private let service: TimerService
  private let clock: PassClock
  private let rings: OpenRings

  init(service: TimerService, clock: PassClock, rings: OpenRings) {
    self.service = service
    self.clock = clock
    self.rings = rings
  }

  var slotEnd: Int { service.engine.slotEnd }

  func record(_ slot: Int) -> TimerRecord? {
    service.engine.isOccupied(slot) ? service.engine.record(at: slot) : nil
  }

  func name(_ slot: Int) -> String { service.engine.name(at: slot) }

  func view(_ slot: Int) -> TimerView { service.engine.view(slot, at: clock.now) }

  func message(_ slot: Int) -> String { service.engine.attachments(at: slot)?.message ?? "" }

  func plan(of subject: Event.Subject) -> RingPlan? { rings.plan(of: subject) }

  func recordUnanswered(_ slot: Int, firedUsec: Int64) -> Bool {
    service.journal.failure == nil
      && service.engine.recordUnanswered(slot, firedUsec: firedUsec, at: clock.now)
  }

  func recordRangAgain(_ slot: Int, firedUsec: Int64) -> Bool {
    service.journal.failure == nil
      && service.engine.recordRangAgain(slot, firedUsec: firedUsec, at: clock.now)
  }

  func perform(_ operation: Operation, _ slot: Int, byUsec: Int64) -> String? {
    if let failure = service.journal.failure { return failure.description }
    let (engine, now) = (service.engine, clock.now)
    do throws(EngineError) {
      // A person has pressed a button.
      try engine.asPerson("popup \(engine.lastSeq)") { () throws(EngineError) in
        try engine.perform(operation, slot, byUsec: byUsec, at: now)
      }
      return nil
    } catch {
      return "\(error)"
    }
  }
}
