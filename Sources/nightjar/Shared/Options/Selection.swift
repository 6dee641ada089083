import ArgumentParser
import NightjarClient

/// `--all`, in place of names.
struct AllFlag: ParsableArguments {
  @Flag(name: .customLong("all"), help: "All timers in a state that allows it.")
  var isGiven = false
}

/// `--yes`, of commands that ask before they change timers that were not named one by one.
struct YesFlag: ParsableArguments {
  @Flag(
    name: .customLong("yes"), help: "With --all or a prefix: do not ask at a terminal.")
  var isGiven = false
}

/// Which timers a command is about: names, prefixes, or all there are.
struct Selection: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Timers; a name that ends in /… or /... stands for all under it.", valueName: "name"),
    completion: TimerCompletion.names)
  var names: [String] = []

  @OptionGroup var all: AllFlag

  var isAll: Bool { all.isGiven }

  /// That no timer was named.
  ///
  /// - Parameter command: as it is typed.
  static func unnamed(in command: String) -> CommandError {
    .usage("say which timer: \(command) NAME, or --all")
  }

  /// The names that were typed, and those that a prefix or --all stands for.
  ///
  /// - Parameters:
  ///   - states: those in which a timer is meant by a prefix or by --all; none for any. A timer that
  ///     is named is meant in any state: if it is the wrong one, the daemon says so.
  ///   - isFor: likewise whether the command is for what it does.
  ///   - command: the command's name, for the sentence about what is missing.
  /// - Throws: `CommandError`: nothing was said, or there is nothing under a prefix.
  func resolve(
    states: Set<NightjarTimer.State>, isFor: (NightjarTimer) -> Bool = { _ in true },
    command: String, in daemon: some Answering
  ) throws(CommandError) -> [String] {
    try Self.resolve(
      words: names, isAll: isAll, states: states, isFor: isFor, command: command, in: daemon)
  }

  /// Whether a timer is meant that is not named.
  static func means(
    _ timer: NightjarTimer, states: Set<NightjarTimer.State>, isFor: (NightjarTimer) -> Bool
  ) -> Bool {
    // One that goes on after it rang is as good as fired until somebody says that they heard.
    let isState =
      states.isEmpty || states.contains(timer.state)
      || states.contains(.fired) && timer.firedUsec != nil
    return isState && isFor(timer)
  }

  /// As above, where the words come from elsewhere.
  static func resolve(
    words: [String], isAll: Bool, states: Set<NightjarTimer.State>,
    isFor: (NightjarTimer) -> Bool = { _ in true }, command: String, in daemon: some Answering
  ) throws(CommandError) -> [String] {
    func isMeant(_ timer: NightjarTimer) -> Bool { means(timer, states: states, isFor: isFor) }
    guard !isAll else {
      guard words.isEmpty else { throw .usage("give names or --all, not both") }
      let asked = states.contains(.fired) ? [] : states.sorted { $0.rawValue < $1.rawValue }
      return try daemon.timers(states: asked).filter(isMeant).map(\.name).sorted()
    }
    let words = ManyNames.unfolded(words)
    guard !words.isEmpty else { throw unnamed(in: "\(Typed.nightjar) \(command)") }
    var names: [String] = []
    for word in words {
      switch NamePattern(word) {
      case .name(let name): names.append(name)
      case .prefix(let prefix):
        let timers = try daemon.timers(prefix: prefix)
        guard !timers.isEmpty else {
          throw CommandError(.notFound, "no timer under '\(prefix)/'; see \(Typed.nightjar) list")
        }
        let meant = timers.filter(isMeant)
        if meant.isEmpty { Output.complain("nothing to \(command) under '\(prefix)/'") }
        names += meant.map(\.name).sorted()
      }
    }
    return names
  }
}
