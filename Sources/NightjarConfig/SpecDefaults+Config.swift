internal import NightjarInterface
internal import NightjarModel
package import NightjarService
internal import NightjarVarlink

extension SpecDefaults {
  /// Reads `late` and `missed` of the table `[daemon]`. A key that is not there changes nothing.
  ///
  /// - Throws: what is wrong with a value, and where it stands.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let (word, usec) = try table.wordOrUsec("late", TimersInterface.Late.self, from: 0) {
      late = word.map(LatePolicy.init) ?? .fireWithin(usec: usec)
    }
    if let word = try table.word("missed", TimersInterface.Missed.self) {
      missed = MissedPolicy(word)
    }
  }
}
