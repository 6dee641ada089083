import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Operations on timers: carried out, or refused with a typed error, in every state.
@Suite struct EngineOperationTests {
  /// A timer of ten seconds in `state`, two seconds after its start. A countdown, or a sequence if
  /// only that can have this state.
  private func timer(
    _ state: TimerState, _ clock: Timeline = .elapsed
  ) throws -> (stage: Stage, slot: Int) {
    let stage = Stage()
    let step = Step(name: "work", durationUsec: 10 * second, waits: true)
    let spec = state == .waiting ? try SharedSpec(kind: .sequence, steps: [step]) : nil
    let slot = try stage.start("tea", spec, usec: 10 * second, clock)
    stage.run(2 * second)
    try stage.runIteration { engine in
      switch state {
      case .running: break
      case .paused: try engine.pause(slot, at: stage.now)
      case .cancelled: try engine.cancel(slot, at: stage.now)
      case .over, .waiting: try engine.extend(slot, byUsec: -8 * second, at: stage.now)
      }
    }
    #expect(stage.state(slot) == state)
    return (stage, slot)
  }

  @Test func `An operation on a timer that does not exist is refused`() throws {
    let stage = Stage()
    #expect(throws: EngineError.timerNotFound) { try stage.engine.require("tea") }
    let slot = try stage.start("tea", second)
    #expect(try stage.engine.require("tea") == slot)
    try stage.engine.remove(slot, at: stage.now)
    #expect(throws: EngineError.timerNotFound) { try stage.engine.require("tea") }
  }

  @Test(
    arguments: [
      (0, .durationNotPositive(0)), (-1, .durationNotPositive(-1)),
      (.min, .durationNotPositive(.min)),
      (Limits.durationUsec + 1, .durationTooLong(Limits.durationUsec)),
      (.max, .durationTooLong(Limits.durationUsec)),
    ] as [(Int64, EngineError)])
  func `A duration and a snooze are over zero and at most a hundred years`(
    _ usec: Int64, _ expected: EngineError
  ) throws {
    let stage = Stage()
    for clock in Timeline.allCases {
      let error = #expect(throws: EngineError.self) { try stage.start("tea", usec, clock) }
      guard case .problem(let problem)? = error else {
        Issue.record("\(String(describing: error)) is no problem of the specification")
        continue
      }
      #expect(problem.part == .durationUsec)
      #expect(problem.limit?.most == (usec > 0 ? Limits.durationUsec : nil))
    }
    let (over, slot) = try timer(.over)
    #expect(throws: expected) { try over.engine.snooze(slot, byUsec: usec, at: over.now) }
    #expect(stage.engine.lastSeq == 0)
  }

