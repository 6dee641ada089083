import ArgumentParser

/// The option that every command has.
struct SocketOption: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      "The path of the daemon's socket. It takes precedence over NIGHTJAR_SOCKET and the default "
        + "path.", valueName: "path"),
    completion: .file())
  var path: String?

  /// Marks a machine: `nightjar @NAME …` passes `@NAME` as the path of this option.
  static let deviceMark: Character = "@"

  /// The option without a value, as if the user did not give it.
  static var none: SocketOption {
    var option = SocketOption()
    option.path = nil
    return option
  }

  /// The option for another machine.
  static func device(_ name: String) -> SocketOption {
    var option = none
    option.path = "\(deviceMark)\(name)"
    return option
  }

  /// The user's other machine whose timers are meant; nil: this machine.
  var device: String? { path.flatMap(Self.device(in:)) }

  /// The machine that a word names: `laptop` for `@laptop`; nil: it names none.
  static func device(in word: String) -> String? {
    word.first == deviceMark ? String(word.dropFirst()) : nil
  }
}

/// The option of commands that change timers of another machine.
struct QueueOption: ParsableArguments {
  @Flag(
    name: .customLong("queue"),
    help: "With @MACHINE: if that machine is asleep or offline, wait until it is online.")
  var isGiven = false
}

/// The option of commands that can print JSON for programs.
struct FormatOption: ParsableArguments {
  @Flag(
    name: .customLong("json"),
    help: "Print the daemon's replies as JSON, one object per line.")
  var isJSON = false
}
