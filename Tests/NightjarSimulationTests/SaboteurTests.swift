import NightjarTestSupport
import Testing

/// What checks must be seen to fail: each broken core is caught by the same runs.
@Suite(.blocking) struct SaboteurTests {
  /// So many runs at the most until a broken core must have been caught. What is broken of one kind
  /// shows after several steps of that kind: a repetition that rings, is snoozed and rings again.
  static let patience: UInt64 = 1000

  @Test(arguments: Saboteur.allCases)
  func `A broken core is caught by the differential runs`(_ saboteur: Saboteur) {
    var options = DifferentialRun.Options()
    options.sabotage = saboteur.sabotage
    // What is taken back hides what is broken about it.
    options.undoes = saboteur == .undoStopsTime
    let caught = (0..<Self.patience).first { seed in
      do {
        try DifferentialRun(seed: seed, options: options).play()
        return false
      } catch { return true }
    }
    #expect(caught != nil, "nobody noticed a \(saboteur.rawValue)")
    if let caught { print("a \(saboteur.rawValue) is caught by seed \(caught)") }
  }

  @Test func `The same runs pass with a core that nobody broke`() throws {
    for seed: UInt64 in 0..<100 { try DifferentialRun(seed: seed).play() }
  }
}
