import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Examples of undone changes of a person. DifferentialTests tries all kinds of timers and clocks.
@Suite struct UndoTests {
  private let stage = Stage()
  private var engine: Engine { stage.engine }

  /// A timer in a state, with a minute remaining if it has not rung, or an unanswered ring.
  private func timer(_ state: TimerState) throws -> Int {
    let slot = try stage.start("tea", 2 * minute)
    stage.run(minute)
    switch state {
    case .running: break
    case .paused: try stage.runIteration { try $0.pause(slot, at: stage.now) }
    case .cancelled: try stage.runIteration { try $0.cancel(slot, at: stage.now) }
    case .over, .waiting: for _ in 0..<2 { stage.run(minute) }
    }
    return slot
  }

  /// The slot of the timer with a name.
  private func place(_ name: String) -> Int? {
    (0..<engine.slotEnd).first { engine.isOccupied($0) && engine.name(at: $0) == name }
  }

  private func change(_ operation: NightjarModel.Operation, _ slot: Int, id: String? = "1") throws {
    let now = stage.now
    try engine.asPerson(id) { () throws(EngineError) in
      try engine.perform(operation, slot, byUsec: minute, at: now)
    }
  }

  @discardableResult private func undo() throws -> Engine.Undoing {
    var undoing: Engine.Undoing?
    try stage.runIteration { undoing = try $0.undo(at: stage.now) }
    return try #require(undoing)
  }

  /// The stored state of the timer `tea`, without the number of its last event.
  private func stored() -> Engine.StoredTimer? {
    guard let slot = place("tea") else { return nil }
    var timer = engine.stored(slot)
    timer?.timer.lastEvent = 0
    return timer
  }

  @Test(
    arguments: [TimerState.running, .paused, .over, .cancelled],
    [
      NightjarModel.Operation.pause, .resume, .extend, .restart, .snooze, .cancel, .dismiss,
      .stop, .remove,
    ])
  func `Each operation in each state is undone, and the timer is what it was`(
    state: TimerState, operation: NightjarModel.Operation
  ) throws {
    let slot = try timer(state)
    let before = stored()
    guard (try? change(operation, slot)) != nil else { return }
    #expect(stored() != before)
    stage.run(20 * second)
    let undoing = try undo()
    #expect(undoing.slots.count == 1 && undoing.kept == [])
    #expect(undoing.agoUsec == 20 * second)
    #expect(stored() == before)
    // The change is in the ledger, and so is the undo.
    #expect(engine.lastSeq == stage.events.last?.seq)
    #expect(stage.events.last.map { "\($0.typeName)" } == "undone")
    let rungBefore = stage.rings.count
    stage.advance(10 * minute)
    // Nothing rings twice, and a timer that has not rung rings once.
    #expect(stage.rings.count - rungBefore == (state == .running ? 1 : 0))
    #expect(throws: EngineError.nothingToUndo(.noChange)) { try engine.undo(at: stage.now) }
  }

  @Test func `Time that passed before the undo counts, and a deadline in it rings late`() throws {
    let slot = try timer(.running)
    try change(.remove, slot)
    stage.run(20 * second)
    try undo()
    #expect(stage.remaining(try #require(place("tea"))) == 40 * second)
    try change(.cancel, try #require(place("tea")))
    stage.run(45 * second)
    #expect(stage.rings == [])
    try undo()
    #expect(stage.rings == [Rung(name: "tea", lateUsec: 5 * second, cause: .undone)])
  }

  @Test func `A change is undone within a minute, and not a microsecond later`() throws {
    let slot = try timer(.paused)
    try change(.resume, slot)
    stage.run(minute - 1)
    #expect(throws: Never.self) { try undo() }
    try change(.remove, slot)
    stage.run(minute + 1)
    #expect(throws: EngineError.nothingToUndo(.noChange)) { try engine.undo(at: stage.now) }
  }

  @Test func `Several timers of one change are restored together`() throws {
    let slots = try ["a", "b", "c"].map { try stage.start($0, hour) }
    for slot in slots { try change(.remove, slot, id: "all") }
    #expect(place("b") == nil)
    let undoing = try undo()
    #expect(undoing.slots.count == 3)
    #expect(["a", "b", "c"].allSatisfy { place($0) != nil })
  }

  @Test func `A change of a program is not undone, nor an earlier one of the same timer`() throws {
    let slot = try timer(.running)
    try change(.pause, slot)
    try change(.resume, slot, id: nil)
    #expect(throws: EngineError.nothingToUndo(.changedSince("tea"))) {
      try engine.undo(at: stage.now)
    }
  }

