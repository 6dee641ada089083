/// A word that stands for one timer or for all under a path.
enum NamePattern {
  case name(String)
  case prefix(String)

  init(_ word: String) {
    for ending in ["/…", "/..."] where word.hasSuffix(ending) && word != ending {
      self = .prefix(String(word.dropLast(ending.count)))
      return
    }
    self = .name(word)
  }

  /// Whether a word stands for all timers under a path.
  static func isPrefix(_ word: String) -> Bool {
    if case .prefix = NamePattern(word) { true } else { false }
  }

  /// A prefix also matches the timer that has exactly its name.
  func matches(_ name: String) -> Bool {
    switch self {
    case .name(let own): name == own
    case .prefix(let prefix): name == prefix || name.hasPrefix("\(prefix)/")
    }
  }
}
