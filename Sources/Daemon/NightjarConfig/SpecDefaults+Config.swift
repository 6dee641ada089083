internal import NightjarInterface
internal import NightjarModel
package import NightjarParameters
internal import Varlink

extension SpecDefaults {
  /// Reads `late` and `missed` of the table `[daemon]`. A missing key changes nothing.
  ///
  /// - Throws: the mistake in a value, with its position.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let (word, usec) = try table.wordOrUsec("late", Wire.Late.self, from: 0) {
      late = word.map { $0 == .skip ? .skip : .fire } ?? .fireWithin(usec: usec)
    }
    if let word = try table.word("missed", Wire.Missed.self) {
      missed = MissedPolicy(word, named: \.name) ?? missed
    }
  }
}
