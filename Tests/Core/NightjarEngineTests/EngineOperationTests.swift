import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Operations on timers: carried out, or refused with a typed error, in every state.
@Suite struct EngineOperationTests {
  private static let years = "refused: durationTooLong(\(Limits.durationUsec))"

  static let rules = Rule.table(
    """
    An extension may reach a hundred years, and no further
      start tea 36525d-5s, run 1s, extend tea 5s+1us, extend tea 5s, show tea
      -> \(years); 1 extended; tea running, 3155759999 left
    The limit of timers holds, and replacing a timer does not exceed it
      most 2, start a 1s, start b 1s, start c 1s, run 2s, show b, start a 1s, start c 1s, remove b,
      start c 1s, show a, show c
      -> refused: tooManyTimers(2); 2 a rang late 1 busy; 2 b rang late 1 busy; b over
      -> refused: tooManyTimers(2); 2 b removed; a running, 1 left; c running, 1 left
    # Replacing a timer that has ended does not change the number of timers.
    A limit below the number of timers removes none, and refuses new ones
      start a 1s, start b 1s, start c 1s, most 1, show a, show b, show c, start d 1s, run 2s,
      show a, show b, show c, start a 1s, most 4, start d 1s, show a, show d
      -> a running, 1 left; b running, 1 left; c running, 1 left; refused: tooManyTimers(1)
      -> 2 a rang late 1 busy; 2 b rang late 1 busy; 2 c rang late 1 busy; a over; b over; c over
      -> a running, 1 left; d running, 1 left
    A repeating timer needs at least 100 ms from one ring to the next
      start tick 99999us repeat, start tick 100ms repeat, show tick
      -> refused: rounds: a repeating timer needs at least 100 ms from one ring to the next
      -> tick running, 0.1 left
    Invalid bands are refused and change nothing
      stopwatch run, keep run, change run bands=warn:1s, same run
      -> refused: bands: a stopwatch has no end, so it cannot have bands; run is as it was
    A duration of a hundred years is accepted on \(eachClock)
      start tea 36525d {}, show tea, extend tea 1us
      -> tea running, 3155760000 left; \(years)
    A paused timer keeps its remaining time on \(eachClock)
      start tea 10s {}, run 2s, pause tea, run 1h, doze 1h, step -5h, show tea, resume tea, run 3s,
      show tea, progress tea
      -> 2 paused 8; tea paused, 8 left; -10798 resumed; tea running, 5 left; tea at 0.5
    # A quarter of 40 s had passed: the 10 s before the extension.
    An overdue timer on \(eachClock) that is extended has all of the added time
      start tea 10s {}, run 2s, enter sleep, pass 20s, extend tea 30s, show tea, progress tea,
      leave sleep, run 30s-1us, show tea, run 1us
      -> 22 extended; tea running, 30 left; tea at 0.25; tea running, 0.000001 left; 52 rang
    """)

  @Test(arguments: rules)
  func `An operation counts to the microsecond`(_ rule: Rule) { rule.check() }

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

  @Test func `A start is refused while its name is active, and replaces an ended timer`() throws {
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

  @Test func `Replace starts a new timer in every state and refers to the old one`() throws {
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

  @Test func `if-absent leaves an active timer or a snooze, and replaces an ended one`() throws {
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

  @Test func `A removed timer is not found, neither by its name nor by an operation`() throws {
    let (stage, slot) = try timer(.running)
    try stage.perform(.remove, slot)
    #expect(throws: EngineError.timerNotFound) { try stage.engine.require("tea") }
    #expect(throws: EngineError.timerNotFound) {
      try stage.engine.rename(slot, to: "egg", at: stage.now)
    }
    #expect(throws: EngineError.timerNotFound) {
      try stage.engine.update(slot, to: .plain, at: stage.now)
    }
    for operation in NightjarModel.Operation.allCases where operation != .update {
      #expect(throws: EngineError.timerNotFound, "\(operation)") {
        try stage.perform(operation, slot)
      }
    }
  }

  @Test func `Extending adds to what remains and to the length, and stops at zero`() throws {
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
  func `Shortened past its end, a timer loses only what remains`(_ state: TimerState) throws {
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

  @Test func `A restart forgets extensions, pauses and rings, on the timer's clock`() throws {
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

  @Test func `An update replaces what it names and leaves the rest and the deadline`() throws {
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
