import NightjarLedger
import NightjarModel
import NightjarSimulation

@testable import NightjarEngine

/// Faults of the real core, to show that the runs find them.
enum Saboteur: String, CaseIterable {
  case microsecondForgotten = "way out that forgets a microsecond of one timer"
  case spanCountedTwice = "way out that subtracts the span twice"
  case stopCountedAsAwake = "stop that counts as awake"
  case reasonForgotten = "firing that does not know its span"
  case firedTwice = "timer that fires twice"
  case firedEarly = "timer that fires a microsecond early"
  case equalsReversed = "queue that reverses equal deadlines"
  case pauseForgets = "pause that keeps a microsecond too much"
  case rowLost = "disk that loses a row"
  case chunkLost = "disk that loses a chunk"
  case diskLies = "disk that says durable too soon"
  case wakesLate = "loop that wakes a millisecond late"
  case bandEarly = "band that is announced a microsecond early"
  case bandStays = "timer that is extended and stays in its band"
  case repetitionDrifts = "repetition that drifts by how late it rang"
  case eachLosesOne = "policy of each that loses one"
  case snoozeMoves = "snooze that moves the schedule"
  case latenessShared = "expiry that has the lateness of the one recorded before it"
  case joinedForgotten = "expiry that joins a ring and never sounds"
  case ringSurvives = "ring that survives its answer"
  case olderAnswered = "answer to an older expiry that ends the newer ring"
  case othersUndone = "undo over a later change of somebody else"
  case longStepMisplaced = "long step that is as short as the others"
  case spanIgnored = "sequence that a sleep means nothing to"
  case groupForgetsOne = "group that forgets one of those that came due"
  case ringsAgain = "calendar alarm that rings again after a step back"
  case muteForgotten = "muted alarm that does not know that it was"
  case exceptionForgotten = "way out that counts points on days that are left out"
  case skipForgotten = "step back after which a skipped point rings"
  case undoStopsTime = "timer that comes back as if no time had passed"
  case stopwatchForgets = "stopwatch that forgets a microsecond in a pause"
  case absenceCounted = "absence that counts on present"
  case absenceIgnored = "sequence that an absence means nothing to"
  case absenceCountedTwice = "sleep in an absence that is left out twice"

  /// Injects the fault into `machine`.
  func sabotage(_ machine: SimulatedMachine) {
    switch self {
    case .diskLies: machine.disk.lies = true
    case .wakesLate: machine.wakeDelayUsec = 1000
    case .rowLost:
      watch(machine) { [disk = machine.disk] _, notification, _ in
        if case .committed = notification, disk.rows.count > 1 { disk.rows.removeLast() }
      }
    case .chunkLost:
      watch(machine) { [disk = machine.disk] _, notification, _ in
        if case .committed = notification { disk.chunks.removeAll() }
      }
    case .undoStopsTime:
      var changed: [Int64: Int64] = [:]
      watch(machine) { engine, notification, _ in
        guard case .recorded(let event) = notification else { return }
        let now = event.counters.elapsedUsec
        changed[event.seq] = now
        guard case .undone(let undone) = event.kind, let slot = event.subject?.slot,
          engine.table[slot].state == .running, engine.table[slot].clock == .elapsed
        else { return }
        Self.move(engine, slot, by: now - (changed[undone.seq] ?? now))
      }
    case .latenessShared:
      var before: [Int64: (timeUsec: Int64, lateUsec: Int64)] = [:]
      watch(machine) { engine, notification, _ in
        guard case .recorded(let event) = notification, let subject = event.subject,
          let late = event.kind.expiry?.late, engine.isOccupied(subject.slot)
        else { return }
        defer { before[subject.id] = (event.timeUsec, late.usec) }
        guard let first = before[subject.id], first.timeUsec == event.timeUsec else { return }
        engine.table[subject.slot].expiries.last?.reached.lateUsec = first.lateUsec
      }
    case .ringSurvives:
      var rings: [Int64: Ring] = [:]
      watch(machine) { engine, notification, _ in
        guard case .recorded(let event) = notification, let subject = event.subject,
          engine.isOccupied(subject.slot)
        else { return }
        if event.kind.answeredRing > 0, let ring = rings[subject.id] {
          engine.changeRings(subject.slot) { $0.ring = ring }
        }
        rings[subject.id] = engine.table[subject.slot].ring
      }
    case .groupForgetsOne:
      var hidden: Int?
      watch(machine) { engine, notification, moment in
        hidden = Self.hideOne(of: engine, notification, moment, hidden)
      }
    default:
      watch(machine) { engine, notification, moment in
        if case .recorded(let event) = notification, let slot = event.subject?.slot {
          if engine.isOccupied(slot) { changeKind(engine, slot, event, moment) }
        }
        change(engine, notification, moment)
      }
    }
  }

