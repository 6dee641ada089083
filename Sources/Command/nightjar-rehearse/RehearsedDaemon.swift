import NightjarClient
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTime
import Varlink
import nightjar

/// The daemon of a rehearsal. The engine of a simulated machine carries out its calls, and its
/// replies are those of the real daemon.
final class RehearsedDaemon: Answering {
  let machine: SimulatedMachine
  let calendar: ZoneCalendar
  private let defaults: RehearsalDefaults

  init(at wall: WallClock, defaults: RehearsalDefaults) throws(CommandError) {
    calendar = ZoneCalendar(local: wall.zone)
    machine = SimulatedMachine(calendar: calendar, maximumTimers: Limits.timers)
    machine.clocks = SimulatedClocks(realtimeUsec: wall.nowUsec)
    machine.zoneName = wall.zone.name ?? ""
    machine.presence = .here
    machine.usualRing = defaults.ring
    self.defaults = defaults
    try simulated { () throws(StoreError) in try machine.boot() }
  }

  var engine: Engine {
    guard let core = machine.core else {
      preconditionFailure("what happens to the daemon ends with its being there again")
    }
    return core.engine
  }

  var now: Moment { machine.clocks.now }

  var wall: WallClock { WallClock(nowUsec: now.realtimeUsec, zone: calendar.local) }

  func explained(_ refusal: TimersError, isChange: Bool) -> CommandError {
    CommandError(explaining: refusal) { slots.map { engine.name(at: $0) } }
  }

  func callAll(_ calls: [Call]) throws(CommandError) -> [Result<JSONValue, TimersError>] {
    var results: [Result<JSONValue, TimersError>] = []
    for call in calls { results.append(try answer(to: call)) }
    return results
  }

  /// Makes a call in one iteration of the daemon's loop. Timers that are due expire before the
  /// call. If the call makes a timer expire, the event comes after the answer.
  func answer(to call: Call) throws(CommandError) -> Result<JSONValue, TimersError> {
    var result = Result<JSONValue, TimersError>.success(.object([]))
    try simulated { () throws(StoreError) in
      try machine.runIteration { core in result = carryOut(call, by: core) }
    }
    return result
  }

  /// Makes a call. The call is encoded and decoded as on a real connection, so that it is refused
  /// if the daemon would refuse it.
  private func carryOut(
    _ call: Call, by core: TimerCore
  ) -> Result<JSONValue, TimersError> {
    var bytes: [UInt8] = []
    VarlinkCall.write(method: call.method, parameters: call.parameters, into: &bytes)
    let methods = Methods(core: core, calendar: calendar, dependencies: nil) {
      [defaults] in defaults.specs
    }
    do {
      let reply = try bytes.dropLast().withUnsafeBytes { frame in
        try methods.answer(frame, at: now)
      }
      return try reply.withUnsafeBytes { try VarlinkReply.parse($0).answer() }
    } catch {
      preconditionFailure("what was just written cannot be read: \(error)")
    }
  }
}

// MARK: - Looking

extension RehearsedDaemon {
  private var slots: [Int] { (0..<engine.slotEnd).filter(engine.isOccupied) }

  /// The timers of which something is to come: an expiry, or a time of their ring.
  var awaited: [(slot: Int, id: Int64)] {
    slots.compactMap { slot in
      let timer = engine.timer(at: slot)
      let isRunning = timer.state == .running && timer.spec.kind != .stopwatch
      return isRunning || timer.ring?.deadline != nil ? (slot, timer.id) : nil
    }
  }
}

/// Runs a part of the simulation. If the simulated disk fails, which is a bug, this throws an error
/// that the user sees.
func simulated<Outcome>(
  _ body: () throws(StoreError) -> Outcome
) throws(CommandError) -> Outcome {
  do throws(StoreError) {
    return try body()
  } catch {
    throw CommandError(.refused, "the simulation cannot continue: \(error)")
  }
}
