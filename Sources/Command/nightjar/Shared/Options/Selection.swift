import ArgumentParser
import NightjarClient

/// The flag `--all`, which the user gives in place of names.
struct AllFlag: ParsableArguments {
  @Flag(name: .customLong("all"), help: "All timers in a state that allows the command.")
  var isGiven = false
}

/// The flag `--yes`, for commands that ask before they change several timers that a prefix or --all
/// selected.
struct YesFlag: ParsableArguments {
  @Flag(
    name: .customLong("yes"),
    help: """
      Do not ask for confirmation. Without this option the command asks, on a terminal, before \
      --all or a path changes more than one timer.
      """)
  var isGiven = false
}

/// The timers for a command: names, prefixes, or all timers.
struct Selection: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Names of timers. A name that ends in /… or /... means that path and all timers under it.",
      valueName: "name"),
    completion: TimerCompletion.names)
  var names: [String] = []

  @OptionGroup var all: AllFlag

  var isAll: Bool { all.isGiven }

  /// The names of the timers for the command: those that the user typed, and those that a prefix or
  /// --all selects.
  ///
  /// - Parameters:
  ///   - states: the states in which a prefix or --all selects a timer; empty: any state. A timer
  ///     that the user names is always selected. If its state is wrong, the daemon refuses the
  ///     command.
  ///   - isFor: another condition on which a prefix or --all selects a timer.
  ///   - command: the command's name, for the error if the user names no timer.
  /// - Throws: `CommandError`: there is no single candidate, or no timer's name begins with a
  ///   prefix.
  func resolve(
    states: Set<Wire.State> = [], isFor: (Wire.Timer) -> Bool = { _ in true },
    command: String, in daemon: some Answering
  ) throws(CommandError) -> [String] {
    if names.isEmpty, !isAll {
      return [try Candidate(command: command) { _ in true }.name(in: daemon)]
    }
    return try Self.resolve(
      words: names, isAll: isAll, states: states, isFor: isFor, command: command, in: daemon)
  }

  /// Whether a prefix or --all selects a timer.
  static func means(
    _ timer: Wire.Timer, states: Set<Wire.State>, isFor: (Wire.Timer) -> Bool
  ) -> Bool {
    (states.isEmpty || states.contains(timer.state)) && isFor(timer)
  }

  /// The names of the timers for a command, for words that are not those of `names`.
  static func resolve(
    words: [String], isAll: Bool, states: Set<Wire.State>,
    isFor: (Wire.Timer) -> Bool = { _ in true }, command: String, in daemon: some Answering
  ) throws(CommandError) -> [String] {
    func isIncluded(_ timer: Wire.Timer) -> Bool { means(timer, states: states, isFor: isFor) }
    guard !isAll else {
      guard words.isEmpty else { throw .usage("give names or --all, not both") }
      let asked = states.sorted { $0.rawValue < $1.rawValue }
      return try daemon.timers(states: asked).filter(isIncluded).map(\.name).sorted()
    }
    let words = words.map(Sign.typed)
    var names: [String] = []
    for word in words {
      switch NamePattern(word) {
      case .name(let name): names.append(name)
      case .prefix(let prefix):
        let timers = try daemon.timers(prefix: prefix)
        guard !timers.isEmpty else { throw NamePattern(word).absence(in: daemon) }
        let meant = timers.filter(isIncluded)
        if meant.isEmpty { Output.complain("nothing to \(command) under '\(prefix)/'") }
        names += meant.map(\.name).sorted()
      }
    }
    // Each timer once: a second `stop` would end the timer whose ring the first one ended.
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
