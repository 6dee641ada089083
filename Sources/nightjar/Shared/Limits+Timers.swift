import NightjarCore
import NightjarWire

/// Limits of a timer, as the daemon's model has them.
extension Limits {
  /// How often something rings that repeats, or a sequence is gone through, at the most.
  static let rounds = Recipe.maximumRounds
  /// How many rounds may lie between two long ones, with one of them.
  static let longEvery = Recipe.maximumLongEvery
  /// What goes on by itself takes at least so long, in microseconds.
  static let shortestRoundUsec = Recipe.shortestRoundUsec
}