  @Test(arguments: Timeline.allCases)
  func `A duration of a hundred years is accepted`(_ clock: Timeline) throws {
    let stage = Stage()
    let slot = try stage.start("tea", Limits.durationUsec, clock)
    #expect(stage.remaining(slot) == Limits.durationUsec)
    #expect(throws: EngineError.durationTooLong(Limits.durationUsec)) {
      try stage.engine.extend(slot, byUsec: 1, at: stage.now)
    }
  }

  @Test func `An extension may reach a hundred years, and no further`() throws {
    let stage = Stage()
    let slot = try stage.start("tea", Limits.durationUsec - 5 * second)
    stage.run(second)
    #expect(throws: EngineError.durationTooLong(Limits.durationUsec)) {
      try stage.engine.extend(slot, byUsec: 5 * second + 1, at: stage.now)
    }
    try stage.engine.extend(slot, byUsec: 5 * second, at: stage.now)
    #expect(stage.remaining(slot) == Limits.durationUsec - second)
  }

  @Test
  func `A start with the name of an active timer is refused, and one that has ended is replaced`()
    throws
  {
    for state in TimerState.allCases {
      let (stage, slot) = try timer(state)
      let old = stage.engine.timer(at: slot).id
      if state.isActive {
        #expect(throws: EngineError.timerExists) { try stage.start("tea", second) }
        #expect(stage.engine.timer(at: slot).id == old)
      } else {
        let new = try stage.start("tea", second)
        #expect(stage.engine.timer(at: new).id > old)
        #expect(stage.state(new) == .running)
        #expect(stage.engine.counts == [1, 0, 0, 0, 0])
      }
    }
  }

  @Test func `Replace starts a new timer in every state, and its event refers to the old one`()
    throws
  {
    for state in TimerState.allCases {
      let (stage, slot) = try timer(state)
      let last = stage.engine.timer(at: slot).lastEvent
      let outcome = try stage.engine.start(
        "tea", durationUsec: second, clock: .awake, replace: true, at: stage.now)
      #expect(outcome.created)
      #expect(stage.engine.timer(at: outcome.slot).clock == .awake)
      #expect(stage.events.last?.subject?.previous == last)
      #expect(stage.engine.counts == [1, 0, 0, 0, 0])
      #expect(stage.engine.violatedInvariant() == nil)
    }
  }

  @Test
  func `if-absent leaves an active timer or a snooze as it is, and replaces one that has ended`()
    throws
  {
    for state in TimerState.allCases {
      let (stage, slot) = try timer(state)
      let before = stage.engine.stored(slot)
      let outcome = try stage.engine.start(
        "tea", durationUsec: second, clock: .elapsed, ifAbsent: true, at: stage.now)
      #expect(outcome.created == !state.isActive)
      if state.isActive { #expect(stage.engine.stored(slot) == before) }
    }
    let (stage, slot) = try timer(.over)
    try stage.engine.snooze(slot, byUsec: second, at: stage.now)
    #expect(
      try !stage.engine.start(
        "tea", durationUsec: second, clock: .elapsed, ifAbsent: true, at: stage.now
      ).created)
  }

  @Test func `The limit of timers holds, and replacing a timer does not exceed it`() throws {
    let stage = Stage(maximumTimers: 2)
    try stage.start("a", second)
    let slot = try stage.start("b", second)
    #expect(throws: EngineError.tooManyTimers(2)) { try stage.start("c", second) }
    stage.run(2 * second)
    #expect(stage.state(slot) == .over)
    try stage.start("a", second)
    #expect(throws: EngineError.tooManyTimers(2)) { try stage.start("c", second) }
    try stage.engine.remove(slot, at: stage.now)
    try stage.start("c", second)
    #expect(stage.engine.counts == [2, 0, 0, 0, 0])
  }

  @Test func `A limit below the number of timers removes none, and refuses new ones`() throws {
    let stage = Stage(maximumTimers: 3)
    for name in ["a", "b", "c"] { try stage.start(name, second) }
    stage.engine.maximumTimers = 1
    #expect(stage.engine.counts == [3, 0, 0, 0, 0])
    #expect(throws: EngineError.tooManyTimers(1)) { try stage.start("d", second) }
    stage.run(2 * second)
    #expect(stage.engine.counts == [0, 0, 3, 0, 0])
    // Replacing a timer that has ended does not change the number of timers.
    try stage.start("a", second)
    stage.engine.maximumTimers = 4
    try stage.start("d", second)
  }

  @Test(arguments: Timeline.allCases)
  func `A paused timer keeps its remaining time on any clock`(_ clock: Timeline) throws {
    let (stage, slot) = try timer(.paused, clock)
    stage.run(hour)
    stage.clocks.sleep(hour)
    stage.clocks.step(-5 * hour)
    stage.runIteration()
    #expect(stage.remaining(slot) == 8 * second)
    try stage.engine.resume(slot, at: stage.now)
    stage.run(3 * second)
    #expect(stage.remaining(slot) == 5 * second)
    #expect(stage.engine.view(slot, at: stage.now).elapsedUsec == 5 * second)
  }

  @Test func `Extending adds to the remaining time and the duration, and shortening stops at zero`()
    throws
  {
    for state in [TimerState.running, .paused] {
      let (stage, slot) = try timer(state)
      try stage.engine.extend(slot, byUsec: 5 * second, at: stage.now)
      #expect(stage.remaining(slot) == 13 * second)
      #expect(stage.engine.timer(at: slot).runLengthUsec == 15 * second)
      try stage.engine.extend(slot, byUsec: -hour, at: stage.now)
      #expect(stage.remaining(slot) == 0)
      #expect(stage.engine.timer(at: slot).runLengthUsec == 2 * second)
      #expect(stage.state(slot) == state)
      stage.runIteration()
      #expect(stage.state(slot) == (state == .running ? .over : .paused))
      #expect(stage.rings == (state == .running ? [Rung(name: "tea")] : []))
    }
  }

  @Test(arguments: [TimerState.running, .paused])
  func `Shortened past its end, a timer loses only its remaining time, and so says the event`(
    _ state: TimerState
  ) throws {
    let (stage, slot) = try timer(state)
    try stage.engine.extend(slot, byUsec: -8 * second - 1, at: stage.now)
    guard case .extended(let by, let deadline)? = stage.events.last?.kind else {
      Issue.record("nothing was extended")
      return
    }
    #expect(by == -8 * second)
    #expect(deadline == (state == .running ? stage.reading(.elapsed) : 0))
    #expect(stage.engine.timer(at: slot).runLengthUsec == 2 * second)
    if state == .paused { try stage.engine.resume(slot, at: stage.now) }
    stage.runIteration()
    #expect(stage.rings == [Rung(name: "tea")])
  }

  @Test(arguments: Timeline.allCases)
  func `An overdue timer that is extended has all of the added time`(_ clock: Timeline) throws {
    let (stage, slot) = try timer(.running, clock)
    stage.enter(.sleep)
    stage.clocks.run(20 * second)
    try stage.runIteration { try $0.extend(slot, byUsec: 30 * second, at: stage.now) }
    #expect(stage.remaining(slot) == 30 * second)
    #expect(stage.engine.timer(at: slot).runLengthUsec == 40 * second)
    stage.leave(.sleep)
    stage.run(30 * second - 1)
    #expect(stage.state(slot) == .running)
    stage.run(1)
    #expect(stage.rings == [Rung(name: "tea")])
  }

  @Test(arguments: [.max, .max - 10 * second, Limits.durationUsec, .min, .min + 1] as [Int64])
  func `No amount overflows`(_ by: Int64) throws {
    for state in [TimerState.running, .paused] {
      let (stage, slot) = try timer(state)
      if by > 0 {
        #expect(throws: EngineError.durationTooLong(Limits.durationUsec)) {
          try stage.engine.extend(slot, byUsec: by, at: stage.now)
        }
        #expect(stage.remaining(slot) == 8 * second)
      } else {
        try stage.engine.extend(slot, byUsec: by, at: stage.now)
        #expect(stage.remaining(slot) == 0)
      }
    }
  }

  @Test func `A restart forgets extensions, pauses and rings, and is on the timer's own clock`()
    throws
  {
    for state in TimerState.allCases {
      let (stage, slot) = try timer(state, .awake)
      stage.run(second)
      try stage.engine.restart(slot, at: stage.now)
      let timer = stage.engine.timer(at: slot)
      #expect(stage.remaining(slot) == 10 * second)
      #expect(timer.runLengthUsec == 10 * second)
      #expect(timer.ring == nil && timer.clock == .awake)
      #expect(timer.startedUsec == stage.now.realtimeUsec)
    }
  }

  @Test func `An update replaces what it names, and leaves the rest and the deadline alone`() throws
  {
    let (stage, slot) = try timer(.running)
    let label = Label(key: "team", value: "red")
    try stage.engine.update(slot, labels: [label], data: [1, 2], at: stage.now)
    try stage.engine.update(slot, labels: nil, data: [3], at: stage.now)
    #expect(stage.engine.timer(at: slot).attachments == Attachments(labels: [label], data: [3]))
    try stage.engine.update(slot, labels: [], data: nil, at: stage.now)
    #expect(stage.engine.timer(at: slot).attachments == Attachments(data: [3]))
    try stage.engine.update(slot, labels: nil, data: [], at: stage.now)
    #expect(stage.engine.timer(at: slot).attachments == nil)
    #expect(stage.remaining(slot) == 8 * second)
  }

  @Test func `Each event has the number of the timer's event before it`() throws {
    let (stage, slot) = try timer(.running)
    try stage.start("other", second)
    try stage.engine.pause(slot, at: stage.now)
    try stage.engine.update(slot, labels: nil, data: [1], at: stage.now)
    try stage.engine.remove(slot, at: stage.now)
    let mine = stage.events.filter { $0.subject?.name == "tea" }
    #expect(mine.map(\.seq) == [1, 3, 4, 5])
    #expect(mine.map { $0.subject?.previous } == [0, 1, 3, 4])
    #expect(mine.allSatisfy { $0.subject?.id == 1 })
  }

  @Test func `A timer without a name gets a short name that no other timer has`() throws {
    let stage = Stage()
    var names: Set<String> = []
    for _ in 0..<100 {
      let name = stage.engine.unusedName()
      #expect(names.insert(name).inserted)
      #expect(name.utf8.count <= 10)
      try stage.start(name, second)
    }
  }
}
