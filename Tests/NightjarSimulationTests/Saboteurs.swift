import NightjarSimulation
import NightjarStore

@testable import NightjarCore

/// Ways in which the real core can be made wrong, so that the runs can show that they notice.
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

  /// Makes `machine` wrong.
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
    default: watch(machine, change)
    }
  }

  private func watch(
    _ machine: SimulatedMachine, _ change: @escaping (Engine, Notification, Moment) -> Void
  ) {
    machine.saboteur = { SabotagingObserver(engine: $0.engine, change: change) }
  }

  /// What the observer does to the engine.
  private func change(_ engine: Engine, _ notification: Notification, _ moment: Moment) {
    switch (self, notification) {
    case (.microsecondForgotten, .willEnterForeground):
      if let slot = running(engine).first { move(engine, slot, by: 1) }
    case (.spanCountedTwice, .willEnterForeground(let span)):
      for slot in running(engine) { move(engine, slot, by: -span.elapsedUsec) }
    case (.stopCountedAsAwake, .willEnterForeground(let span)) where span.causes == [.stop]:
      let usec = (span.left?.monotonicUsec ?? 0) - span.entered.monotonicUsec
      for slot in running(engine) where engine.record(at: slot).timeline == .awake {
        move(engine, slot, by: -usec)
      }
    case (.reasonForgotten, .willEnterForeground): engine.lateSpans = []
    case (.firedTwice, .recorded(let event)):
      guard case .fired = event.kind, let slot = event.subject?.slot else { return }
      if event.seq % 7 == 0 { engine.record(event.kind, about: slot, at: moment) }
    case (.firedEarly, .recorded(let event)):
      if case .started = event.kind, let slot = event.subject?.slot { move(engine, slot, by: -1) }
    case (.equalsReversed, .recorded(let event)):
      guard case .started = event.kind, let slot = event.subject?.slot else { return }
      move(engine, slot, by: 0, order: 1 << 39 - event.seq)
    case (.pauseForgets, .recorded(let event)):
      if case .paused = event.kind, let slot = event.subject?.slot { engine.table[slot].held += 1 }
    default: break
    }
  }

  private func running(_ engine: Engine) -> [Int] {
    (0..<engine.slotEnd).filter {
      engine.isOccupied($0) && engine.record(at: $0).state == .running
    }
  }

  private func move(_ engine: Engine, _ slot: Int, by usec: Int64, order: Int64? = nil) {
    guard let queue = engine.queue(of: engine.record(at: slot), slot) else { return }
    let before = queue.order(of: slot) ?? 0
    queue.remove(slot)
    engine.table[slot].point += usec
    engine.enqueue(slot, order: order ?? before)
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
