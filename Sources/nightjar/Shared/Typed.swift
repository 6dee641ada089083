/// The program in the commands that sentences tell the user to type.
enum Typed {
  /// The other machine whose timers this command is for: `laptop` of `nightjar @laptop …`; nil: this one.
  private static let machine = addressee(in: CommandLine.arguments.dropFirst())

  /// `nightjar`, or `nightjar @laptop` where the command is for the timers of that machine.
  ///
  /// For advice about timers. Advice about this machine, such as `nightjar mqtt status`, is written as it is.
  static let nightjar = program(for: machine)

  /// The machine that is named in front of a command; nil: none is.
  static func addressee(in arguments: some Collection<String>) -> String? {
    arguments.first.flatMap(SocketOption.device(in:))
  }

  /// The program with the machine that a command is for.
  static func program(for machine: String?) -> String {
    "nightjar" + (machine.map { " @\($0)" } ?? "")
  }
}
