import NightjarModel
import Varlink

/// Checks the number of rounds of a sequence or a repetition against the limits of the model.
enum Rounds {
  /// - Parameter otherwise: the advice how to write that there is no end.
  /// - Returns: the number; 0 if `rounds` is nil, which means that there is no end.
  static func checked(
    _ rounds: Int64?, option: String, otherwise: String = "leave it out for no end"
  ) throws(CommandError) -> Int64 {
    guard let rounds else { return 0 }
    guard rounds != 0, TimerSpec.Shared.problem(rounds: rounds) == nil else {
      throw .usage("\(option) is from 1 to \(Limits.rounds); \(otherwise)")
    }
    return rounds
  }

  /// Checks the number of rounds between two long steps of a sequence.
  static func checked(longEvery rounds: Int64) throws(CommandError) -> Int64 {
    guard TimerSpec.Shared.problem(longEvery: rounds, hasLong: true) == nil else {
      throw .usage("--long-every is from 1 to \(Limits.longEvery); leave it out for none")
    }
    return rounds
  }
}