  /// Injects the fault into a request on its way to the real core.
  func change(_ request: Request) -> Request {
    switch (self, request) {
    case (.olderAnswered, .answer(let operation, let name, _, let byUsec, let agoUsec)):
      .answer(operation, name, expiry: .max, byUsec: byUsec, agoUsec: agoUsec)
    case (_, .personal(let request, let group)): .personal(change(request), group: group)
    default: request
    }
  }

  private func watch(
    _ machine: SimulatedMachine, _ change: @escaping (Engine, Notification, Moment) -> Void
  ) {
    machine.saboteur = { SabotagingObserver(engine: $0.engine, change: change) }
  }

  /// The observer's change to the engine.
  private func change(_ engine: Engine, _ notification: Notification, _ moment: Moment) {
    switch (self, notification) {
    case (.microsecondForgotten, .willEnterForeground):
      if let slot = running(engine).first { move(engine, slot, by: 1) }
    case (.spanCountedTwice, .willEnterForeground(let span)):
      for slot in running(engine) { move(engine, slot, by: -span.elapsedUsec) }
    case (.stopCountedAsAwake, .willEnterForeground(let span)) where span.causes == [.stop]:
      let usec = (span.left?.monotonicUsec ?? 0) - span.entered.monotonicUsec
      for slot in running(engine) where engine.table[slot].clock == .awake {
        move(engine, slot, by: -usec)
      }
    case (.absenceCounted, .absenceEnded(let span)):
      let usec = (span.left?.monotonicUsec ?? 0) - span.entered.monotonicUsec
      for slot in running(engine) where engine.table[slot].clock == .present {
        move(engine, slot, by: -max(0, usec))
      }
    case (.absenceIgnored, .absenceBegan): engine.background.note(absenceEntered: 0)
    case (.absenceCountedTwice, .willEnterForeground(let span))
    where engine.background.absence != nil:
      for slot in running(engine) where engine.table[slot].clock == .present {
        move(engine, slot, by: span.elapsedUsec)
      }
    case (.reasonForgotten, .willEnterForeground): engine.lateSpans = []
    case (.firedTwice, .recorded(let event)):
      guard case .rang = event.kind, let slot = event.subject?.slot else { return }
      if event.seq % 7 == 0 { engine.record(event.kind, about: slot, at: moment) }
    case (.firedEarly, .recorded(let event)):
      if case .started = event.kind, let slot = event.subject?.slot { move(engine, slot, by: -1) }
    case (.equalsReversed, .recorded(let event)):
      guard case .started = event.kind, let slot = event.subject?.slot else { return }
      move(engine, slot, by: 0, order: 1 << 39 - event.seq)
    case (.exceptionForgotten, .willEnterForeground):
      (engine.calendar as? FakeCalendar)?.ignoresExceptions = true
    case (.exceptionForgotten, .recorded(let event)) where event.subject != nil:
      (engine.calendar as? FakeCalendar)?.ignoresExceptions = false
    case (.skipForgotten, .clockStepped(let by)) where by < 0:
      for slot in 0..<engine.slotEnd where engine.isOccupied(slot) {
        engine.table[slot].passedOver = []
      }
    case (.spanIgnored, .didEnterBackground): engine.background.note(entered: 0)
    case (.ringsAgain, .clockStepped(let by)) where by < 0:
      for slot in 0..<engine.slotEnd
      where engine.isOccupied(slot) && engine.table[slot].spec.schedule != nil {
        engine.table[slot].course.rangFor = nil
      }
    case (.pauseForgets, .recorded(let event)):
      if case .paused = event.kind, let slot = event.subject?.slot,
        case .paused(let remaining, let seq) = engine.table[slot].phase
      {
        engine.table[slot].phase = .paused(remainingUsec: remaining + 1, ranUpTo: seq)
      }
    default: break
    }
  }

