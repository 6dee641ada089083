import NightjarModel
import NightjarVarlink

/// How often something comes round.
enum Rounds {
  /// - Parameters:
  ///   - limit: the most there may be.
  ///   - otherwise: what to write for no end, or nothing of the kind.
  /// - Returns: 0 for nil: without end.
  static func checked(
    _ rounds: Int64?, option: String, limit: Int64 = Limits.rounds,
    otherwise: String = "leave it out for no end"
  ) throws(CommandError) -> Int64 {
    guard let rounds else { return 0 }
    guard (1...limit).contains(rounds) else {
      throw .usage("\(option) is from 1 to \(limit); \(otherwise)")
    }
    return rounds
  }
}
