internal import Glibc
package import NightjarConfig
internal import NightjarParameters

package enum RingSound: Hashable {
  case none
  /// One of Nightjar's sounds. If the server plays it, the counterpart in the desktop's sound
  /// theme.
  case builtIn(String)
  /// The sound file at an absolute path.
  case file(String)

  package static let usual = RingSound.builtIn(RingPlan.builtInSounds[0])

  /// The sound that a word of a timer's specification names: a built-in sound, or a path.
  init(of word: String) {
    self = RingPlan.builtInSounds.contains(word) ? .builtIn(word) : .file(word)
  }

  /// Reads a sound from the configuration: `"pulse"`, `"~/bell.oga"`, or `false` for none.
  package static func read(_ node: ConfigNode, of table: ConfigTable) throws(ConfigError)
    -> RingSound
  {
    switch node.value {
    case .boolean(false): return .none
    case .boolean(true): return .usual
    case .string(let text):
      if RingPlan.builtInSounds.contains(text) { return .builtIn(text) }
      guard let path = HomePath.absolute(text) else {
        throw table.error(
          at: node,
          "'\(node.key)' must be \(RingPlan.builtInSounds.joined(separator: ", ")), or the path "
            + "of a file from the root or from ~/, not \"\(text)\"")
      }
      return .file(path)
    case .integer, .float, .date, .array, .table:
      throw table.error(at: node, expected: "a sound, or false")
    }
  }
}
