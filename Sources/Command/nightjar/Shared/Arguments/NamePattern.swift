import NightjarClient

/// A word that means one timer, or all timers under a path.
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

  /// Whether a word means all timers under a path.
  static func isPrefix(_ word: String) -> Bool {
    if case .prefix = NamePattern(word) { true } else { false }
  }

  /// The error if the pattern matches no timer.
  func absence(in daemon: some Answering) -> CommandError {
    switch self {
    case .name(let name): daemon.explained(.timerNotFound(name: name))
    case .prefix(let path):
      CommandError(.notFound, "no timer under '\(path)/'; see \(Typed.nightjar) list")
    }
  }

  /// Whether the pattern matches the name of a timer. A prefix also matches a timer whose name is
  /// the path itself.
  func matches(_ name: String) -> Bool {
    switch self {
    case .name(let own): name == own
    case .prefix(let prefix): name == prefix || name.hasPrefix("\(prefix)/")
    }
  }
}
