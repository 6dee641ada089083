import ArgumentParser

/// The option that every command has. `nightjar --help` describes it, once for all commands.
struct SocketOption: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      "The path of the daemon's socket. It takes precedence over NIGHTJAR_SOCKET and the default "
        + "path.", valueName: "path", visibility: .hidden),
    completion: .file())
  var path: String?

  /// The character before the name of a machine. `nightjar @NAME …` passes `@NAME` as the value of
  /// this option.
  static let deviceMark: Character = "@"

  /// The option as if the user had not given it.
  static var none: SocketOption {
    var option = SocketOption()
    option.path = nil
    return option
  }

  /// The option with another machine as its value.
  static func device(_ name: String) -> SocketOption {
    var option = none
    option.path = "\(deviceMark)\(name)"
    return option
  }

  /// The other machine for whose timers the command is; nil: the command is for this machine.
  var device: String? { path.flatMap(Self.device(in:)) }

  /// The name of the machine in a word, such as `laptop` in `@laptop`; nil: the word names no
  /// machine.
  static func device(in word: String) -> String? {
    word.first == deviceMark ? String(word.dropFirst()) : nil
  }
}

/// The option of commands that change timers of another machine.
struct QueueOption: ParsableArguments {
  @Flag(
    name: .customLong("queue"),
    help: ArgumentHelp(
      "With @MACHINE: if that machine is asleep or offline, wait until it is online.",
      visibility: .hidden))
  var isGiven = false
}

/// The option of commands that can print JSON for programs.
struct FormatOption: ParsableArguments {
  @Flag(
    name: .customLong("json"),
    help: "Print JSON, one object per line; a list of timers is one object.")
  var isJSON = false
}
