import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// The result of each operation for each kind in each state, as a table for each kind.
///
/// A column is an operation, in the order of `Operation.allCases`. The result: `r` running, `p`
/// paused, `o` over, `c` cancelled, `w` waiting, `g` removed, in upper case if a ring is open;
/// refused: `-` in this state, `x` for this kind, `!` because it can never expire.
@Suite struct KindOperationTests {
  enum Kind: String, CaseIterable, Sendable {
    case countdown, repeating, alarm, calendar, stopwatch, sequence
  }

  /// The states with an open ring have the same row.
  private static let rings = ["ringing", "snoozed", "unanswered"]

  // The columns are: pause, resume, cancel, restart, extend, snooze, dismiss, stop, remove, update,
  // advance, lap, skip, unskip.
  private static let tables: [Kind: String] = [
    .countdown: """
    running:          p   -   c   r   r   -   -   c   g   r   x   x   x   x
    paused:           -   r   c   r   p   -   -   c   g   p   x   x   x   x
    over ring:        -   -   g   r   -   O   g   g   g   O   x   x   x   x
    over missed:      -   -   -   r   -   -   g   -   g   o   x   x   x   x
    cancelled:        -   -   -   r   -   -   -   -   g   c   x   x   x   x
    """,
    .repeating: """
    running:          p   -   c   r   r   -   -   c   g   r   x   x   r   -
    running ring:     P   -   c   r   R   R   r   r   g   R   x   x   R   -
    running missed:   p   -   c   r   r   -   r   c   g   r   x   x   r   -
    paused:           -   r   c   r   p   -   -   c   g   p   x   x   p   -
    paused ring:      -   R   c   r   P   P   p   p   g   P   x   x   P   -
    over ring:        -   -   g   r   -   O   g   g   g   O   x   x   -   -
    over missed:      -   -   -   r   -   -   g   -   g   o   x   x   -   -
    cancelled:        -   -   -   r   -   -   -   -   g   c   x   x   -   -
    cancelled missed: -   -   -   r   -   -   g   -   g   c   x   x   -   -
    """,
    .alarm: """
    running:          p   -   c   r   r   -   -   c   g   r   x   x   x   x
    paused:           -   r   c   r   p   -   -   c   g   p   x   x   x   x
    over ring:        -   -   g   !   -   O   g   g   g   O   x   x   x   x
    over missed:      -   -   -   !   -   -   g   -   g   o   x   x   x   x
    cancelled:        -   -   -   r   -   -   -   -   g   c   x   x   x   x
    """,
    .calendar: """
    running:          p   -   c   r   x   -   -   c   g   r   x   x   r   -
    running ring:     P   -   c   r   x   R   r   r   g   R   x   x   R   -
    running missed:   p   -   c   r   x   -   r   c   g   r   x   x   r   -
    paused:           -   r   c   r   x   -   -   c   g   p   x   x   p   -
    paused ring:      -   R   c   r   x   P   p   p   g   P   x   x   P   -
    over ring:        -   -   g   r   x   O   g   g   g   O   x   x   -   -
    over missed:      -   -   -   r   x   -   g   -   g   o   x   x   -   -
    cancelled:        -   -   -   r   x   -   -   -   g   c   x   x   -   -
    """,
    .stopwatch: """
    running:          p   -   c   r   x   x   x   c   g   r   x   r   x   x
    paused:           -   r   c   r   x   x   x   c   g   p   x   -   x   x
    cancelled:        -   -   -   r   x   x   x   -   g   c   x   -   x   x
    """,
    .sequence: """
    running:          p   -   c   r   r   -   -   c   g   r   r   x   x   x
    running ring:     P   -   c   r   R   R   r   r   g   R   r   x   x   x
    paused:           -   r   c   r   p   -   -   c   g   p   r   x   x   x
    paused ring:      -   R   c   r   P   P   p   p   g   P   r   x   x   x
    waiting ring:     -   -   c   r   -   W   w   w   g   W   r   x   x   x
    waiting missed:   -   -   c   r   -   -   w   c   g   w   r   x   x   x
    over:             -   -   -   r   -   -   -   -   g   o   -   x   x   x
    over ring:        -   -   g   r   -   O   g   g   g   O   -   x   x   x
    cancelled:        -   -   -   r   -   -   -   -   g   c   -   x   x   x
    """,
  ]

