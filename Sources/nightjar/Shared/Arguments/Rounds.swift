import NightjarModel
import NightjarVarlink

/// The number of rounds of a sequence or a repetition. The model sets the limits. An option that is
/// left out means no end.
enum Rounds {
  /// - Parameter otherwise: how the user writes "no end".
  /// - Returns: 0 for nil: no end.
  static func checked(
    _ rounds: Int64?, option: String, otherwise: String = "leave it out for no end"
  ) throws(CommandError) -> Int64 {
    guard let rounds else { return 0 }
    guard rounds != 0, TimerSpec.Shared.problem(rounds: rounds) == nil else {
      throw .usage("\(option) is from 1 to \(Limits.rounds); \(otherwise)")
    }
    return rounds
  }

  /// Checks how many rounds lie between the long steps of a sequence.
  static func checked(longEvery rounds: Int64) throws(CommandError) -> Int64 {
    guard TimerSpec.Shared.problem(longEvery: rounds, hasLong: true) == nil else {
      throw .usage("--long-every is from 1 to \(Limits.longEvery); leave it out for none")
    }
    return rounds
  }
}
