import NightjarTestSupport
import Testing

/// Shows that the checks can fail: the same runs find each broken core.
@Suite(.blocking) struct SaboteurTests {
  /// A broken core must be found within this many runs. Some faults show only after several steps
  /// of one kind: a repetition that rings, is snoozed and rings again.
  static let maximumSeeds: UInt64 = 2000

  @Test(arguments: Saboteur.allCases)
  func `If the engine is broken on purpose, the comparison notices it`(_ saboteur: Saboteur) {
    var options = DifferentialRun.Options()
    options.sabotage = saboteur.sabotage
    options.change = saboteur.change
    // An undo would hide the other faults.
    options.undoes = saboteur == .undoStopsTime || saboteur == .othersUndone
    let caught = (0..<Self.maximumSeeds).first { seed in
      do {
        try DifferentialRun(seed: seed, options: options).play()
        return false
      } catch { return true }
    }
    #expect(caught != nil, "no run found the fault \(saboteur.rawValue)")
    if let caught { print("a \(saboteur.rawValue) is caught by seed \(caught)") }
  }

  @Test func `The same runs pass with an unbroken core`() throws {
    for seed: UInt64 in 0..<100 { try DifferentialRun(seed: seed).play() }
  }
}
