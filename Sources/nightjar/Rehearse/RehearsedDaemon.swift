import NightjarClient
import NightjarCore
import NightjarLedger
import NightjarSimulation
import NightjarTime
import NightjarWire

/// Plays the daemon's part: the engine of a simulated machine carries calls out, and they are answered
/// as the daemon answers them.
final class RehearsedDaemon: Answering {
  let machine: SimulatedMachine
  let calendar: SimulatedCalendar
  let defaults: DaemonDefaults

  /// A daemon that has just been started, on a machine in this place and at this moment.
  ///
  /// - Parameter wakeObstacle: why no timer can wake the machine; nil: one can.
  init(
    at wall: Wall, defaults: DaemonDefaults, wakeObstacle: String?
  ) throws(CommandError) {
    calendar = SimulatedCalendar(local: wall.zone)
    machine = SimulatedMachine(calendar: calendar, maximumTimers: Limits.timers)
    machine.clocks = SimulatedClocks(realtimeUsec: wall.nowUsec)
    machine.zoneName = wall.zone.name ?? ""
    machine.wakeObstacle = wakeObstacle
    self.defaults = defaults
    try simulated { () throws(StoreError) in try machine.boot() }
  }

  var engine: Engine {
    guard let service = machine.service else {
      preconditionFailure("what happens to the daemon ends with its being there again")
    }
    return service.engine
  }

  var now: Moment { machine.clocks.now }

  /// What the clock on the machine's wall shows.
  var wall: Wall { Wall(nowUsec: now.realtimeUsec, zone: calendar.local) }

  func explained(_ refusal: NightjarError) -> CommandError {
    CommandError(explaining: refusal) { slots.map { engine.name(at: $0) } }
  }

  func callAll(_ calls: [Call]) throws(CommandError) -> [Result<JSONValue, NightjarError>] {
    var results: [Result<JSONValue, NightjarError>] = []
    for call in calls { results.append(try answer(call)) }
    return results
  }

  /// Each call is a pass of the daemon's loop: what is due comes before it, and the answer before what
  /// comes due by it.
  private func answer(_ call: Call) throws(CommandError) -> Result<JSONValue, NightjarError> {
    var result = Result<JSONValue, NightjarError>.success(.object([]))
    try simulated { () throws(StoreError) in
      try machine.pass { _ in
        do throws(NightjarError) {
          result = .success(try carryOut(call))
        } catch {
          result = .failure(error)
        }
      }
    }
    return result
  }

  private func carryOut(_ call: Call) throws(NightjarError) -> JSONValue {
    let method = call.method.split(separator: ".").last ?? ""
    let parameters = call.parameters
    let byUsec = parameters["by_usec"]?.integerValue ?? 0
    switch method {
    case "Start": return try start(parameters)
    case "List": return list(parameters)
    case "Get": return reply(try slot(parameters))
    case "Update": return try update(parameters)
    case "Extend":
      return try change(parameters) { (slot) throws(EngineError) in
        try engine.extend(slot, byUsec: byUsec, at: now)
      }
    case "Snooze":
      return try change(parameters) { (slot) throws(EngineError) in
        try engine.snooze(slot, byUsec: byUsec, at: now)
      }
    default:
      guard let operation = Call.Operation(rawValue: String(method)) else {
        preconditionFailure("no command of a script calls \(call.method)")
      }
      return try perform(operation, parameters)
    }
  }

  private func perform(
    _ operation: Call.Operation, _ parameters: JSONValue
  ) throws(NightjarError) -> JSONValue {
    let slot = try slot(parameters)
    // What is put away is answered with as it was: it is not there afterwards.
    let before = reply(slot)
    let after = try change(parameters) { (slot) throws(EngineError) in
      switch operation {
      case .pause: try engine.pause(slot, at: now)
      case .resume: try engine.resume(slot, at: now)
      case .cancel: try engine.cancel(slot, at: now)
      case .restart: try engine.restart(slot, at: now)
      case .dismiss: try engine.dismiss(slot, at: now)
      case .remove: try engine.remove(slot, at: now)
      case .advance: try engine.advance(slot, at: now)
      case .lap: try engine.lap(slot, at: now)
      }
    }
    return after.isNull ? before : after
  }

  /// Null if the timer is not there afterwards.
  private func change(
    _ parameters: JSONValue, _ body: (_ slot: Int) throws(EngineError) -> Void
  ) throws(NightjarError) -> JSONValue {
    let slot = try slot(parameters)
    do throws(EngineError) {
      try body(slot)
    } catch {
      throw NightjarError(error, name: name(in: parameters), duration: "by_usec")
    }
    return engine.isOccupied(slot) ? reply(slot) : .null
  }