  @Test func `If the newest change cannot be undone, no older one is undone instead`() throws {
    let egg = try stage.start("egg", hour)
    let tea = try timer(.running)
    try change(.pause, egg, id: "1")
    try change(.pause, tea, id: "2")
    try change(.resume, tea, id: nil)
    let events = engine.lastSeq
    for _ in 0..<2 {
      #expect(throws: EngineError.nothingToUndo(.changedSince("tea"))) {
        try engine.undo(at: stage.now)
      }
    }
    #expect(stage.state(egg) == .paused && engine.lastSeq == events)
  }

  @Test func `A timer that cannot be restored is named, and the others are restored`() throws {
    let slots = try ["a", "b", "c"].map { try stage.start($0, hour) }
    for slot in slots { try change(.pause, slot, id: "all") }
    try change(.resume, slots[1], id: nil)
    let undoing = try undo()
    #expect(undoing.slots.sorted() == [slots[0], slots[2]].sorted() && undoing.kept == ["b"])
  }

  @Test func `A clock that was set since prevents the undo of timers on it, and the error says so`()
    throws
  {
    let slot = try stage.start("tea", nil, usec: hour, .wall)
    try change(.pause, slot)
    stage.clocks.step(10 * minute)
    stage.runIteration()
    #expect(throws: EngineError.nothingToUndo(.clockSet("tea"))) { try engine.undo(at: stage.now) }
  }

  @Test func `A change of more timers than the history stores is refused for that reason`() throws {
    let engine = Stage(maximumTimers: Limits.undoTimers + 1).engine
    let now = stage.now
    for number in 0...Limits.undoTimers {
      let slot = try engine.start("t\(number)", durationUsec: hour, clock: .awake, at: now).slot
      try engine.asPerson("all") { () throws(EngineError) in try engine.pause(slot, at: now) }
    }
    #expect(throws: EngineError.nothingToUndo(.tooLarge)) { try engine.undo(at: now) }
  }

  @Test func `A change of several timers leaves the one that somebody else has changed since`()
    throws
  {
    let (x, y) = (try stage.start("x", 5 * minute), try stage.start("y", 5 * minute))
    try change(.extend, x, id: "mine")
    try change(.pause, x, id: "theirs")
    try change(.extend, y, id: "mine")
    let mine = try undo()
    #expect(mine.slots == [y] && mine.kept == ["x"])
    #expect(stage.remaining(y) == 5 * minute && stage.remaining(x) == 6 * minute)
    // The pause is taken back, and the time that was added before it stays.
    let theirs = try undo()
    #expect(theirs.slots == [x] && theirs.kept == [])
    #expect(engine.timer(at: x).state == .running && stage.remaining(x) == 6 * minute)
    #expect(throws: EngineError.nothingToUndo(.noChange)) { try engine.undo(at: stage.now) }
  }

  @Test func `What an undo had to keep is not taken back by the undo of an older change`() throws {
    let (x, y) = (try stage.start("x", 5 * minute), try stage.start("y", 5 * minute))
    try change(.extend, x, id: "old")
    try change(.extend, x, id: "mine")
    try change(.pause, x, id: "theirs")
    try change(.extend, y, id: "mine")
    #expect(try undo().kept == ["x"])
    #expect(try undo().slots == [x])
    #expect(engine.timer(at: x).state == .running && stage.remaining(x) == 7 * minute)
    #expect(throws: EngineError.nothingToUndo(.changedSince("x"))) {
      try engine.undo(at: stage.now)
    }
    #expect(stage.remaining(x) == 7 * minute)
  }

  @Test func `A label that somebody else has changed since stays as it is`() throws {
    let (x, y) = (try stage.start("x", 5 * minute), try stage.start("y", 5 * minute))
    func label(_ message: String, id: String) throws {
      var spec = engine.timerSpec(at: x)
      spec.attachments.message = message
      let (updated, now) = (spec, stage.now)
      try engine.asPerson(id) { () throws(EngineError) in
        try engine.update(x, to: updated, at: now)
      }
    }
    try label("mine", id: "mine")
    try label("theirs", id: "theirs")
    try change(.extend, y, id: "mine")
    #expect(try undo().kept == ["x"])
    #expect(engine.timer(at: x).attachments?.message == "theirs")
    #expect(try undo().slots == [x])
    #expect(engine.timer(at: x).attachments?.message == "mine")
  }

  @Test(arguments: [false, true])
  func `A lost commit takes its changes from the history, and a lost undo takes all`(undo: Bool) {
    var history = UndoHistory()
    for seq in Int64(1)...4 {
      history.add(
        UndoHistory.Entry(group: "\(seq)", seq: seq, type: "extended", atElapsed: 0, id: 7),
        named: "tea")
    }
    if undo { history.noteUndone(4) }
    history.forget(after: 3)
    #expect(history.entries.map(\.seq) == (undo ? [] : [1, 2, 3]))
  }

  @Test func `The memory of changes is freed after their minute`() throws {
    let slot = try timer(.running)
    for _ in 0..<100 { try change(.extend, slot) }
    stage.run(minute)
    #expect(engine.undoHistory.entries.count == 100)
    stage.run(1)
    #expect(engine.undoHistory.isEmpty)
  }

  @Test func `A full history drops an eighth, and each change as a whole`() throws {
    let slot = try timer(.running)
    for number in 0..<Limits.undoTimers + 1 { try change(.extend, slot, id: "\(number / 3)") }
    let groups = engine.undoHistory.entries.map(\.group)
    #expect(groups.count > Limits.undoTimers * 7 / 8 - 3 && groups.count < Limits.undoTimers)
    #expect(groups.prefix(3) == [groups[0], groups[0], groups[0]])
  }

  @Test func `Attachments that another change has set since stay`() throws {
    let slot = try timer(.running)
    try change(.extend, slot)
    var spec = engine.timerSpec(at: slot)
    spec.attachments.message = "ready"
    let (updated, now) = (spec, stage.now)
    try engine.asPerson("2") { () throws(EngineError) in
      try engine.update(slot, to: updated, at: now)
    }
    try change(.extend, slot)
    try undo()
    #expect(stage.remaining(slot) == minute)
    #expect(engine.timer(at: slot).attachments?.message == "ready")
  }

  @Test func `Another timer that has the name by now stays`() throws {
    let slot = try timer(.running)
    try change(.remove, slot)
    try stage.start("tea", hour)
    #expect(throws: EngineError.nothingToUndo(.nameTaken("tea"))) {
      try engine.undo(at: stage.now)
    }
  }

  private func start(_ name: String, id: String, replace: Bool = false) throws {
    let now = stage.now
    _ = try engine.asPerson(id) { () throws(EngineError) in
      try engine.start(name, durationUsec: hour, clock: .awake, replace: replace, at: now)
    }
  }

  @Test(arguments: [TimerState.running, .paused])
  func `A timer that a start replaced is restored`(state: TimerState) throws {
    let slot = try timer(state)
    let before = stored()
    try start("tea", id: "1", replace: true)
    try undo()
    #expect(stored() == before && place("tea") == slot)
  }

  @Test(arguments: [nil, TimerState.over, .cancelled])
  func `A start is never undone, so that no undo removes a timer`(over state: TimerState?) throws {
    if let state { _ = try timer(state) }
    try start("tea", id: "1")
    let (started, events) = (stored(), engine.lastSeq)
    #expect(throws: EngineError.nothingToUndo(.started("tea"))) { try engine.undo(at: stage.now) }
    #expect(throws: EngineError.nothingToUndo(.noChange)) { try engine.undo(at: stage.now) }
    #expect(stored() == started && engine.lastSeq == events)
  }

  @Test func `After a refused start, another undo takes back the change before it`() throws {
    let egg = try stage.start("egg", hour)
    try change(.remove, egg, id: "1")
    try start("tea", id: "2")
    // Also if the timer has another name by then and a program has changed it.
    let slot = try #require(place("tea"))
    try change(.pause, slot, id: nil)
    try engine.rename(slot, to: "green tea", at: stage.now)
    #expect(throws: EngineError.nothingToUndo(.started("green tea"))) {
      try engine.undo(at: stage.now)
    }
    #expect(try undo().slots.map(engine.name(at:)) == ["egg"])
    #expect(place("green tea") != nil)
  }

  @Test func `An undo too many takes back changes of a timer, but does not remove it`() throws {
    try start("tea", id: "1")
    let started = stored()
    let slot = try #require(place("tea"))
    try change(.extend, slot, id: "2")
    try undo()
    #expect(throws: EngineError.nothingToUndo(.started("tea"))) { try engine.undo(at: stage.now) }
    #expect(stored() == started)
  }

  @Test func `A rename is undone, and an undo after it finds the timer`() throws {
    let slot = try timer(.running)
    try change(.pause, slot, id: "1")
    let now = stage.now
    for (name, id) in [("egg", "2"), ("a name that is too long for the record", "1")] {
      try engine.asPerson(id) { () throws(EngineError) in
        try engine.rename(slot, to: name, at: now)
      }
    }
    try change(.extend, slot, id: "1")
    // Three changes of one person, and a rename by another one between them.
    #expect(try undo().slots == [slot])
    #expect(engine.name(at: slot) == "egg" && stage.state(slot) == .running)
    #expect(
      stage.remaining(slot) == minute && (0..<engine.slotEnd).count(where: engine.isOccupied) == 1)
    #expect(try undo().slots == [slot])
    #expect(engine.name(at: slot) == "tea" && place("tea") == slot && place("egg") == nil)
  }

  @Test func `An old name is not found any more, even if another timer had it since`() throws {
    let slot = try timer(.running)
    try engine.rename(slot, to: "egg", at: stage.now)
    try engine.remove(slot, at: stage.now)
    #expect(try stage.start("tea", hour) == slot)
    try engine.remove(slot, at: stage.now)
    #expect(throws: EngineError.timerNotFound) { try engine.require("tea") }
    #expect(throws: EngineError.timerNotFound) { try engine.require("egg") }
  }

  @Test func `If a rename is not undone, other changes of the timer are`() throws {
    let slot = try timer(.running)
    let now = stage.now
    try change(.extend, slot, id: "1")
    try engine.asPerson("1") { () throws(EngineError) in
      try engine.rename(slot, to: "egg", at: now)
    }
    try stage.start("tea", hour)
    let undoing = try undo()
    #expect(undoing.slots == [slot] && engine.name(at: slot) == "egg")
    #expect(stage.remaining(slot) == minute)
  }

  @Test func `A rename is not undone if another timer has the old name by now`() throws {
    let slot = try timer(.running)
    let now = stage.now
    try engine.asPerson("1") { () throws(EngineError) in
      try engine.rename(slot, to: "egg", at: now)
    }
    try stage.start("tea", hour)
    #expect(throws: EngineError.nothingToUndo(.nameTaken("tea"))) { try engine.undo(at: now) }
    #expect(throws: EngineError.timerExists) { try engine.rename(slot, to: "tea", at: now) }
  }

  @Test func `A timer that one change started and then changed returns to its start`() throws {
    try start("tea", id: "1")
    let started = stored()
    try change(.extend, try #require(place("tea")), id: "1")
    let undoing = try undo()
    #expect(undoing.slots == [place("tea")] && undoing.kept == [] && stored() == started)
  }

  @Test func `A timer that runs only between two undone changes begins no absence`() throws {
    let slot = try stage.start("tea", hour, .present)
    try engine.cancel(slot, at: stage.now)
    try change(.restart, slot)
    try change(.remove, slot)
    stage.runIteration { _ in stage.background.note(presence: .away, at: stage.now) }
    try undo()
    #expect(
      stage.events.map { "\($0.typeName)" } == [
        "started", "cancelled", "restarted", "removed", "undone", "undone",
      ])
  }

  @Test func `An undone change of an alarm's days moves its ring back`() throws {
    let stage = Stage(calendar: TestCalendar())
    let schedule = Schedule(expression: "\(10 * minute)", zone: "")
    let slot = try stage.start("wake", SharedSpec(kind: .alarm, schedule: schedule))
    let deadline = stage.engine.timer(at: slot).phase.deadline
    var spec = stage.engine.timerSpec(at: slot)
    spec.schedule?.expression = "\(7 * minute)"
    let (changed, now) = (spec, stage.now)
    try stage.engine.asPerson("1") { () throws(EngineError) in
      try stage.engine.update(slot, to: changed, at: now)
    }
    #expect(stage.engine.timer(at: slot).phase.deadline != deadline)
    try stage.runIteration { _ = try $0.undo(at: now) }
    #expect(stage.engine.timer(at: slot).phase.deadline == deadline)
  }
}
