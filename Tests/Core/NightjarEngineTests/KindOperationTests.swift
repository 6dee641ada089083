import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// The result of each operation for each kind in each state, as a table for each kind.
///
/// A column is an operation, in the order of `Operation.allCases`. The result: `r` running, `p`
/// paused, `f` fired, `c` cancelled, `w` waiting, `g` removed; refused: `-` in this state, `s`
/// because it is snoozed, `x` for this kind, `!` because it can never expire.
@Suite struct KindOperationTests {
  enum Kind: String, CaseIterable, Sendable {
    case countdown, repeating, alarm, calendar, stopwatch, sequence
  }

  //                       pause resume cancel restart extend snooze dismiss remove update advance lap  skip unskip
  private static let tables: [Kind: [String: String]] = [
    .countdown: [
      "running":
        "   p     -      c      r       r      -      -       g      r      x       x    x    x",
      "snoozed":
        "   p     -      c      r       r      r      g       g      r      x       x    x    x",
      "paused":
        "    -     r      c      r       p      -      -       g      p      x       x    x    x",
      "fired":
        "     -     -      -      r       -      r      g       g      f      x       x    x    x",
      "cancelled":
        " -     -      -      r       -      -      -       g      c      x       x    x    x",
    ],
    .repeating: [
      "running":
        "   p     -      c      r       r      -      -       g      r      x       x    r    -",
      "has rung":
        "  p     -      c      r       r      r      r       g      r      x       x    -    -",
      "snoozed":
        "   p     -      c      r       r      r      s       g      r      x       x    s    s",
      "paused":
        "    -     r      c      r       p      -      -       g      p      x       x    p    -",
      "fired":
        "     -     -      -      r       -      r      g       g      f      x       x    -    -",
      "cancelled":
        " -     -      -      r       -      -      -       g      c      x       x    -    -",
    ],
    .alarm: [
      "snoozed":
        "   p     -      c      s       r      r      g       g      r      x       x    x    x",
      "running":
        "   p     -      c      r       r      -      -       g      r      x       x    x    x",
      "paused":
        "    -     r      c      r       p      -      -       g      p      x       x    x    x",
      "fired":
        "     -     -      -      !       -      r      g       g      f      x       x    x    x",
      "cancelled":
        " -     -      -      r       -      -      -       g      c      x       x    x    x",
    ],
    .calendar: [
      "running":
        "   p     -      c      r       x      -      -       g      r      x       x    r    -",
      "has rung":
        "  p     -      c      r       x      r      r       g      r      x       x    -    -",
      "snoozed":
        "   p     -      c      r       x      r      s       g      r      x       x    s    s",
      "paused":
        "    -     r      c      r       x      -      -       g      p      x       x    p    -",
      "fired":
        "     -     -      -      r       x      r      g       g      f      x       x    -    -",
      "cancelled":
        " -     -      -      r       x      -      -       g      c      x       x    -    -",
    ],
    .stopwatch: [
      "running":
        "   p     -      c      r       x      x      x       g      r      x       r    x    x",
      "paused":
        "    -     r      c      r       x      x      x       g      p      x       -    x    x",
      "cancelled":
        " -     -      -      r       x      x      x       g      c      x       -    x    x",
    ],
    .sequence: [
      "running":
        "   p     -      c      r       r      -      -       g      r      r       x    x    x",
      "has rung":
        "  p     -      c      r       r      x      r       g      r      r       x    x    x",
      "paused":
        "    -     r      c      r       p      -      -       g      p      r       x    x    x",
      "waiting":
        "   -     -      c      r       -      r      w       g      w      r       x    x    x",
      "snoozed":
        "   p     -      c      r       r      r      s       g      r      r       x    x    x",
      "fired":
        "     -     -      -      r       -      r      g       g      f      -       x    x    x",
      "cancelled":
        " -     -      -      r       -      -      -       g      c      -       x    x    x",
    ],
  ]

  /// Ten seconds for each ring, and two rings if it repeats; three steps, of which the second
  /// waits.
  private func start(_ kind: Kind, on stage: Stage) throws -> Int {
    let ten = 10 * second
    switch kind {
    case .countdown: return try stage.start("t", ten)
    case .repeating:
      return try stage.start("t", SharedSpec(kind: .countdown, repeats: true, rounds: 2), usec: ten)
    case .alarm:
      return try stage.start("t", SharedSpec(kind: .alarm), atUsec: stage.now.realtimeUsec + ten)
    case .calendar:
      let schedule = Schedule(expression: "\(ten)", zone: "")
      return try stage.start("t", SharedSpec(kind: .alarm, rounds: 2, schedule: schedule))
    case .stopwatch: return try stage.start("t", SharedSpec(kind: .stopwatch))
    case .sequence:
      let steps = ["a", "b", "c"].map { Step(name: $0, durationUsec: ten, waits: $0 == "b") }
      return try stage.start("t", SharedSpec(kind: .sequence, rounds: 1, steps: steps))
    }
  }

  private func timer(_ kind: Kind, _ state: String) throws -> (stage: Stage, slot: Int) {
    let stage = Stage(calendar: TestCalendar())
    let slot = try start(kind, on: stage)
    stage.advance(2 * second)
    switch state {
    case "paused": try stage.engine.pause(slot, at: stage.now)
    case "cancelled": try stage.engine.cancel(slot, at: stage.now)
    case "has rung": stage.advance(10 * second)
    case "waiting": stage.advance(20 * second)
    case "snoozed":
      stage.advance((kind == .sequence ? 20 : 10) * second)
      try stage.engine.snooze(slot, byUsec: 5 * second, at: stage.now)
    case "fired":
      stage.advance(20 * second)
      if kind == .sequence { try stage.engine.advance(slot, at: stage.now) }
      stage.advance(20 * second)
    default: break
    }
    let expected = ["has rung", "snoozed"].contains(state) ? "running" : state
    #expect("\(stage.engine.timer(at: slot).state.name)" == expected)
    return (stage, slot)
  }

  private func outcome(_ operation: Operation, _ slot: Int, _ stage: Stage) -> Character {
    let before = (stage.engine.stored(slot), stage.engine.lastSeq)
    do throws(EngineError) {
      try stage.perform(operation, slot)
    } catch {
      #expect(stage.engine.stored(slot) == before.0)
      #expect(stage.engine.lastSeq == before.1)
      switch error {
      case .invalidTransition(let state, operation) where state == before.0?.timer.state:
        return "-"
      case .notForKind(let kind, operation) where kind == before.0?.timer.spec.kind:
        return "x"
      case .snoozed(operation): return "s"
      case .neverElapses: return "!"
      default: return "?"
      }
    }
    #expect(stage.engine.lastSeq == before.1 + 1)
    guard stage.engine.isOccupied(slot) else { return "g" }
    return "\(stage.engine.timer(at: slot).state.name)".first ?? "?"
  }

  @Test(arguments: Kind.allCases)
  func `Every operation in every state is carried out or refused, for each kind`(_ kind: Kind)
    throws
  {
    for (state, row) in try #require(Self.tables[kind]) {
      let expected = row.filter { $0 != " " }
      var seen = ""
      for operation in Operation.allCases {
        let (stage, slot) = try timer(kind, state)
        seen.append(outcome(operation, slot, stage))
        #expect(stage.engine.violatedInvariant() == nil)
      }
      #expect(seen == expected, "a \(kind) that is \(state)")
    }
  }
}