  /// The observer's change to a timer beyond a plain countdown, which `event` is about.
  private func changeKind(_ engine: Engine, _ slot: Int, _ event: Event, _ moment: Moment) {
    let (timer, spec) = (engine.table[slot], engine.table[slot].spec)
    switch (self, event.kind) {
    case (.bandEarly, .started), (.bandEarly, .resumed), (.bandEarly, .restarted):
      guard let next = engine.queueDeadline(slot), next < timer.phase.deadline ?? next,
        let queue = engine.queue(of: slot)
      else { return }
      let order = queue.order(of: slot) ?? 0
      queue.remove(slot)
      queue.insert(slot, deadline: next - 1, order: order)
    case (.bandStays, .extended(let by, _)) where by > 0 && !spec.isPlain:
      // As if it had begun there, so that no other band is announced.
      let remaining = engine.remainingUsec(slot, at: moment)
      engine.table[slot].course.announcedBands = spec.band(remainingUsec: remaining)
    case (.repetitionDrifts, .rang(let late, _, .some)) where spec.repeats:
      move(engine, slot, by: late.usec)
    case (.eachLosesOne, .rang(let late, _, .some)):
      guard spec.repeats, spec.missed == .each, late.isHidden else { return }
      move(engine, slot, by: timer.fullLengthUsec)
    case (.snoozeMoves, .snoozed(let by, _, _)): move(engine, slot, by: by)
    case (.joinedForgotten, .joined): engine.table[slot].ring?.joined = []
    case (.longStepMisplaced, .rang(_, _, let passing?)):
      guard timer.state == .running, spec.kind == .sequence else { return }
      let position = passing.next.position
      let more = spec.step(at: position).durationUsec - spec.stepUsec(at: position)
      move(engine, slot, by: more)
      engine.table[slot].runLengthUsec += more
    case (.muteForgotten, .resumed) where spec.kind == .alarm:
      engine.table[slot].course.wasPausedAtDeadline = false
    case (.stopwatchForgets, .resumed):
      guard case .runningStopwatch(let since) = timer.phase else { return }
      engine.table[slot].phase = .runningStopwatch(since: since + 1)
    case (.othersUndone, let kind) where kind.traits.contains(.isRequested):
      // A new history does not know of the changes that no person made.
      guard engine.personalChange == nil else { return }
      var history = UndoHistory()
      for entry in engine.undoHistory.entries {
        history.add(entry, named: engine.undoHistory.name(of: entry))
      }
      engine.undoHistory = history
    default: break
    }
  }

  /// Hides one of several expired timers from the list of the span. Returns its slot.
  private static func hideOne(
    of engine: Engine, _ notification: Notification, _ moment: Moment, _ hidden: Int?
  ) -> Int? {
    switch notification {
    case .willEnterForeground where hidden == nil:
      let reading = engine.background.timelines.reading(.elapsed, at: moment)
      let due = engine.elapsedQueue.due(at: reading, atMost: 2) { slot in
        let timer = engine.table[slot]
        return timer.spec.isPlain ? timer.phase.deadline.flatMap { $0 > reading ? nil : $0 } : nil
      }
      guard due.count == 2 else { return nil }
      move(engine, due.first[0], by: hideUsec)
      return due.first[0]
    case .recorded(let event):
      guard let hidden, case .cameDue = event.kind else { return hidden }
      move(engine, hidden, by: -hideUsec)
      return nil
    default: return hidden
    }
  }

  private static let hideUsec: Int64 = 86_400_000_000

  private func running(_ engine: Engine) -> [Int] {
    (0..<engine.slotEnd).filter {
      engine.isOccupied($0) && engine.table[$0].state == .running
    }
  }

  private func move(_ engine: Engine, _ slot: Int, by usec: Int64, order: Int64? = nil) {
    Self.move(engine, slot, by: usec, order: order)
  }

  private static func move(_ engine: Engine, _ slot: Int, by usec: Int64, order: Int64? = nil) {
    guard case .running(let deadline) = engine.table[slot].phase else { return }
    let queues = engine.queues(of: slot)
    let before = queues.main?.order(of: slot) ?? 0
    engine.table[slot].phase = .running(deadline: deadline + usec)
    engine.enqueue(slot, order: order ?? before, from: queues)
  }
}

private final class SabotagingObserver: NotificationObserver {
  let engine: Engine
  let change: (Engine, Notification, Moment) -> Void

  init(engine: Engine, change: @escaping (Engine, Notification, Moment) -> Void) {
    self.engine = engine
    self.change = change
  }

  func observe(_ notification: Notification, at moment: Moment) {
    change(engine, notification, moment)
  }
}
