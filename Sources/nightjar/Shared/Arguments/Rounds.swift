import NightjarModel
import NightjarVarlink

/// How often something comes round. The model says how often it may; an option has no number for no end.
enum Rounds {
  /// - Parameter otherwise: what to write for no end.
  /// - Returns: 0 for nil: without end.
  static func checked(
    _ rounds: Int64?, option: String, otherwise: String = "leave it out for no end"
  ) throws(CommandError) -> Int64 {
    guard let rounds else { return 0 }
    guard rounds != 0, TimerSpec.Shared.problem(rounds: rounds) == nil else {
      throw .usage("\(option) is from 1 to \(Limits.rounds); \(otherwise)")
    }
    return rounds
  }

  /// In every how many rounds of a sequence its long steps come.
  static func checked(longEvery rounds: Int64) throws(CommandError) -> Int64 {
    guard TimerSpec.Shared.problem(longEvery: rounds, hasLong: true) == nil else {
      throw .usage("--long-every is from 1 to \(Limits.longEvery); leave it out for none")
    }
    return rounds
  }
}