  /// Ten seconds for each expiry, and three expiries if it repeats; three steps, of which the
  /// second waits. A ring sounds for three seconds.
  private func start(_ kind: Kind, late: LatePolicy, on stage: Stage) throws -> Int {
    var spec = TimerSpec.plain
    (spec.late, spec.durationUsec) = (late, 10 * second)
    spec.attachments.ring = EncodedRing(publicJSON: Array("{}".utf8), forUsec: 3 * second)
    switch kind {
    case .countdown: break
    case .repeating: (spec.repeats, spec.rounds) = (true, 3)
    case .alarm: (spec.kind, spec.atUsec) = (.alarm, stage.now.realtimeUsec + 10 * second)
    case .calendar:
      (spec.kind, spec.rounds) = (.alarm, 3)
      spec.schedule = Schedule(expression: "\(10 * second)", zone: "")
    case .stopwatch: spec.kind = .stopwatch
    case .sequence:
      (spec.kind, spec.rounds) = (.sequence, 1)
      spec.steps = ["a", "b", "c"].map {
        Step(name: $0, durationUsec: 10 * second, waits: $0 == "b")
      }
    }
    if spec.kind != .countdown { spec.durationUsec = 0 }
    return try stage.engine.start("t", spec, at: stage.now).slot
  }

  /// A timer in the state of a row, and the state of its ring.
  private func timer(
    _ kind: Kind, _ row: String, _ ring: String
  ) throws -> (stage: Stage, slot: Int) {
    let stage = Stage(calendar: TestCalendar())
    let isMissed = row.hasSuffix("missed")
    let slot = try start(kind, late: isMissed ? .skip : .fire, on: stage)
    stage.advance(2 * second)
    let isOnce = kind == .countdown || kind == .alarm
    let expiries =
      switch row {
      case "over ring", "over missed": isOnce ? 1 : 3
      case "over", "waiting ring", "waiting missed": 2
      case let row: row.contains(" ") ? 1 : 0
      }
    for _ in 0..<expiries {
      if isMissed { stage.sleep(10 * second) } else { stage.advance(10 * second) }
      if stage.state(slot) == .waiting, row.hasPrefix("over") { try stage.perform(.advance, slot) }
    }
    if row == "over" { try stage.perform(.advance, slot) }
    if row.hasPrefix("paused") { try stage.perform(.pause, slot) }
    if row.hasPrefix("cancelled") { try stage.perform(.cancel, slot) }
    if ring == "snoozed" { try stage.perform(.snooze, slot) }
    if ring == "unanswered" { stage.advance(4 * second) }
    let seen =
      switch stage.ring(slot)?.state {
      case .sounding: "ringing"
      case .snoozed: "snoozed"
      case .quiet, .insisting: "unanswered"
      case nil: ""
      }
    #expect(seen == ring && row.hasPrefix("\(stage.engine.timer(at: slot).state.name)"))
    return (stage, slot)
  }

  private func outcome(_ operation: Operation, _ slot: Int, _ stage: Stage) -> Character {
    let before = (stage.engine.stored(slot), stage.engine.lastSeq)
    let isPossible = stage.engine.possibleOperations(slot, at: stage.now).contains(operation)
    do throws(EngineError) {
      try stage.perform(operation, slot)
    } catch {
      #expect(stage.engine.stored(slot) == before.0 && stage.engine.lastSeq == before.1)
      #expect(!isPossible)
      switch error {
      case .invalidTransition(let state, operation) where state == before.0?.timer.state:
        return "-"
      case .notForKind(let kind, operation) where kind == before.0?.timer.spec.kind: return "x"
      case .neverElapses: return "!"
      default: return "?"
      }
    }
    #expect(isPossible && stage.engine.lastSeq == before.1 + 1)
    guard stage.engine.isOccupied(slot) else { return "g" }
    let letter = "\(stage.engine.timer(at: slot).state.name)".prefix(1)
    return Character(stage.ring(slot) == nil ? String(letter) : letter.uppercased())
  }

  @Test(arguments: Kind.allCases)
  func `Every operation in every state is carried out or refused, for each kind`(_ kind: Kind)
    throws
  {
    for line in try #require(Self.tables[kind]).split(separator: "\n") {
      let parts = line.split(separator: ":").map(String.init)
      let (row, outcomes) = (parts[0], parts[1])
      for ring in row.hasSuffix("ring") ? Self.rings : [""] {
        var seen = ""
        for operation in Operation.allCases {
          let (stage, slot) = try timer(kind, row, ring)
          seen.append(outcome(operation, slot, stage))
          #expect(stage.engine.violatedInvariant() == nil)
        }
        #expect(seen == outcomes.filter { $0 != " " }, "a \(kind), \(row): \(ring)")
      }
    }
  }
}
