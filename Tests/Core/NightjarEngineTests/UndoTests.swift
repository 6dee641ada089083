import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Examples of undone changes of a person. DifferentialTests tries all kinds of timers and clocks.
@Suite struct UndoTests {
  private static let long = "a-name-that-is-too-long-for-the-record"
  /// A timer with a minute remaining.
  private static let tea = "start tea 2min, run 1min"

  static let rules = Rule.table(
    """
    Time that passed before the undo counts, and a deadline in it rings late
      \(tea), by 1, remove tea, run 20s, undo, show tea, cancel tea, run 45s, undo
      -> 60 removed; restored tea; 80 undone; tea running, 40 left; 80 cancelled; restored tea
      -> 125 undone; 125 rang late 5 undone
    A change is undone within a minute, and not a microsecond later
      \(tea), pause tea, by 1, resume tea, run 1min-1us, undo, remove tea, run 1min+1us, undo
      -> 60 paused 60; 60 resumed; restored tea; 119.999999 undone; 119.999999 removed
      -> refused: nothing to undo, noChange
    Several timers of one change are restored together
      start a 1h, start b 1h, start c 1h, by all, remove a, remove b, remove c, show b, undo,
      show a, show b, show c
      -> 0 a removed; 0 b removed; 0 c removed; b is not there; restored a b c; 0 c undone
      -> 0 b undone; 0 a undone; a running, 3600 left; b running, 3600 left; c running, 3600 left
    A change of a program is not undone, nor an earlier one of the same timer
      \(tea), by 1, pause tea, by nobody, resume tea, undo
      -> 60 paused 60; 60 resumed; refused: nothing to undo, changedSince(tea)
    If the newest change cannot be undone, no older one is undone instead
      start egg 1h, \(tea), by 1, pause egg, by 2, pause tea, by nobody, resume tea, undo, undo,
      show egg
      -> 60 egg paused 3540; 60 tea paused 60; 60 tea resumed
      -> refused: nothing to undo, changedSince(tea); refused: nothing to undo, changedSince(tea)
      -> egg paused, 3540 left
    A timer that cannot be restored is named, and the others are restored
      start a 1h, start b 1h, start c 1h, by all, pause a, pause b, pause c, by nobody, resume b,
      undo
      -> 0 a paused 3600; 0 b paused 3600; 0 c paused 3600; 0 b resumed; restored a c; kept b
      -> 0 c undone; 0 a undone
    A clock that was set since prevents the undo of timers on it, and the error says so
      start tea 1h wall, by 1, pause tea, step 10min, undo
      -> 0 paused 3600; refused: nothing to undo, clockSet(tea)
    # The pause is taken back, and the time that was added before it stays.
    A change of several timers leaves the one that somebody else has changed since
      start x 5min, start y 5min, by mine, extend x 1min, by theirs, pause x, by mine,
      extend y 1min, undo, show y, show x, undo, show x, undo
      -> 0 x extended; 0 x paused 360; 0 y extended; restored y; kept x; 0 y undone
      -> y running, 300 left; x paused, 360 left; restored x; 0 x undone; x running, 360 left
      -> refused: nothing to undo, noChange
    What an undo had to keep is not taken back by the undo of an older change
      start x 5min, start y 5min, by old, extend x 1min, by mine, extend x 1min, by theirs,
      pause x, by mine, extend y 1min, undo, undo, show x, undo, show x
      -> 0 x extended; 0 x extended; 0 x paused 420; 0 y extended; restored y; kept x; 0 y undone
      -> restored x; 0 x undone; x running, 420 left; refused: nothing to undo, changedSince(x)
      -> x running, 420 left
    Another timer that has the name by now stays
      \(tea), by 1, remove tea, by nobody, start tea 1h, undo, show tea
      -> 60 removed; refused: nothing to undo, nameTaken(tea); tea running, 3600 left
    # Also if the timer has another name by then and a program has changed it.
    After a refused start, another undo takes back the change before it
      start egg 1h, by 1, remove egg, by 2, start tea 1h, by nobody, pause tea, rename tea green,
      undo, undo, show egg, show green
      -> 0 egg removed; 0 tea paused 3600; 0 tea renamed_to green
      -> refused: nothing to undo, started(green); restored egg; 0 egg undone
      -> egg running, 3600 left; green paused, 3600 left
    # Three changes of one person, and a rename by another one between them.
    A rename is undone, and an undo after it finds the timer
      \(tea), by 1, pause tea, by 2, rename tea egg, by 1, rename egg \(long), extend \(long) 1min,
      undo, show egg, show \(long), undo, show tea, show egg
      -> 60 tea paused 60; 60 tea renamed_to egg; 60 egg renamed_to \(long)
      -> 60 \(long) extended; restored egg; 60 \(long) undone; 60 \(long) renamed_to egg
      -> 60 egg undone; egg running, 60 left; \(long) is not there; restored tea
      -> 60 egg renamed_to tea; tea running, 60 left; egg is not there
    If a rename is not undone, other changes of the timer are
      \(tea), by 1, extend tea 1min, rename tea egg, by nobody, start tea 1h, undo, show egg
      -> 60 tea extended; 60 tea renamed_to egg; restored egg; kept egg; 60 egg undone
      -> egg running, 60 left
    A rename is not undone if another timer has the old name by now
      \(tea), by 1, rename tea egg, by nobody, start tea 1h, undo, rename egg tea
      -> 60 tea renamed_to egg; refused: nothing to undo, nameTaken(tea); refused: timerExists
    A timer that runs only between two undone changes begins no absence
      start tea 1h present, cancel tea, by 1, restart tea, remove tea, away, undo, spans
      -> 0 cancelled; 0 restarted; 0 removed; restored tea; 0 undone; 0 undone; no span
    A label that somebody else has changed since stays as it is
      start x 5min, start y 5min, by mine, change x message=mine, by theirs,
      change x message=theirs, by mine, extend y 1min, keep x, undo, same x, undo, show x
      -> 0 x updated; 0 x updated; 0 y extended; restored y; kept x; 0 y undone; x is as it was
      -> restored x; 0 x undone; x running, 300 left, says mine
    Attachments that another change has set since stay
      \(tea), by 1, extend tea 1min, by 2, change tea message=ready, by 1, extend tea 1min, undo,
      show tea
      -> 60 extended; 60 updated; 60 extended; restored tea; 60 undone; 60 undone
      -> tea running, 60 left, says ready
    An undo too many takes back changes of a timer, but does not remove it
      by 1, start tea 1h awake, keep tea, by 2, extend tea 1min, undo, undo, same tea
      -> 0 extended; restored tea; 0 undone; refused: nothing to undo, started(tea)
      -> tea is as it was
    A timer that one change started and then changed returns to its start
      by 1, start tea 1h awake, keep tea, extend tea 1min, undo, same tea
      -> 0 extended; restored tea; 0 undone; tea is as it was
    An undone change of an alarm's days moves its ring back
      alarm wake every=10min, by 1, change wake every=7min, show wake, undo, show wake
      -> 0 updated; 0 rescheduled to 420; wake running, 420 left; restored wake; 0 undone
      -> wake running, 600 left
    An old name is not found any more, even if another timer had it since
      \(tea), rename tea egg, remove egg, start tea 1h, remove tea, show tea, show egg
      -> 60 tea renamed_to egg; 60 egg removed; 60 tea removed; tea is not there; egg is not there
    A timer that a start replaced is restored
      \(tea), keep tea, by 1, start tea 1h awake replace, undo, same tea
      -> restored tea; 60 undone; tea is as it was
    A paused timer that a start replaced is restored
      \(tea), pause tea, keep tea, by 1, start tea 1h awake replace, undo, same tea
      -> 60 paused 60; restored tea; 60 undone; tea is as it was
    A start is never undone, so that no undo removes a timer
      by 1, start tea 1h awake, keep tea, undo, undo, same tea
      -> refused: nothing to undo, started(tea); refused: nothing to undo, noChange
      -> tea is as it was
    A start in place of a timer that is over is never undone
      \(tea), wait 1min, wait 1min, by 1, start tea 1h awake, keep tea, undo, undo, same tea
      -> 120 rang; refused: nothing to undo, started(tea); refused: nothing to undo, noChange
      -> tea is as it was
    A start in place of a cancelled timer is never undone
      \(tea), cancel tea, by 1, start tea 1h awake, keep tea, undo, undo, same tea
      -> 60 cancelled; refused: nothing to undo, started(tea); refused: nothing to undo, noChange
      -> tea is as it was
    """)

  @Test(arguments: rules)
  func `An undo takes back the last change of a person`(_ rule: Rule) { rule.check() }

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

  @Test func `A change of more timers than the history stores is refused for that reason`() throws {
    let engine = Stage(maximumTimers: Limits.undoTimers + 1).engine
    let now = stage.now
    for number in 0...Limits.undoTimers {
      let slot = try engine.start("t\(number)", durationUsec: hour, clock: .awake, at: now).slot
      try engine.asPerson("all") { () throws(EngineError) in try engine.pause(slot, at: now) }
    }
    #expect(throws: EngineError.nothingToUndo(.tooLarge)) { try engine.undo(at: now) }
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
}