  private func update(_ parameters: JSONValue) throws(NightjarError) -> JSONValue {
    let labels = parameters["labels"].map { StartParameters.labels($0) }
    let data = parameters["data"].map { Array($0.text.utf8) }
    let bands = parameters["bands"].map { StartParameters.bands($0) }
    return try change(parameters) { (slot) throws(EngineError) in
      try engine.update(slot, labels: labels, data: data, bands: bands, at: now)
    }
  }

  private func start(_ parameters: JSONValue) throws(NightjarError) -> JSONValue {
    let asked = try StartParameters(parameters, calendar: calendar, defaults: defaults)
    let name = asked.name ?? engine.unusedName()
    let result: (slot: Int, created: Bool)
    do throws(EngineError) {
      result = try engine.start(
        name, durationUsec: asked.durationUsec, atUsec: asked.atUsec, clock: asked.clock,
        recipe: asked.recipe, attachments: asked.attachments, wakes: asked.wakes,
        replace: asked.replace, ifAbsent: asked.ifAbsent, at: now)
    } catch {
      throw NightjarError(error, name: name)
    }
    return .object([
      .init("timer", .timer(result.slot, of: engine, at: now)),
      .init("created", .bool(result.created)),
    ])
  }
}

// MARK: - Looking

extension RehearsedDaemon {
  /// Where there are timers.
  private var slots: [Int] { (0..<engine.slotEnd).filter(engine.isOccupied) }

  /// The timers that run, but for stopwatches.
  var running: [(slot: Int, id: Int64)] {
    slots.compactMap { slot in
      let record = engine.record(at: slot)
      return record.state == .running && engine.recipe(at: slot).kind != .stopwatch
        ? (slot, record.id) : nil
    }
  }

  private func list(_ parameters: JSONValue) -> JSONValue {
    let prefix = Array((parameters["prefix"]?.stringValue ?? "").utf8)
    let states = parameters["states"]?.arrayValue?.compactMap(\.stringValue)
    let found = slots.filter { slot in
      let isUnder = prefix.withUnsafeBytes { prefix in
        TimerName.matches(engine.nameBytes(at: slot), prefix: prefix)
      }
      let state = engine.record(at: slot).state.map { "\($0.name)" } ?? ""
      return isUnder && states?.contains(state) ?? true
    }
    return .object([
      .init("timers", .array(found.map { .timer($0, of: engine, at: now) }))
    ])
  }

  private func reply(_ slot: Int) -> JSONValue {
    .object([.init("timer", .timer(slot, of: engine, at: now))])
  }

  private func name(in parameters: JSONValue) -> String {
    parameters["name"]?.stringValue ?? ""
  }

  private func slot(_ parameters: JSONValue) throws(NightjarError) -> Int {
    let name = name(in: parameters)
    do throws(EngineError) {
      return try engine.require(name)
    } catch {
      throw NightjarError(error, name: name)
    }
  }
}

/// What goes on in a simulation; its disk cannot fail, but if it does somebody should know.
func simulated<Outcome>(
  _ body: () throws(StoreError) -> Outcome
) throws(CommandError) -> Outcome {
  do throws(StoreError) {
    return try body()
  } catch {
    throw CommandError(.refused, "the simulation cannot go on: \(error)")
  }
}

extension NightjarError {
  /// What the engine refused about a timer, as the daemon would send it.
  init(_ error: EngineError, name: String, duration: String = "duration_usec") {
    switch error {
    case .timerNotFound: self = .timerNotFound(name: name)
    case .timerExists: self = .timerExists(name: name)
    case .invalidTransition(let state, let operation):
      self = .invalidTransition(
        name: name, state: "\(state.name)", operation: "\(operation.name)")
    case .notForKind(let kind, let operation):
      self = .notForKind(name: name, kind: "\(kind.name)", operation: "\(operation.name)")
    case .durationTooLong(let limit): self = .limitExceeded(limit: duration, value: limit)
    case .durationNotPositive: self = .invalidParameter(name: duration)
    case .tooManyTimers(let limit): self = .limitExceeded(limit: "timers", value: Int64(limit))
    case .tooManyLaps(let limit): self = .limitExceeded(limit: "laps", value: Int64(limit))
    case .neverElapses: self = .neverElapses(name: name)
    case .problem(let problem): self = NightjarError(problem)
    }
  }

  /// What makes no sense about a timer.
  init(_ problem: RecipeProblem) {
    self = .invalidValue(parameter: problem.part.rawValue, reason: problem.reason)
  }
}
